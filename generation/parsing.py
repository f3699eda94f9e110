"""Parse items in a model's reply: numbered or lettered lists with marks in parentheses, or JSON. Without Django.

Tolerant of layout, strict about meaning: nothing is filled in. An option without a mark has no key, and its item is
incomplete; so is an item with contradicting keys in the reply. Stored replies can be parsed again with a newer
VERSION.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from generation.parts import (
    CONTROL,
    LONGEST_EXPLANATION,
    LONGEST_OPTION,
    LONGEST_RAW,
    LONGEST_STEM,
    MOST_OPTIONS,
    ParsedItem,
    ParsedOption,
    merge_contradicting,
)
from generation.reply_formats import read_json_items, read_json_open, read_line_items
from llm.answers import strip_traces

# Questions without options: open questions with their answers, or a single question about a given answer.

MARKUP = r"[*_#>\s]*"
NUMBER = r"(?:[-–•]\s+)?(?:\d{1,2}\s*[.):]\s*)?"
QUESTION = re.compile(
    rf"{MARKUP}{NUMBER}{MARKUP}(?:frage|question|galdera|q)\s*\d{{0,2}}{MARKUP}[:.)–-]{MARKUP}", re.IGNORECASE
)
ANSWER = re.compile(
    rf"{MARKUP}{NUMBER}{MARKUP}(?:(?:(?:erwartete|expected|espero den)\s+)?(?:antwort|answer|erantzuna)\s*\d{{0,2}}"
    rf"{MARKUP}[:.)–-]|a\s*\d{{0,2}}{MARKUP}:){MARKUP}(?=\S)",
    re.IGNORECASE,
)
NUMBERED = re.compile(rf"{MARKUP}(?:[-–•]\s+)?\d{{1,2}}\s*[.)]{MARKUP}")
ANSWER_ON_QUESTION_LINE = re.compile(
    r"(?<=[?)])\s*[–—|(-]?\s*\**(?=(?:antwort|answer|erantzuna)\s*\**\s*:)", re.IGNORECASE
)
EDGE_CHARACTERS = ' \t*_"“”„«»'


def read_line_open(text: str) -> list[ParsedItem]:
    """Each question with its labeled answer. A question with two answers gets none, as it is unclear which one is
    meant."""
    found: list[ParsedItem] = []
    n_answers = 0
    for line in _split_lines(text):
        words = ANSWER.sub("", line, count=1) if ANSWER.match(line) and "?" not in line[:12] else None
        if words is not None and found:
            n_answers += 1
            found[-1].answer = words.strip(EDGE_CHARACTERS) if n_answers == 1 else ""
        elif stem := _read_question(line):
            found.append(ParsedItem(stem))
            n_answers = 0
        elif found and not n_answers and not found[-1].stem.endswith("?"):
            found[-1].stem = f"{found[-1].stem} {line.strip(EDGE_CHARACTERS)}"
        if found:
            found[-1].raw = f"{found[-1].raw}\n{line}".strip()[:LONGEST_RAW]
    return [item for item in found if item.stem.endswith("?") or item.answer]


def _split_lines(text: str) -> Iterator[str]:
    """The non-empty lines; an answer after its question in one line becomes a line of its own."""
    for line in text.split("\n"):
        yield from (part.strip() for part in ANSWER_ON_QUESTION_LINE.split(line) if part.strip())


def _read_question(line: str) -> str:
    """The question on the line; empty if the line does not begin a question."""
    if heading := QUESTION.match(line):
        return line[heading.end() :].strip(EDGE_CHARACTERS)
    numbered = NUMBERED.match(line)
    words = line[numbered.end() if numbered else 0 :].strip(EDGE_CHARACTERS)
    return words if numbered or words.endswith("?") else ""


HEADING = re.compile(r"^(?:\d{1,2}[.)]\s+|(?:frage|question)\s*\d{0,2}[*_]*\s*[:.–-][*_]*\s*)+", re.IGNORECASE)
QUOTES = "\"“”„‚‘’'«»"
AROUND_QUESTION = f"{QUOTES}*_ \t"


def read_json_question(text: str) -> str:
    """The question in an object of the reply; empty if there is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    question = value.get("question") if isinstance(value, dict) else None
    return question.strip() if isinstance(question, str) else ""


