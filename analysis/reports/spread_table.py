"""How far things differ in a study's own answers, with intervals: what the planner puts in the place of assumptions."""

import math
from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.measures.component_intervals import ANNOTATOR, component_intervals, text_spread_interval
from analysis.measures.components import fit_components, fit_text_spread
from analysis.measures.intervals import Interval
from analysis.measures.power import Components
from analysis.measures.wins import TIE
from analysis.reports.answers import judgments_of
from analysis.reports.evaluators import people_in
from analysis.reports.judged_pairs import coded, counted
from analysis.reports.spread import coded_judgments, component_names, oriented
from analysis.tables import Shown, Table, make_table

NAME = "components"
COLUMNS = ("component", "sd", "low", "high", "assumed", "unit", "n_units", "n_judgments", "reason")


def spread_table(evidence: Evidence) -> Table:
    """One row per component: its standard deviation in logits as fitted on people's answers, and as assumed before."""
    rows = pair_rows(evidence) if evidence.study.protocol == "pairwise" else option_rows(evidence)
    notes = (
        _("Standard deviations in logits, fitted on people's answers by how pairs of judgments that share a text, an "
          "item, an option or an annotator go together (method of moments)."),
        _("In brackets: 95 % jackknife intervals (t). Each text is left out in turn, for annotators each annotator; "
          "more than 40 in 40 groups."),
    )  # fmt: skip
    title = _("How far answers differ in this study")
    return make_table(NAME, COLUMNS, rows, title=title, notes=notes, shown=shown())


def option_rows(evidence: Evidence) -> list[dict[str, Any]]:
    defaults, names = asdict(Components()), component_names()
    judgments = people_in(evidence).rows_of(judgments_of(evidence.frame))
    if judgments.empty:
        return [unfitted(name, said, defaults[name]) for name, said in names.items()]
    data = coded_judgments(judgments)
    fitted = fit_components(data)
    intervals = component_intervals(data, fitted)
    values = {name: math.nan if name in fitted.assumed else getattr(fitted.components, name) for name in names}
    return [row_of(name, said, values[name], defaults[name], intervals[name]) for name, said in names.items()]


def pair_rows(evidence: Evidence) -> list[dict[str, Any]]:
    first, second, outcome, text = coded(evidence, counted(evidence))
    untied, default = outcome != TIE, Components().text
    if not untied.any():
        return [unfitted("text", component_names()["text"], default)]
    cell, won = oriented(first[untied], second[untied], outcome[untied], len(evidence.generators))
    found = fit_text_spread(text[untied], cell, won)
    interval = text_spread_interval(text[untied], cell, won, found)
    return [row_of("text", component_names()["text"], math.nan if found is None else found, default, interval)]


def row_of(name: str, said: str, value: float, assumed: float, found: Interval) -> dict[str, Any]:
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
        "intervals": {"sd": {"clustered": asdict(found)}},
    }


def unfitted(name: str, said: str, assumed: float) -> dict[str, Any]:
    empty = {"low": None, "high": None, "unit": "", "n_units": 0, "n_judgments": 0}
    reason = _("no answers of people yet")
    return {"component": name, "sd": None, "assumed": assumed, "component_said": said, "unit_said": "", **empty,
            "reason": reason, "intervals": {"sd": {"clustered": empty}}}  # fmt: skip


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Differences"), "component_said"),
        Shown(_("Fitted"), "sd", "number", "low", "high", "reason"),
        Shown(_("Assumed without answers"), "assumed", "number"),
        Shown(_("Left out in turn"), "unit_said"),
        Shown(_("n"), "n_units", "count"),
        Shown(_("Judgments"), "n_judgments", "count"),
    )
