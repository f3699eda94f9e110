"""Shared by GIFT, Aiken and Moodle XML: files of questions, each after its reading text."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from items.formats.rows import ItemRow, Line, Reading, TextRow, validate_row
from items.plain import strip_text

# Separates the text from the question after it.
GAP = "\n\n"
MAX_QUESTIONS = 300_000  # of a file: reading so many takes some seconds


@dataclass(frozen=True)
class Question:
    """A question of a file: its line, its reading text, the fields of its item and other fields of its text."""

    line: int
    body: str
    item: dict[str, Any]
    text: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LeftOut:
    """Something that a format cannot hold: a field of an item or text, or all of it if `field` is empty.

    Without `item_id` it is about the text.
    """

    text_id: str
    item_id: str
    field: str
    reason: str


@dataclass
class WrittenFile:
    """The content of a file, and what was left out."""

    content: bytes = b""
    left_out: list[LeftOut] = field(default_factory=list)


@dataclass(frozen=True)
class Statistic:
    """A study's result about an item: the mean of a measure, and the number of values."""

    item_id: str
    measure: str
    mean: float
    n: int


class Unfit(ValueError):
    """An item that a format cannot hold; the message says why."""


# From a text's body and an item: the item in the format of the file, and the fields that it holds.
WriteItem = Callable[[str, ItemRow], tuple[str, set[str]]]


def write_questions(texts: Iterable[TextRow], write: WriteItem, text_fields: Collection[str] = ()) -> WrittenFile:
    """The items that the format can hold, in order, and everything else as left out.

    text_fields: the fields of a text, besides its body, that the format holds.
    """
    parts: list[str] = []
    written = WrittenFile()
    for text in texts:
        if reason := _explain_absent(text):
            written.left_out.append(LeftOut(text.id or "", "", "", reason))
            continue
        written.left_out += list_lost(text, "", [name for name in list_text_fields(text) if name not in text_fields])
        for item in text.items:
            try:
                part, held = write(text.body or "", item)
            except Unfit as error:
                written.left_out.append(LeftOut(text.id or "", item.id or "", "", str(error)))
            else:
                parts.append(part)
                lost = [name for name in list_item_fields(item) if name not in held]
                written.left_out += list_lost(text, item.id or "", lost)
    written.content = "".join(parts).encode()
    return written


def _explain_absent(text: TextRow) -> str:
    if text.body is None:
        return _("The text may not be redistributed, so its items are left out too.")
    return "" if text.items else _("The text has no items.")


def list_lost(text: TextRow, item_id: str, fields: Iterable[str]) -> list[LeftOut]:
    return [LeftOut(text.id or "", item_id, name, _("The format has no place for this field.")) for name in fields]


def list_text_fields(text: TextRow) -> list[str]:
    values: dict[str, Any] = {"id": text.id, "title": text.title, "language": text.language, "metadata": text.metadata}
    values |= {"versions": text.versions, "markup": text.markup, "pictures": text.pictures}
    return [name for name, value in values.items() if value]


def list_item_fields(item: ItemRow) -> list[str]:
    values = {
        "id": item.id,
        "generator": item.generator,
        "multiple": item.multiple is not None,
        "explanation": any(option.explanation for option in item.options or []),
        "answer": item.expected_answer,
        "reference": item.reference,
        "metadata": item.metadata,
        "tags": item.tags,
    }
    return [name for name, value in values.items() if value]


def check_options(item: ItemRow) -> int:
    """The number of correct options; raises Unfit if a quiz could not ask the item."""
    options = item.options or []
    if len(options) < 2:
        raise Unfit(_("The format needs at least two options."))
    n_correct = sum(option.correct for option in options)
    if not n_correct:
        raise Unfit(_("No option is correct; the format needs one."))
    return n_correct


def join_prompt(body: str, item: ItemRow) -> str:
    """The text followed by the question, which `split_prompt` separates again."""
    if GAP in item.stem:
        raise Unfit(_("The question contains an empty line, so its start could not be told from the text."))
    return f"{body}{GAP}{item.stem}"


def split_prompt(prompt: str) -> tuple[str, str]:
    """Text and question: the question is the last paragraph. If it is the only one, the text is empty."""
    body, _gap, stem = strip_text(prompt).rpartition(GAP)
    return strip_text(body), strip_text(stem)


def split_lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def explain_too_many() -> str:
    return _("The file has more than {limit:,} questions and texts. Split it.").format(limit=MAX_QUESTIONS)


def group_questions(questions: Iterable[Question], reading: Reading) -> None:
    """Add the questions to the reading; those with the same text become items of one text."""
    groups: dict[str, list[tuple[int, ItemRow]]] = {}
    starts: dict[str, Question] = {}
    for number, question in enumerate(questions):
        if number == MAX_QUESTIONS:
            reading.problems.add(question.line, "", explain_too_many())
            return
        body = strip_text(question.body)
        if not body:
            reason = _("There is no reading text in front of the question. Put it before the question.")
            reading.problems.add(question.line, "text", reason)
            continue
        starts.setdefault(body, question)
        if item := validate_row(ItemRow, question.item, question.line, reading.problems):
            groups.setdefault(body, []).append((question.line, item))
    for body, items in groups.items():
        first = starts[body]
        if text := validate_row(TextRow, first.text | {"text": body}, first.line, reading.problems):
            lines = tuple(line for line, _item in items)
            rows = [item for _line, item in items]
            reading.lines.append(Line(first.line, text.model_copy(update={"items": rows}), lines))
    if not groups and not reading.problems:
        reading.problems.add(0, "", _("The file contains no question that can be imported."))
