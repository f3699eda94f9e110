"""Adjudication: a researcher decides where people disagree, and flags or excludes single answers.

Responses are unchanged. Figures use decisions only on request. Answers about options and free texts are never replaced
by a decision; they can only be flagged or excluded.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils import timezone
from django.utils.translation import gettext as _

from items.models import Item
from projects.audit import record_act
from projects.models import User
from studies.models import (
    Adjudication,
    AnnotatorKind,
    Assignment,
    Purpose,
    Response,
    Ruling,
    Slot,
    Study,
    StudyState,
    Unit,
)
from studies.protocols import PROTOCOLS, InvalidAnswer, Question
from studies.protocols.base import Value
from studies.services.declarations import get_declaration, list_declarations
from studies.services.states import lock_study

STATES = (StudyState.LIVE, StudyState.PAUSED, StudyState.CLOSED, StudyState.IMPORTED)
FINAL = (StudyState.CLOSED, StudyState.IMPORTED)  # states in which no more answers come
MAX_REASON = 500


class CannotAdjudicate(Exception):
    """This decision is impossible, or not possible now; the message is a sentence."""


@dataclass(frozen=True)
class Cell:
    """One question about one item of a unit (or about the unit), with each person's answers in their latest round."""

    stage: str
    question: Question
    item: Item | None
    responses: tuple[Response, ...]  # sorted by value, so that the order does not reveal who gave which
    decision: Adjudication | None

    @property
    def counted_responses(self) -> tuple[Response, ...]:
        """The responses that are not excluded."""
        return tuple(each for each in self.responses if not is_settled(each, Ruling.EXCLUDED))

    @property
    def is_conflict(self) -> bool:
        return len({repr(each.value) for each in self.counted_responses}) > 1

    @property
    def is_open(self) -> bool:
        return self.is_conflict and any(not is_settled(each, Ruling.DECIDED) for each in self.counted_responses)


@dataclass(frozen=True)
class UnitState:
    """The progress of the adjudication of a unit. n_apart: how many answers are flagged or excluded."""

    unit: Unit
    is_complete: bool
    n_open: int
    n_decided: int
    n_apart: int


@dataclass(frozen=True)
class Decision:
    """The decision on one cell: which question about which item, the value, and the reason."""

    stage: str
    question: str
    item_id: int | None
    value: Value
    reason: str = ""


def is_settled(response: Any, settled: Ruling) -> bool:
    return any(each.settled == settled for each in response.standing)


def get_purpose(study: Study) -> Purpose:
    """Whose answers are adjudicated: simulated ones only if nobody else has answered."""
    people = Response.objects.filter(assignment__annotator__study=study, assignment__annotator__purpose=Purpose.MAIN)
    return Purpose.MAIN if people.exists() else Purpose.SIMULATED


def map_questions(study: Study) -> dict[tuple[str, str], Question]:
    """The questions that can be decided, by stage and name: those about an item as a whole, without free texts."""
    stages = [stage for declaration in list_declarations(study) for stage in declaration.stages]
    return {
        (stage.name, each.name): each
        for stage in stages
        for each in stage.questions
        if each.per == "item" and each.kind != "text"
    }


def filter_latest_answers(study: Study) -> QuerySet[Response]:
    """People's answers, each in their latest round."""
    mine = Response.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__kind=AnnotatorKind.HUMAN,
        assignment__annotator__purpose=get_purpose(study),
        assignment__returned_at=None,
    )
    if not Assignment.objects.active().filter(annotator__study=study, round__gt=1).exists():
        return mine
    same = {
        "assignment__annotator": OuterRef("assignment__annotator"),
        "assignment__unit": OuterRef("assignment__unit"),
        "stage": OuterRef("stage"),
        "question": OuterRef("question"),
    }
    later = Response.objects.filter(
        Q(item=OuterRef("item")) | Q(item=None),
        **same, assignment__round__gt=OuterRef("assignment__round"), assignment__returned_at=None,
    )  # fmt: skip
    return mine.exclude(Exists(later))