def read_line_question(text: str) -> str:
    """The only line that ends with a question mark, without a heading or surrounding quotation marks.

    Empty if there is none or more than one, because it would be unclear which one is meant.
    """
    lines = [line.strip().strip(AROUND_QUESTION) for line in text.split("\n")]
    asking = [line for line in lines if line.endswith("?")]
    return HEADING.sub("", asking[0], count=1).strip(AROUND_QUESTION) if len(asking) == 1 else ""


VERSION = 3
MOST_CHARACTERS = 200_000

NO_STEM, WRONG_NUMBER, NO_MARK, EMPTY, EQUAL, TOO_LONG = "stem", "number", "mark", "empty", "equal", "long"
CONTRADICTION, NO_ANSWER = "contradiction", "answer"


@dataclass(frozen=True)
class ParsedReply:
    """The first items in the reply, and how many more there were."""

    items: list[ParsedItem]
    n_left_out: int


def parse_reply_items(reply: str, n_items: int, *, explains: bool = False, only_json: bool = False) -> ParsedReply:
    """The items in order; none if the reply has none. If a list was requested, JSON is accepted, too."""
    text = clean_reply(reply)
    read = read_json_items(text) or ([] if only_json else read_line_items(text, explains))
    found = merge_contradicting([item for item in read if item.options])
    return ParsedReply([_limit_lengths(item) for item in found[:n_items]], max(0, len(found) - n_items))


def parse_question(reply: str, *, only_json: bool = False) -> ParsedItem | None:
    """The one question that was requested, as an item without options; None if the reply has none or several."""
    text = clean_reply(reply)
    stem = read_json_question(text) or ("" if only_json else read_line_question(text))
    return ParsedItem(stem[: LONGEST_STEM + 1], raw=text[:LONGEST_RAW]) if stem else None


def parse_open(reply: str, n_items: int, *, only_json: bool = False) -> ParsedReply:
    """Open questions with their answers; a question without an answer is kept for repair."""
    text = clean_reply(reply)
    found = read_json_open(text) or ([] if only_json else read_line_open(text))
    return ParsedReply([_limit_lengths(item) for item in found[:n_items]], max(0, len(found) - n_items))


def clean_reply(reply: str) -> str:
    """The reply without reasoning traces and control characters."""
    reply = strip_traces(reply)
    return CONTROL.sub(" ", reply[:MOST_CHARACTERS].replace("\r\n", "\n").replace("\r", "\n"))


def find_item_problems(item: ParsedItem, n_options: int) -> list[str]:
    """Why the item is incomplete; empty if it is complete. An item without any key is valid."""
    wordings = [option.text for option in item.options]
    plain = [" ".join(wording.casefold().split()) for wording in wordings]
    checks = {
        NO_STEM: not item.stem,
        WRONG_NUMBER: len(item.options) != n_options,
        CONTRADICTION: item.contradicts,
        NO_MARK: not item.contradicts and any(option.correct is None for option in item.options),
        EMPTY: not all(plain),
        EQUAL: len(set(plain)) < len(plain),
        TOO_LONG: len(item.stem) > LONGEST_STEM or any(len(wording) > LONGEST_OPTION for wording in wordings),
    }
    return [name for name, is_so in checks.items() if is_so]


def find_question_problems(item: ParsedItem) -> list[str]:
    """Why a question without options is incomplete; empty if it is complete."""
    checks = {NO_STEM: not item.stem, TOO_LONG: len(item.stem) > LONGEST_STEM}
    return [name for name, is_so in checks.items() if is_so]


def find_open_problems(item: ParsedItem) -> list[str]:
    """Why an open question with its answer is incomplete; empty if it is complete."""
    checks = {
        NO_STEM: not item.stem,
        NO_ANSWER: not item.answer,
        TOO_LONG: len(item.stem) > LONGEST_STEM or len(item.answer) > LONGEST_OPTION,
    }
    return [name for name, is_so in checks.items() if is_so]


def _limit_lengths(item: ParsedItem) -> ParsedItem:
    """The item cut to one character or option more than allowed, so that an excess is noticed but not stored."""
    options = [
        ParsedOption(each.text[: LONGEST_OPTION + 1], each.correct, each.explanation[:LONGEST_EXPLANATION])
        for each in item.options[: MOST_OPTIONS + 1]
    ]
    reasoning, answer = item.reasoning[:LONGEST_EXPLANATION], item.answer[: LONGEST_OPTION + 1]
    stem, raw = item.stem[: LONGEST_STEM + 1], item.raw[:LONGEST_RAW]
    return ParsedItem(stem, options, raw, reasoning, item.contradicts, answer)
