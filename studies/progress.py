"""How far a study has come: counted when asked, stored nowhere."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

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


def annotators_of(study: Study) -> list[Annotator]:
    """People with `n_done`, `n_open` and `left_to_others` (reason, number), in the order they were made."""
    active = Q(assignments__returned_at=None, assignments__pk__isnull=False)
    annotators = (
        study.annotators.filter(kind=AnnotatorKind.HUMAN)
        .annotate(
            n_done=Count("assignments", filter=active & Q(assignments__finished_at__isnull=False)),
            n_open=Count("assignments", filter=active & Q(assignments__finished_at=None)),
        )
        .order_by("pk")
    )
    given_back: dict[int, list[tuple[str, int]]] = {}
    returned = Assignment.objects.filter(annotator__study=study, returned_at__isnull=False).order_by("return_reason")
    for annotator, reason, number in returned.values_list("annotator", "return_reason").annotate(n=Count("pk")):
        given_back.setdefault(annotator, []).append((reason, number))
    found: list[Any] = list(annotators)
    for annotator in found:
        annotator.left_to_others = given_back.get(annotator.pk, [])
    return found


def guess_balance(study: Study, purpose: Purpose = Purpose.MAIN) -> list[tuple[str, int]]:
    """How often each generator's items are guessed in the plan, over all texts."""
    slots = Slot.objects.filter(unit__study=study, purpose=purpose, generator__isnull=False)
    counted = slots.order_by("generator__pk").values_list("generator__name").annotate(n=Count("pk"))
    return [(str(name), int(number)) for name, number in counted]


@dataclass(frozen=True)
class Crowd:
    """How many of a study's people are through, on their way, or were never seen."""

    finished: int
    begun: int
    unseen: int

    @classmethod
    def of(cls, annotators: Iterable[Annotator]) -> "Crowd":
        states = Counter(state_of(annotator) for annotator in annotators)
        return cls(states["finished"], states["begun"], states["unseen"])

    @property
    def total(self) -> int:
        return self.finished + self.begun + self.unseen


def state_of(annotator: Annotator) -> str:
    """Of an annotator of `annotators_of`."""
    counts: Any = annotator  # n_done and n_open are added by the query
    if counts.n_done and not counts.n_open:
        return "finished"
    return "begun" if annotator.joined_at or counts.n_done else "unseen"
