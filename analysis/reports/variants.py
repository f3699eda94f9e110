"""A study's variants side by side: agreement within each, and the minutes it takes."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.reports.evaluators import people_in
from analysis.reports.tables import VARIANTS
from analysis.tables.spec import Table

PEOPLE, MINUTES = "n_annotators", "minutes_unit_median"
CELLS = ("category", "view", "measure", "value", "low", "high", "n", "reason")
# From the evidence of one variant: category, view, measure, value, its intervals by convention, n (what the agreement
# rests on), reason.
Measured = Callable[[Evidence], Iterator[tuple[Any, ...]]]


def variants(evidence: Evidence, measured: Measured) -> list[Table]:
    """One row per variant and number; no table where the study has no variants.

    Agreement is between people of one variant only: others were not asked the same.
    """
    names = list(evidence.study.variants.values_list("name", flat=True))
    if not names:
        return []
    rows = [row for name in names for row in variant_rows(name, of_variant(evidence, name), measured)]
    return [VARIANTS.build(rows)]


def of_variant(evidence: Evidence, name: str) -> Evidence:
    """What the people of one variant said."""
    people = evidence.annotators[(evidence.annotators["variant"] == name) & (evidence.annotators["kind"] == "human")]
    codes = people["annotator"]

    def of(frame: Any) -> Any:
        return frame[frame["annotator"].isin(codes)].reset_index(drop=True)

    return replace(
        evidence,
        choices=replace(evidence.choices, evaluators=None),
        frame=of(evidence.frame),
        every_round=of(evidence.every_round),
        annotators=people.reset_index(drop=True),
        times=of(evidence.times),
        minutes=of(evidence.minutes),
    )


def variant_rows(name: str, mine: Evidence, measured: Measured) -> Iterator[dict[str, Any]]:
    minutes = mine.times["minutes"]
    reason = "" if len(minutes) else _("no times are known")
    n_people = len(people_in(mine).codes)
    median = float(minutes.median()) if len(minutes) else None
    counted = [
        ("", "", PEOPLE, n_people, None, None, n_people, ""),
        ("", "", MINUTES, median, None, None, len(minutes), reason),
    ]
    for cells in counted:
        yield {"variant": name} | dict(zip(CELLS, cells, strict=True))
    for found in measured(mine):
        category, view, measure, value, intervals, n, reason = found
        ends = intervals[mine.choices.convention]
        cells = (category, view, measure, value, ends["low"], ends["high"], n, reason)
        yield {"variant": name} | dict(zip(CELLS, cells, strict=True)) | {"intervals": {"value": intervals}}
