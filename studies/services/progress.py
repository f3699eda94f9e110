"""How far a study has come: counted when asked, stored nowhere."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from studies.models import Annotator, AnnotatorKind, Apart, Assignment, Purpose, Slot, Study


@dataclass(frozen=True)
class Progress:
    """Assignments of one purpose: how many are finished, of how many."""

    annotators: int
    finished: int
    total: int

    @property
    def percent(self) -> int:
        return 100 * self.finished // self.total if self.total else 0


def count_progress(study: Study, purpose: Purpose = Purpose.MAIN) -> Progress:
    """Finished and all assignments of people (not of models) with that purpose."""
    return count_all_progress([study]).get((study.pk, purpose), Progress(0, 0, 0))


def count_all_progress(studies: Iterable[Study]) -> dict[tuple[int, str], Progress]:
    """The progress of each study by its primary key and the purpose, in one query; what nobody is to do is left out.

    What was handed in before a link was revoked counts; what is open under a revoked link does not.
    """
    counted = Assignment.objects.active().filter(annotator__study__in=studies, annotator__kind=AnnotatorKind.HUMAN)
    counted = counted.exclude(annotator__revoked_at__isnull=False, finished_at=None)
    rows = (
        counted.order_by()
        .values_list("annotator__study", "annotator__purpose")
        .annotate(
            annotators=Count("annotator", distinct=True),
            finished=Count("pk", filter=Q(finished_at__isnull=False)),
            total=Count("pk"),
        )
    )
    return {(study, purpose): Progress(*numbers) for study, purpose, *numbers in rows}


@dataclass(frozen=True)
class StudyProgress:
    """A study with its progress: of people, or of simulated ones where no person has finished anything."""

    study: Study
    progress: Progress
    is_simulated: bool

    @property
    def is_finished(self) -> bool:
        return bool(self.progress.total) and self.progress.finished == self.progress.total


def list_progress(studies: Iterable[Study]) -> list[StudyProgress]:
    """In the order of the studies."""
    studies = list(studies)
    counted = count_all_progress(studies)
    rows = []
    for study in studies:
        people, simulated = (
            counted.get((study.pk, each), Progress(0, 0, 0)) for each in (Purpose.MAIN, Purpose.SIMULATED)
        )
        is_simulated = bool(simulated.finished) and not people.finished
        rows.append(StudyProgress(study, simulated if is_simulated else people, is_simulated))
    return rows


def list_annotators(study: Study) -> list[Annotator]:
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
    returned = returned.exclude(apart__in=[Apart.PRACTICE, Apart.SURPLUS])
    for annotator, reason, number in returned.values_list("annotator", "return_reason").annotate(n=Count("pk")):
        given_back.setdefault(annotator, []).append((reason, number))
    found: list[Any] = list(annotators)
    for annotator in found:
        annotator.left_to_others = given_back.get(annotator.pk, [])
    return found


def count_guesses(study: Study, purpose: Purpose = Purpose.MAIN) -> list[tuple[str, int]]:
    """How often each generator's items are guessed in the plan, over all texts."""
    slots = Slot.objects.filter(unit__study=study, purpose=purpose, generator__isnull=False)
    counted = slots.order_by("generator__pk").values_list("generator__name").annotate(n=Count("pk"))
    return [(str(name), int(number)) for name, number in counted]


def classify_annotator(annotator: Annotator) -> str:
    """Of an annotator of `list_annotators`."""
    counts: Any = annotator  # n_done and n_open are added by the query
    if counts.n_done and not counts.n_open:
        return "finished"
    if annotator.revoked_at:
        return "revoked"
    return "begun" if annotator.joined_at or counts.n_done else "unseen"
