"""The report of a study for pages: computed when its answers or keys have changed, else taken from the cache."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.core.cache import cache
from django.db.models import Count
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from analysis.choices import Choices
from analysis.hiding import without_effects
from analysis.lab_questions import Asked
from analysis.report import Report
from analysis.services.state import A_DAY
from analysis.services.wanted import Wanted
from analysis.services.working import BeingWorkedOut, Found, look, result_now
from analysis.tables import Table, saying_included
from studies.models import Annotator, AnnotatorKind, Response, Study
from studies.services.effects import effects_hidden

if TYPE_CHECKING:
    from analysis.reports.lab import Lab


def report_of(study: Study, choices: Choices, *, only_current: bool = False) -> Report:
    """The report under these choices, with the words of the active language; without what is hidden from the team.

    Of a large study it may be an earlier one, which says so (`as_of`) while a worker makes the next, unless
    `only_current`. `BeingWorkedOut` if there is none to show.
    """
    report, found = report_and_ticket(study, choices)
    if found.ticket and only_current:
        raise BeingWorkedOut(study, found.ticket)
    return report


def report_and_ticket(study: Study, choices: Choices) -> tuple[Report, Found]:
    """The same, with how it was found and who works on the next."""
    found = look(Wanted("report", study, choices))
    if found.kept is None:
        raise BeingWorkedOut(study, found.ticket)
    report: Report = found.kept.result
    if found.ticket:
        report = replace(report, as_of=found.kept.made_at, n_since=found.n - found.kept.n)
    return (without_effects(report) if effects_hidden(study) else report), found


def figure_of(study: Study, choices: Choices, name: str) -> str:
    """The SVG of a figure; `KeyError` if the report has none of that name."""
    from analysis.figures import FIGURES, as_svg

    if name not in FIGURES:
        raise KeyError(name)
    report, found = report_and_ticket(study, choices)
    report.table(FIGURES[name][0])
    key = f"figure:{name}:{effects_hidden(study)}:{found.kept and found.kept.state}:{report.as_of is None}"
    svg: str | None = cache.get(key)
    if svg is None:
        svg = as_svg(figure_specification(study, report, name))
        cache.set(key, svg, A_DAY)
    return svg


def figure_specification(study: Study, report: Report, name: str) -> dict[str, Any]:
    """A figure of the report, titled with what it shows, of which study, and whose answers are in."""
    from analysis.figures import FIGURES, specification

    table = report.table(FIGURES[name][0])
    headings = {
        "dumbbell": _("Guessability and answerability"),
        "dumbbell_matched": _("Guessability and answerability, matched"),
    }
    return specification(name, table, headings.get(name, table.title), [study.title, *report.said, *as_of(report)])


def as_of(report: Report) -> list[str]:
    """Of when an earlier report is; nothing for one of now."""
    if report.as_of is None:
        return []
    return [_("As of %(time)s.") % {"time": date_format(localtime(report.as_of), "TIME_FORMAT")}]


def behind_of(
    study: Study, choices: Choices, measure: str, generator: str, evaluator: str, *, only_matched: bool
) -> Table:
    """The judgments that a number of the informativity tables counts; `BadChoice` if there is no such number."""
    from analysis.evidence import evidence_of
    from analysis.reports.behind import behind

    table = behind(evidence_of(study, choices), measure, generator, evaluator, only_matched=only_matched)
    return saying_included(table, choices.purposes)


def lab_of(study: Study, choices: Choices, question: Asked, annotators: list[str]) -> "Lab | None":
    """All coefficients of these annotators about the question; None if fewer than two of them answered it."""
    found: Lab | None = result_now(Wanted("lab", study, choices, (question.key, *annotators)))
    return found


def stand_in_of(study: Study, choices: Choices, kind: str) -> Report:
    """The tables about models in the place of people of a kind (a name of `stand_in.EPSILONS`); none without models."""
    report: Report = result_now(Wanted("stand-in", study, choices, (kind,)))
    return report


def counts_by_purpose(study: Study) -> dict[str, int]:
    """How many answers of people of each purpose the study has."""
    people = Annotator.objects.filter(study=study, kind=AnnotatorKind.HUMAN)
    counted = Response.objects.filter(assignment__annotator__in=people, assignment__returned_at=None)
    named = counted.order_by().values_list("assignment__annotator__purpose").annotate(n=Count("pk"))
    return dict(named.order_by("assignment__annotator__purpose"))
