"""What a template needs to show one item or pair: only listed fields, so that nothing else reaches a browser."""

import json
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from string import ascii_uppercase
from typing import Any

from items.models import Item
from studies.presentation_order import ShownItem, Subject
from studies.protocols import Question, Stage
from studies.services.declarations import QuestionSource, get_stage_words
from studies.services.stage_form import COMMENT, NONE, UNSURE, StageForm, find_wording, get_part_title, get_title


@dataclass
class OptionRow:
    handle: str
    number: int
    text: str
    ticked: bool = False
    unsure: bool = False
    is_key: bool = False  # False for all where the stage hides keys


@dataclass(frozen=True)
class LevelRow:
    """One possible answer: the value that is sent, the keyboard key that chooses it, and its words."""

    value: str
    digit: int
    label: str
    anchor: str
    checked: bool


@dataclass(unsafe_hash=True)
class QuestionRow:
    """One question about the item as a whole."""

    name: str
    input: str  # the name of its field
    kind: str
    title: str
    text: str
    help: str
    gate: str
    part: str  # the heading of its part, if the question is repeated
    levels: tuple[LevelRow, ...]
    value: str
    is_asked: bool
    asked_if: str  # the condition as JSON; empty if it is always asked
    is_required: bool = True
    is_apart: bool = False  # its item may not be picked for another question, too
    rewords: bool = False  # its text is another wording of the item
    reworded: bool = False  # it follows such a text, and is about that rewording if there is one
    is_open: bool = True  # False: answered in an earlier round, shown only
    own: str = ""
    checked: str = ""  # another person's answer that is judged here, with its words
    others: tuple[str, ...] = ()
    others_comments: tuple[str, ...] = ()
    comment_field: str = ""
    comment: str = ""
    lacks_answer: bool = False  # it was handed in without one

    @property
    def is_rating(self) -> bool:
        """Whether it is a question with a scale of its own beneath it rather than a row of a grid."""
        return self.kind == "scale" and bool(self.text) and not self.is_anchored

    @property
    def is_common(self) -> bool:
        """Whether it looks the same for every item with the same choice, without anything that people wrote."""
        return self.kind not in ("text", "pick") and not (self.own or self.checked or self.reworded)

    @property
    def is_anchored(self) -> bool:
        return any(level.anchor for level in self.levels)

    @property
    def named_levels(self) -> list[LevelRow]:
        """The answers to a choice among items that are not items themselves."""
        return [level for level in self.levels if level.label]


@dataclass
class GateRows:
    """The questions of one gate or part; open if any of them is asked by now."""

    title: str
    rows: list[QuestionRow]

    @property
    def is_open(self) -> bool:
        return any(row.is_asked for row in self.rows)


@dataclass
class Side:
    """One of the compared items. `choices`: the questions for which it can be picked, each with its level."""

    handle: str
    letter: str
    stem: str
    answer: str
    options: list[OptionRow]
    choices: list[tuple[QuestionRow, LevelRow]]


@dataclass
class ItemBlock:
    """One item as the page shows it, or the sides of compared items; for a text only the questions."""

    handle: str
    number: int
    lang: str
    rows: list[QuestionRow]
    errors: list[str]
    answered: bool
    stem: str = ""
    options: list[OptionRow] = field(default_factory=list)
    none: bool = False
    ticks: str = ""  # the name of the question that is asked of each option; empty if none is
    unsure_asked: bool = False
    answer: str = ""
    sides: list[Side] = field(default_factory=list)
    rewording: str = ""  # the annotator's own wording of the item
    comment_field: str = ""  # the name of the field for a comment on the item; empty if the study has none
    comment: str = ""

    @property
    def errors_above(self) -> list[str]:
        """The message above the item. A missing rating alone is reported at the rating."""
        missing = [row for row in self.rows if row.lacks_answer]
        return [] if len(self.errors) == len(missing) == 1 and missing[0].is_rating else self.errors

    @property
    def gates(self) -> list[GateRows]:
        """The rows under the headings of their gates."""
        return [GateRows(title, list(rows)) for title, rows in groupby(self.rows, key=attrgetter("gate"))]

    @property
    def parts(self) -> list[GateRows]:
        """The rows under the headings of their parts."""
        return [GateRows(title, list(rows)) for title, rows in groupby(self.rows, key=attrgetter("part"))]


