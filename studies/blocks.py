"""What is asked about one item or pair, as a template draws it: allow-listed, and nothing else reaches a browser."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from items.models import Item
from studies.protocols import Question, Stage
from studies.services.declaring import filled
from studies.shown import ShownItem, Subject

if TYPE_CHECKING:
    from studies.forms import StageForm

NONE = "none"
UNSURE = "unsure"
COMMENT = "comment."  # before the name of a question: what was written about the answer


@dataclass
class OptionRow:
    handle: str
    number: int
    text: str
    ticked: bool = False
    unsure: bool = False
    is_key: bool = False  # False for all where the stage hides keys


@dataclass
class LevelRow:
    """One answer that may be chosen: what is sent, the key that chooses it, and its words."""

    value: str
    digit: int
    label: str
    anchor: str
    checked: bool


@dataclass
class QuestionRow:
    """One question about the item as a whole."""

    name: str
    input: str  # the name of its field
    kind: str
    title: str
    text: str
    help: str
    gate: str
    part: str  # the heading under which it stands where the same is asked several times
    levels: list[LevelRow]
    value: str
    is_asked: bool
    asked_if: str  # the condition as JSON; empty if it is always asked
    is_required: bool = True
    rewords: bool = False  # its text is another wording of the item
    reworded: bool = False  # it stands after such a text, and is about that wording where there is one
    is_open: bool = True  # False: answered in an earlier round, shown only
    own: str = ""
    checked: str = ""  # the answer of another that is judged here, with its words
    others: list[str] = field(default_factory=list)
    others_comments: list[str] = field(default_factory=list)
    comment_field: str = ""
    comment: str = ""

    @property
    def is_anchored(self) -> bool:
        return any(level.anchor for level in self.levels)


@dataclass
class GateRows:
    """The questions of one gate, or part; it is open if any of them is asked by now."""

    title: str
    rows: list[QuestionRow]

    @property
    def is_open(self) -> bool:
        return any(row.is_asked for row in self.rows)


@dataclass
class Side:
    """One item of a pair."""

    handle: str
    stem: str
    answer: str
    options: list[OptionRow]


@dataclass
class ItemBlock:
    """One item as the page draws it; of a pair the sides from left to right, of the text itself only the questions."""

    handle: str
    number: int
    stem: str
    lang: str
    options: list[OptionRow]
    none: bool
    ticks: str  # the name of the question that is asked of each option; empty if none is
    unsure_asked: bool
    answer: str
    rows: list[QuestionRow]
    sides: list[Side]
    rewording: str = ""  # the annotator's own wording of the item
    errors: list[str] = field(default_factory=list)
    answered: bool = False

    @property
    def gates(self) -> list[GateRows]:
        """The rows under the headings of their gates."""
        return [GateRows(title, list(rows)) for title, rows in groupby(self.rows, key=attrgetter("gate"))]

    @property
    def parts(self) -> list[GateRows]:
        """The rows under the headings of their parts."""
        return [GateRows(title, list(rows)) for title, rows in groupby(self.rows, key=attrgetter("part"))]


def block_of(form: "StageForm", number: int, subject: Subject) -> ItemBlock:
    """Everything that stands on the page about one subject."""
    if not subject.sides:
        return text_block(form, number, subject)
    item, stage = form.items[subject.sides[0].item_id], form.stage
    ticks = next((question.name for question in stage.questions if question.per == "option"), "")
    ticked, unsure = form.chosen(f"{ticks}-{subject.handle}"), form.chosen(f"{UNSURE}-{subject.handle}")
    is_pair = len(subject.sides) > 1
    rows = rows_of(form, subject)
    return ItemBlock(
        handle=subject.handle,
        number=number,
        stem="" if is_pair else item.stem,
        lang=item.text.language,
        options=[] if is_pair else options_of(stage, subject.sides[0], item, ticked, unsure),
        none=NONE in ticked,
        ticks=ticks,
        unsure_asked=f"{UNSURE}-{subject.handle}" in form.fields,
        answer="" if is_pair else expected_answer(stage, item),
        rows=rows,
        sides=[side_of(stage, side, form.items[side.item_id]) for side in subject.sides] if is_pair else [],
        rewording=next((row.value for row in rows if row.rewords and row.is_asked), ""),
        errors=form.problems_said(subject),
        answered=form.is_answered(subject),
    )


def text_block(form: "StageForm", number: int, subject: Subject) -> ItemBlock:
    """Questions about the text itself: no item stands on the page."""
    return ItemBlock(
        handle=subject.handle,
        number=number,
        stem="",
        lang=form.assignment.unit.text.language,
        options=[],
        none=False,
        ticks="",
        unsure_asked=False,
        answer="",
        rows=rows_of(form, subject),
        sides=[],
        errors=form.problems_said(subject),
        answered=form.is_answered(subject),
    )


def side_of(stage: Stage, shown: ShownItem, item: Item) -> Side:
    return Side(shown.handle, item.stem, expected_answer(stage, item), options_of(stage, shown, item))


def expected_answer(stage: Stage, item: Item) -> str:
    return item.expected_answer if "expected answer" in stage.shows else ""


def options_of(
    stage: Stage, shown: ShownItem, item: Item, ticked: Sequence[str] = (), unsure: Sequence[str] = ()
) -> list[OptionRow]:
    """The options in the order shown, keys first where the stage says so; none where it does not show them."""
    if "options" not in stage.shows:
        return []
    by_id = {option.pk: option for option in item.options.all()}
    order = list(shown.options)
    if stage.keys == "first":
        order.sort(key=lambda option: not by_id[option.option_id].correct)
    return [
        OptionRow(
            option.handle,
            place,
            by_id[option.option_id].text,
            option.handle in ticked,
            option.handle in unsure,
            stage.keys != "hidden" and by_id[option.option_id].correct,
        )
        for place, option in enumerate(order, 1)
    ]


def rows_of(form: "StageForm", subject: Subject) -> list[QuestionRow]:
    """The questions about the item as a whole; in a second round those that are open again stand among the others."""
    opened, again = form.stage.opened(form.path(subject)), form.reopened(subject)
    found: list[QuestionRow] = []
    for question in form.applying(subject):
        if question.per == "item":
            row = row_of(form, subject, question)
            row.is_asked = question.name in opened or (again is not None and question.name not in again)
            row.reworded = any(earlier.rewords for earlier in found)
            if again is not None:
                show = show_checked if form.stage.checks else show_round
                show(row, again.get(question.name), form, subject)
            found.append(row)
    return found


def row_of(form: "StageForm", subject: Subject, question: Question) -> QuestionRow:
    words, name = words_of(question, form.words), f"{question.name}-{subject.handle}"
    value = str(form.value(name) or "")
    return QuestionRow(
        name=question.name,
        input=name,
        kind=question.kind,
        title=title_of(question, form.words),
        text=str(words.get("question", "")),
        help=str(words.get("help", "")),
        gate=question.gate,
        part=part_title(question, form.words),
        levels=levels_of(question, form.words, value, subject),
        value=value,
        is_asked=True,
        is_required=question.required,
        rewords=question.rewords,
        asked_if=json.dumps(question.asked_if.as_data()) if question.asked_if else "",
    )


def show_round(row: QuestionRow, cell: Mapping[str, Any] | None, form: "StageForm", subject: Subject) -> None:
    """What a second round shows beside an answer: one's own, and of a split cell the others'."""
    row.is_open = cell is not None
    if cell is None:
        return
    row.own = str(cell["own"])
    row.others = [str(score) for score in cell.get("others", [])]
    if "c" in cell["rules"]:
        row.others_comments = form.others_comments.get((subject.item_id, row.name), [])
    name = f"{COMMENT}{row.input}"
    if name in form.fields:
        row.comment_field, row.comment = name, str(form.value(name) or "")


def show_checked(row: QuestionRow, cell: Mapping[str, Any] | None, form: "StageForm", subject: Subject) -> None:
    """The answer that an expert judges, in the words of the stage in which it was given; never whose it is."""
    row.is_open = cell is not None
    if cell is None:
        return
    checked = form.checked_stage.question(row.name)
    levels = {level.value: level for level in levels_of(checked, form.words, "", subject)}
    level = levels[str(cell["score"])]
    row.checked = ", ".join(filter(None, (level.value, level.label, level.anchor)))


def levels_of(question: Question, words: Mapping[str, Any], value: str, subject: Subject) -> list[LevelRow]:
    """The answers to choose from, with the words of the wording, in its order."""
    values: list[Any] = list(question.levels)
    if question.kind == "pick":
        values = [*(side.handle for side in subject.sides), *values]
    named = words.get(question.levels_named) if question.levels_named else words_of(question, words).get("levels")
    listed = named or words.get("levels") or []
    spoken = words_by_value(values, listed)
    order = [level for level in spoken if level in values] + [level for level in values if level not in spoken]
    return [
        LevelRow(
            value=str(level),
            digit=level if question.kind == "scale" else place,
            label=str(spoken.get(level, {}).get("label", "")),
            anchor=str(spoken.get(level, {}).get("anchor", "")),
            checked=str(level) == value,
        )
        for place, level in enumerate(order, 1)
    ]


def words_by_value(values: Sequence[Any], listed: Sequence[Mapping[str, Any]]) -> dict[Any, Mapping[str, Any]]:
    """The words of each level. Words for a scale of another length name its ends only."""
    by_value = {entry["value"]: entry for entry in listed}
    if set(by_value) == set(values) or not all(isinstance(value, int) for value in (*values, *by_value)):
        return by_value
    if not by_value:
        return {}
    ends = {max(values): by_value[max(by_value)]} | {min(values): by_value[min(by_value)]}
    high_first = list(by_value) == sorted(by_value, reverse=True)
    return {value: ends.get(value, {}) for value in sorted(values, reverse=high_first)}


def title_of(question: Question, words: Mapping[str, Any]) -> str:
    """What a question is called in the wording of its stage; its name where the wording does not know it."""
    return str(words_of(question, words).get("title") or question.name.replace("_", " "))


def part_title(question: Question, words: Mapping[str, Any]) -> str:
    """The heading of a question that is asked several times; empty for others."""
    return str(filled(words.get("part_title", ""), numbers_of(question))) if question.part else ""


def words_of(question: Question, words: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the wording of a stage says of a question, with {part} and {place} filled where it is one of several."""
    found = worded(words, question.wording or question.name)
    return dict(filled(found, numbers_of(question))) if question.part else found


def numbers_of(question: Question) -> dict[str, str]:
    return {"part": str(question.part), "place": str(question.place)}


def worded(words: Mapping[str, Any], question: str) -> Mapping[str, Any]:
    """What the wording of a stage says of a question: an entry of that name in a list, or under its name."""
    for entries in words.values():
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, Mapping) and entry.get("name") == question:
                return entry
    found = words.get(question)
    return found if isinstance(found, Mapping) else {}