def filter_valid_decisions(study: Study) -> QuerySet[Adjudication]:
    """The decisions that are in force."""
    return Adjudication.objects.filter(response__assignment__annotator__study=study, reopened_at=None)


def filter_complete_units(study: Study) -> QuerySet[Unit]:
    """The units with all their answers; all units once the study is closed or imported."""
    if study.state in FINAL:
        return study.units.all()
    purpose = get_purpose(study)
    people = Assignment.objects.active().filter(annotator__kind=AnnotatorKind.HUMAN, annotator__purpose=purpose)
    finished = people.filter(slot=OuterRef("pk"), finished_at__isnull=False)
    unfilled = Slot.objects.filter(unit__study=study, purpose=purpose).exclude(Exists(finished))
    at_work = people.filter(annotator__study=study, finished_at=None)
    return study.units.exclude(pk__in=unfilled.values("unit")).exclude(pk__in=at_work.values("unit"))


def find_conflicts(study: Study) -> list[dict[str, Any]]:
    """The undecided cells on which people disagree, as unit, item, stage and question; by unit."""
    known = map_questions(study)
    standing = Adjudication.objects.filter(response=OuterRef("pk"), reopened_at=None)
    answers = (
        filter_latest_answers(study)
        .filter(assignment__unit__in=filter_complete_units(study), question__in={name for _stage, name in known})
        .exclude(Exists(standing.filter(settled=Ruling.EXCLUDED)))
        .exclude(pk__in=find_moot_answers(study))
        .annotate(is_covered=Exists(standing.filter(settled=Ruling.DECIDED)), text=Cast("value", TextField()))
    )
    cells = answers.order_by().values("assignment__unit", "item", "stage", "question")
    counted = cells.annotate(
        n_values=Count("text", distinct=True), n_new=Count("pk", filter=Q(is_covered=False), distinct=True)
    )
    found = counted.filter(n_values__gt=1, n_new__gt=0).order_by("assignment__unit", "item", "stage", "question")
    return [dict(cell) for cell in found if (cell["stage"], cell["question"]) in known]


def find_moot_answers(study: Study, unit: Unit | None = None) -> set[int]:
    """The undecided answers, by primary key, to questions that would not have been asked after the decisions on the
    same sheet; of the whole study or of one unit."""
    stages = {stage.name: stage for stage in get_declaration(study).stages}
    conditional = [name for name, stage in stages.items() if stage.is_conditional]
    standing = filter_valid_decisions(study).filter(settled=Ruling.DECIDED, response__stage__in=conditional)
    if unit is not None:
        standing = standing.filter(response__assignment__unit=unit)
    decided = dict(standing.values_list("response", "value")) if conditional else {}
    if not decided:
        return set()
    rows = filter_latest_answers(study).filter(
        assignment__in=standing.values("response__assignment"), stage__in=conditional, option=None
    )
    sheets: dict[tuple[int, str, int | None], dict[str, int]] = {}
    given: dict[int, Value] = {}
    for pk, assignment, stage, item, question, value in rows.values_list(
        "pk", "assignment", "stage", "item", "question", "value"
    ):
        sheets.setdefault((assignment, stage, item), {})[question] = pk
        given[pk] = decided.get(pk, value)
    moot: set[int] = set()
    for (_assignment, name, _item), answers in sheets.items():
        if decided.keys().isdisjoint(answers.values()):
            continue
        unasked = stages[name].find_unasked({question: given[pk] for question, pk in answers.items()})
        moot |= {pk for question, pk in answers.items() if question in unasked}
    return moot - decided.keys()


