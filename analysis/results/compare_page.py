"""What the page of comparisons says: whether a model can replace a person."""

from dataclasses import dataclass

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from analysis.choices import Choices
from analysis.formatting import number, with_interval
from analysis.reports.outcome import name_some
from analysis.services.results import stand_in_of
from jobs.views import ResultPending
from studies.models import Study
from studies.question_words import name_question, name_stage


@dataclass(frozen=True)
class StandInLine:
    """One model on one question: its agreement with people, how often it is as good as one, and the result."""

    model: str
    question: str
    kappa: str
    rate: str
    passed: bool | None
    reason: str


@dataclass(frozen=True)
class StandIn:
    """None in `lines` while a worker computes them."""

    lines: list[StandInLine] | None


def find_stand_in(study: Study, choices: Choices, kind: str) -> StandIn:
    try:
        report = stand_in_of(study, choices, kind)
    except ResultPending:
        return StandIn(None)
    rows = next((table.rows for table in report.tables if table.name == "stand_in"), ())
    return StandIn([line_of(row) for row in rows])


def line_of(row) -> StandInLine:
    return StandInLine(
        row["evaluator"],
        capfirst(", ".join(filter(None, (name_question(row["question"]), name_stage(row["stage"]))))),
        "–" if row["kappa"] is None else with_interval(row["kappa"], row["low"], row["high"]),
        "–" if row["winning_rate"] is None else number(row["winning_rate"]),
        row["passed"],
        row["reason"],
    )


def say_compared(stand_in: StandIn | None) -> str:
    """The first line: which models may replace a person, on which question."""
    if stand_in is None or stand_in.lines is None:
        return _("Models beside people")
    models = {line.model for line in stand_in.lines}
    if not models:
        return _("No model has answered what people answered.")
    passed: dict[str, list[str]] = {}
    for line in stand_in.lines:
        if line.passed:
            passed.setdefault(line.question, []).append(line.model)
    if not passed:
        return _("No model or baseline is shown to replace a person here.")
    said = _("%(models)s may replace a person on “%(question)s”.")
    return " ".join(
        said % {"models": name_some(names), "question": question} for question, names in list(passed.items())[:2]
    )
