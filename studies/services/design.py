"""The initial contents of a new study, and what a researcher should know about a draft before its launch.

A new study starts with the default numbers of its protocol, or with those of a published study.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from django.urls import reverse
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from items.models import Item
from items.plain import write_csv
from projects.models import Project
from studies.instrument_kinds import PEOPLE
from studies.models import InstrumentVersion, Purpose, Study
from studies.protocols import PROTOCOLS, Declaration, InvalidParameter, Protocol
from studies.services.declarations import get_declaration
from studies.services.durations import Workload, estimate_workload
from studies.services.instruments import list_suitable_versions, name_version
from studies.services.launching import AT_ONCE, Outline, outline_draft, outline_launch
from studies.services.people import VISITOR_DIGITS, choose_code_digits, make_code
from studies.services.phases import read_phases
from studies.services.planning import plan_cells
from studies.services.quotas import assign_groups, count_annotators, has_group_quotas
from studies.services.selection import ChosenTexts, PlannedUnit, check_variants
from studies.services.spec import SpecError, StudySpec, draw_seed, read_spec
from studies.services.text_versions import Rotation, list_text_versions

FOLDER = Path(__file__).resolve().parent.parent / "presets"
USUAL_PEOPLE = 6


@cache
def load_presets() -> dict[str, StudySpec]:
    """The study files in the folder `studies/presets`, by short name."""
    specs = [read_spec(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.yaml"))]
    return {spec.slug: spec for spec in specs}


def list_presets(protocol: str) -> list[StudySpec]:
    return [spec for spec in load_presets().values() if spec.protocol == protocol]


def start_spec(project: Project, protocol: Protocol, preset: StudySpec | None = None) -> dict[str, Any]:
    """The study file of a new study, without title and short name: all texts of the main language, all generators;
    people and settings of the preset, or the defaults."""
    wordings = find_wordings(project, protocol)
    languages = count_languages(project)
    usual = max(languages, key=lambda each: (languages[each], each == get_language()), default=get_language() or "en")
    name = choose_wording(wordings, usual)
    return {
        "protocol": protocol.name,
        "language": wordings[name].instrument.language if name else usual,
        "instrument": name,
        "items": {"texts": select_texts(project, usual), "generators": "all"},
        "plan": preset.plan.numbers() if preset else {"annotators": count_usual_people(protocol)},
        "params": preset.params if preset else {},
        "groups": preset.groups if preset else [],
    }


def restart_spec(
    study_spec: dict[str, Any], project: Project, protocol: Protocol, preset: StudySpec | None
) -> dict[str, Any]:
    """The same draft with another protocol or preset: title, short name, texts, generators and seed stay."""
    kept = {name: study_spec[name] for name in ("slug", "title", "items")}
    fresh = start_spec(project, protocol, preset) | kept
    fresh["plan"] = {**fresh["plan"], "seed": study_spec["plan"].get("seed", draw_seed())}
    return fresh


def count_usual_people(protocol: Protocol) -> int:
    """The number of people in the published study, if it names a single one."""
    numbers = [spec.plan.annotators for spec in list_presets(protocol.name)]
    return next((number for number in numbers if isinstance(number, int)), USUAL_PEOPLE)


def count_languages(project: Project) -> Counter[str]:
    """How many texts the project has in each language."""
    return Counter(project.texts.current().order_by("pk").values_list("language", flat=True))


def select_texts(project: Project, language: str) -> str | list[str]:
    """All texts in that language; "all" if the project has no other."""
    texts = project.texts.current().order_by("pk")
    if not texts.exclude(language=language).exists():
        return "all"
    return list(texts.filter(language=language).values_list("external_id", flat=True))


def find_wordings(project: Project, protocol: Protocol, study: Study | None = None) -> dict[str, InstrumentVersion]:
    """The wordings that can be used, by name in a study file: the newest of each, and the one that a draft has now."""
    versions = [*list_suitable_versions(project, PEOPLE, protocol.name), *([study.instrument_version] if study else [])]
    return {name_version(version): version for version in versions}


def choose_wording(wordings: dict[str, InstrumentVersion], language: str) -> str:
    """The name of the first in that language, else in the language of the page, else in any; empty if there is none."""
    for wanted in (language, get_language() or ""):
        for name, version in wordings.items():
            if version.instrument.language == wanted.partition("-")[0]:
                return name
    return next(iter(wordings), "")


FEWEST_TEXTS = 5  # with fewer, contrasts of generators have no confidence interval (analysis.measures.contrasts)
LONG_SITTING = 45  # minutes
MOST_NAMED = 3


@dataclass(frozen=True)
class Note:
    """A sentence about a draft, with links. `kind` says how it is marked: warning, passed, or information."""

    sentence: str
    kind: Literal["warn", "ok", "info"] = "warn"
    links: tuple[tuple[str, str], ...] = ()  # label and address


@dataclass(frozen=True)
class DraftSummary:
    """The present state of a draft. With a `problem` it cannot be launched, and the rest is empty."""

    problem: str = ""
    about: str = ""  # the field of the plan that the problem is about
    outline: Outline | None = None
    workload: Workload | None = None
    n_people: int = 0
    by_generator: dict[str, int] = field(default_factory=dict)
    about_texts: list[Note] = field(default_factory=list)
    about_people: list[Note] = field(default_factory=list)

    @property
    def n_texts(self) -> int:
        return len(self.outline.chosen.texts) if self.outline else 0

    @property
    def n_items(self) -> int:
        return self.outline.chosen.n_items if self.outline else 0

    @property
    def hours(self) -> float:
        """The hours of all people together, at most."""
        return self.n_people * self.workload.minutes.high / 60 if self.workload else 0

    @property
    def worst(self) -> list[Note]:
        """At most four, the worst first."""
        order = ("warn", "ok", "info")
        every = [*self.about_texts, *self.about_people]
        return sorted(every, key=lambda note: order.index(note.kind))[:4]


def summarize_draft(study: Study) -> DraftSummary:
    """What a launch would do now, or why it is impossible."""
    try:
        outline = outline_draft(study)
        check_variants(study, outline.chosen)
    except SpecError as error:
        return DraftSummary(problem=str(error), about=error.field)
    except InvalidParameter as error:  # of a draft of another version of Lesart
        return DraftSummary(problem=str(error))
    declaration = get_declaration(study)
    workload = estimate_workload(outline, declaration)
    return DraftSummary(
        outline=outline,
        workload=workload,
        n_people=count_annotators(study),
        by_generator=count_by_generator(outline.chosen),
        about_texts=list_text_notes(study, outline.chosen, declaration),
        about_people=list_people_notes(study, workload, declaration),
    )


def count_by_generator(chosen: ChosenTexts) -> dict[str, int]:
    """Items of each generator, in the order of the bank."""
    items = sorted((item for _text, items in chosen.texts for item in items), key=lambda item: item.generator_id)
    return dict(Counter(item.generator.name for item in items))


def list_text_notes(study: Study, chosen: ChosenTexts, declaration: Declaration) -> list[Note]:
    found = [Note(sentence) for sentence in chosen.notices]
    if (n := len(chosen.texts)) < FEWEST_TEXTS:
        found.append(Note(say_few_texts(n)))
    if PROTOCOLS[study.protocol].needs_items:
        found += [*note_keys(study, chosen, declaration), *note_uneven(chosen)]
    return found


def say_few_texts(n: int) -> str:
    return ngettext(
        "%(n)d text is too few to compare generators: it takes %(least)d. It is enough for a pilot.",
        "%(n)d texts are too few to compare generators: it takes %(least)d. They are enough for a pilot.",
        n,
    ) % {"n": n, "least": FEWEST_TEXTS}


def note_keys(study: Study, chosen: ChosenTexts, declaration: Declaration) -> list[Note]:
    """Items without a correct option, with links to their texts."""
    without = [item for _text, items in chosen.texts for item in items if lacks_key(item)]
    if not declaration.needs_options or not without:
        return []
    sentence = ngettext(
        "%(n)d item has no correct answer marked. Ticking nothing then counts as right.",
        "%(n)d items have no correct answer marked. Ticking nothing then counts as right.",
        len(without),
    )
    slug = study.project.slug
    links = tuple((item.external_id, reverse("text", args=[slug, item.text_id])) for item in without[:MOST_NAMED])
    return [Note(sentence % {"n": len(without)}, links=links)]


def lacks_key(item: Item) -> bool:
    options: Any = item.options.all()
    return bool(options) and not any(option.correct for option in options)


def note_uneven(chosen: ChosenTexts) -> list[Note]:
    """Generators with items on only some of the texts; else how many items all of them have on each text."""
    n_texts, texts, sizes = len(chosen.texts), Counter[str](), Counter[tuple[str, int]]()
    for text, items in chosen.texts:
        for name, n in Counter(item.generator.name for item in items).items():
            texts[name] += 1
            sizes[name, text.pk] = n
    few = [name for name, n in texts.items() if n < n_texts]
    sentence = _("“%(name)s” has items on %(n)d of %(texts)d texts. Compare it with care, or leave it out.")
    if few:
        return [Note(sentence % {"name": name, "n": texts[name], "texts": n_texts}) for name in few[:MOST_NAMED]]
    if len(texts) > 1 and len(set(sizes.values())) == 1:
        each = ngettext(
            "Every generator has %(n)d item on every text.",
            "Every generator has %(n)d items on every text.",
            n := next(iter(sizes.values())),
        )
        return [Note(each % {"n": n}, "ok")]
    return []


def list_people_notes(study: Study, workload: Workload, declaration: Declaration) -> list[Note]:
    found = []
    if declaration.guesses:
        found.append(note_guesses(study, workload))
    if workload.minutes.high > LONG_SITTING:
        sentence = _("%(minutes)s minutes are long for one sitting. People can stop and come back with the same link.")
        found.append(Note(sentence % {"minutes": workload.minutes}))
    found += note_attention(study, workload)
    if PROTOCOLS[study.protocol].unit != "text":
        sentence = ngettext(
            "Each person gets %(n)s question page.", "Each person gets %(n)s question pages.", workload.units.high
        )
        found.append(Note(sentence % {"n": workload.units}, "info"))
    return found


def note_attention(study: Study, workload: Workload) -> list[Note]:
    """Warnings about attention checks that come after more units than anybody gets."""
    most = min(workload.units.high, study.recruitment.get("units_per_person") or workload.units.high)
    late = [phase.after for phase in read_phases(study) if phase.kind == "attention" and (phase.after or 0) >= most]
    sentence = _(
        "An attention check comes after %(after)d units, but a person gets at most %(most)d. Let it come earlier."
    )
    links = ((_("Phases"), reverse("study_phases", args=[study.slug])),)
    return [Note(sentence % {"after": after, "most": most}, links=links) for after in late]


def note_guesses(study: Study, workload: Workload) -> Note:
    """How many people guess each item before reading; an unguessed item has no accuracy without the text."""
    if study.plan["annotators"] == "open":
        return Note(_("Each person guesses one generator's items of a text, then answers all of them."), "info")
    if not workload.guessers.low:
        return Note(
            _(
                "Some items are guessed by nobody: each person guesses one generator's items of a text. "
                "Let more people work on each text."
            )
        )
    sentence = _("Each item is guessed by %(guess)s and answered by %(read)s people.")
    return Note(sentence % {"guess": workload.guessers, "read": workload.doers}, "ok")


# Who would get what if a draft were launched now.


@dataclass
class PlannedPerson:
    """What one person would get: each unit with the generator whose items are guessed, empty if none is."""

    seat: int
    code: str
    group: str
    cells: list[tuple[PlannedUnit, str]] = field(default_factory=list)

    @property
    def n_texts(self) -> int:
        return len({unit.text.pk for unit, _guessed in self.cells})

    @property
    def n_units(self) -> int:
        return len(self.cells)

    @property
    def guesses(self) -> list[tuple[str, int]]:
        """How many units of each generator the person guesses."""
        return sorted(Counter(guessed for _unit, guessed in self.cells if guessed).items())


@dataclass(frozen=True)
class PlanPreview:
    """All people of the plan. `is_too_large`: only the launch can work out whose items each person guesses."""

    people: list[PlannedPerson]
    outline: Outline
    rotation: Rotation
    is_too_large: bool


def preview_plan(study: Study) -> PlanPreview:
    """What the launch would give to each person; `SpecError` if the draft cannot be launched. Writes nothing."""
    outline = outline_launch(study)
    is_too_large = get_declaration(study).guesses and sum(map(len, outline.who)) > AT_ONCE
    rows = (
        [dict.fromkeys(row) for row in outline.who] if is_too_large else plan_cells(study, outline.units, outline.who)
    )
    names = dict(study.project.generators.values_list("pk", "name"))
    people = list_planned_people(study)
    for unit, row in zip(outline.units, rows, strict=True):
        for seat, generator in row.items():
            people[seat].cells.append((unit, names[generator] if generator else ""))
    texts = dict.fromkeys(unit.text.pk for unit in outline.units)
    rotation = Rotation(list_text_versions(study), {text: place for place, text in enumerate(texts)})
    return PlanPreview(people, outline, rotation, is_too_large)


def list_planned_people(study: Study) -> list[PlannedPerson]:
    """The people of the plan, without cells yet. With an open link, groups without numbers are drawn as people come."""
    n = count_annotators(study)
    comes_later = bool(study.recruitment.get("open_link"))
    groups = [""] * n if comes_later and not has_group_quotas(study) else assign_groups(study, 0, n)
    digits = VISITOR_DIGITS if comes_later else choose_code_digits(n)
    return [PlannedPerson(seat, make_code(Purpose.MAIN, seat, digits), groups[seat]) for seat in range(n)]


COLUMNS = ("person", "group", "text_id", "item_ids", "guessed_generator", "text_version")


def write_plan(study: Study, plan: PlanPreview) -> str:
    """Every unit of every person as CSV."""
    return write_csv(COLUMNS, list_plan_rows(study, plan))


def list_plan_rows(study: Study, plan: PlanPreview) -> Iterator[tuple[str, ...]]:
    ids = dict(Item.objects.filter(project=study.project).values_list("pk", "external_id"))
    for person in plan.people:
        for unit, guessed in person.cells:
            items = " ".join(ids[item.pk] for item in unit.items)
            version = plan.rotation.choose(unit.text.pk, person.seat)
            yield person.code, person.group, unit.text.external_id, items, guessed, version
