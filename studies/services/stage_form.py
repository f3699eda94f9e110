"""The stage form: built from what a stage declares, for a page that works with and without JavaScript."""

import json
from collections.abc import Callable, Collection, Mapping
from functools import cached_property, partial
from hashlib import sha256
from typing import Any

from django.http import QueryDict
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from items.markup import render_wording
from studies.models import Assignment, Response
from studies.presentation_order import Subject, list_subjects, read_shown_items
from studies.protocols import PROTOCOLS, Question, Stage
from studies.protocols.base import MAX_TEXT, Value
from studies.protocols.conditions import walk
from studies.services.answers import AnswerScope, Drafts, GivenAnswers, ShownItems
from studies.services.declarations import fill_slots, get_annotator_question_source, get_stage_words
from studies.services.places import Place


class PictureAddresses:
    """Returns the address of a picture by its digest, and records which pictures a page shows."""

    def __init__(self, public_id: str) -> None:
        self.public_id = public_id
        self.shown: dict[str, str] = {}  # digests by their part of the address

    def __call__(self, digest: str) -> str:
        name = salted_hmac("studies.pictures", f"{self.public_id} {digest}", algorithm="sha256").hexdigest()[:32]
        self.shown[name] = digest
        return reverse("work_picture", args=[self.public_id, name])


MAX_COMMENT = 1_000
NONE = "none"
UNSURE = "unsure"
COMMENT = "comment."  # prefix of a question's name: the comment on its answer; alone: the comment on the item


