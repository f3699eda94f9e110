"""Choose the items that a study asks about, and make its units, which all variants share.

A draft chooses from the bank; the launch freezes the choice.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from items.language import name_language
from items.models import Generator, Item, Option, Text
from items.plain import make_printable
from projects.scratch import Save, save_at_once
from studies.models import Study, Unit, UnitItem, Variant
from studies.presentation_order import ItemContents
from studies.protocols import PROTOCOLS, Declaration, InvalidParameter
from studies.protocols.base import Candidate, UnitKind
from studies.services.declarations import get_declaration
from studies.services.spec import SpecError
from studies.services.text_versions import keep_texts_with_versions, list_text_versions


@dataclass
class ChosenTexts:
    """Texts with the study's items about them, and notices about the choice."""

    texts: list[tuple[Text, list[Item]]]
    notices: list[str] = field(default_factory=list)

    @property
    def n_items(self) -> int:
        return sum(len(items) for _text, items in self.texts)

    def generators(self) -> list[list[str]]:
        """For each text the generators with items on it, as primary keys in bank order."""
        return [[str(pk) for pk in sorted({item.generator_id for item in items})] for _text, items in self.texts]


def choose_items(study: Study, *, for_plan: bool = False) -> ChosenTexts:
    """The current versions of the items that the study selects; `SpecError` if there are none, or some do not exist.

    for_plan: only the fields of texts and items that a plan needs, which takes a tenth of the time.
    """
    texts, version_notices = keep_texts_with_versions(study, find_texts(study, for_plan))
    if not PROTOCOLS[study.protocol].needs_items:
        return choose_texts_only(study, texts)
    items = find_items(study, texts, for_plan)
    declaration = get_declaration(study)
    with_options = set(list_with_options(study) if declaration.needs_options else ())
    without = [item for item in items if declaration.needs_options and item.pk not in with_options]
    left_out = {item.pk for item in without}
    by_text: dict[int, list[Item]] = {}
    for item in items:
        if item.pk not in left_out:
            by_text.setdefault(item.text_id, []).append(item)
    enough = {pk for pk, own in by_text.items() if has_enough(own, declaration)}
    chosen = ChosenTexts([(text, by_text[text.pk]) for text in texts if text.pk in enough])
    if not chosen.texts:
        raise SpecError(explain_nothing_chosen(without) if not by_text else explain_too_few(declaration))
    check_languages([text for text, _items in chosen.texts])
    chosen.notices = version_notices + list_notices(study, len(texts), chosen, len(without), len(by_text) - len(enough))
    return chosen


def choose_texts_only(study: Study, texts: list[Text]) -> ChosenTexts:
    """Texts without items, for a protocol that asks about none."""
    if not texts:
        raise SpecError(_("The project has no texts. Import texts first."))
    check_languages(texts)
    return ChosenTexts(
        [(text, []) for text in texts], [note] if (note := notice_other_language(study, texts[0])) else []
    )


class PlainText(NamedTuple):
    """What a plan needs of a text."""

    pk: int
    external_id: str
    language: str


class PlainItem(NamedTuple):
    """What a plan needs of an item."""

    pk: int
    text_id: int
    generator_id: int


def list_with_options(study: Study) -> QuerySet[Option, int]:
    """The primary keys of the project's items that have options."""
    return Option.objects.filter(item__project=study.project).order_by().values_list("item_id", flat=True).distinct()


def find_texts(study: Study, for_plan: bool = False) -> list[Text]:
    wanted = study.selection.get("texts", "all")
    offered = study.project.texts.available()
    texts = read_plain(PlainText, offered) if for_plan and not list_text_versions(study) else list(offered)
    if wanted == "all":
        return texts
    refuse_unknown(_("text"), wanted, {text.external_id for text in texts})
    listed = set(wanted)
    return [text for text in texts if text.external_id in listed]


def find_items(study: Study, texts: Iterable[Text], for_plan: bool = False) -> list[Item]:
    """The current items of the chosen generators about these texts, with options and generator unless for a plan."""
    # Filtered here rather than in SQL, which accepts no list of tens of thousands of texts.
    wanted = {text.pk for text in texts}
    offered = Item.objects.available().filter(project=study.project, generator__in=find_generators(study))
    in_full = offered.select_related("generator").prefetch_related("options")
    return [item for item in (read_plain(PlainItem, offered) if for_plan else in_full) if item.text_id in wanted]


def read_plain(kind: type[PlainText] | type[PlainItem], rows: QuerySet[Any, Any]) -> list[Any]:
    """Rows as plain values instead of model objects, which are slow to create."""
    return [kind._make(row) for row in rows.values_list(*kind._fields)]


def find_generators(study: Study) -> list[Generator]:
    wanted = study.selection.get("generators", "all")
    known = {generator.name: generator for generator in study.project.generators.all()}
    if wanted == "all":
        return list(known.values())
    refuse_unknown(_("generator"), wanted, set(known))
    return [known[name] for name in known if name in set(wanted)]


