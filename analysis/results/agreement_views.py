"""The agreement lab as a page: any question, any annotators, all coefficients."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_safe

from analysis.figures.paper import Line, Mark, Ranges
from analysis.files import attach
from analysis.formatting import format_interval, format_with_interval, number
from analysis.hiding import require_shown_effects
from analysis.reports.outcome import AgreementSummary
from analysis.results.forms import LabForm, ResultsForm, StandInForm
from analysis.results.links import build_query, make_drill_down_link
from analysis.services.results import (
    LABEL_MASS,
    STAND_IN,
    count_by_purpose,
    find_table,
    get_lab,
    get_lab_overview,
    get_stand_in,
)
from analysis.tables.page import build_page_table, paginate
from analysis.tables.writers import as_csv
from analysis.words import strip_quotes
from studies.access import get_study
from studies.services.states import are_effects_hidden

# What the agreement page says about a protocol's coefficients.

MOST = 12  # questions in the figure


@dataclass(frozen=True)
class AgreementRow:
    question: str
    basis: str
    value: str
    interval: str
    percent: str
    ac1: str
    reason: str


def list_agreement(agreed: list[AgreementSummary]) -> list[AgreementRow]:
    return [
        AgreementRow(
            each.question, each.basis, write_number(each.value), format_interval(each.low, each.high),
            write_number(each.percent), write_number(each.ac1), each.reason if each.value is None else "",
        )
        for each in agreed
    ]  # fmt: skip


def write_number(value: float | None) -> str:
    return "–" if value is None else number(value)


def draw_agreement(agreed: list[AgreementSummary], coefficient: str) -> Ranges | None:
    """One row for each question with a value; the dashed line marks agreement by chance."""
    known = [each for each in agreed if each.value is not None][:MOST]
    lines = tuple(
        Line(
            each.question,
            (Mark(each.value, each.low, each.high),),
            write_number(each.value),
            format_interval(each.low, each.high),
        )
        for each in known
    )
    axis = _("%(coefficient)s between people (dashed: chance)") % {"coefficient": coefficient}
    return Ranges(lines, axis, dashed=0, ends=(-1, 1)) if lines else None


def say_agreement(agreed: list[AgreementSummary], coefficient: str) -> str:
    """The first line of the page: on which questions people agree most and least.

    With a single question: whether they agree beyond chance, as far as the interval shows it.
    """
    known = [each for each in agreed if each.value is not None]
    if not known:
        return _("Agreement needs two people who answered the same.")
    if len(known) == 1:
        return say_single_agreement(known[0], coefficient)
    most, least = (choose(known, key=lambda each: each.value or 0.0) for choose in (max, min))
    values = {"coefficient": coefficient, "most": strip_quotes(most.question), "least": strip_quotes(least.question)}
    values |= {"high": say_value(most), "low": say_value(least)}
    return _("People agree most on “%(most)s”, %(coefficient)s %(high)s, and least on “%(least)s”, %(low)s.") % values


def say_single_agreement(each: AgreementSummary, coefficient: str) -> str:
    values = {"question": each.question, "coefficient": coefficient, "value": say_value(each)}
    if each.low is not None and each.low > 0:
        return _("People agree beyond chance: %(coefficient)s %(value)s.") % values
    if each.low is not None:
        return _("People are not shown to agree beyond chance: %(coefficient)s %(value)s.") % values
    return _("Agreement of people: %(coefficient)s %(value)s.") % values


def say_value(each: AgreementSummary) -> str:
    assert each.value is not None
    return format_with_interval(each.value, each.low, each.high)


TABLES = ("coefficients", "tests", "contingency", "labels")
QUESTIONS = "questions"
HIDDEN = ("contingency", "labels")  # in pairs the labels are sides, and one generator may always be on the same side


def list_visible_tables(study):
    """The tables that the team may see at the moment."""
    return [name for name in TABLES if name not in HIDDEN or not are_effects_hidden(study)]


def build_question_overview(study, form):
    return get_lab_overview(study, form.choices, form.annotators)


@login_required
@require_safe
def agreement_lab(request, slug):
    study = get_study(request.user, slug)
    form = LabForm(study, count_by_purpose(study), request.GET)
    found = get_lab(study, form.choices, form.question, form.annotators) if form.question else None
    convention = form.choices.convention
    context = {
        "project": study.project,
        "study": study,
        "report": {"included": form.choices.extra_purposes},
        "form": form,
        "questions": build_page_table(build_question_overview(study, form), convention),
        "tables": [
            (name, paginate(getattr(found, name), request.GET, convention, of=2)) for name in list_visible_tables(study)
        ]
        if found
        else [],
        "asked": urlencode(form.query_parameters, doseq=True),
    }
    return render(request, "analysis/lab.html", context)


@login_required
@require_safe
def agreement_lab_csv(request, slug, name):
    study = get_study(request.user, slug)
    form = LabForm(study, count_by_purpose(study), request.GET)
    if name not in (QUESTIONS, *list_visible_tables(study)) or form.question is None:
        raise Http404
    with override("en"):  # files are the same for every reader
        if name == QUESTIONS:
            return attach(
                as_csv(build_question_overview(study, form)).encode(), f"{study.slug}-agreement_questions.csv"
            )
        found = get_lab(study, form.choices, form.question, form.annotators)
        if found is None:
            raise Http404
        table = getattr(found, name)
        return attach(as_csv(table).encode(), f"{study.slug}-{table.name}.csv")


@login_required
@require_safe
@require_shown_effects()
def stand_in(request, study):
    from analysis.agreement.stand_in import list_verdicts
    from analysis.reports.labels import build_label_mass  # numpy takes a while to load

    form, kinds = ResultsForm(study, count_by_purpose(study), request.GET), StandInForm(request.GET)
    report = get_stand_in(study, form.choices, kinds.kind)
    behind = make_drill_down_link(study, form, request.path, people=kinds.kind)
    mass, convention = build_label_mass(study, form.choices.purposes), form.choices.convention
    tables = [paginate(table, request.GET, convention, behind(table), of=len(report.tables)) for table in report.tables]
    context = {
        "project": study.project,
        "study": study,
        "report": report,
        "form": form,
        "kinds": kinds,
        "verdicts": list_verdicts(report.tables[0]) if tables else [],
        "tables": tables,
        "mass": paginate(mass, request.GET, convention, behind(mass)),
        "results_asked": urlencode(build_query(form), doseq=True),
        "asked": urlencode(build_query(form) | {"people": kinds.kind}, doseq=True),
    }
    return render(request, "analysis/stand_in.html", context)


@login_required
@require_safe
@require_shown_effects()
def stand_in_csv(request, study, name):
    if name not in (*STAND_IN, LABEL_MASS):
        raise Http404
    form, kinds = ResultsForm(study, count_by_purpose(study), request.GET), StandInForm(request.GET)
    with override("en"):  # files are the same for every reader
        try:
            table = find_table(study, form.choices, name, kinds.kind)
        except KeyError:
            raise Http404 from None
    return attach(as_csv(table).encode(), f"{study.slug}-{table.name}.csv")
