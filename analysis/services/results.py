"""The report of a study for pages: computed when its answers or keys have changed, else taken from the cache."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.core.cache import cache
from django.db.models import Count, Max
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from analysis.choices import Choices
from analysis.hiding import without_effects
from analysis.lab_questions import Asked
from analysis.models import ItemCode
from analysis.report import Report
from analysis.tables import Row, Shown, Table, saying_included
from evaluation.metric_rows import state_of_metrics
from items.models import Generator, KeyCorrection, Option
from studies.models import Annotator, AnnotatorKind, Assignment, Response, Review, Study, UnitItem
from studies.protocols import Stage
from studies.services.declaring import declaration_of, declarations_by_code
from studies.services.effects import effects_hidden

if TYPE_CHECKING:
    from analysis.reports.lab import Lab

FORMAT = 5  # raised when what is cached changes its form or meaning
A_DAY = 24 * 60 * 60
STAND_IN = ("stand_in", "stand_in_calibration", "stand_in_biases")  # the tables of a page of their own


def report_of(study: Study, choices: Choices) -> Report:
    """The report under these choices, with the words of the active language; without what is hidden from the team."""
    report = whole_report_of(study, choices)
    return without_effects(report) if effects_hidden(study) else report


def whole_report_of(study: Study, choices: Choices) -> Report:
    """The same with everything in it, hidden or not: not for pages."""
    key = f"report:{state_of(study, choices)}"
    report: Report | None = cache.get(key)
    if report is None:
        # numpy, scipy and pandas take a second to load: not every process that knows the page's address needs them.
        from analysis.reports import build

        report = build(study, choices)
        cache.set(key, report, A_DAY)
    return report


def figure_of(study: Study, choices: Choices, name: str) -> str:
    """The SVG of a figure; `KeyError` if the report has none of that name."""
    from analysis.figures import FIGURES, as_svg

    if name not in FIGURES:
        raise KeyError(name)
    report = report_of(study, choices)
    report.table(FIGURES[name][0])
    key = f"figure:{name}:{effects_hidden(study)}:{state_of(study, choices)}"
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
    return specification(name, table, headings.get(name, table.title), [study.title, *report.said])


@dataclass(frozen=True)
class Behind:
    """A number of a report and the rows that it counts."""

    table: Table
    row: Row
    column: Shown
    rows: Table


def behind_of(
    study: Study, choices: Choices, name: str, column: str, names: Mapping[str, str], kind: str = "skilled"
) -> Behind:
    """The rows behind the number in this column of the table's row of these names; `KeyError` if there is none.

    `kind`: of people, for the tables about models in their place (see `stand_in_of`).
    """
    from analysis.evidence import evidence_of
    from analysis.reports.behind import behind

    table = (stand_in_of(study, choices, kind) if name in STAND_IN else report_of(study, choices)).table(name)
    row, shown = table.row_named(names), table.column_shown(column)
    rows = behind(evidence_of(study, choices), name, row, column)
    return Behind(table, row, shown, saying_included(rows, choices.purposes))


def lab_of(study: Study, choices: Choices, question: Asked, annotators: list[str]) -> "Lab | None":
    """All coefficients of these annotators about the question; None if fewer than two of them answered it."""
    from analysis.frames import responses_frame
    from analysis.lab_questions import ALL
    from analysis.reports.lab import lab
    from analysis.reports.lab_overview import with_not_applicable

    asked = hashlib.sha256(json.dumps([question.key, question.view, annotators]).encode()).hexdigest()
    key = f"lab:{asked}:{state_of(study, choices)}"
    found: Lab | None = cache.get(key)
    if found is None:
        frame = responses_frame(study, choices.purposes)
        frame = with_not_applicable(frame, stages_by_code(study)) if question.view == ALL else frame
        found = lab(frame, question, annotators, choices)
        cache.set(key, found, A_DAY)
    return found


def lab_overview_of(study: Study, choices: Choices, questions: list[Asked], annotators: list[str]) -> Table:
    """All questions for these annotators; see `analysis.reports.lab_overview`."""
    from analysis.frames import responses_frame
    from analysis.reports.lab_overview import overview

    asked = hashlib.sha256(json.dumps([[each.key for each in questions], annotators]).encode()).hexdigest()
    key = f"lab-overview:{asked}:{state_of(study, choices)}"
    found: Table | None = cache.get(key)
    if found is None:
        frame = responses_frame(study, choices.purposes)
        found = overview(frame, questions, annotators, stages_by_code(study), choices)
        cache.set(key, found, A_DAY)
    return found


def stages_by_code(study: Study) -> dict[str, Stage]:
    """The first stage as each annotator is asked it."""
    default, by_code = declaration_of(study), declarations_by_code(study)
    codes = study.annotators.values_list("code", flat=True)
    return {code: by_code.get(code, default).stages[0] for code in codes}


def stand_in_of(study: Study, choices: Choices, kind: str) -> Report:
    """The tables about models in the place of people of a kind (a name of `stand_in.EPSILONS`); none without models."""
    key = f"stand-in:{kind}:{state_of(study, choices)}"
    found: Report | None = cache.get(key)
    if found is None:
        from analysis.evidence import evidence_of
        from analysis.reports import stand_in_report

        found = stand_in_report(evidence_of(study, choices), kind)
        cache.set(key, found, A_DAY)
    return found


def state_of(study: Study, choices: Choices) -> str:
    """A hash of all the report depends on: the answers and who gave them, the keys, the choices, the language."""
    answers = Response.objects.filter(assignment__annotator__study=study).aggregate(n=Count("pk"), last=Max("pk"))
    returned = Assignment.objects.filter(annotator__study=study, returned_at__isnull=False).count()
    items = UnitItem.objects.filter(unit__study=study)
    keys = (
        Option.objects.filter(item__in=items.values("item"), correct=True).order_by("pk").values_list("pk", flat=True)
    )
    corrections = KeyCorrection.objects.filter(item__project=study.project).aggregate(last=Max("pk"))
    people = Annotator.objects.filter(study=study).order_by("pk").values_list("pk", "code", "purpose", "group")
    generators = Generator.objects.filter(pk__in=items.values("item__generator")).order_by("pk")
    codes = ItemCode.objects.standing().filter(study=study).order_by("pk").values_list("pk", flat=True)
    reviews = Review.objects.filter(stem__assignment__annotator__study=study).order_by("pk")
    state = [
        FORMAT, study.pk, study.title, study.groups, answers, returned, list(keys), corrections, list(people),
        list(generators.values_list("pk", "name", "factors")), list(codes), state_of_metrics(study),
        list(reviews.values_list("pk", "verdict", "item")), choices.__dict__, get_language(),
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()


def counts_by_purpose(study: Study) -> dict[str, int]:
    """How many answers of people of each purpose the study has."""
    people = Annotator.objects.filter(study=study, kind=AnnotatorKind.HUMAN)
    counted = Response.objects.filter(assignment__annotator__in=people, assignment__returned_at=None)
    named = counted.order_by().values_list("assignment__annotator__purpose").annotate(n=Count("pk"))
    return dict(named.order_by("assignment__annotator__purpose"))
