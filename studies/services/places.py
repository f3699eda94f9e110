"""Where an annotator stands, worked out from what is stored. Reads only."""

from dataclasses import dataclass
from typing import Literal

from studies.models import Annotator, Assignment, Purpose, StudyState
from studies.protocols import Stage
from studies.services.declaring import declaration_for
from studies.services.units import CALIBRATION, MAIN

ASKED = ("study__instrument_version", "variant__instrument_version")
ASKED_OF_ANNOTATOR = tuple(f"annotator__{name}" for name in ASKED)
Kind = Literal["revoked", "closed", "paused", "phase", "stage", "waiting", "done"]


@dataclass(frozen=True)
class Place:
    """Where an annotator stands: the page they should see, whatever they typed."""

    kind: Kind
    phase: str | None = None
    assignment: Assignment | None = None
    stage: Stage | None = None
    number: int = 0
    total: int = 0


def place_of(annotator: Annotator) -> Place:
    """Where the annotator stands now. Reads only."""
    barrier = barrier_for(annotator)
    if barrier:
        return Place(barrier)
    declaration = declaration_for(annotator)
    passed = set(annotator.phases_passed.values_list("phase", flat=True))
    for phase in () if annotator.purpose == Purpose.EXPERT else declaration.phases:
        if phase not in passed:
            return Place("phase", phase=phase)
    mine = annotator.assignments.active()
    assignment = mine.open().select_related("unit__text", *ASKED_OF_ANNOTATOR).first()
    if assignment is None:
        return Place("done", total=mine.count())
    if declaration.calibration and waits(annotator, assignment):
        return Place("waiting", total=mine.count())
    # A unit that was taken back keeps its number; a round of reopened answers is counted by itself.
    mine = mine.filter(round=1 if declaration.takes_back else assignment.round)
    number = mine.filter(finished_at__isnull=False).exclude(unit=assignment.unit_id).count() + 1
    return Place("stage", None, assignment, declaration.stage(assignment.stage), number, mine.count())


def waits(annotator: Annotator, following: Assignment) -> bool:
    """Whether the calibration is over for this annotator, and the main part not open yet. Rehearsals do not wait."""
    rehearses = annotator.purpose in (Purpose.PREVIEW, Purpose.SIMULATED)
    if annotator.study.main_opened_at or rehearses or following.unit.part != MAIN:
        return False
    return annotator.assignments.active().filter(unit__part=CALIBRATION).exists()


def barrier_for(annotator: Annotator) -> Literal["revoked", "closed", "paused"] | None:
    """What keeps an annotator out just now, if anything does."""
    if annotator.revoked_at:
        return "revoked"
    state = annotator.study.state
    if state == StudyState.LIVE or (state == StudyState.DRAFT and annotator.purpose == Purpose.PREVIEW):
        return None
    if state == StudyState.CLOSED and annotator.purpose == Purpose.EXPERT:
        return None  # a check is made when all answers are in
    return "paused" if state == StudyState.PAUSED else "closed"


def annotator_by_token(token: str) -> Annotator | None:
    """The annotator whose link this is, revoked or not."""
    return Annotator.objects.select_related(*ASKED).filter(token=token).first()


def annotator_by_public_id(public_id: str, token: str) -> Annotator | None:
    """The annotator of a work page, if the browser also holds the token of their link."""
    annotator = annotator_by_token(token)
    return annotator if annotator and annotator.public_id == public_id else None
