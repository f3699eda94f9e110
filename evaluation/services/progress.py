"""The progress of each evaluator of a study: counted on request, not stored."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet

from evaluation.models import RUN_KINDS, Evaluator
from evaluation.services.evaluators import make_scope
from llm.failures import Failure
from llm.models import Call, CallState, Run
from llm.prices import format_money
from studies.models import Annotator, AnnotatorKind, Response, Study, UnitItem
from studies.services.declarations import get_declaration
from studies.services.evaluating import ANSWER, asks_about_options, count_progress

UNPARSED = (Failure.PARSE, Failure.CUT, Failure.EMPTY)


@dataclass(frozen=True)
class StageProgress:
    """Answers in one stage, and how many are asked for: `total` is None if the evaluator does not answer in this stage
    or the number is unknown."""

    n_done: int
    total: int | None

    @property
    def n_missing(self) -> int:
        return max(0, self.total - self.n_done) if self.total is not None else 0


@dataclass(frozen=True)
class EvaluatorRow:
    """One row of the list of evaluators. `evaluator` is None for one whose answers were imported."""

    annotator: Annotator
    evaluator: Evaluator | None
    stages: tuple[StageProgress, ...]
    run: Run | None = None  # the newest run in which a model answered
    n_unparsed: int = 0
    spent_nanos: int = 0

    @property
    def n_done(self) -> int:
        return sum(share.n_done for share in self.stages)

    @property
    def n_missing(self) -> int:
        return sum(share.n_missing for share in self.stages)

    @property
    def is_working(self) -> bool:
        return self.run is not None and self.run.is_active

    @property
    def has_answered(self) -> bool:
        return self.n_done > 0 and not self.n_missing and not self.is_working

    @property
    def cost(self) -> str | None:
        """The total cost of its runs so far; empty if a price is unknown, None if nothing is paid."""
        if self.run is None or self.run.endpoint.is_local:
            return None
        return format_money(self.spent_nanos, self.run.endpoint.currency) if self.run.endpoint.has_price else ""


def list_rows(study: Study) -> list[EvaluatorRow]:
    """Models and baselines in the order they were added; each with its answers in every stage of the study."""
    shares_by = count_option_answers(study) if asks_about_options(study) else count_judge_answers(study)
    every_run = list_study_runs(study)
    runs = {run.scope: run for run in every_run}  # the newest of each
    spent = Counter[str]()
    for each in every_run:
        spent[each.scope] += each.spent_nanos
    unparsed = count_unparsed(runs.values())
    rows = []
    for annotator in query_evaluators(study):
        evaluator = getattr(annotator, "evaluator", None)
        scope = make_scope(evaluator) if evaluator else ""
        run = runs.get(scope)
        n_unparsed = unparsed.get(run.pk, 0) if run else 0
        rows.append(EvaluatorRow(annotator, evaluator, shares_by[annotator.pk], run, n_unparsed, spent[scope]))
    return rows


Shares = dict[int, tuple[StageProgress, ...]]


def count_option_answers(study: Study) -> Shares:
    """The progress of evaluators that judge options, by annotator, in every stage of the study."""
    total, counts = count_options(study), count_answers(study)
    names = [stage.name for stage in get_declaration(study).stages]
    found = {}
    for annotator in query_evaluators(study):
        evaluator = getattr(annotator, "evaluator", None)
        asked = evaluator.stages if evaluator else []
        shares = [
            StageProgress(counts.get((annotator.pk, name), 0), total if name in asked else None) for name in names
        ]
        found[annotator.pk] = tuple(shares)
    return found


def count_judge_answers(study: Study) -> Shares:
    """Progress of judges. Totals depend on the answers given: questions after a stop are not missing."""
    annotators = list(query_evaluators(study))
    asked = {annotator.pk for annotator in annotators if hasattr(annotator, "evaluator")}
    return {
        pk: (StageProgress(found.done, found.done + found.n_missing if pk in asked else None),)
        for pk, found in count_progress(study, annotators).items()
    }


def get_row(evaluator: Evaluator) -> EvaluatorRow:
    return next(row for row in list_rows(evaluator.annotator.study) if row.evaluator == evaluator)


def query_evaluators(study: Study) -> QuerySet[Annotator]:
    """The annotators that are not people."""
    return study.annotators.exclude(kind=AnnotatorKind.HUMAN).select_related("evaluator")


def list_study_runs(study: Study) -> list[Run]:
    """The runs in which models answered the study, oldest first."""
    scopes = [make_scope(evaluator) for evaluator in Evaluator.objects.filter(annotator__study=study)]
    runs = Run.objects.filter(project=study.project_id, kind__in=RUN_KINDS, scope__in=scopes)
    return list(runs.select_related("endpoint").order_by("pk"))


def count_unparsed(runs: Iterable[Run]) -> dict[int, int]:
    """The number of replies without a readable answer, by run. Such answers count as missing."""
    calls = Call.objects.filter(run__in=runs, state=CallState.FAILED, error_class__in=UNPARSED).order_by()
    return dict(calls.values_list("run").annotate(n=Count("pk")))


def count_options(study: Study) -> int:
    """How many options the study's items have together."""
    return int(UnitItem.objects.filter(unit__study=study).aggregate(n=Count("item__options"))["n"])


def count_answers(study: Study) -> dict[tuple[int, str], int]:
    """How many options were judged, by annotator and stage."""
    rows: Any = Response.objects.filter(
        assignment__annotator__in=query_evaluators(study), assignment__returned_at=None, question=ANSWER
    )
    counted = rows.order_by().values_list("assignment__annotator", "stage").annotate(n=Count("pk"))
    return {(annotator, stage): n for annotator, stage, n in counted}
