"""The report of a study for pages: computed when its answers or keys have changed, else taken from the cache."""

import hashlib
import json
from typing import TYPE_CHECKING

from django.core.cache import cache
from django.db.models import Count, Max
from django.utils.translation import get_language

from analysis.choices import Choices
from analysis.hiding import without_effects
from analysis.lab_questions import Asked
from analysis.models import ItemCode
from analysis.report import Report
from analysis.tables import Table, saying_included
from evaluation.metric_rows import state_of_metrics
from items.models import Generator, KeyCorrection, Option
from studies.models import Annotator, AnnotatorKind, Assignment, Response, Review, Study, UnitItem
from studies.services.effects import effects_hidden

if TYPE_CHECKING:
    from analysis.reports.lab import Lab

FORMAT = 5  # raised when what is cached changes its form or meaning
A_DAY = 24 * 60 * 60


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
    from analysis.frames import responses_frame
    from analysis.reports.lab import lab

    asked = hashlib.sha256(json.dumps([question.key, annotators]).encode()).hexdigest()
    key = f"lab:{asked}:{state_of(study, choices)}"
    found: Lab | None = cache.get(key)
    if found is None:
        found = lab(responses_frame(study, choices.purposes), question, annotators, choices)
        cache.set(key, found, A_DAY)
    return found


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
