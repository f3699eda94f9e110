"""Comparisons: whether a model can replace a person, and this study beside another one of the same items."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import render
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_safe

from analysis.choices import DEFAULT_CONVENTION, Choices
from analysis.files import attach
from analysis.formatting import format_with_interval, number
from analysis.hiding import require_shown_effects
from analysis.reports.outcome import name_some
from analysis.services.results import compare_with, get_stand_in, list_comparable
from analysis.tables.page import build_page_table
from analysis.tables.writers import as_csv
from jobs.views import ResultPending
from studies.models import Study
from studies.question_words import name_question, name_stage

# What the page of comparisons says: whether a model can replace a person.


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
    """`lines` is None while a worker computes them."""

    lines: list[StandInLine] | None


def find_stand_in(study: Study, choices: Choices, kind: str) -> StandIn:
    try:
        report = get_stand_in(study, choices, kind)
    except ResultPending:
        return StandIn(None)
    rows = next((table.rows for table in report.tables if table.name == "stand_in"), ())
    return StandIn([build_stand_in_line(row) for row in rows])


def build_stand_in_line(row) -> StandInLine:
    return StandInLine(
        row["evaluator"],
        capfirst(", ".join(filter(None, (name_question(row["question"]), name_stage(row["stage"]))))),
        "–" if row["kappa"] is None else format_with_interval(row["kappa"], row["low"], row["high"]),
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
    sentence = _("%(models)s may replace a person on “%(question)s”.")
    return " ".join(
        sentence % {"models": name_some(names), "question": question} for question, names in list(passed.items())[:2]
    )


# A study beside another of the same items: do both rank generators alike, and which informs more per hour?


def choose_other(request, others):
    """The study that the address names, else the first; 404 for another."""
    name = request.GET.get("with", "")
    found = next((each for each in others if each.slug == name), None if name else next(iter(others), None))
    if found is None and name:
        raise Http404
    return found


@login_required
@require_safe
@require_shown_effects()
def study_protocols(request, study):
    others = list_comparable(study)
    other = choose_other(request, others)
    context = {"project": study.project, "study": study, "others": others, "other": other}
    if other:
        from analysis.science.scores import say_comparison

        tables = compare_with(study, other)
        context |= {
            "sentences": say_comparison(tables),
            "tables": [(build_page_table(table, DEFAULT_CONVENTION), table.name) for table in tables if table.rows],
        }
    return render(request, "analysis/protocols.html", context)


@login_required
@require_safe
@require_shown_effects()
def study_protocols_csv(request, study, name):
    other = choose_other(request, list_comparable(study))
    if other is None:
        raise Http404
    with override("en"):  # files are the same for every reader
        table = next((each for each in compare_with(study, other) if each.name == name), None)
        if table is None:
            raise Http404
        return attach(as_csv(table).encode(), f"{study.slug}-{other.slug}-{name}.csv")
