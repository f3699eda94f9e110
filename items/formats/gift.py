"""GIFT, Moodle's plain format: `::title::text and question {=right ~wrong}`, with a blank line between questions."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.utils.translation import gettext as _

from items.formats.questions import (
    GAP,
    MAX_QUESTIONS,
    Question,
    Unfit,
    WrittenFile,
    check_options,
    explain_too_many,
    group_questions,
    join_prompt,
    split_lines,
    split_prompt,
    write_questions,
)
from items.formats.rows import ItemRow, OptionRow, Problems, Reading, TextRow
from items.formats.text_files import decode_or_report
from items.models import MAX_OPTIONS
from items.plain import strip_text

MAX_CORRECT = 10  # Moodle has no share of 100 % for more correct options
MAX_ANSWERS = 1_000  # maximum per question, including accepted wordings and pairs to match
RESERVED = re.compile(r"[\\~=#{}:]")
ESCAPED = re.compile(r"\\([\\~=#{}:n])")
ID = re.compile(r"\[id:([^\]\\]+)\]")
# Possessive (++, *+): otherwise every repeated character would be remembered, which takes gigabytes for a large file.
TITLE = re.compile(r"\s*::(?:[^\\:]++|\\.|:(?!:))*+::", re.DOTALL)
QUESTION = re.compile(r"((?:[^\\{}]++|\\.)*+)\{((?:[^\\{}]++|\\.)*+)\}(.*)", re.DOTALL)
BRACE = re.compile(r"(?:[^\\{}]++|\\.)*+[{}]", re.DOTALL)
OTHER_KIND = re.compile(r"(?:T|TRUE|F|FALSE)\s*(?:#.*)?\Z", re.DOTALL)
GENERAL_FEEDBACK = re.compile(r"((?:[^\\#]++|\\.|#(?!###))*+)####.*", re.DOTALL)
ANSWER = re.compile(r"([=~])((?:[^\\=~]++|\\.)*+)", re.DOTALL)
WEIGHT = re.compile(r"\s*%(-?\d+(?:\.\d+)?)%")
FORMAT = re.compile(r"\s*\[(?:plain|moodle|html|markdown)\]")
FEEDBACK = re.compile(r"((?:[^\\#]++|\\.)*+)#?(.*)", re.DOTALL)


def write_gift(texts: Iterable[TextRow]) -> WrittenFile:
    """Choices with one or several correct options, short answers and essays; explanations are feedback."""
    return write_questions(texts, _write_item)


def _write_item(body: str, item: ItemRow) -> tuple[str, set[str]]:
    prompt = _escape(join_prompt(body, item))
    answers, held = _write_choice(item) if item.options else _write_open(item)
    comment, title = "", ""
    if item.id and not set(item.id) & set("]\\"):
        comment, title = f"// [id:{item.id}]\n", f"::{_escape(item.id)}::"
        held.add("id")
    return f"{comment}{title}[plain]{prompt}{{{answers}}}\n\n", held


def _write_choice(item: ItemRow) -> tuple[str, set[str]]:
    n_correct = check_options(item)
    if n_correct > MAX_CORRECT:
        raise Unfit(_("Moodle allows at most {n} correct options.").format(n=MAX_CORRECT))
    several = n_correct > 1 or bool(item.multiple)
    lines = [_write_option(option, n_correct if several else 0) for option in item.options or []]
    return "\n" + "".join(lines), {"explanation"} | ({"multiple"} if item.multiple else set())


def _write_option(option: OptionRow, shares: int) -> str:
    """A line with its sign; with `shares` correct options, each gets its share of 100 %."""
    sign = "=" if option.correct else "~"
    if shares:
        sign = f"~%{100 / shares:.7g}%" if option.correct else "~%-100%"
    feedback = f"#[plain]{_escape(option.explanation)}" if option.explanation else ""
    return f"\t{sign}[plain]{_escape(option.text)}{feedback}\n"


def _write_open(item: ItemRow) -> tuple[str, set[str]]:
    """A short answer; without an expected answer, an essay."""
    if not item.expected_answer:
        return "", set()
    if "->" in item.expected_answer:
        raise Unfit(_("The expected answer contains “->”, by which GIFT marks a matching question."))
    return f"=[plain]{_escape(item.expected_answer)}", {"answer"}


def _escape(text: str) -> str:
    return RESERVED.sub(r"\\\g<0>", text).replace("\n", "\\n")


def _unescape(text: str) -> str:
    if found := FORMAT.match(text):
        text = text[found.end() :]
    return strip_text(ESCAPED.sub(lambda found: "\n" if found[1] == "n" else found[1], text))


def read_gift(content: bytes) -> Reading:
    """The questions of the file. The last paragraph is the question; the text is before it, or in a description."""
    reading = Reading()
    text = decode_or_report(content, 0, reading)
    if text is not None:
        group_questions(_read_questions(text, reading), reading)
    return reading


@dataclass(frozen=True)
class _Block:
    """Lines between blank ones, without comments; `id` comes from a comment."""

    line: int
    id: str
    text: str


def _split_blocks(text: str, warnings: Problems) -> Iterator[_Block]:
    lines: list[str] = []
    start, name = 0, ""
    for number, line in enumerate([*split_lines(text), ""], start=1):
        if line.strip().startswith("//"):
            name = found[1] if (found := ID.search(line)) else name
        elif line.startswith("$CATEGORY:"):
            warnings.add(number, "", _("Categories are not imported."))
        elif line.strip():
            start = start if lines else number
            lines.append(line)
        else:
            if lines:
                yield _Block(start, name, "\n".join(lines))
            lines, name = [], ""


def _read_questions(text: str, reading: Reading) -> Iterator[Question]:
    passage, waiting = "", 0
    for number, block in enumerate(_split_blocks(text, reading.warnings)):
        if number == MAX_QUESTIONS:
            reading.problems.add(block.line, "", explain_too_many())
            return
        words = TITLE.sub("", block.text, count=1) if TITLE.match(block.text) else block.text
        if question := QUESTION.fullmatch(words):
            waiting = 0
            body, stem = split_prompt(_unescape(question[1]))
            item = _read_item(question[2], question[3], block.line, reading)
            if item is not None:
                named = {"id": block.id} if block.id else {}
                yield Question(block.line, body or passage, {**named, "question": stem, **item})
        elif BRACE.match(words):
            reason = _(
                "The braces around the answers do not match. Write one { and one }; write others as \\{ and \\}."
            )
            reading.problems.add(block.line, "", reason)
        else:
            passage = f"{passage}{GAP}{_unescape(words)}" if waiting else _unescape(words)
            waiting = waiting or block.line
    if waiting:
        reason = _("No question follows this text. Add one, or take the rest of the file from the source.")
        reading.problems.add(waiting, "", reason)


def _read_item(answers: str, rest: str, line: int, reading: Reading) -> dict[str, Any] | None:
    """The fields of the item; None with a warning for a kind that Lesart lacks, or with a problem."""
    if found := GENERAL_FEEDBACK.fullmatch(answers):
        answers = found[1]
    answers = answers.strip()
    if any(islice(ANSWER.finditer(answers), MAX_ANSWERS, None)):
        reason = _("The item has {count} options; the limit is {limit}.")
        reading.problems.add(line, "", reason.format(count=f"{MAX_ANSWERS}+", limit=MAX_OPTIONS))
        return None
    if rest.strip() or answers.startswith("#") or OTHER_KIND.match(answers) or _is_matching(answers):
        reason = _("This kind of question (true/false, numerical, matching or missing word) was left out.")
        reading.warnings.add(line, "", reason)
        return None
    if not answers:
        return {}
    parts = ANSWER.findall(answers)
    if "".join(sign + words for sign, words in parts) != answers:
        reading.problems.add(line, "", _("Every answer must begin with = or ~. Correct what is between the braces."))
        return None
    if "~" not in dict(parts):
        return _read_short_answer(parts, line, reading)
    return _read_choice(parts, line, reading)


def _is_matching(answers: str) -> bool:
    parts = ANSWER.findall(answers)
    return bool(parts) and all(sign == "=" for sign, _words in parts) and "->" in answers


def _read_short_answer(parts: list[tuple[str, str]], line: int, reading: Reading) -> dict[str, Any]:
    """An open question; the first answer is the expected one."""
    if len(parts) > 1:
        reading.warnings.add(line, "answer", _("Only the first of the accepted answers is imported."))
    return {"answer": _read_option(parts[0][1])[0]}


def _read_choice(parts: list[tuple[str, str]], line: int, reading: Reading) -> dict[str, Any] | None:
    several = all(sign == "~" for sign, _words in parts)
    answers: list[dict[str, Any]] = []
    for sign, words in parts:
        weight = WEIGHT.match(words)
        text, explanation = _read_option(words)
        correct = sign == "=" or bool(several and weight and float(weight[1]) > 0)
        answers.append({"text": text, "correct": correct} | ({"explanation": explanation} if explanation else {}))
    if not any(answer["correct"] for answer in answers):
        reading.problems.add(line, "", _("No option is correct. Mark it with =, or with a weight such as ~%50%."))
        return None
    return {"answers": answers} | ({"multiple": True} if several else {})


def _read_option(words: str) -> tuple[str, str]:
    """Wording and feedback."""
    found = FEEDBACK.fullmatch(WEIGHT.sub("", words, count=1) if WEIGHT.match(words) else words)
    return (_unescape(found[1]), _unescape(found[2])) if found else (_unescape(words), "")
