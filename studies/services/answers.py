"""Check answers from any source against the protocol's declaration; store drafts; read the items that pages show."""

from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet
from django.utils import timezone

from items.models import Item, Option
from projects.sql import PreparedQuery, insert_rows
from studies.models import Assignment, Draft, UnitItem
from studies.presentation_order import Subject
from studies.protocols import InvalidAnswer, Question, Stage
from studies.protocols.base import Value


@dataclass(frozen=True)
class GivenAnswers:
    """An annotator's answers about one item, or the text: a value per question, or per option whether it is ticked."""

    item_id: int | None
    ticks: Mapping[str, Mapping[int, bool]] = field(default_factory=dict)
    values: Mapping[str, Value] = field(default_factory=dict)
    unsure: frozenset[int] = frozenset()
    probability: Mapping[int, float] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)  # by question; "": about the item as a whole


@dataclass(frozen=True)
class AnswerScope:
    """What answers about an item may refer to: its options, ids to pick from, and the questions that apply."""

    option_ids: Collection[int] = ()
    has_expected_answer: bool = True
    picks: Collection[str] = ()
    reopened: Collection[str] | None = None  # the questions that a later round asks again; None: all


class Answer(NamedTuple):
    """One answered question, checked; a tuple, as an import has a million."""

    item_id: int | None
    option_id: int | None
    question: str
    value: Value
    unsure: bool | None = None
    probability: float | None = None
    comment: str = ""


def check_answers(stage: Stage, given: GivenAnswers, about: AnswerScope, *, partial: bool = False) -> list[Answer]:
    """The checked answers about one item. Options are judged all or none; a model (`partial`) may judge them one by
    one.

    `InvalidAnswer` for an impossible value, and for a question that is not asked here.
    """
    applying = stage.applicable_questions(about.has_expected_answer)
    refuse_unasked(stage, given, about, applying)
    found: list[Answer] = []
    for question in applying:
        if question.per == "item" and question.name in given.values:
            value = question.check(given.values[question.name], about.picks)
            comment = given.comments.get(question.name, "")
            found.append(Answer(given.item_id, None, question.name, value, comment=comment))
        if question.per == "option":
            found += check_option_answers(question, given, about, partial)
    if found and (about_item := given.comments.get("")):
        found[0] = found[0]._replace(comment=about_item)
    return found


def check_option_answers(
    question: Question, given: GivenAnswers, about: AnswerScope, partial: bool
) -> Iterable[Answer]:
    ticks = given.ticks.get(question.name, {})
    if ticks and not partial and set(ticks) != set(about.option_ids):
        raise InvalidAnswer("An answer must judge each option of its item once.")
    for option_id, ticked in ticks.items():
        unsure = option_id in given.unsure if question.unsure else None
        probability = given.probability.get(option_id)
        yield Answer(given.item_id, option_id, question.name, question.check(ticked), unsure, probability)


def refuse_unasked(stage: Stage, given: GivenAnswers, about: AnswerScope, applying: Iterable[Question]) -> None:
    """Raises `InvalidAnswer` for a question that does not apply, that these answers skip, or that is not reopened."""
    asked, names = stage.path(given.values, applying), {question.name for question in applying}
    for name in (*given.values, *given.ticks):
        if name not in names:
            raise InvalidAnswer(f"“{name}” does not apply to this item: it has no expected answer.", name)
        if name not in asked:
            raise InvalidAnswer(f"“{name}” is not asked after these answers.", name)
        if about.reopened is not None and name not in about.reopened:
            raise InvalidAnswer(f"“{name}” is not open again in this round.", name)
    for question in (each for each in applying if each.unlike and each.name in given.values):
        if given.values[question.name] == given.values.get(question.unlike):
            raise InvalidAnswer(f"“{question.name}” must differ from “{question.unlike}”.", question.name)


Values = dict[str, Any]  # as a draft stores them: {field: value or list of handles}


def list_items(unit: int, other: int) -> QuerySet[UnitItem]:
    rows = UnitItem.objects.filter(Q(unit=unit) | Q(unit=other)).select_related("item")
    return rows.only("unit", "item__stem", "item__expected_answer", "item__external_id")


def list_options(unit: int, other: int) -> QuerySet[Option, Any]:
    rows = Option.objects.filter(Q(item__unit_items__unit=unit) | Q(item__unit_items__unit=other)).order_by()
    return rows.values_list("item_id", "pk", "text", "correct")