def list_units(study: Study) -> list[UnitState]:
    """All units of the study, those with open conflicts first."""
    open_cells: dict[int, int] = {}
    for cell in find_conflicts(study):
        open_cells[cell["assignment__unit"]] = open_cells.get(cell["assignment__unit"], 0) + 1
    place = ("response__assignment__unit", "response__item", "response__stage", "response__question")
    decided: dict[int, set[Any]] = {}
    apart: dict[int, int] = {}
    for settled, unit, *cell in filter_valid_decisions(study).values_list("settled", *place):
        if settled == Ruling.DECIDED:
            decided.setdefault(unit, set()).add(tuple(cell))
        else:
            apart[unit] = apart.get(unit, 0) + 1
    complete = set(filter_complete_units(study).values_list("pk", flat=True))
    found = [
        UnitState(
            unit, unit.pk in complete, open_cells.get(unit.pk, 0), len(decided.get(unit.pk, ())), apart.get(unit.pk, 0)
        )
        for unit in study.units.select_related("text")
    ]
    return sorted(found, key=lambda each: (not each.n_open, each.unit.position))


def list_answers(unit: Unit) -> list[Response]:
    """People's answers about the unit, each with `standing`: the decisions about it that are in force."""
    answers = filter_latest_answers(unit.study).filter(assignment__unit=unit)
    found = list(answers.select_related("item", "option").order_by("pk"))
    held: dict[int, list[Adjudication]] = {}
    for each in Adjudication.objects.filter(response__in=found, reopened_at=None).select_related("decided_by"):
        held.setdefault(each.response_id, []).append(each)
    for response in found:
        response.standing = held.get(response.pk, [])  # type: ignore[attr-defined]
    return found


def list_cells(unit: Unit, answers: Iterable[Response] | None = None) -> list[Cell]:
    """The cells of a unit that can be decided, in the order of its items and questions; without answers that a
    decision has made moot."""
    known, moot = map_questions(unit.study), find_moot_answers(unit.study, unit)
    found: dict[tuple[int | None, str, str], list[Response]] = {}
    for each in list_answers(unit) if answers is None else answers:
        if (each.stage, each.question) in known and each.pk not in moot:
            found.setdefault((each.item_id, each.stage, each.question), []).append(each)
    items = {
        pk: place for place, pk in enumerate(unit.items.order_by("unit_items__position").values_list("pk", flat=True))
    }
    order = {name: place for place, name in enumerate(known)}
    cells = []
    for item, stage, question in sorted(found, key=lambda key: (items.get(key[0] or 0, -1), order[key[1], key[2]])):
        responses = tuple(sorted(found[item, stage, question], key=lambda each: str(each.value)))
        standing = [one for each in responses for one in each.standing if one.settled == Ruling.DECIDED]  # type: ignore[attr-defined]
        cells.append(
            Cell(stage, known[stage, question], responses[0].item, responses, standing[0] if standing else None)
        )
    return cells


@transaction.atomic
def decide_cells(unit: Unit, decisions: Iterable[Decision], user: User) -> int:
    """Store the decisions; returns how many. If one is impossible, `CannotAdjudicate`, and none is stored.

    A decision against people who agree needs a reason.
    """
    study = lock_study(unit.study, *STATES)
    if not filter_complete_units(study).filter(pk=unit.pk).exists():
        raise CannotAdjudicate(
            _("This unit is not complete yet: people are still to answer. Wait for the last answer.")
        )
    cells = {(each.stage, each.question.name, each.item.pk if each.item else None): each for each in list_cells(unit)}
    picks = list(unit.items.values_list("external_id", flat=True))
    rows: list[Adjudication] = []
    for number, decision in enumerate(decisions, 1):
        cell = cells.get((decision.stage, decision.question, decision.item_id))
        if cell is None:
            raise CannotAdjudicate(_("Nobody has answered this question here, or its answers cannot be replaced."))
        rows += make_rows(cell, decision, check_value(cell, decision, picks), user)
        if number == 1:
            record_act(study.project_id, "conflicts_decided", study, number=unit.position + 1)
    Adjudication.objects.bulk_create(rows)
    return len({(each.response.stage, each.response.question, each.response.item_id) for each in rows})