def refuse_unknown(kind: str, wanted: list[str], known: set[str]) -> None:
    missing = [make_printable(name) for name in wanted if name not in known]
    if missing:
        raise SpecError(
            _("The project has no %(kind)s “%(name)s”. Check the spelling, or import it first.")
            % {"kind": kind, "name": "”, “".join(missing[:5])}
        )


def explain_nothing_chosen(without_options: list[Item]) -> str:
    if without_options:
        return _(
            "Nothing to annotate: this protocol asks about answer options, and none of the selected "
            "items has options. Select other items, or add options."
        )
    return _("Nothing to annotate: the selected texts have no items. Import items first, or select other texts.")


def has_enough(items: Sequence[Item], declaration: Declaration) -> bool:
    """Whether a text has as many items, by as many generators, as the protocol needs."""
    n_generators = len({item.generator_id for item in items})
    return n_generators >= declaration.min_generators and len(items) >= declaration.tuple_size


def explain_too_few(declaration: Declaration) -> str:
    if declaration.tuple_size:
        return _(
            "There is nothing to annotate: this protocol needs %(n)d items on a text, and no chosen text has them."
            " Choose more generators."
        ) % {"n": declaration.tuple_size}
    return _(
        "Nothing to annotate: this protocol needs items of %(n)d generators about a text, and no "
        "selected text has them. Select more generators."
    ) % {"n": declaration.min_generators}


def check_languages(texts: Iterable[Text]) -> None:
    languages = sorted({text.language for text in texts})
    if len(languages) > 1:
        raise SpecError(
            _("The selected texts are in several languages (%(languages)s). Create one study per language.")
            % {"languages": ", ".join(languages)}
        )


def list_notices(study: Study, n_texts: int, chosen: ChosenTexts, n_without: int, n_few: int) -> list[str]:
    """Sentences on what the choice leaves out, and on its consequences for the design."""
    guesses = get_declaration(study).guesses
    single = sum(len(names) == 1 for names in chosen.generators()) if guesses else 0
    sentences = [
        insert_number(
            n_without,
            ngettext(
                "%(n)d item without options is left out, because this protocol asks about options.",
                "%(n)d items without options are left out, because this protocol asks about options.",
                n_without,
            ),
        ),
        insert_number(
            n_few,
            ngettext(
                "%(n)d text is left out: it has too few items.",
                "%(n)d texts are left out: they have too few items.",
                n_few,
            )
            if get_declaration(study).tuple_size
            else ngettext(
                "%(n)d text is left out because it has items of too few generators.",
                "%(n)d texts are left out because they have items of too few generators.",
                n_few,
            ),
        ),
        insert_number(
            empty := n_texts - len(chosen.texts) - n_few,
            ngettext(
                "%(n)d text is left out because none of the selected items belongs to it.",
                "%(n)d texts are left out because none of the selected items belongs to them.",
                empty,
            ),
        ),
        insert_number(
            single,
            ngettext(
                "%(n)d text has items of only one generator, so every annotator guesses them.",
                "%(n)d texts have items of only one generator, so every annotator guesses them.",
                single,
            ),
        ),
        notice_other_language(study, chosen.texts[0][0]),
    ]
    return [sentence for sentence in sentences if sentence]


def insert_number(number: int, sentence: str) -> str:
    """The sentence with the number inserted; empty if the number is 0."""
    return sentence % {"n": number} if number else ""


def notice_other_language(study: Study, text: Text) -> str:
    """A notice that pages and texts are in different languages, which may be intended."""
    if study.language.partition("-")[0] == text.language.partition("-")[0]:
        return ""
    return _("Language of the pages: %(pages)s. Language of the texts: %(texts)s.") % {
        "pages": name_language(study.language),
        "texts": name_language(text.language),
    }


MAIN, CALIBRATION = "main", "calibration"


@dataclass(frozen=True)
class PlannedUnit:
    """A unit that does not exist yet. For a pair, answers are stored under the first of `items`."""

    text: Text
    items: tuple[Item, ...]
    part: str = MAIN

    @property
    def generators(self) -> list[str]:
        """The generators of its items, as primary keys in bank order."""
        return [str(pk) for pk in sorted({item.generator_id for item in self.items})]


