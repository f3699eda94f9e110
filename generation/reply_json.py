"""Parse the items in the JSON of a reply. Without Django."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generation.parts import (
    CONTROL,
    FALSE,
    LONGEST_RAW,
    MOST_OPTIONS,
    TRUE,
    ParsedItem,
    ParsedOption,
    check_fields,
    drop_keys,
    read_mark,
)

STEM_NAMES = ("question", "stem", "frage", "galdera", "item")
OPTION_NAMES = ("suggested_answers", "options", "answers", "choices", "optionen", "antworten", "aukerak", "erantzunak")
WORDING_NAMES = ("text", "option", "answer", "antwort", "choice", "aukera", "erantzuna")
MARK_NAMES = ("correct", "is_correct", "iscorrect", "richtig", "korrekt", "zuzena", "key")
KEY_NAMES = ("right_answers", "keys", "key")
DISTRACTOR_NAMES = ("wrong_answers", "distractors")
DISTRACTOR_TEXTS = ("wrong_answer", "distractor", *WORDING_NAMES)
WHY_NAMES = (
    "misconception",
    "explanation",
    "reasoning",
    "begründung",
    "erklärung",
    "arrazoia",
    "azalpena",
    "uste_okerra",
)
REASONING_NAMES = ("reasoning", "begründung", "arrazoia")
MOST_BRACKETS = 200
LIST_NAMES = ("items", "questions", "fragen", "aufgaben", "galderak", "itemak")
OPEN_STEM_NAMES = ("question", "stem", "frage", "galdera")
ANSWER_NAMES = ("answer", "expected_answer", "antwort", "erantzuna")
MOST_OPEN_BRACKETS = 20


def read_json_items(text: str) -> list[ParsedItem]:
    return [_json_item(row) for value in _values(text) for row in _rows(value)]


def _values(text: str) -> Iterator[Any]:
    """The JSON values in the text, in order; only the first few brackets are tried."""
    decoder, end = json.JSONDecoder(), 0
    for place in [found.start() for found in re.finditer(r"[\[{]", text)][:MOST_BRACKETS]:
        if place < end:
            continue
        try:
            value, after = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            continue
        yield value
        end = after if _rows(value) else end


def _rows(value: Any) -> list[Mapping[str, Any]]:
    """The objects with a question and options."""
    return [row for row in _objects(value) if _has_options(row) or _has_keys(row)]


def _objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects of a list (also under a known name), or a single object."""
    if isinstance(value, dict):
        inner = _find_value(value, LIST_NAMES)
        value = inner if isinstance(inner, list) else [value]
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _has_options(row: Mapping[str, Any]) -> bool:
    return isinstance(_find_value(row, OPTION_NAMES), (list, dict))


def _has_keys(row: Mapping[str, Any]) -> bool:
    """Whether keys and distractors are separate lists, with their explanations."""
    return _find_value(row, KEY_NAMES) is not None and isinstance(_find_value(row, DISTRACTOR_NAMES), list)


def _json_item(row: Mapping[str, Any]) -> ParsedItem:
    found = _options(row) if _has_options(row) else _keys_and_distractors(row)
    raw = json.dumps(row, ensure_ascii=False)[:LONGEST_RAW]
    reasoning = _words(_find_value(row, REASONING_NAMES))
    item = ParsedItem(_words(_find_value(row, STEM_NAMES)), found, CONTROL.sub(" ", raw), reasoning)
    if _has_options(row):
        check_fields(item, row)
        if any(_marks_differ(option) for option in _option_values(row)):
            drop_keys(item)
    return item


def _option_values(row: Mapping[str, Any]) -> list[Any]:
    options = _find_value(row, OPTION_NAMES)
    return list(options.values()) if isinstance(options, dict) else list(options)


def _marks_differ(option: Any) -> bool:
    """Whether an option is called both correct and wrong: in two fields, or in a field and at the end of its words."""
    if not isinstance(option, dict):
        return False
    lower = {str(name).lower(): value for name, value in option.items()}
    truths = {_truth(lower[name]) for name in MARK_NAMES if name in lower}
    truths.add(read_mark(_words(_find_value(option, WORDING_NAMES)))[0])
    return {True, False} <= truths


def _options(row: Mapping[str, Any]) -> list[ParsedOption]:
    options = _find_value(row, OPTION_NAMES)
    pairs = list(options.items()) if isinstance(options, dict) else [("", option) for option in options]
    return [_json_option(label, option) for label, option in pairs[: MOST_OPTIONS + 1]]


def _keys_and_distractors(row: Mapping[str, Any]) -> list[ParsedOption]:
    """The reasoning belongs to every key, a misconception to its distractor."""
    keys, reasoning = _find_value(row, KEY_NAMES), _words(_find_value(row, REASONING_NAMES))
    found = [ParsedOption(_words(key), True, reasoning) for key in (keys if isinstance(keys, list) else [keys])]
    for each in _find_value(row, DISTRACTOR_NAMES):
        parts = each if isinstance(each, dict) else {"text": each}
        found.append(
            ParsedOption(_words(_find_value(parts, DISTRACTOR_TEXTS)), False, _words(_find_value(parts, WHY_NAMES)))
        )
    return found[: MOST_OPTIONS + 1]


def _json_option(label: str, option: Any) -> ParsedOption:
    if isinstance(option, dict):
        why = _words(_find_value(option, WHY_NAMES))
        return ParsedOption(_words(_find_value(option, WORDING_NAMES)), _truth(_find_value(option, MARK_NAMES)), why)
    if isinstance(option, bool):  # {"die Stadt": true}
        return ParsedOption(_words(label), option)
    correct, words = read_mark(_words(option))
    return ParsedOption(words.strip(), correct)


def _find_value(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    lower = {str(name).lower(): value for name, value in row.items()}
    return next((lower[name] for name in names if name in lower), None)


def _words(value: Any) -> str:
    return CONTROL.sub(" ", value).strip() if isinstance(value, str) else ""


def _truth(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    word = value.strip() if isinstance(value, str) else ""
    if re.fullmatch(FALSE, word, re.IGNORECASE):
        return False
    return True if re.fullmatch(TRUE, word, re.IGNORECASE) else None


# Open questions -------------------------------------------------------------------------------------------------------


def read_json_open(text: str) -> list[ParsedItem]:
    """The objects with a question and an answer, in order; none if the reply has no such JSON."""
    for place in [found.start() for found in re.finditer(r"[\[{]", text)][:MOST_OPEN_BRACKETS]:
        try:
            value, _end = json.JSONDecoder().raw_decode(text, place)
        except (ValueError, RecursionError):
            continue
        if rows := [row for row in _objects(value) if isinstance(_find_value(row, OPEN_STEM_NAMES), str)]:
            return [_open_item(row) for row in rows]
    return []


def _open_item(row: Mapping[str, Any]) -> ParsedItem:
    raw = CONTROL.sub(" ", json.dumps(row, ensure_ascii=False))[:LONGEST_RAW]
    return ParsedItem(_words(_find_value(row, OPEN_STEM_NAMES)), raw=raw, answer=_words(_find_value(row, ANSWER_NAMES)))
