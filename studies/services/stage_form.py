"""The stage form: built from what a stage declares, for a page that works with and without JavaScript."""

import json
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from items.models import Item
from studies.models import Assignment, Response
from studies.presentation_order import Subject, list_subjects, read_shown_items
from studies.protocols import PROTOCOLS, Question, Stage
from studies.protocols.base import MAX_TEXT, Value
from studies.services.answers import About, Drafts, Given
from studies.services.declarations import fill_slots, get_annotator_declaration, get_stage_wording

MAX_COMMENT = 1_000
NONE = "none"
UNSURE = "unsure"
COMMENT = "comment."  # before the name of a question: what was written about the answer


class StageForm(forms.Form):
    """The questions of one stage of an assignment. Unbound, it stands as the drafts left it."""

    def __init__(
        self,
        assignment: Assignment,
        stage: Stage,
        data: Mapping[str, Any] | None = None,
        drafts: Drafts | None = None,
    ):
        self.assignment, self.stage = assignment, stage
        self.shown = read_shown_items(assignment.shown, stage.name)
        self.subjects = list_subjects(self.shown, find_first_of_pair(assignment))
        self.allowed: dict[str, list[str]] = {}
        if data is None:
            drafts = drafts or Drafts(assignment, stage)
        super().__init__(data, initial=drafts.fields(self.subjects) if drafts else None)
        for subject in self.subjects:
            self.add_subject(subject)

    @classmethod
    def of_drafts(cls, assignment: Assignment, stage: Stage, drafts: Drafts | None = None) -> "StageForm":
        """The form bound to its drafts: valid if the stage could be handed in as they stand."""
        form = cls(assignment, stage, drafts=drafts)
        form.data, form.is_bound = form.initial, True
        return form

    @property
    def fingerprint(self) -> str:
        """Differs between forms in which something else stands."""
        return sha256(json.dumps(self.data, sort_keys=True).encode()).hexdigest()[:16]

    @cached_property
    def items(self) -> dict[int | None, Item]:
        ids = [shown.item_id for shown in self.shown if shown.item_id]
        rows = Item.objects.select_related("text").prefetch_related("options").filter(pk__in=ids)
        return {item.pk: item for item in rows}

    @cached_property
    def words(self) -> dict[str, Any]:
        """What the wording says of this stage."""
        return get_stage_wording(self.assignment.annotator, self.stage)

    @cached_property
    def checked_stage(self) -> Stage:
        """Where the stage judges the answers of another, that one; `KeyError` if it judges none."""
        return get_annotator_declaration(self.assignment.annotator).stage(self.stage.checks)

    def applying(self, subject: Subject) -> tuple[Question, ...]:
        """The questions that apply to the subject, asked or not."""
        return self.stage.about(self.has_expected_answer(subject))

    def has_expected_answer(self, subject: Subject) -> bool:
        return subject.item_id is not None and bool(self.items[subject.item_id].expected_answer)

    def reopened(self, subject: Subject) -> dict[str, Any] | None:
        """Of a second round: the questions that are asked again, with what is shown beside; None: all."""
        if self.assignment.reopened is None:
            return None
        return dict(self.assignment.reopened.get(str(subject.item_id), {}))

    @cached_property
    def others_comments(self) -> dict[tuple[int | None, str], list[str]]:
        """What others have written about their answers, by item and question; only a second round asks for it."""
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

    def open_questions(self, subject: Subject) -> list[Question]:
        """The questions that have a field here."""
        again = self.reopened(subject)
        return [question for question in self.applying(subject) if again is None or question.name in again]

    def add_subject(self, subject: Subject) -> None:
        again = self.reopened(subject) or {}
        for question in self.open_questions(subject):
            self.add_question(question, subject)
            if "c" in again.get(question.name, {}).get("rules", ()):
                self.add_text(f"{COMMENT}{question.name}-{subject.handle}")

    def add_question(self, question: Question, subject: Subject) -> None:
        name = f"{question.name}-{subject.handle}"
        handles = [option.handle for option in subject.options]
        if question.kind == "text":
            self.add_text(name)
        elif question.kind == "pick":
            self.add_choice(name, [*(side.handle for side in subject.sides), *map(str, question.levels)])
        elif question.kind == "tick" and question.per == "item":
            self.add_choice(name, ["true"])
        elif question.kind == "tick":
            self.add_choices(name, [*handles, NONE])
            if question.unsure:
                self.add_choices(f"{UNSURE}-{subject.handle}", handles)
        else:
            self.add_choice(name, [str(level) for level in question.levels])

    def add_choices(self, name: str, handles: list[str]) -> None:
        self.allowed[name] = handles
        choices = [(handle, handle) for handle in handles]
        self.fields[name] = forms.MultipleChoiceField(choices=choices, required=False)

    def add_choice(self, name: str, values: list[str]) -> None:
        self.allowed[name] = values
        self.fields[name] = forms.ChoiceField(choices=[(value, value) for value in values], required=False)

    def add_text(self, name: str) -> None:
        self.fields[name] = forms.CharField(required=False)

    def clean(self) -> dict[str, Any] | None:
        for subject in self.subjects:
            for problem in self.problems(subject):
                self.add_error(self.first_field(subject), problem)
        return super().clean()

    def first_field(self, subject: Subject) -> str:
        return f"{self.open_questions(subject)[0].name}-{subject.handle}"

    def problems(self, subject: Subject) -> list[str]:
        """What is missing or contradictory in the answers about one subject, in sentences."""
        found, missing = [], []
        asked = self.path(subject)
        opened = self.stage.opened(asked)
        for question in self.open_questions(subject):
            if question.per == "option":
                found += self.option_problems(question, subject)
            elif question.name in opened and asked[question.name] is None and question.required:
                missing.append(question)
            elif question.kind == "text" and len(str(asked.get(question.name) or "")) > MAX_TEXT:
                found.append(_("This text is too long: keep it under %(n)d characters.") % {"n": MAX_TEXT})
        scales = [question for question in self.stage.questions if question.kind == "scale"]
        if len(scales) == 1 and missing == scales:
            found.append(_("Rate the question."))
        elif missing:
            found.append(
                _("Not answered yet: %(names)s.")
                % {"names": ", ".join(get_title(question, self.words) for question in missing)}
            )
        return found

    def option_problems(self, question: Question, subject: Subject) -> list[str]:
        ticked = self.cleaned_data.get(f"{question.name}-{subject.handle}") or []
        found = []
        if subject.options and not ticked:
            found.append(_("Tick an option, or choose “None is correct”."))
        if NONE in ticked and len(ticked) > 1:
            found.append(_("“None is correct” and a ticked option contradict each other: keep one of them."))
        return found

    def value(self, name: str) -> Any:
        """What stands in a field now: as sent, else as drafted."""
        return self[name].value() if name in self.fields else None

    def chosen(self, name: str) -> list[str]:
        return list(self.value(name) or [])

    def entered(self, question: Question, subject: Subject) -> Value | None:
        """The value that stands in the field of a question asked of the item as a whole; None if it is empty."""
        name = f"{question.name}-{subject.handle}"
        given = self.value(name)
        if question.kind == "tick":
            return bool(given == "true")
        if question.kind == "text":
            return clean_text(given) or None
        if not isinstance(given, str) or given not in self.allowed.get(name, ()):
            return None
        if question.kind == "scale":
            return int(given)
        picked: dict[str, str] = {side.handle: self.items[side.item_id].external_id for side in subject.sides}
        return picked.get(given, given) if question.kind == "pick" else str(given)

    def path(self, subject: Subject) -> dict[str, Value | None]:
        """The questions that are asked of the item as a whole after what stands here, with their values."""
        questions = [question for question in self.open_questions(subject) if question.per == "item"]
        values = {question.name: self.entered(question, subject) for question in questions}
        return self.stage.path({name: value for name, value in values.items() if value is not None}, questions)

    def missing(self, subject: Subject) -> list[str]:
        """The fields of the gates reached that still need an answer."""
        asked = self.path(subject)
        opened = self.stage.opened(asked)
        names = [each.name for each in self.open_questions(subject) if each.required and each.name in opened]
        return [f"{name}-{subject.handle}" for name in names if asked[name] is None]

    def names(self, subject: Subject) -> dict[str, str]:
        """The form's fields about one subject, by what they hold."""
        ending = f"-{subject.handle}"
        return {name.removesuffix(ending): name for name in self.fields if name.endswith(ending)}

    def sent(self, subject: Subject) -> dict[str, Any]:
        """The values about one subject as a draft stores them, in a fixed order; what is not asked is dropped."""
        values: dict[str, Any] = {}
        asked = self.path(subject)
        per_option = {question.name for question in self.stage.questions if question.per == "option"}
        for kind, name in self.names(subject).items():
            given = self.value(name)
            if kind in (*per_option, UNSURE):
                values[kind] = [handle for handle in self.allowed[name] if handle in (given or [])]
            elif kind.startswith(COMMENT):
                values[kind] = clean_text(given)[:MAX_COMMENT]
            elif kind in asked and asked[kind] is not None:
                values[kind] = clean_text(given)
        return {kind: value for kind, value in values.items() if value}

    def given(self, subject: Subject) -> Given:
        """The answers about one subject in the words of the protocol; what was left untouched is not in it."""
        ticks: dict[str, dict[int, bool]] = {}
        for question in self.open_questions(subject):
            value = self.value(f"{question.name}-{subject.handle}")
            if question.per == "option" and value:
                ticks[question.name] = {option.option_id: option.handle in value for option in subject.options}
        values = {name: value for name, value in self.path(subject).items() if value is not None}
        unsure = self.chosen(f"{UNSURE}-{subject.handle}")
        marked = frozenset(option.option_id for option in subject.options if option.handle in unsure)
        return Given(subject.item_id, ticks, values, marked, comments=self.comments(subject))

    def comments(self, subject: Subject) -> dict[str, str]:
        written = {
            kind.removeprefix(COMMENT): clean_text(self.value(name))[:MAX_COMMENT]
            for kind, name in self.names(subject).items()
            if kind.startswith(COMMENT)
        }
        return {name: comment for name, comment in written.items() if comment}

    def about(self, subject: Subject) -> About:
        """What the gate of `check_answers` must know of the subject."""
        again = self.reopened(subject)
        return About(
            option_ids=[option.option_id for option in subject.options],
            has_expected_answer=self.has_expected_answer(subject),
            picks=[self.items[side.item_id].external_id for side in subject.sides],
            reopened=None if again is None else tuple(again),
        )

    def problems_said(self, subject: Subject) -> list[str]:
        """The sentences about one subject, if the form was checked."""
        return [str(error) for error in self.errors.get(self.first_field(subject), [])] if self.is_bound else []

    def is_answered(self, subject: Subject) -> bool:
        """Whether nothing is missing about the subject as it stands."""
        asked = self.path(subject)
        return all(
            bool(self.chosen(f"{question.name}-{subject.handle}"))
            if question.per == "option"
            else question.name not in asked or not question.required or asked[question.name] is not None
            for question in self.open_questions(subject)
        )