def build_blocks(form: StageForm) -> list[ItemBlock]:
    """The questions of a form, in the order shown, ready for the template."""
    return [build_block(form, number, subject) for number, subject in enumerate(form.subjects, 1)]


def build_block(form: StageForm, number: int, subject: Subject) -> ItemBlock:
    """What the page shows about one subject."""
    rows = build_rows(form, subject)
    lang, errors = form.assignment.unit.text.language, form.errors.get(subject.handle, [])
    for row in rows:
        row.lacks_answer = bool(errors) and row.is_asked and row.is_required and not row.value
    block = ItemBlock(subject.handle, number, lang, rows, errors, form.is_answered(subject))
    block.rewording = next((row.value for row in rows if row.rewords and row.is_asked), "")
    if (name := f"{COMMENT}-{subject.handle}") in form.allowed:
        block.comment_field, block.comment = name, str(form.values.get(name) or "")
    if len(subject.sides) == 1:
        add_item(block, form, subject)
    else:
        block.sides = [build_side(form, *each, rows) for each in zip(ascii_uppercase, subject.sides, strict=False)]
    return block


def add_item(block: ItemBlock, form: StageForm, subject: Subject) -> None:
    """Add stem, answer and options of the single item that the subject is."""
    item, stage = form.shown_items.items[subject.sides[0].item_id], form.stage
    block.ticks = next((question.name for question in stage.questions if question.per == "option"), "")
    ticked, unsure = f"{block.ticks}-{subject.handle}", f"{UNSURE}-{subject.handle}"
    chosen = form.read_ticks(ticked)
    block.stem, block.answer = form.draw(item.stem), form.draw(get_expected_answer(stage, item))
    block.options = build_options(form, subject.sides[0], chosen, form.read_ticks(unsure))
    block.none, block.unsure_asked = NONE in chosen, unsure in form.allowed


def build_side(form: StageForm, letter: str, shown: ShownItem, rows: Sequence[QuestionRow]) -> Side:
    item = form.shown_items.items[shown.item_id]
    choices = [(row, level) for row in rows for level in row.levels if level.value == shown.handle]
    answer = form.draw(get_expected_answer(form.stage, item))
    return Side(shown.handle, letter, form.draw(item.stem), answer, build_options(form, shown), choices)


def get_expected_answer(stage: Stage, item: Item) -> str:
    return item.expected_answer if "expected answer" in stage.shows else ""


def build_options(
    form: StageForm, shown: ShownItem, ticked: Sequence[str] = (), unsure: Sequence[str] = ()
) -> list[OptionRow]:
    """The options in the order shown, keys first if the stage says so; none if it does not show them."""
    stage = form.stage
    if "options" not in stage.shows or shown.item_id is None:
        return []
    by_id = form.shown_items.options[shown.item_id]
    order = list(shown.options)
    if stage.keys == "first":
        order.sort(key=lambda option: not by_id[option.option_id].correct)
    return [
        OptionRow(
            option.handle,
            place,
            form.draw(by_id[option.option_id].text),
            option.handle in ticked,
            option.handle in unsure,
            stage.keys != "hidden" and by_id[option.option_id].correct,
        )
        for place, option in enumerate(order, 1)
    ]


def build_rows(form: StageForm, subject: Subject) -> list[QuestionRow]:
    """The questions about the item as a whole; in a second round the reopened ones stay among the others."""
    opened, again = form.stage.find_reached(form.path(subject)), form.reopened[subject.handle]
    found: list[QuestionRow] = []
    for question in form.applicable_questions[subject.handle]:
        if question.per == "item":
            row = make_row(form, subject, question)
            row.is_asked = question.name in opened or (again is not None and question.name not in again)
            row.reworded = any(earlier.rewords for earlier in found)
            if again is not None:
                show = show_checked if form.stage.checks else show_round
                show(row, again.get(question.name), form, subject)
            found.append(row)
    return found


def make_row(form: StageForm, subject: Subject, question: Question) -> QuestionRow:
    """The question as it is asked about this subject. What people wrote, and handles, are never cached."""
    name = f"{question.name}-{subject.handle}"
    value = str(form.values.get(name) or "")
    asked = (form.question_source, form.stage.name, question.name)
    if question.kind == "pick":
        row = build_row(*asked, value, tuple(side.handle for side in subject.sides))
    else:
        row = copy(build_cached_row(*asked, "" if question.kind == "text" else value))
    row.input, row.value = name, value
    return row


