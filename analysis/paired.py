"""Pairs of items as they were judged: which two, by which generators, and which stood on the left."""

import pandas as pd

from analysis.export_rows import first_shown
from studies.models import Assignment, Study, UnitItem
from studies.protocols import PROTOCOLS

COLUMNS = ["annotator", "unit", "round", "first", "second", "generator_first", "generator_second", "left"]


def is_paired(study: Study) -> bool:
    return PROTOCOLS[study.protocol].unit == "pair"


def pairs_of(study: Study) -> pd.DataFrame:
    """One row per assignment with the columns above, of pairwise studies; else none.

    `unit` is a primary key; `first`, `second` and `left` are ids of items, `left` is missing where the side is unknown.
    """
    if not is_paired(study):
        return pd.DataFrame(columns=COLUMNS)
    items = UnitItem.objects.filter(unit__study=study).order_by("unit", "position")
    units: dict[int, list[tuple[int, str, str]]] = {}
    fields = ("unit_id", "item_id", "item__external_id", "item__generator__name")
    for unit, pk, external_id, generator in items.values_list(*fields):
        units.setdefault(unit, []).append((pk, external_id, generator))
    assignments = Assignment.objects.active().filter(annotator__study=study)
    rows = [
        row_of(code, unit, number, units[unit], shown)
        for code, unit, number, shown in assignments.values_list("annotator__code", "unit_id", "round", "shown")
    ]
    return pd.DataFrame.from_records(rows, columns=COLUMNS)


def row_of(code: str, unit: int, number: int, pair: list[tuple[int, str, str]], shown: dict) -> tuple:
    (_one, first, generator_first), (_other, second, generator_second) = pair
    named: dict[int | None, str] = {pk: external_id for pk, external_id, _generator in pair}
    left = next((named[items[0].item_id] for items in map(first_shown, shown.values()) if items), None)
    return code, unit, number, first, second, generator_first, generator_second, left
