"""Work out where an annotator is in a study, and which texts the same person has read in others."""

from dataclasses import dataclass
from typing import Literal

from django.utils import timezone
from django.utils.translation import gettext as _

from items.models import Text
from studies.models import Annotator, Assignment, Purpose, StudyState
from studies.protocols import Stage
from studies.services.declarations import get_annotator_declaration
from studies.services.selection import CALIBRATION, MAIN

RELATED = ("study__instrument_version", "variant__instrument_version")
Kind = Literal["revoked", "closed", "paused", "phase", "stage", "waiting", "done"]


@dataclass(frozen=True)
class Place:
    """Where an annotator stands: the page they should see, whatever they typed."""

    kind: Kind
    annotator: Annotator
    phase: str | None = None
    assignment: Assignment | None = None
    stage: Stage | None = None
    number: int = 0
    total: int = 0
    confirms: str = ""  # the fingerprint of the form that waits for the annotator's word that it is final

    @property
    def token(self) -> str:
        """What the page of this place carries; empty where nothing is asked."""
        return self.assignment.token if self.assignment else ""

    @property
    def asked(self) -> tuple[Assignment, Stage]:
        """The assignment and stage of a place of kind "stage"."""
        if self.assignment is None or self.stage is None:
            raise ValueError(f"A place of kind {self.kind!r} has no stage.")
        return self.assignment, self.stage


def find_place(annotator: Annotator) -> Place:
    """Where the annotator stands now. Reads only."""
    barrier = find_barrier(annotator)
    if barrier:
        return Place(barrier, annotator)
    declaration = get_annotator_declaration(annotator)
    passed = set(annotator.phases_passed.values_list("phase", flat=True))
    for phase in () if annotator.purpose == Purpose.EXPERT else declaration.phases:
        if phase not in passed:
            return Place("phase", annotator, phase=phase)
    mine = annotator.assignments.active()
    assignment = mine.open().select_related("unit__text").first()
    if assignment is None:
        return Place("done", annotator, total=mine.count())
    if declaration.calibration and is_waiting(annotator, assignment):
        return Place("waiting", annotator, total=mine.count())
    # A unit that was taken back keeps its number; a round of reopened answers is counted by itself.
    mine = mine.filter(round=1 if declaration.takes_back else assignment.round)
    number = mine.filter(finished_at__isnull=False).exclude(unit=assignment.unit_id).count() + 1
    return Place("stage", annotator, None, assignment, declaration.stage(assignment.stage), number, mine.count())


def is_waiting(annotator: Annotator, following: Assignment) -> bool:
    """Whether the calibration is over for this annotator, and the main part not open yet. Rehearsals do not wait."""
    rehearses = annotator.purpose in (Purpose.PREVIEW, Purpose.SIMULATED)
    if annotator.study.main_opened_at or rehearses or following.unit.part != MAIN:
        return False
    return annotator.assignments.active().filter(unit__part=CALIBRATION).exists()


def find_barrier(annotator: Annotator) -> Literal["revoked", "closed", "paused"] | None:
    """What keeps an annotator out just now, if anything does."""
    if annotator.revoked_at:
        return "revoked"
    state = annotator.study.state
    if state == StudyState.LIVE or (state == StudyState.DRAFT and annotator.purpose == Purpose.PREVIEW):
        return None
    if state == StudyState.CLOSED and annotator.purpose == Purpose.EXPERT:
        return None  # a check is made when all answers are in
    return "paused" if state == StudyState.PAUSED else "closed"


def find_annotator_by_token(token: str) -> Annotator | None:
    """The annotator whose link this is, revoked or not."""
    return Annotator.objects.select_related(*RELATED).filter(token=token).first()


def find_annotator_by_public_id(public_id: str, token: str) -> Annotator | None:
    """The annotator of a work page, if the browser also holds the token of their link."""
    annotator = find_annotator_by_token(token)
    return annotator if annotator and annotator.public_id == public_id else None


def find_read_texts(annotator: Annotator) -> set[str]:
    """External ids of the project's texts that the same person was shown as another annotator.

    The same person is who has the same `person` code, and nobody else.
    """
    if not annotator.person:
        return set()
    others = (
        Assignment.objects.filter(
            annotator__study__project_id=annotator.study.project_id,
            annotator__study__writer="",
            annotator__person=annotator.person,
        )
        .exclude(annotator=annotator)
        .select_related("annotator__study__instrument_version", "annotator__variant__instrument_version", "unit__text")
        .prefetch_related("submissions")
    )
    return {other.unit.text.external_id for other in others if was_shown(other)}


def was_shown(assignment: Assignment) -> bool:
    """Whether the text of the assignment has left the server: a stage that shows it stands open or was handed in."""
    stages = get_annotator_declaration(assignment.annotator).every_stage
    showing = {stage.name for stage in stages if "text" in stage.shows}
    reached = {assignment.stage, *(submission.stage for submission in assignment.submissions.all())}
    return not showing.isdisjoint(reached)


def has_read(annotator: Annotator, text: Text) -> bool:
    """Whether the person behind the annotator has read the text in another study of the project."""
    return text.external_id in find_read_texts(annotator)


def give_back_read_texts(annotator: Annotator, begun_too: bool = False) -> int:
    """Leave the cells of texts this person has read to others; returns how many.

    Assignments of which nothing was handed in are given back if they were not opened yet, or with `begun_too`.
    """
    if not get_annotator_declaration(annotator).hides_texts:
        return 0
    known = find_read_texts(annotator)
    if not known:
        return 0
    unfit = annotator.assignments.open().filter(unit__text__external_id__in=known, submissions=None)
    if not begun_too:
        unfit = unfit.filter(stage_opened_at=None)
    return give_back([assignment.pk for assignment in unfit], _("The person has read this text in another study."))


def give_back(assignments: list[int], reason: str) -> int:
    """Return these to the plan: their cells are free for whoever joins next."""
    chosen = Assignment.objects.filter(pk__in=assignments, returned_at=None)
    return chosen.update(returned_at=timezone.now(), return_reason=reason)
