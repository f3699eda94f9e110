"""Items out of a model's reply: numbered or lettered lists with marks in parentheses, or JSON. No Django.

Tolerant in layout, strict in meaning: what is not said is not filled in. An option without a mark has no key, and its
item is incomplete; so is an item whose keys the reply names twice and differently. Stored replies can be read again
with a newer VERSION.
"""

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
from generation.reply_json import read_json_items
from generation.reply_lines import read_line_items
from generation.reply_open import read_json_open, read_json_question, read_line_open, read_line_question
from llm.answers import strip_traces

VERSION = 3
MOST_CHARACTERS = 200_000

NO_STEM, WRONG_NUMBER, NO_MARK, EMPTY, EQUAL, TOO_LONG = "stem", "number", "mark", "empty", "equal", "long"
CONTRADICTION, NO_ANSWER = "contradiction", "answer"


@dataclass(frozen=True)
class Parsed:
    """The first items of the reply, and how many more there were."""

    items: list[ParsedItem]
    n_left_out: int


def parse(reply: str, n_items: int, *, explains: bool = False, only_json: bool = False) -> Parsed:
    """The items in their order; none if the reply holds none. Where a list is asked for, JSON is read too."""
    text = clean_reply(reply)
    read = read_json_items(text) or ([] if only_json else read_line_items(text, explains))
    found = merge_contradicting([item for item in read if item.options])
    return Parsed([_bound(item) for item in found[:n_items]], max(0, len(found) - n_items))


def parse_question(reply: str, *, only_json: bool = False) -> ParsedItem | None:
    """The one question that was asked for, as an item without options; None where the reply holds none or several."""
    text = clean_reply(reply)
    stem = read_json_question(text) or ("" if only_json else read_line_question(text))
    return ParsedItem(stem[: LONGEST_STEM + 1], raw=text[:LONGEST_RAW]) if stem else None


def parse_open(reply: str, n_items: int, *, only_json: bool = False) -> Parsed:
    """Open questions with their answers; one that is asked without an answer is kept to be repaired."""
    text = clean_reply(reply)
    found = read_json_open(text) or ([] if only_json else read_line_open(text))
    return Parsed([_bound(item) for item in found[:n_items]], max(0, len(found) - n_items))


def clean_reply(reply: str) -> str:
    """Without reasoning traces and control characters."""
    reply = strip_traces(reply)
    return CONTROL.sub(" ", reply[:MOST_CHARACTERS].replace("\r\n", "\n").replace("\r", "\n"))


def find_item_problems(item: ParsedItem, n_options: int) -> list[str]:
    """Why the item is incomplete; nothing if it is whole. No key at all is legal."""
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
    """The same for a question without options."""
    checks = {NO_STEM: not item.stem, TOO_LONG: len(item.stem) > LONGEST_STEM}
    return [name for name, is_so in checks.items() if is_so]


def find_open_problems(item: ParsedItem) -> list[str]:
    """The same for an open question that comes with its answer."""
    checks = {
        NO_STEM: not item.stem,
        NO_ANSWER: not item.answer,
        TOO_LONG: len(item.stem) > LONGEST_STEM or len(item.answer) > LONGEST_OPTION,
    }
    return [name for name, is_so in checks.items() if is_so]


def _bound(item: ParsedItem) -> ParsedItem:
    """One more than the bounds, so that what is over them is seen to be and yet takes no room."""
    options = [
        ParsedOption(each.text[: LONGEST_OPTION + 1], each.correct, each.explanation[:LONGEST_EXPLANATION])
        for each in item.options[: MOST_OPTIONS + 1]
    ]
    reasoning, answer = item.reasoning[:LONGEST_EXPLANATION], item.answer[: LONGEST_OPTION + 1]
    stem, raw = item.stem[: LONGEST_STEM + 1], item.raw[:LONGEST_RAW]
    return ParsedItem(stem, options, raw, reasoning, item.contradicts, answer)
