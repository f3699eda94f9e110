"""Items out of a model's reply: numbered or lettered lists with marks in parentheses, or JSON. No Django.

Tolerant in layout, strict in meaning: what is not said is not filled in. An option without a mark has no key, and its
item is incomplete. Stored replies can be read again with a newer VERSION.
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
)
from generation.reply_json import items_from_json
from generation.reply_lines import items_from_lines
from generation.reply_question import question_from_json, question_from_lines

VERSION = 2
MOST_CHARACTERS = 200_000

NO_STEM, WRONG_NUMBER, NO_MARK, EMPTY, EQUAL, TOO_LONG = "stem", "number", "mark", "empty", "equal", "long"


@dataclass(frozen=True)
class Parsed:
    """The first items of the reply, and how many more there were."""

    items: list[ParsedItem]
    n_left_out: int


def parse(reply: str, n_items: int, *, explains: bool = False, only_json: bool = False) -> Parsed:
    """The items in their order; none if the reply holds none. Where a list is asked for, JSON is read too."""
    text = plain(reply)
    read = items_from_json(text) or ([] if only_json else items_from_lines(text, explains))
    found = [item for item in read if item.options]
    return Parsed([_bounded(item) for item in found[:n_items]], max(0, len(found) - n_items))


def parse_question(reply: str, *, only_json: bool = False) -> ParsedItem | None:
    """The one question that was asked for, as an item without options; None where the reply holds none or several."""
    text = plain(reply)
    stem = question_from_json(text) or ("" if only_json else question_from_lines(text))
    return ParsedItem(stem[: LONGEST_STEM + 1], raw=text[:LONGEST_RAW]) if stem else None


def plain(reply: str) -> str:
    return CONTROL.sub(" ", reply[:MOST_CHARACTERS].replace("\r\n", "\n").replace("\r", "\n"))


def problems(item: ParsedItem, n_options: int) -> list[str]:
    """Why the item is incomplete; nothing if it is whole. No key at all is legal."""
    wordings = [option.text for option in item.options]
    plain = [" ".join(wording.casefold().split()) for wording in wordings]
    checks = {
        NO_STEM: not item.stem,
        WRONG_NUMBER: len(item.options) != n_options,
        NO_MARK: any(option.correct is None for option in item.options),
        EMPTY: not all(plain),
        EQUAL: len(set(plain)) < len(plain),
        TOO_LONG: len(item.stem) > LONGEST_STEM or any(len(wording) > LONGEST_OPTION for wording in wordings),
    }
    return [name for name, is_so in checks.items() if is_so]


def question_problems(item: ParsedItem) -> list[str]:
    """The same for a question without options."""
    checks = {NO_STEM: not item.stem, TOO_LONG: len(item.stem) > LONGEST_STEM}
    return [name for name, is_so in checks.items() if is_so]


def _bounded(item: ParsedItem) -> ParsedItem:
    """One more than the bounds, so that what is over them is seen to be and yet takes no room."""
    options = [
        ParsedOption(each.text[: LONGEST_OPTION + 1], each.correct, each.explanation[:LONGEST_EXPLANATION])
        for each in item.options[: MOST_OPTIONS + 1]
    ]
    reasoning = item.reasoning[:LONGEST_EXPLANATION]
    return ParsedItem(item.stem[: LONGEST_STEM + 1], options, item.raw[:LONGEST_RAW], reasoning)