def list_drafts(assignment: int, stage: str, earlier: str) -> QuerySet[Draft]:
    return Draft.objects.filter(Q(stage=stage) | Q(stage=earlier), assignment=assignment)


read_items = PreparedQuery(list_items, int, int)
read_options = PreparedQuery(list_options, int, int)
read_drafts = PreparedQuery(list_drafts, int, str, str)


DRAFT_COLUMNS = ("assignment_id", "stage", "item_id", "values", "n_changes", "first_answered_at", "last_changed_at")


class Drafts:
    """The drafts of one stage of an assignment, on top of those of the stage whose answers its form starts from.

    `save` stores the values set by `put`. A stage opened just now (`is_new`) has no drafts of its own yet.
    """

    def __init__(self, assignment: Assignment, stage: Stage, *, is_new: bool = False):
        self.assignment, self.stage = assignment, stage
        self.by_item: dict[int | None, Draft] = {}
        self.earlier: dict[int | None, Values] = {}
        self.changed: dict[int | None, Draft] = {}
        if is_new and not stage.starts_from:
            return
        asked = {question.name for question in stage.questions}
        for draft in read_drafts(assignment.pk, stage.name, stage.starts_from or stage.name):
            draft.assignment = assignment
            if draft.stage == stage.name:
                self.by_item[draft.item_id] = draft
            else:
                self.earlier[draft.item_id] = {name: value for name, value in draft.values.items() if name in asked}

    def values(self, item_id: int | None) -> Values:
        """The contents of the form about one item, or about the text, before new input."""
        draft = self.by_item.get(item_id)
        return draft.values if draft else self.earlier.get(item_id, {})

    def fields(self, subjects: Iterable[Subject], names: Container[str]) -> Values:
        """The contents for all subjects, by the names of the form's fields."""
        return {
            name: value
            for subject in subjects
            for kind, value in self.values(subject.item_id).items()
            if (name := f"{kind}-{subject.handle}") in names
        }

    def put(self, item_id: int | None, values: Values) -> None:
        """Set the values about one item. Clearing an item stores an empty draft, so that no earlier answer returns."""
        now, draft = timezone.now(), self.by_item.get(item_id)
        if draft is None:
            draft = Draft(assignment=self.assignment, stage=self.stage.name, item_id=item_id, first_answered_at=now)
            self.by_item[item_id] = draft
        else:
            draft.n_changes += 1
        draft.values, draft.last_changed_at = values, now
        self.changed[item_id] = draft

    def save(self) -> int:
        """Store the changed drafts; returns their number."""
        new = [[getattr(draft, name) for name in DRAFT_COLUMNS] for draft in self.changed.values() if draft.pk is None]
        known = [draft for draft in self.changed.values() if draft.pk is not None]
        if new:
            insert_rows(Draft, DRAFT_COLUMNS, new)
        if known:
            fields = ["values", "last_changed_at", "n_changes"]
            Draft.objects.bulk_create(known, update_conflicts=True, unique_fields=["pk"], update_fields=fields)
        n_changed = len(self.changed)
        self.changed = {}
        return n_changed


class OptionWords(NamedTuple):
    text: str
    correct: bool


class ShownItems:
    """The items shown by stages of one or two units, and their options; each is read on first access."""

    def __init__(self, shown: Iterable[tuple[Assignment, str]]):
        self.shown = list(shown)
        self.units = self.shown[0][0].unit_id, self.shown[-1][0].unit_id

    @cached_property
    def rows(self) -> list[UnitItem]:
        shown = (row for assignment, stage in self.shown for row in assignment.shown.get(stage, []))
        ids = {item for _handle, item, _options in shown if item}
        return [row for row in read_items(*self.units) if row.item_id in ids] if ids else []

    @cached_property
    def items(self) -> dict[int | None, Item]:
        return {row.item_id: row.item for row in self.rows}

    @cached_property
    def options(self) -> dict[int, dict[int, OptionWords]]:
        """The options by item, then by primary key."""
        found: dict[int, dict[int, OptionWords]] = {row.item_id: {} for row in self.rows}
        for item, pk, text, correct in read_options(*self.units) if found else ():
            found.get(item, {})[pk] = OptionWords(text, correct)
        return found

    def find_first_item(self, unit_id: int) -> int | None:
        """The first item of a unit, regardless of the order shown."""
        return next((row.item_id for row in self.rows if row.unit_id == unit_id), None)
