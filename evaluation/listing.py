"""The evaluators of a study and how far each has come: counted when asked, stored nowhere."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet

from evaluation.models import Evaluator
from studies.models import Annotator, AnnotatorKind, Response, Study, UnitItem
from studies.services.declaring import declaration_of
from studies.services.evaluating import ANSWER


@dataclass(frozen=True)
class Share:
    """Answers in one stage, of how many. Without `total` it does not answer there, or nobody knows of how many."""

    done: int
    total: int | None

    @property
    def missing(self) -> int:
        return max(0, self.total - self.done) if self.total is not None else 0


@dataclass(frozen=True)
class Row:
    """One line of the list. `evaluator` is None for one whose answers were imported."""

    annotator: Annotator
    evaluator: Evaluator | None
    stages: tuple[Share, ...]

    @property
    def done(self) -> int:
        return sum(share.done for share in self.stages)

    @property
    def missing(self) -> int:
        return sum(share.missing for share in self.stages)


def rows_of(study: Study) -> list[Row]:
    """Models and baselines in the order they were added; each with its answers in every stage of the study."""
    total, counts = n_options(study), answers_by_stage(study)
    names = [stage.name for stage in declaration_of(study).stages]
    rows = []
    for annotator in others_of(study):
        evaluator = getattr(annotator, "evaluator", None)
        asked = evaluator.stages if evaluator else []
        shares = [Share(counts.get((annotator.pk, name), 0), total if name in asked else None) for name in names]
        rows.append(Row(annotator, evaluator, tuple(shares)))
    return rows


def row_of(evaluator: Evaluator) -> Row:
    return next(row for row in rows_of(evaluator.annotator.study) if row.evaluator == evaluator)


def others_of(study: Study) -> QuerySet[Annotator]:
    """The annotators that are no people."""
    return study.annotators.exclude(kind=AnnotatorKind.HUMAN).select_related("evaluator")


def n_options(study: Study) -> int:
    """How many options the study's items have together."""
    return UnitItem.objects.filter(unit__study=study).aggregate(n=Count("item__options"))["n"]


def answers_by_stage(study: Study) -> dict[tuple[int, str], int]:
    """How many options were judged, by annotator and stage."""
    rows: Any = Response.objects.filter(
        assignment__annotator__in=others_of(study), assignment__returned_at=None, question=ANSWER
    )
    counted = rows.order_by().values_list("assignment__annotator", "stage").annotate(n=Count("pk"))
    return {(annotator, stage): n for annotator, stage, n in counted}