class StageForm:
    """The questions of one stage of an assignment, and the contents of their fields: the drafts, updated by a POST."""

    def __init__(
        self,
        assignment: Assignment,
        stage: Stage,
        drafts: Drafts | None = None,
        shown_items: ShownItems | None = None,
        *,
        for_draft: bool = False,
        items: Collection[str] = (),
    ):
        """`items`: only the subjects with these handles; all of them without one."""
        self.assignment, self.stage, self.for_draft = assignment, stage, for_draft
        self.question_source = get_annotator_question_source(assignment.annotator)
        # The fields that hold several values.
        self.ticked = {UNSURE, *(question.name for question in stage.questions if question.per == "option")}
        self.drafts = drafts or Drafts(assignment, stage)
        self.shown_items = shown_items or ShownItems([(assignment, stage.name)])
        self.shown = read_shown_items(assignment.shown, stage.name)
        kind = PROTOCOLS[assignment.annotator.study.protocol].unit
        first = self.shown_items.find_first_item(assignment.unit_id) if kind == "pair" else None
        subjects = list_subjects(self.shown, kind, first)
        self.subjects = [each for each in subjects if each.handle in items] if items else subjects
        self.allowed: dict[str, list[str]] = {}  # by field, the values it may take; empty for free text
        # By the handle of a subject:
        self.by_subject: dict[str, dict[str, str]] = {}  # the names of its fields, by what they hold
        self.applicable_questions: dict[str, tuple[Question, ...]] = {}
        self.open_questions: dict[str, list[Question]] = {}  # the applicable questions that have a field
        self.reopened: dict[str, dict[str, Any] | None] = {}  # by question asked again, what is shown; None: all asked
        for subject in self.subjects:
            self.add_subject(subject)
        self.values = self.drafts.fields(self.subjects, self.allowed)
        self.errors: dict[str, list[str]] = {}  # by handle, after `is_valid`

    @classmethod
    def for_place(cls, place: Place, *, for_draft: bool = False, items: Collection[str] = ()) -> "StageForm":
        shown = place.drafts, place.shown_items
        return cls(*place.assignment_and_stage, *shown, for_draft=for_draft, items=items)

    def take(self, data: Mapping[str, Any]) -> None:
        """Read a POST into the drafts, without storing them.

        Only the subjects whose handles are the values of `item` are read; without such a value, those that have a field
        in the POST. All others keep their drafts.
        """
        named = set(read_list(data, "item"))
        for subject in self.subjects:
            fields = self.by_subject[subject.handle]
            if not (subject.handle in named if named else any(name in data for name in fields.values())):
                continue
            for kind, name in fields.items():
                self.values[name] = read_list(data, name) if kind in self.ticked else data.get(name)
            values = self.collect_draft_values(subject)
            if values != self.drafts.values(subject.item_id):
                self.drafts.put(subject.item_id, values)
        self.values = self.drafts.fields(self.subjects, self.allowed)

    @property
    def fingerprint(self) -> str:
        """A hash that differs between forms with different contents."""
        return sha256(json.dumps(self.values, sort_keys=True).encode()).hexdigest()[:16]

    @cached_property
    def addresses(self) -> PictureAddresses:
        """The addresses of the pictures that were rendered so far."""
        return PictureAddresses(self.assignment.annotator.public_id)

    @cached_property
    def draw(self) -> Callable[[str], str]:
        """Renders words about the text; without markup they stay as they are."""
        text = self.assignment.unit.text
        return partial(render_wording, text=text, locate=self.addresses) if text.markup else str

    @cached_property
    def words(self) -> dict[str, Any]:
        return get_stage_words(self.question_source, self.stage.name)

    @property
    def checked_stage(self) -> Stage:
        """The stage whose answers this one judges; `KeyError` if it judges none."""
        return self.question_source.declaration.stage(self.stage.checks)

    def has_expected_answer(self, subject: Subject) -> bool:
        """Whether the item of the subject has an expected answer.

        Looked up only if a question depends on it. True for a draft: the page asked only what applies, and the hand-in
        drops the rest.
        """
        if self.for_draft or not any(question.needs_expected_answer for question in self.stage.questions):
            return True
        return subject.item_id is not None and bool(self.shown_items.items[subject.item_id].expected_answer)

    @cached_property
    def others_comments(self) -> dict[tuple[int | None, str], list[str]]:
        """Other people's comments on their answers, by item and question; only a second round shows them."""
        me = self.assignment.annotator
        written = (
            Response.objects.filter(
                assignment__annotator__study=me.study,
                assignment__annotator__purpose=me.purpose,
                assignment__returned_at=None,
                item__in=[subject.item_id for subject in self.subjects],
            )
            .exclude(comment="")
            .exclude(assignment__annotator=me)
        )
        found: dict[tuple[int | None, str], list[str]] = {}
        for item, question, comment in written.order_by("comment").values_list("item", "question", "comment"):
            found.setdefault((item, question), []).append(comment)
        return found

    def add_subject(self, subject: Subject) -> None:
        """Register a subject: its questions, its fields, and the values that each field may take."""
        reopened, handle, values = self.assignment.reopened, subject.handle, {}
        again = None if reopened is None else dict(reopened.get(str(subject.item_id), {}))
        applying = self.stage.applicable_questions(self.has_expected_answer(subject))
        open_here = [question for question in applying if again is None or question.name in again]
        self.applicable_questions[handle], self.open_questions[handle] = applying, open_here
        self.reopened[handle] = again
        for question in open_here:
            values[question.name] = self.list_values(question, subject)
            if question.per == "option" and question.unsure:
                values[UNSURE] = [option.handle for option in subject.options]
            if "c" in (again or {}).get(question.name, {}).get("rules", ()):
                values[f"{COMMENT}{question.name}"] = []
        if again is None and self.assignment.annotator.study.recruitment.get("comments"):
            values[COMMENT] = []
        self.by_subject[handle] = {kind: f"{kind}-{handle}" for kind in values}
        self.allowed |= {f"{kind}-{handle}": allowed for kind, allowed in values.items()}

    def list_values(self, question: Question, subject: Subject) -> list[str]:
        """The values that the field of a question may take; none for free text."""
        if question.kind == "tick":
            return ["true"] if question.per == "item" else [*(option.handle for option in subject.options), NONE]
        sides = [side.handle for side in subject.sides] if question.kind == "pick" else []
        return [*sides, *map(str, question.levels)]

    def is_valid(self) -> bool:
        """Whether the stage could be handed in now; if not, `errors` say why."""
        found = {subject.handle: self.list_problems(subject) for subject in self.subjects}
        self.errors = {handle: problems for handle, problems in found.items() if problems}
        return not self.errors

    def list_problems(self, subject: Subject) -> list[str]:
        """Missing or contradictory answers about one subject, in sentences."""
        found, missing = [], []
        asked = self.path(subject)
        opened = self.stage.find_reached(asked)
        for question in self.open_questions[subject.handle]:
            if question.per == "option":
                found += self.list_option_problems(question, subject)
            elif question.name in opened and asked[question.name] is None and question.required:
                missing.append(question)
            elif question.kind == "text" and len(str(asked.get(question.name) or "")) > MAX_TEXT:
                found.append(_("This text is too long: keep it under %(n)d characters.") % {"n": MAX_TEXT})
        found += self.list_repetitions(subject, asked)
        scales = [question for question in self.stage.questions if question.kind == "scale"]
        if len(scales) == 1 and missing == scales:
            found.append(_("Please rate the question."))
        elif missing:
            found.append(
                _("Not answered yet: %(names)s.")
                % {"names": ", ".join(get_title(question, self.words) for question in missing)}
            )
        return found

    def list_repetitions(self, subject: Subject, asked: Mapping[str, Value | None]) -> list[str]:
        """Answers that are the same for two questions which must have different answers."""
        sentence = _("“%(one)s” and “%(other)s” must differ: change one of them.")
        return [
            sentence % {name: get_title(each, self.words) for name, each in (("one", earlier), ("other", question))}
            for question in self.open_questions[subject.handle]
            for earlier in self.stage.questions
            if earlier.name == question.unlike and asked.get(question.name) is not None
            if asked.get(question.name) == asked.get(earlier.name)
        ]

    def list_option_problems(self, question: Question, subject: Subject) -> list[str]:
        ticked = self.read_ticks(f"{question.name}-{subject.handle}")
        found = []
        if subject.options and not ticked:
            found.append(_("Select an option, or choose “None is correct”."))
        if NONE in ticked and len(ticked) > 1:
            found.append(_("You selected both an option and “None is correct”. Keep one of them."))
        return found

    def read_ticks(self, name: str) -> list[str]:
        return list(self.values.get(name) or [])

    def find_value(self, question: Question, subject: Subject) -> Value | None:
        """The value in the field of a question about the item as a whole; None if it is empty."""
        name = f"{question.name}-{subject.handle}"
        given = self.values.get(name)
        if question.kind == "tick":
            return bool(given == "true")
        if question.kind == "text":
            return clean_text(given) or None
        if not isinstance(given, str) or given not in self.allowed.get(name, ()):
            return None
        if question.kind == "scale":
            return int(given)
        side = next((side for side in subject.sides if side.handle == given), None) if question.kind == "pick" else None
        return self.shown_items.items[side.item_id].external_id if side else given

    def path(self, subject: Subject) -> dict[str, Value | None]:
        """The questions about the item as a whole that these answers lead to, with their values."""
        questions = [question for question in self.open_questions[subject.handle] if question.per == "item"]
        values = {question.name: self.find_value(question, subject) for question in questions}
        return walk(questions, {name: value for name, value in values.items() if value is not None})[0]

    def find_missing(self, subject: Subject) -> list[str]:
        """The fields of the gates reached that still need an answer."""
        asked = self.path(subject)
        opened = self.stage.find_reached(asked)
        names = [each.name for each in self.open_questions[subject.handle] if each.required and each.name in opened]
        return [f"{name}-{subject.handle}" for name in names if asked[name] is None]

    def collect_draft_values(self, subject: Subject) -> dict[str, Any]:
        """The values about one subject as a draft stores them, in a fixed order, without questions that are not
        asked."""
        values: dict[str, Any] = {}
        asked = self.path(subject)
        for kind, name in self.by_subject[subject.handle].items():
            given = self.values.get(name)
            if kind in self.ticked:
                values[kind] = [handle for handle in self.allowed[name] if handle in (given or [])]
            elif kind.startswith(COMMENT):
                values[kind] = clean_text(given)[:MAX_COMMENT]
            elif kind in asked and asked[kind] is not None:
                values[kind] = clean_text(given)
        return {kind: value for kind, value in values.items() if value}

    def collect_answers(self, subject: Subject) -> GivenAnswers:
        """The answers about one subject in the protocol's terms; untouched fields are missing."""
        ticks: dict[str, dict[int, bool]] = {}
        for question in self.open_questions[subject.handle]:
            value = self.values.get(f"{question.name}-{subject.handle}")
            if question.per == "option" and value:
                ticks[question.name] = {option.option_id: option.handle in value for option in subject.options}
        values = {name: value for name, value in self.path(subject).items() if value is not None}
        unsure = self.read_ticks(f"{UNSURE}-{subject.handle}")
        marked = frozenset(option.option_id for option in subject.options if option.handle in unsure)
        comments = {
            kind.removeprefix(COMMENT): comment
            for kind, name in self.by_subject[subject.handle].items()
            if kind.startswith(COMMENT) and (comment := clean_text(self.values.get(name))[:MAX_COMMENT])
        }
        return GivenAnswers(subject.item_id, ticks, values, marked, comments=comments)

    def describe_subject(self, subject: Subject) -> AnswerScope:
        """What `check_answers` needs to know about the subject."""
        again = self.reopened[subject.handle]
        return AnswerScope(
            option_ids=[option.option_id for option in subject.options],
            has_expected_answer=self.has_expected_answer(subject),
            picks=[self.shown_items.items[side.item_id].external_id for side in subject.sides],
            reopened=None if again is None else tuple(again),
        )

    def is_answered(self, subject: Subject) -> bool:
        """Whether no answer about the subject is missing."""
        asked = self.path(subject)
        return all(
            bool(self.read_ticks(f"{question.name}-{subject.handle}"))
            if question.per == "option"
            else question.name not in asked or not question.required or asked[question.name] is not None
            for question in self.open_questions[subject.handle]
        )


