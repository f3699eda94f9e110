"""The people of a running study: state, place, time, and unusual behavior of each.

Everything is computed on request, in a number of queries that does not grow with the number of people.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from django.db.models import Count, DurationField, ExpressionWrapper, F, Min, Q, QuerySet, Sum
from django.db.models.functions import Least
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from studies.models import (
    Annotator,
    AnnotatorKind,
    Apart,
    Assignment,
    Contact,
    EndReason,
    Purpose,
    Response,
    Study,
    Submission,
)
from studies.services.declarations import get_declaration
from studies.services.progress import count_waiting_places
from studies.services.selection import CALIBRATION

IDLE_AFTER = timedelta(minutes=30)
STUCK_AFTER = timedelta(days=1)
LONGEST_STAGE = timedelta(minutes=30)  # more time than this in one stage is a pause
FAST_SHARE = 1 / 3  # of the median time of a unit
MIN_COMPARED = 3  # fewest people whose times give a median
MIN_ALIKE = 10  # fewest scores that are suspicious if all are equal


@dataclass(frozen=True)
class State:
    """A state of a person: its label and the color of its badge."""

    name: str
    title: Any
    tone: str = ""


NOT_OPENED = State("not_opened", _("not opened"))
IN_PHASES = State("in_phases", _("in the introduction"), "info")
WORKING = State("working", _("working"), "info")
IDLE = State("idle", _("idle"))
STUCK = State("stuck", _("stuck"), "warning")
WAITING = State("waiting", _("waiting"))
FINISHED = State("finished", _("finished"), "good")
TIMED_OUT = State("timed_out", _("timed out"), "warning")
PAUSED = State("paused", _("paused"))
LINK_OFF = State("link_off", _("link disabled"))
ENDED = {name: State(name, EndReason(name).label, "warning" if "check" in name else "") for name in EndReason.values}
STATES = (WORKING, IDLE, STUCK, IN_PHASES, NOT_OPENED, WAITING, PAUSED, TIMED_OUT, FINISHED, LINK_OFF, *ENDED.values())


@dataclass
class Person:
    """One person of a study on the monitor.

    minutes: active time; None before the first stage is handed in. fast: less than a third of the others' time per
    unit. alike: at least ten scores, all equal.
    """

    annotator: Any
    state: State
    is_new: bool = False  # their link is less than a day old
    current: Assignment | None = None
    minutes: float | None = None
    fast: bool = False
    alike: bool = False
    n_comments: int = 0
    contact: Contact | None = None  # for those who manage the study
    where: str = ""  # in words, for a page

    @property
    def n_done(self) -> int:
        return int(self.annotator.n_done)

    @property
    def n_all(self) -> int:
        return int(self.annotator.n_done + self.annotator.n_open)

    @property
    def stage(self) -> str:
        return self.current.stage if self.current else ""

    @property
    def is_over(self) -> bool:
        return bool(self.annotator.ended_as)

    @property
    def needs_nudge(self) -> bool:
        """Whether a researcher should contact them: they stopped, or have not opened their link for a day."""
        return self.state == STUCK or (self.state == NOT_OPENED and not self.is_new)


def classify(annotator: Any, *, waits: bool, now: datetime) -> State:
    """The state of an annotator of `query_people`. The only place that decides the state of a person.

    waits: whether those who have done the calibration still wait for the main part to be opened.
    """
    if annotator.ended_as:
        return ENDED[annotator.ended_as]
    if not annotator.n_open and annotator.n_abandoned:
        return TIMED_OUT
    if not annotator.n_open and (annotator.n_done or annotator.n_surplus):
        return FINISHED
    if annotator.revoked_at:
        return LINK_OFF
    if annotator.paused_at:
        return PAUSED
    if not annotator.joined_at and not annotator.n_done:
        return NOT_OPENED
    if waits and annotator.n_done and not annotator.n_calibrating:
        return WAITING
    away = now - (annotator.last_seen or annotator.joined_at or annotator.created_at)
    if away > STUCK_AFTER:
        return STUCK
    if away > IDLE_AFTER:
        return IDLE
    return WORKING if annotator.n_done or annotator.n_begun else IN_PHASES


def query_people(study: Study, purpose: Purpose) -> QuerySet[Annotator]:
    """People in the order they were added, with the numbers of their assignments.

    n_done, n_open, n_begun (opened, not finished), n_calibrating (open, of the calibration), n_surplus, n_abandoned.
    """
    active = Q(assignments__pk__isnull=False, assignments__returned_at=None)
    unfinished = active & Q(assignments__finished_at=None)
    people = study.annotators.filter(kind=AnnotatorKind.HUMAN, purpose=purpose)
    return people.annotate(
        n_done=Count("assignments", filter=active & Q(assignments__finished_at__isnull=False)),
        n_open=Count("assignments", filter=unfinished),
        n_begun=Count("assignments", filter=unfinished & Q(assignments__stage_opened_at__isnull=False)),
        n_surplus=Count("assignments", filter=Q(assignments__apart=Apart.SURPLUS)),
        n_abandoned=Count("assignments", filter=Q(assignments__apart=Apart.ABANDONED)),
        n_calibrating=Count("assignments", filter=unfinished & Q(assignments__unit__part=CALIBRATION)),
    ).order_by("pk")


def list_people(study: Study, purpose: Purpose = Purpose.MAIN) -> list[Person]:
    """All people of the purpose, each with state, place, time and unusual behavior."""
    now = timezone.now()
    waits = get_declaration(study).calibration and study.main_opened_at is None and purpose == Purpose.MAIN
    found = [
        Person(each, classify(each, waits=waits, now=now), is_new=now - each.created_at < STUCK_AFTER)
        for each in query_people(study, purpose)
    ]
    current, minutes = find_current(study, purpose), sum_minutes(study, purpose)
    alike, comments = find_alike(study, purpose), count_comments(study, purpose)
    for person in found:
        pk = person.annotator.pk
        person.current = current.get(pk) if person.annotator.n_open and not person.is_over else None
        person.minutes, person.alike, person.n_comments = minutes.get(pk), pk in alike, comments.get(pk, 0)
    mark_fast(found)
    return found


def find_current(study: Study, purpose: Purpose) -> dict[int, Assignment]:
    """By annotator the assignment that they have open, with its text."""
    mine = Assignment.objects.open().filter(annotator__study=study, annotator__purpose=purpose)
    begun = mine.filter(stage_opened_at__isnull=False).select_related("unit__text").order_by("-position", "-pk")
    return {assignment.annotator_id: assignment for assignment in begun.defer("shown")}


def sum_minutes(study: Study, purpose: Purpose) -> dict[int, float]:
    """By annotator the active minutes; if not measured, from opening to handing in, at most 30 per stage."""
    spent = ExpressionWrapper(F("submitted_at") - F("opened_at"), output_field=DurationField())
    mine = Submission.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__purpose=purpose,
        assignment__annotator__kind=AnnotatorKind.HUMAN,
        opened_at__isnull=False,
        submitted_at__isnull=False,
    )
    summed = (
        mine.order_by()
        .values_list("assignment__annotator")
        .annotate(
            active=Sum("active_seconds"),
            spent=Sum(Least(spent, LONGEST_STAGE, output_field=DurationField()), filter=Q(active_seconds=None)),
        )
    )
    return {pk: (active or 0) / 60 + (spent.total_seconds() / 60 if spent else 0) for pk, active, spent in summed}


def find_alike(study: Study, purpose: Purpose) -> set[int]:
    """Annotators whose scores on scales are all the same, at least ten of them."""
    scales = {each.name for stage in get_declaration(study).stages for each in stage.questions if each.kind == "scale"}
    mine = Response.objects.filter(
        assignment__annotator__study=study, assignment__annotator__purpose=purpose, question__in=scales
    )
    rows = mine.order_by().values_list("assignment__annotator", "value").annotate(n=Count("pk"))
    by_person: dict[int, list[int]] = {}
    for pk, _value, number in rows:
        by_person.setdefault(pk, []).append(number)
    return {pk for pk, numbers in by_person.items() if len(numbers) == 1 and numbers[0] >= MIN_ALIKE}


def count_comments(study: Study, purpose: Purpose) -> dict[int, int]:
    mine = Response.objects.filter(assignment__annotator__study=study, assignment__annotator__purpose=purpose)
    rows = mine.exclude(comment="").order_by().values_list("assignment__annotator").annotate(n=Count("pk"))
    return dict(rows)


def mark_fast(people: Sequence[Person]) -> None:
    """Mark those who need less than a third of the median time per unit, if enough people have done any."""
    timed = [person for person in people if person.minutes is not None and person.n_done]
    if len(timed) < MIN_COMPARED:
        return
    usual = median((person.minutes or 0) / person.n_done for person in timed)
    for person in timed:
        person.fast = (person.minutes or 0) / person.n_done < usual * FAST_SHARE


@dataclass(frozen=True)
class Overview:
    """The people of a study as a whole: progress, speed, expected completion, and the minutes that fair pay is based
    on."""

    study: Study
    people: Sequence[Person]
    now: datetime = field(default_factory=timezone.now)

    @cached_property
    def counts(self) -> list[tuple[State, int]]:
        """How many people are in each state that occurs."""
        found = Counter(person.state.name for person in self.people)
        return [(state, found[state.name]) for state in STATES if found[state.name]]

    @cached_property
    def expected_people(self) -> list[Person]:
        """The people whose open work will probably be done."""
        return [person for person in self.people if not person.is_over]

    @property
    def n_done(self) -> int:
        return sum(person.n_done for person in self.expected_people)

    @cached_property
    def n_all(self) -> int:
        """Finished and open units, and places of an open link; open units under a disabled link are not expected."""
        waiting = count_waiting_places([self.study]).get(self.study.pk, 0)
        people = self.expected_people
        return waiting + sum(person.n_done if person.state == LINK_OFF else person.n_all for person in people)

    @property
    def is_waiting_for_links(self) -> bool:
        """Whether nobody has opened a link, and the links are new."""
        return bool(self.expected_people) and all(
            person.state == NOT_OPENED and person.is_new for person in self.expected_people
        )

    @property
    def people_to_remind(self) -> list[Person]:
        return [person for person in self.people if person.needs_nudge]

    @cached_property
    def minutes_per_unit(self) -> float | None:
        """The median over people who have done at least one unit."""
        timed = [person.minutes / person.n_done for person in self.people if person.minutes and person.n_done]
        return median(timed) if timed else None

    @cached_property
    def minutes_per_person(self) -> float | None:
        """The median active time of those who have finished."""
        timed = [person.minutes for person in self.people if person.minutes and person.state == FINISHED]
        return median(timed) if timed else None

    @cached_property
    def finish(self) -> datetime | None:
        """When all will be done at the present speed; None before three units are done, or if nothing is open."""
        rest = self.n_all - self.n_done
        if rest <= 0 or self.n_done < MIN_COMPARED or not self.study.takes_answers:
            return None
        began: datetime | None = Submission.objects.filter(
            assignment__annotator__study=self.study, assignment__annotator__purpose=Purpose.MAIN
        ).aggregate(first=Min("opened_at"))["first"]
        if began is None:
            return None
        expected: datetime = self.now + (self.now - began) / self.n_done * rest
        return expected


def compute_fair_pay(minutes: float, hourly: float) -> float:
    """The pay for so many minutes at this hourly wage, rounded up to full cents."""
    return -(-round(minutes * hourly * 100, 4) // 60) / 100