def build_row(
    source: QuestionSource, stage_name: str, name: str, value: str, handles: tuple[str, ...] = ()
) -> QuestionRow:
    """The question in the words of the stage, with this value; `handles`: of the items to pick from."""
    stage, words = source.declaration.stage(stage_name), get_stage_words(source, stage_name)
    question = stage.question(name)
    own = find_wording(question, words)
    return QuestionRow(
        name=name,
        input="",
        kind=question.kind,
        title=get_title(question, words),
        text=str(own.get("question", "")),
        help=str(own.get("help", "")),
        gate=question.gate,
        part=get_part_title(question, words),
        levels=build_levels(question, words, value, handles),
        value=value,
        is_asked=True,
        is_required=question.required,
        is_apart=any(name in (each.name, each.unlike) for each in stage.questions if each.unlike),
        rewords=question.rewords,
        asked_if=json.dumps(question.asked_if.as_data()) if question.asked_if else "",
    )


build_cached_row = lru_cache(maxsize=4096)(build_row)  # the same for all items; nobody may change it in place


def show_round(row: QuestionRow, cell: Mapping[str, Any] | None, form: StageForm, subject: Subject) -> None:
    """Add what a second round shows beside an answer: one's own, the others', and for rule (c) their comments."""
    row.is_open = cell is not None
    if cell is None:
        return
    row.own = str(cell["own"])
    row.others = tuple(str(score) for score in cell.get("others", []))
    if "c" in cell["rules"]:
        row.others_comments = tuple(form.others_comments.get((subject.item_id, row.name), []))
    name = f"{COMMENT}{row.input}"
    if name in form.allowed:
        row.comment_field, row.comment = name, str(form.values.get(name) or "")


def show_checked(row: QuestionRow, cell: Mapping[str, Any] | None, form: StageForm, subject: Subject) -> None:
    """Add the answer that an expert judges, in the words of its stage, without the name of its author."""
    row.is_open = cell is not None
    if cell is None:
        return
    checked = form.checked_stage.question(row.name)
    levels = {level.value: level for level in build_levels(checked, form.words)}
    level = levels[str(cell["score"])]
    row.checked = ", ".join(filter(None, (level.value, level.label, level.anchor)))


def build_levels(
    question: Question, words: Mapping[str, Any], value: str = "", handles: Sequence[str] = ()
) -> tuple[LevelRow, ...]:
    """The answers to choose from, in the words and order of the wording; none for a tick and a free text."""
    values: list[Any] = [*handles, *question.levels]
    if not values:
        return ()
    spoken = find_level_words(question, words, values)
    order = [level for level in spoken if level in values] + [level for level in values if level not in spoken]
    return tuple(
        LevelRow(
            value=str(level),
            digit=level if question.kind == "scale" else place,
            label=str(spoken.get(level, {}).get("label", "")),
            anchor=str(spoken.get(level, {}).get("anchor", "")),
            checked=str(level) == value,
        )
        for place, level in enumerate(order, 1)
    )


def find_level_words(
    question: Question, words: Mapping[str, Any], values: Sequence[Any]
) -> dict[Any, Mapping[str, Any]]:
    named = words.get(question.levels_named) if question.levels_named else find_wording(question, words).get("levels")
    return map_words(values, named or words.get("levels") or [])


def label_levels(question: Question, words: Mapping[str, Any]) -> dict[Any, str]:
    """What the levels of a scale are called in the wording of its stage, as `3: partly bad`."""
    if question.kind != "scale":
        return {}
    named = find_level_words(question, words, question.levels)
    return {level: f"{level}: {words['label']}" for level, words in named.items() if words.get("label")}


def map_words(values: Sequence[Any], listed: Sequence[Mapping[str, Any]]) -> dict[Any, Mapping[str, Any]]:
    """The words of each level. Words for a scale of another length name only its ends."""
    by_value = {entry["value"]: entry for entry in listed}
    if set(by_value) == set(values) or not all(isinstance(value, int) for value in (*values, *by_value)):
        return by_value
    if not by_value:
        return {}
    ends = {max(values): by_value[max(by_value)]} | {min(values): by_value[min(by_value)]}
    high_first = list(by_value) == sorted(by_value, reverse=True)
    return {value: ends.get(value, {}) for value in sorted(values, reverse=high_first)}
