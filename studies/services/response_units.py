"""The units that rows of an import are about: as the study plans them, or the pairs that the file names."""

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from items.models import Item
from studies.models import Study, Unit
from studies.protocols import PROTOCOLS, Declaration
from studies.protocols.units import UnitKind
from studies.services.launching import make_units
from studies.services.response_rows import Problem, Row
from studies.services.selection import Chosen
from studies.services.units import CALIBRATION, MAIN, PlannedUnit, planned_units, unit_key

if TYPE_CHECKING:
    from studies.services.response_checks import ItemAnswer


def check_unit(row: Row, kind: UnitKind, items: Mapping[str, Item], declaration: Declaration) -> tuple[str, str] | None:
    """Column and sentence of what is wrong with the unit that a row names; None if nothing is."""
    if row.part == CALIBRATION and not declaration.calibration:
        return "part", _("“%(written)s” is not known; it is one of: %(allowed)s.") % {
            "written": row.part,
            "allowed": MAIN,
        }
    if declaration.rounds and row.round > declaration.rounds:
        return "round", _("This study has %(n)d round(s), by its parameter rounds.") % {"n": declaration.rounds}
    if kind != "pair":
        named = "other_item_id" if row.other_item_id else "shown_left" if row.shown_left else ""
        return (named, _("Only pairwise studies have this.")) if named else None
    return pair_problem(row, items)


def pair_problem(row: Row, items: Mapping[str, Item]) -> tuple[str, str] | None:
    other = items.get(row.other_item_id)
    if not row.other_item_id:
        return "other_item_id", _("This must not be empty: it is the second item of the pair.")
    if other is None:
        return "other_item_id", _("The study has no item “%(item)s”.") % {"item": row.other_item_id}
    if other.text_id != items[row.item_id].text_id or other.generator_id == items[row.item_id].generator_id:
        return "other_item_id", _("A pair is of two items by different generators about the same text.")
    if row.shown_left not in ("", row.item_id, row.other_item_id):
        return "shown_left", _("This must be one of the two items of the pair.")
    return None


def conflicting_parts(answered: Iterable["ItemAnswer"]) -> list[Problem]:
    """Rows that put a unit into another part than an earlier row."""
    parts: dict[Hashable, str] = {}
    found = []
    for answer in answered:
        row = answer.rows[0]
        if parts.setdefault(answer.unit, row.part) != row.part:
            found.append(Problem(row.line, "part", _("An earlier row has the same unit in another part.")))
    return found


def imported_units(study: Study, chosen: Chosen, answered: list["ItemAnswer"]) -> dict[Hashable, Unit]:
    """The units as rows, by `unit_key`: pairs are those of the file, in its order; all else is as planned."""
    kind = PROTOCOLS[study.protocol].unit
    parts = {answer.unit: answer.rows[0].part for answer in answered}
    if kind == "pair":
        pairs = {answer.unit: answer.items for answer in answered}
        planned = [PlannedUnit(items[0].text, tuple(items)) for items in pairs.values()]
    else:
        planned = planned_units(study, chosen)
    keys = [unit_key(kind, unit.text.pk, [item.pk for item in unit.items]) for unit in planned]
    planned = [
        PlannedUnit(unit.text, unit.items, parts.get(key, unit.part)) for unit, key in zip(planned, keys, strict=True)
    ]
    return dict(zip(keys, make_units(study, planned), strict=True))