def check_value(cell: Cell, decision: Decision, picks: list[str]) -> Value:
    """The value, if the question allows it; `CannotAdjudicate` says what is wrong with the decision."""
    if cell.decision and not cell.is_open:
        raise CannotAdjudicate(_("This was decided already. Reopen the unit first."))
    if not cell.is_conflict and not decision.reason.strip():
        raise CannotAdjudicate(_("People agree here. Give a reason for another value."))
    try:
        return cell.question.check(decision.value, picks)
    except InvalidAnswer:
        raise CannotAdjudicate(_("This value is not an answer to the question. Choose one that is offered.")) from None


def make_rows(cell: Cell, decision: Decision, value: Value, user: User) -> list[Adjudication]:
    """One row for each counted response of the cell that no decision covers yet."""
    now, reason = timezone.now(), decision.reason.strip()[:MAX_REASON]
    return [
        Adjudication(response=each, settled=Ruling.DECIDED, value=value, reason=reason, decided_by=user, decided_at=now)
        for each in cell.counted_responses
        if not is_settled(each, Ruling.DECIDED)
    ]


@transaction.atomic
def flag_or_exclude_answer(unit: Unit, response_id: int, settled: Ruling, reason: str, user: User) -> int:
    """Flag or exclude one person's answers about one item in one stage; returns how many responses these are.

    `response_id`: any of these responses. `CannotAdjudicate` without a reason, for an answer that is not of the unit,
    and for one that is flagged or excluded already.
    """
    study = lock_study(unit.study, *STATES)
    if settled not in (Ruling.FLAGGED, Ruling.EXCLUDED):
        raise CannotAdjudicate(_("Choose whether to flag or to exclude the answer."))
    if not reason.strip():
        raise CannotAdjudicate(_("Give a reason: it is included in every export."))
    answers = list_answers(unit)
    chosen = next((each for each in answers if each.pk == response_id), None)
    if chosen is None:
        raise CannotAdjudicate(_("This answer is no longer there. Load the page again."))
    same = [each for each in answers if get_sheet(each) == get_sheet(chosen)]
    if any(is_settled(each, Ruling.FLAGGED) or is_settled(each, Ruling.EXCLUDED) for each in same):
        raise CannotAdjudicate(_("This answer is flagged or excluded already. Reopen the unit first."))
    now, why = timezone.now(), reason.strip()[:MAX_REASON]
    Adjudication.objects.bulk_create(
        Adjudication(response=each, settled=settled, reason=why, decided_by=user, decided_at=now) for each in same
    )
    record_act(study.project_id, "answers_set_apart", study, number=unit.position + 1)
    return len(same)


def get_sheet(response: Response) -> tuple[int, str, int | None]:
    """A key of the responses given together: by one person, in one stage, about one item."""
    return response.assignment_id, response.stage, response.item_id


@transaction.atomic
def reopen_unit(unit: Unit, reason: str, user: User) -> int:
    """Take back all decisions about the unit's answers, so that they are open again; returns how many cells or answers
    these were. `CannotAdjudicate` without a reason, or if nothing was decided."""
    study = lock_study(unit.study, *STATES)
    if not reason.strip():
        raise CannotAdjudicate(_("Say why you reopen the unit."))
    standing = filter_valid_decisions(study).filter(response__assignment__unit=unit)
    n = standing.update(reopened_by=user, reopened_at=timezone.now(), reopened_because=reason.strip()[:MAX_REASON])
    if not n:
        raise CannotAdjudicate(_("Nothing was decided about this unit."))
    record_act(study.project_id, "unit_reopened", study, number=unit.position + 1)
    return n


def is_compared(study: Study) -> bool:
    """Whether the items of a unit are compared, so that a cell is about all of them."""
    return PROTOCOLS[study.protocol].compares
