"""Aiken: a question on one line, its options on the next ones, then “ANSWER: B”. The text is before the question."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from items.formats.questions import (
    Question,
    Unfit,
    WrittenFile,
    check_options,
    group_questions,
    split_lines,
    write_questions,
)
from items.formats.rows import ItemRow, Problems, Reading, TextRow
from items.formats.text_files import decode_or_report
from items.plain import strip_text

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
OPTION = re.compile(r"([A-Z])[.)]\s*(.*)", re.DOTALL)
ANSWER = re.compile(r"ANSWER:(.*)", re.DOTALL)


def write_aiken(texts: Iterable[TextRow]) -> WrittenFile:
    """One question for each item that Aiken can hold: one correct option, and no line breaks in question or options."""
    return write_questions(texts, _write_item)


def _write_item(body: str, item: ItemRow) -> tuple[str, set[str]]:
    if not item.options:
        raise Unfit(_("Aiken has no open questions."))
    if check_options(item) > 1:
        raise Unfit(_("Aiken allows one correct option only."))
    if any("\n" in words for words in (item.stem, *(option.text for option in item.options))):
        raise Unfit(_("The question or an option has a line break; in Aiken each is one line."))
    if any(_is_marked(line) for line in [*body.split("\n"), item.stem]):
        raise Unfit(_("A line of the text or question looks like an option or an answer line of Aiken."))
    options = [f"{letter}. {option.text}" for letter, option in zip(LETTERS, item.options, strict=False)]
    key = next(letter for letter, option in zip(LETTERS, item.options, strict=False) if option.correct)
    # An empty line first, so that the beginning of a text is not mistaken for the mark of another kind of file.
    return "\n".join(["", body, item.stem, *options, f"ANSWER: {key}", ""]), set()


def _is_marked(line: str) -> bool:
    return bool(OPTION.match(line.strip()) or ANSWER.match(line.strip()))


@dataclass
class _Block:
    """A question while it is being read."""

    line: int = 0
    prompt: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    broken: bool = False


def read_aiken(content: bytes) -> Reading:
    """The questions of the file: the last line before the options is the question, the lines above it are the text."""
    reading = Reading()
    text = decode_or_report(content, 0, reading)
    if text is not None:
        group_questions(_read_blocks(split_lines(text), reading.problems), reading)
    return reading


def _read_blocks(lines: list[str], problems: Problems) -> Iterator[Question]:
    block = _Block()
    for number, line in enumerate(lines, start=1):
        if answer := ANSWER.match(line.strip()):
            if question := _finish(block, answer[1].strip(), number, problems):
                yield question
            block = _Block()
        else:
            _take_line(block, line, number, problems)
    if block.options or any(line.strip() for line in block.prompt):
        reason = _("The file ends before this question has an ANSWER line. Add it, or take the rest from the source.")
        problems.add(block.line, "", reason)


def _take_line(block: _Block, line: str, number: int, problems: Problems) -> None:
    option = OPTION.match(line.strip())
    if not option and not block.options:
        block.line = number if line.strip() else block.line
        block.prompt.append(line)
    elif option and len(block.options) < len(LETTERS) and option[1] == LETTERS[len(block.options)]:
        block.options.append(option[2])
    elif line.strip() and not block.broken:
        block.broken = True
        reason = _("After the options, the next option or an ANSWER line is needed, but this line is neither.")
        problems.add(number, "", reason)


def _finish(block: _Block, key: str, number: int, problems: Problems) -> Question | None:
    """The question, or None and a problem if its options or its answer are invalid."""
    if block.broken:
        return None
    if not block.options:
        problems.add(number, "", _("This ANSWER line has no options above it (A. …, B. …)."))
    elif key not in set(LETTERS[: len(block.options)]):
        reason = _("The answer must be the letter of one of the options, A to {last}.")
        problems.add(number, "ANSWER", reason.format(last=LETTERS[len(block.options) - 1]))
    else:
        *body, stem = strip_text("\n".join(block.prompt)).split("\n")
        return Question(block.line, "\n".join(body), _build_item(stem, block.options, key))
    return None


def _build_item(stem: str, options: list[str], key: str) -> dict[str, Any]:
    answers = [{"text": text, "correct": letter == key} for letter, text in zip(LETTERS, options, strict=False)]
    return {"question": stem, "answers": answers}
