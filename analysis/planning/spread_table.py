"""How far things differ in a study's own answers, with intervals: what the planner puts in the place of assumptions."""

from typing import Any

from django.utils.translation import gettext as _

from analysis.choices import CONVENTIONS
from analysis.measures.components import ANNOTATOR
from analysis.measures.intervals import Interval
from analysis.reports.estimates import same_interval
from analysis.tables.spec import Shown, Table, make_table

NAME = "components"
COLUMNS = ("component", "sd", "low", "high", "assumed", "unit", "n_units", "n_judgments", "reason")


def spread_table(rows: list[dict[str, Any]]) -> Table:
    """One `component_row` each: a standard deviation in logits as fitted on people's answers, and as assumed."""
    notes = (
        _("Standard deviations in logits, fitted on people's answers by how pairs of judgments that share a text, an "
          "item, an option or an annotator go together (method of moments)."),
        _("In brackets: 95 % jackknife intervals (t). Each text is left out in turn, for annotators each annotator; "
          "more than 40 in 40 groups."),
    )  # fmt: skip
    title = _("How far answers differ in this study")
    return make_table(NAME, COLUMNS, rows, title=title, notes=notes, shown=shown())


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


def unfitted(name: str, said: str, assumed: float) -> dict[str, Any]:
    empty = {"low": None, "high": None, "unit": "", "n_units": 0, "n_judgments": 0}
    reason = _("no answers of people yet")
    return {"component": name, "sd": None, "assumed": assumed, "component_said": said, "unit_said": "", **empty,
            "reason": reason, "intervals": {"sd": dict.fromkeys(CONVENTIONS, empty)}}  # fmt: skip


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Differences"), "component_said"),
        Shown(_("Fitted"), "sd", "number", "low", "high", "reason"),
        Shown(_("Assumed without answers"), "assumed", "number"),
        Shown(_("Left out in turn"), "unit_said"),
        Shown(_("n"), "n_units", "count"),
        Shown(_("Judgments"), "n_judgments", "count"),
    )
