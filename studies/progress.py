"""How far a study has come: counted when asked, stored nowhere."""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from studies.models import Annotator, AnnotatorKind, Assignment, Purpose, Slot, Study


@dataclass(frozen=True)
class Progress:
    """Assignments of one purpose: how many are finished, of how many."""

    annotators: int
    finished: int
    total: int

    @property
    def percent(self) -> int:
        return 100 * self.finished // self.total if self.total else 0


def progress_of(study: Study, purpose: Purpose = Purpose.MAIN) -> Progress:
    """Finished and all assignments of people (not of models) with that purpose."""
    counted = Assignment.objects.active().filter(
        annotator__study=study, annotator__purpose=purpose, annotator__kind=AnnotatorKind.HUMAN
    )
    numbers = counted.aggregate(
        annotators=Count("annotator", distinct=True),
        finished=Count("pk", filter=Q(finished_at__isnull=False)),
        total=Count("pk"),
    )
    return Progress(**numbers)


def annotators_of(study: Study) -> QuerySet[Annotator]:
    """Annotators with `n_done`, `n_open`, `n_begun` and `n_returned`, in the order they were made."""
    active = Q(assignments__returned_at=None)
    return study.annotators.annotate(
        n_done=Count("assignments", filter=active & Q(assignments__finished_at__isnull=False)),
        n_open=Count("assignments", filter=active & Q(assignments__pk__isnull=False, assignments__finished_at=None)),
        n_returned=Count("assignments", filter=Q(assignments__returned_at__isnull=False)),
    ).order_by("pk")


def guess_balance(study: Study, purpose: Purpose = Purpose.MAIN) -> list[dict]:
    """How often each generator's items are guessed in the plan, over all texts."""
    return list(
        Slot.objects.filter(unit__study=study, purpose=purpose, generator__isnull=False)
        .values("generator__name")
        .annotate(n=Count("pk"))
        .order_by("generator__pk")
    )