def clean_text(given: object) -> str:
    """A text as it was typed, with line breaks as one sign, and without the sign that PostgreSQL cannot store."""
    return str(given or "").replace("\r\n", "\n").replace("\0", "").strip()


def find_first_of_pair(assignment: Assignment) -> int | None:
    """The item whose row the answers about a pair are; None for units that are no pairs."""
    if PROTOCOLS[assignment.annotator.study.protocol].unit != "pair":
        return None
    return assignment.unit.unit_items.values_list("item_id", flat=True).first()


def get_title(question: Question, words: Mapping[str, Any]) -> str:
    """What a question is called in the wording of its stage; its name where the wording does not know it."""
    return str(find_wording(question, words).get("title") or question.name.replace("_", " "))


def get_part_title(question: Question, words: Mapping[str, Any]) -> str:
    """The heading of a question that is asked several times; empty for others."""
    return str(fill_slots(words.get("part_title", ""), get_numbers(question))) if question.part else ""


def find_wording(question: Question, words: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the wording of a stage says of a question, with {part} and {place} filled where it is one of several."""
    found = find_entry(words, question.wording or question.name)
    return dict(fill_slots(found, get_numbers(question))) if question.part else found


def get_numbers(question: Question) -> dict[str, str]:
    return {"part": str(question.part), "place": str(question.place)}


def find_entry(words: Mapping[str, Any], question: str) -> Mapping[str, Any]:
    """What the wording of a stage says of a question: an entry of that name in a list, or under its name."""
    for entries in words.values():
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, Mapping) and entry.get("name") == question:
                return entry
    found = words.get(question)
    return found if isinstance(found, Mapping) else {}