def plan_units(study: Study, chosen: ChosenTexts) -> list[PlannedUnit]:
    """The units of the chosen texts, text by text. The study's seed reproduces them.

    `SpecError` if a text's items cannot be split as the parameters say.
    """
    declaration = get_declaration(study)
    shared = study.plan["shared_texts"] if declaration.calibration else 0
    units = []
    for place, (text, items) in enumerate(chosen.texts):
        by_id = {item.pk: item for item in items}
        rng = Random(f"{study.seed}/units/{text.external_id}")
        try:
            split = declaration.split([Candidate(item.pk, item.generator_id) for item in items], rng)
        except InvalidParameter as error:
            raise SpecError(_("Text “%(text)s”: %(problem)s") % {"text": text.external_id, "problem": error}) from None
        part = CALIBRATION if place < shared else MAIN
        units += [PlannedUnit(text, tuple(by_id[pk] for pk in ids), part) for ids in split]
    return units


def notice_short_texts(chosen: ChosenTexts, units: Sequence[PlannedUnit], wanted: int | None) -> list[str]:
    """A sentence on the texts with fewer units than wanted; none if there is no wanted number or all texts reach it."""
    found = Counter(unit.text.pk for unit in units)
    short = sum(found[text.pk] < wanted for text, _items in chosen.texts) if wanted else 0
    if not short:
        return []
    sentence = ngettext(
        "%(n)d text allows fewer than %(wanted)d pairs; all of them are used.",
        "%(n)d texts allow fewer than %(wanted)d pairs; all of them are used.",
        short,
    )
    if any(len(unit.items) > 2 for unit in units):
        sentence = ngettext(
            "%(n)d text allows fewer than %(wanted)d sets; all of them are used.",
            "%(n)d texts allow fewer than %(wanted)d sets; all of them are used.",
            short,
        )
    return [sentence % {"n": short, "wanted": wanted}]


def save_units(
    study: Study, planned: Iterable[PlannedUnit], save: Save = save_at_once, *, first: int = 0, block: int = 1
) -> list[Unit]:
    """The units as rows, numbered in this order starting with `first`."""
    planned = list(planned)
    rows = [(study.pk, unit.text.pk, position, unit.part, block) for position, unit in enumerate(planned, first)]
    columns = ("study_id", "text_id", "position", "part", "block")
    save(Unit, rows, columns)
    keys = Unit.everything.filter(study=study, position__gte=first).order_by("position").values_list("pk", flat=True)
    units = [
        Unit(pk=pk, study_id=study.pk, text_id=unit.text.pk, position=position, part=unit.part, block=block)
        for pk, (position, unit) in zip(keys, enumerate(planned, first), strict=True)
    ]
    save(
        UnitItem,
        (
            (made.pk, item.pk, position)
            for made, unit in zip(units, planned, strict=True)
            for position, item in enumerate(unit.items)
        ),
        ("unit_id", "item_id", "position"),
    )
    return units


class UnitContents(NamedTuple):
    """What is needed to draw the orders of a unit."""

    pk: int
    text_id: int
    position: int
    part: str
    items: list[ItemContents]


def read_contents(units: QuerySet[Unit]) -> dict[int, UnitContents]:
    """The units by primary key, with their items and options, in three queries and without model objects."""
    found = {row[0]: UnitContents(*row, []) for row in units.values_list("pk", "text_id", "position", "part")}
    members = UnitItem.objects.filter(unit__in=units)
    options: dict[int, list[int]] = defaultdict(list)
    for item, option in Option.objects.filter(item__in=members.values("item")).values_list("item_id", "pk"):
        options[item].append(option)
    for unit, item, generator in members.order_by("item_id").values_list("unit_id", "item_id", "item__generator_id"):
        found[unit].items.append(ItemContents(item, generator, options.get(item, [])))
    return found


def make_unit_key(kind: UnitKind, text_id: int, item_ids: Iterable[int]) -> Hashable:
    """The identity of a unit among those of its kind: the text, or the items in any order."""
    return text_id if kind == "text" else frozenset(item_ids)


# Variants of a study ask about the same units with another instrument: the plan is shared by all of them.


def check_variants(study: Study, chosen: ChosenTexts) -> None:
    """`SpecError` if a variant has other units or stages than its study."""
    for variant in study.variants.select_related("instrument_version"):
        refuse_other_plan(study, variant, chosen)


def refuse_other_plan(study: Study, variant: Variant, chosen: ChosenTexts) -> None:
    other = copy(study)
    other.instrument_version, other.params = variant.instrument_version, variant.params
    if collect_plan_shape(study) != collect_plan_shape(other) or plan_units(study, chosen) != plan_units(other, chosen):
        raise SpecError(
            _(
                "The variant “%(name)s” has other units or stages than the study. Variants may differ in "
                "wording, questions and what is shown; for other units create a separate study."
            )
            % {"name": make_printable(variant.name)}
        )


def collect_plan_shape(study: Study) -> tuple[Any, ...]:
    """What a plan depends on, besides the units."""
    declaration = get_declaration(study)
    return (
        [(stage.name, stage.items) for stage in declaration.stages],
        declaration.phases,
        declaration.needs_options,
        declaration.min_generators,
        declaration.calibration,
        declaration.rounds,
        declaration.rules,
    )
