"""From the chosen items to units: what each assignment of a study is about, by its protocol's declaration."""

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from random import Random

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from items.models import Item, Text
from studies.models import Study, Unit, UnitItem
from studies.protocols import InvalidParameter
from studies.protocols.units import Candidate, UnitKind
from studies.services.declaring import declaration_of
from studies.services.selection import Chosen
from studies.services.spec import SpecError

MAIN, CALIBRATION = "main", "calibration"


@dataclass(frozen=True)
class PlannedUnit:
    """A unit that is not made yet. Of a pair, the first of `items` is the one whose answers are stored under it."""

    text: Text
    items: tuple[Item, ...]
    part: str = MAIN

    @property
    def generators(self) -> list[str]:
        """The generators of its items, as primary keys in bank order."""
        return [str(pk) for pk in sorted({item.generator_id for item in self.items})]


def planned_units(study: Study, chosen: Chosen) -> list[PlannedUnit]:
    """The units of the chosen texts, text by text. The study's seed gives the same ones again.

    `SpecError` if a text's items cannot be split as the parameters say.
    """
    declaration = declaration_of(study)
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


def short_texts(chosen: Chosen, units: Iterable[PlannedUnit], wanted: int | None) -> list[str]:
    """A sentence on the texts that give fewer units than wanted; none where nothing was wanted or all give as many."""
    found = Counter(unit.text.pk for unit in units)
    short = sum(found[text.pk] < wanted for text, _items in chosen.texts) if wanted else 0
    if not short:
        return []
    sentence = ngettext(
        "%(n)d text has items for fewer than %(wanted)d pairs: all of its pairs are asked.",
        "%(n)d texts have items for fewer than %(wanted)d pairs: all of their pairs are asked.",
        short,
    )
    return [sentence % {"n": short, "wanted": wanted}]


def save_units(study: Study, planned: Iterable[PlannedUnit]) -> list[Unit]:
    """The units as rows, numbered in this order."""
    planned = list(planned)
    units = Unit.objects.bulk_create(
        Unit(study=study, text=unit.text, position=position, part=unit.part) for position, unit in enumerate(planned)
    )
    UnitItem.objects.bulk_create(
        UnitItem(unit=made, item=item, position=position)
        for made, unit in zip(units, planned, strict=True)
        for position, item in enumerate(unit.items)
    )
    return units


def unit_key(kind: UnitKind, text_id: int, item_ids: Iterable[int]) -> Hashable:
    """What tells two units of one kind apart: the text, the item, or the two items whichever is named first."""
    return text_id if kind == "text" else frozenset(item_ids)