def clean_text(given: object) -> str:
    """A text as it was typed, with line breaks as \\n, and without NUL, which PostgreSQL cannot store."""
    return str(given or "").replace("\r\n", "\n").replace("\0", "").strip()


def read_list(data: Mapping[str, Any], name: str) -> list[str]:
    """All values of a field of a POST, or the single one of a plain mapping."""
    if isinstance(data, QueryDict):
        return data.getlist(name)
    given = data.get(name, [])
    return list(given) if isinstance(given, list | tuple) else [given]


def get_title(question: Question, words: Mapping[str, Any]) -> str:
    """The title of a question in the wording of its stage; its name if the wording has none."""
    return str(find_wording(question, words).get("title") or question.name.replace("_", " "))


def get_part_title(question: Question, words: Mapping[str, Any]) -> str:
    """The heading of a question that is asked several times; empty for others."""
    return str(fill_slots(words.get("part_title", ""), get_numbers(question))) if question.part else ""


def find_wording(question: Question, words: Mapping[str, Any]) -> Mapping[str, Any]:
    """The wording of a question in a stage: the entry with its name in a list, or under its name.

    {part} and {place} are filled in if it is one of several.
    """
    name = question.wording or question.name
    named = (
        entry
        for entries in words.values()
        if isinstance(entries, list)
        for entry in entries
        if isinstance(entry, Mapping) and entry.get("name") == name
    )
    found = next(named, words.get(name))
    if not isinstance(found, Mapping):
        return {}
    return dict(fill_slots(found, get_numbers(question))) if question.part else found


def get_numbers(question: Question) -> dict[str, str]:
    return {"part": str(question.part), "place": str(question.place)}
