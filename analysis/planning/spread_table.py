"""How far things differ in a study's own answers, with intervals: what the planner puts in the place of assumptions."""

from typing import Any

from django.utils.translation import gettext as _

from analysis.choices import CONVENTIONS
from analysis.measures.components import ANNOTATOR
from analysis.measures.intervals import Interval
from analysis.planning.tables import COMPONENTS
from analysis.reports.estimates import same_interval
from analysis.tables.spec import Table


def spread_table(rows: list[dict[str, Any]]) -> Table:
    """One `component_row` each: a standard deviation in logits as fitted on people's answers, and as assumed."""
    return COMPONENTS.build(rows)


def component_row(name: str, said: str, value: float, assumed: float, found: Interval) -> dict[str, Any]:
    units = {"text": _("texts"), ANNOTATOR: _("annotators")}
    return {
        "component": name,
        "sd": value,
        "low": found.low,
        "high": found.high,
        "assumed": assumed,
        "unit": found.unit,
        "n_units": found.n_units,
        "n_judgments": found.n_responses,
        "reason": _(found.reason) if found.reason else "",
        "component_said": said,
        "unit_said": units[found.unit],
        "intervals": {"sd": same_interval(found)},
    }


def make_unfitted_row(name: str, said: str, assumed: float) -> dict[str, Any]:
    empty = {"low": None, "high": None, "unit": "", "n_units": 0, "n_judgments": 0}
    reason = _("no answers of people yet")
    return {"component": name, "sd": None, "assumed": assumed, "component_said": said, "unit_said": "", **empty,
            "reason": reason, "intervals": {"sd": dict.fromkeys(CONVENTIONS, empty)}}  # fmt: skip
