"""What a researcher should know of a draft before its launch: what it would ask of whom, and what to watch."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from items.models import Item
from studies.models import Study
from studies.protocols import PROTOCOLS, Declaration, InvalidParameter
from studies.services.declarations import get_declaration
from studies.services.durations import Workload, estimate_workload
from studies.services.launching import Outline, outline_draft
from studies.services.quotas import count_annotators
from studies.services.selection import Chosen
from studies.services.spec import SpecError
from studies.services.variants import check_variants

FEWEST_TEXTS = 5  # below, no comparison of all generators has an interval (analysis.measures.contrasts)
LONG_SITTING = 45  # minutes
MOST_NAMED = 3


@dataclass(frozen=True)
class Note:
    """A sentence, and where it leads. `kind` says how it is marked: look at this, passed, or good to know."""

    sentence: str
    kind: Literal["warn", "ok", "info"] = "warn"
    links: tuple[tuple[str, str], ...] = ()  # label and address


@dataclass(frozen=True)
class DraftSummary:
    """A draft as it stands. With a `problem` it cannot be launched, and the rest is empty."""

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
        """Of all people together, at most."""
        return self.n_people * self.workload.minutes.high / 60 if self.workload else 0

    @property
    def worst(self) -> list[Note]:
        """At most four, worst first."""
        order = ("warn", "ok", "info")
        every = [*self.about_texts, *self.about_people]
        return sorted(every, key=lambda note: order.index(note.kind))[:4]


def summarise_draft(study: Study) -> DraftSummary:
    """What a launch would do now, or why it cannot be."""
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


def count_by_generator(chosen: Chosen) -> dict[str, int]:
    """Items of each generator, in the order of the bank."""
    items = sorted((item for _text, items in chosen.texts for item in items), key=lambda item: item.generator_id)
    return dict(Counter(item.generator.name for item in items))


def list_text_notes(study: Study, chosen: Chosen, declaration: Declaration) -> list[Note]:
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


def note_keys(study: Study, chosen: Chosen, declaration: Declaration) -> list[Note]:
    """Items of which no option is marked as correct, with links to their texts."""
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


def note_uneven(chosen: Chosen) -> list[Note]:
    """Generators that have items on some of the texts only; else how many all have on each."""
    n_texts, texts, sizes = len(chosen.texts), Counter[str](), Counter[tuple[str, int]]()
    for text, items in chosen.texts:
        for name, n in Counter(item.generator.name for item in items).items():
            texts[name] += 1
            sizes[name, text.pk] = n
    few = [name for name, n in texts.items() if n < n_texts]
    said = _("“%(name)s” has items on %(n)d of %(texts)d texts. Compare it with care, or leave it out.")
    if few:
        return [Note(said % {"name": name, "n": texts[name], "texts": n_texts}) for name in few[:MOST_NAMED]]
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
        said = _("%(minutes)s minutes are long for one sitting. People can stop and come back with the same link.")
        found.append(Note(said % {"minutes": workload.minutes}))
    if PROTOCOLS[study.protocol].unit != "text":
        said = ngettext(
            "Each person gets %(n)s question page.", "Each person gets %(n)s question pages.", workload.units.high
        )
        found.append(Note(said % {"n": workload.units}, "info"))
    return found


def note_guesses(study: Study, workload: Workload) -> Note:
    """Who guesses each item before reading. Somebody has to, or it has no accuracy without the text."""
    if study.plan["annotators"] == "open":
        return Note(_("Each person guesses one generator's items of a text, then answers all of them."), "info")
    if not workload.guessers.low:
        return Note(
            _(
                "Some items are guessed by nobody: each person guesses one generator's items of a text. "
                "Let more people work on each text."
            )
        )
    said = _("Each item is guessed by %(guess)s and answered by %(read)s people.")
    return Note(said % {"guess": workload.guessers, "read": workload.doers}, "ok")
