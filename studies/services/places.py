"""Find where an annotator is in a study, and which texts the same person has read in other studies."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from time import monotonic
from typing import Any, Literal

from django.db.models import Count, F, Max, QuerySet, TextField, Value
from django.db.models.lookups import GreaterThan
from django.utils import timezone
from django.utils.translation import gettext as _

from projects.sql import PreparedQuery, as_time
from studies.models import Annotator, Apart, Assignment, EndReason, Purpose, StudyState
from studies.protocols import Stage
from studies.services.answers import Drafts, ShownItems
from studies.services.declarations import cache_value, get_annotator_declaration
from studies.services.phases import find_open_phase
from studies.services.selection import CALIBRATION, MAIN

# The fields of an open assignment that its page and its hand-in need; the frozen rest is cached (declarations.py).
ASSIGNMENT_FIELDS = (
    *("round", "position", "shown", "text_version", "reopened", "stage", "token", "stage_opened_at", "finished_at"),
    "apart",
)
LINK_FIELDS = ("public_id", "token", "revoked_at", "paused_at", "ended_as", "last_seen")
ANNOTATOR_FIELDS = (*LINK_FIELDS, "kind", "purpose", "person", "variant")
TIME_FIELDS = ("deadline", "launched_at", "main_opened_at", "phases_changed_at")
STUDY_FIELDS = (*TIME_FIELDS, "project", "protocol", "language", "state", "instrument_version", "recruitment", "blocks")
TEXT_FIELDS = ("external_id", "title", "body", "language", "markup", "pictures", "versions")
READ = (
    *ASSIGNMENT_FIELDS,
    *(f"annotator__{name}" for name in ANNOTATOR_FIELDS),
    *(f"annotator__study__{name}" for name in STUDY_FIELDS),
    *(f"unit__{name}" for name in ("part", *(f"text__{each}" for each in TEXT_FIELDS))),
)
Barrier = Literal["revoked", "closed", "paused", "screened_out", "failed_check"]
Kind = Barrier | Literal["phase", "stage", "waiting", "returning", "done"]


@dataclass(frozen=True)
class Place:
    """Where an annotator is: the page that they should see, whatever address they typed."""

    kind: Kind
    annotator: Annotator
    phase: str | None = None
    assignment: Assignment | None = None
    stage: Stage | None = None
    following: tuple[Assignment, ...] = ()  # open assignments after it, as far as they were read
    done: Assignment | None = None  # the assignment just handed in
    drafts: Drafts | None = None
    shown_items: ShownItems | None = None  # of this stage and of the page that may follow it
    confirms: str = ""  # the fingerprint of the form that the annotator is asked to confirm

    @property
    def token(self) -> str:
        """The token in the page of this place; empty if nothing is asked."""
        return self.assignment.token if self.assignment else ""

    @property
    def assignment_and_stage(self) -> tuple[Assignment, Stage]:
        """The assignment and stage of a place of kind "stage"."""
        if self.assignment is None or self.stage is None:
            raise ValueError(f"A place of kind {self.kind!r} has no stage.")
        return self.assignment, self.stage

    @cached_property
    def counts(self) -> tuple[int, int]:
        """The number of this unit and of all units, per round; a unit that was taken back keeps its number."""
        if self.assignment is None:
            return 0, self.annotator.assignments.worked_on().count()
        takes_back = get_annotator_declaration(self.annotator).takes_back
        finished, total = count_units(self.annotator, 1 if takes_back else self.assignment.round)
        is_again = takes_back and self.assignment.round > 1  # its own first round is among the finished ones
        return finished + (not is_again), total


def list_open(annotator: int, token: str) -> QuerySet[Assignment]:
    rows = Assignment.objects.worked_on().filter(annotator=annotator, annotator__token=token, finished_at=None)
    return rows.select_related("annotator__study", "unit__text").only(*READ)


def list_counts(annotator: int, round: int) -> QuerySet[Assignment, Any]:
    """How many units of the round are done, how many there are, and when the last was done."""
    rows = Assignment.objects.worked_on().filter(annotator=annotator, round=round).order_by().values("annotator")
    counts = rows.annotate(finished=Count("finished_at"), total=Count("*"), last=Max("finished_at"))
    return counts.values_list("finished", "total", "last")


def list_done_since(annotator: int, round: int, last: str) -> QuerySet[Assignment, Any]:
    """How many units of the round were done after a moment, given as the database has it (`as_time`)."""
    later = GreaterThan(F("finished_at"), Value(last, TextField()))
    rows = Assignment.objects.worked_on().filter(later, annotator=annotator, round=round).order_by()
    return rows.values("annotator").annotate(finished=Count("*")).values_list("finished")


def list_by_link(public_id: str, token: str) -> QuerySet[Annotator]:
    """The annotator of a work page, if the browser also has the token of their link: only who they are and the
    language of their study. `find_place` reads the rest."""
    rows = Annotator.objects.select_related("study").only("public_id", "token", "study__language")
    return rows.filter(public_id=public_id, token=token)


read_current = PreparedQuery(lambda *key: list_open(*key)[:1], int, str)
read_current_and_next = PreparedQuery(lambda *key: list_open(*key)[:2], int, str)
read_counts = PreparedQuery(list_counts, int, int)
read_done_since = PreparedQuery(list_done_since, int, int, str)
read_by_link = PreparedQuery(list_by_link, str, str)


MANY = 1_000  # units of a person; with more, not all of them are counted for each page
COUNTED_FOR = 300  # seconds
_counted: dict[tuple[str, int], tuple[float, int, int, datetime]] = {}


def count_units(annotator: Annotator, round: int) -> tuple[int, int]:
    """How many units of the round are done, and how many there are.

    Of many units, only those done since an earlier count are counted, as a count reads each of them. What others add
    or take away meanwhile shows minutes later.
    """
    key = annotator.token, round
    if known := _counted.get(key):
        counted_at, finished, total, last = known
        if monotonic() - counted_at < COUNTED_FOR:
            return finished + sum(n for (n,) in read_done_since(annotator.pk, round, as_time(last))), total
    ((finished, total, last),) = read_counts(annotator.pk, round)
    if total > MANY and last:
        cache_value(_counted, key, (monotonic(), finished, total, last))
    return finished, total


def find_place(annotator: Annotator, *, with_next: bool = False) -> Place:
    """Where the annotator is according to the present rows, including the next assignment. Reads only."""
    queue = (read_current_and_next if with_next else read_current)(annotator.pk, annotator.token)
    if queue:
        return locate(queue[0].annotator, queue)
    current = Annotator.objects.select_related("study").filter(pk=annotator.pk, token=annotator.token).first()
    return locate(current, []) if current else Place("revoked", annotator)


def locate(
    annotator: Annotator,
    queue: Sequence[Assignment],
    done: Assignment | None = None,
    shown_items: ShownItems | None = None,
) -> Place:
    """The place of an annotator with these open assignments; `done` is the one just handed in.

    An annotator who has begun has passed the phases and does not wait: the clock starts only then.
    """
    barrier = find_barrier(annotator)
    if barrier:
        return Place(barrier, annotator)
    for assignment in queue:
        assignment.annotator = annotator
    declaration = get_annotator_declaration(annotator)
    current = queue[0] if queue else None
    is_under_way = bool(current and current.stage_opened_at)
    if current is None and not done and has_abandoned(annotator):
        return Place("returning", annotator)
    if not is_under_way and (phase := find_open_phase(annotator, current, done)):
        return Place("phase", annotator, phase=phase)
    if current is None:
        return Place("done", annotator, done=done)
    if not current.stage_opened_at and declaration.calibration and is_waiting(annotator, current, done):
        return Place("waiting", annotator, done=done)
    stage = declaration.stage(current.stage)
    shown_items = shown_items or ShownItems([(each, each.stage) for each in queue])
    return Place("stage", annotator, None, current, stage, tuple(queue[1:]), done, shown_items=shown_items)


def has_abandoned(annotator: Annotator) -> bool:
    """Whether work of the annotator was offered to others but may be resumed."""
    return annotator.assignments.filter(apart=Apart.ABANDONED, finished_at=None).exists()


def is_waiting(annotator: Annotator, following: Assignment, done: Assignment | None = None) -> bool:
    """Whether the annotator has done the calibration, and the main part is not open yet. Rehearsals do not wait."""
    rehearses = annotator.purpose in (Purpose.PREVIEW, Purpose.SIMULATED)
    if annotator.study.main_opened_at or rehearses or following.unit.part != MAIN or (done and done.unit.part == MAIN):
        return False
    return annotator.assignments.active().filter(unit__part=CALIBRATION).exists()


def find_barrier(annotator: Annotator) -> Barrier | None:
    """Why an annotator cannot work now, if so."""
    if annotator.ended_as == EndReason.SCREENED_OUT:
        return "screened_out"
    if annotator.ended_as == EndReason.FAILED_CHECK:
        return "failed_check"
    if annotator.revoked_at or annotator.ended_as:
        return "revoked"
    state = annotator.study.state
    if annotator.paused_at:
        return "paused"
    deadline = annotator.study.deadline
    if deadline and annotator.purpose in (Purpose.MAIN, Purpose.PILOT) and deadline <= timezone.now():
        return "closed"  # even before a worker closes it
    if state == StudyState.LIVE or (state == StudyState.DRAFT and annotator.purpose == Purpose.PREVIEW):
        return None
    if state == StudyState.CLOSED and annotator.purpose == Purpose.EXPERT:
        return None  # experts check after all answers are in
    return "paused" if state == StudyState.PAUSED else "closed"


def find_annotator_by_token(token: str) -> Annotator | None:
    """The annotator whose link this is, revoked or not."""
    return Annotator.objects.select_related("study").filter(token=token).first()


def find_read_texts(annotator: Annotator) -> set[str]:
    """External ids of the project's texts that the same person was shown as another annotator.

    Only equal `person` codes mean the same person.
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
    """Whether the annotator was sent the text of the assignment: a stage that shows it is open or was handed in."""
    stages = get_annotator_declaration(assignment.annotator).every_stage
    showing = {stage.name for stage in stages if "text" in stage.shows}
    reached = {assignment.stage, *(submission.stage for submission in assignment.submissions.all())}
    return not showing.isdisjoint(reached)


def give_back_read_texts(annotator: Annotator, begun_too: bool = False) -> int:
    """Release the assignments of texts that this person has read; returns how many.

    Assignments without submissions are released if they were not opened yet, or with `begun_too`.
    """
    if not annotator.person or not get_annotator_declaration(annotator).hides_texts:
        return 0
    known = find_read_texts(annotator)
    if not known:
        return 0
    unfit = annotator.assignments.open().filter(unit__text__external_id__in=known, submissions=None)
    if not begun_too:
        unfit = unfit.filter(stage_opened_at=None)
    return give_back([assignment.pk for assignment in unfit], _("This person has read the text in another study."))


def give_back(assignments: list[int], reason: str) -> int:
    """Return these to the plan, so that their cells are free for the next people; returns how many."""
    chosen = Assignment.objects.filter(pk__in=assignments, returned_at=None)
    return chosen.update(returned_at=timezone.now(), return_reason=reason)
