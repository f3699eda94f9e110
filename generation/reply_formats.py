"""Parse the items in the JSON of a reply, or in its numbered or lettered lists. Without Django."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generation.parts import (
    CONTROL,
    FALSE,
    LONGEST_RAW,
    LONGEST_STEM,
    MOST_OPTIONS,
    TRUE,
    ParsedItem,
    ParsedOption,
    check_fields,
    check_keys,
    drop_keys,
    find_key_letters,
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
    return [_read_item(row) for value in _iter_json_values(text) for row in _list_items(value)]


def _iter_json_values(text: str) -> Iterator[Any]:
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
        end = after if _list_items(value) else end


def _list_items(value: Any) -> list[Mapping[str, Any]]:
    """The objects in a JSON value that have a question and options."""
    return [row for row in _list_objects(value) if _has_options(row) or _has_keys(row)]


def _list_objects(value: Any) -> list[Mapping[str, Any]]:
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


def _read_item(row: Mapping[str, Any]) -> ParsedItem:
    found = _read_options(row) if _has_options(row) else _read_keys_and_distractors(row)
    raw = json.dumps(row, ensure_ascii=False)[:LONGEST_RAW]
    reasoning = _get_text(_find_value(row, REASONING_NAMES))
    item = ParsedItem(_get_text(_find_value(row, STEM_NAMES)), found, CONTROL.sub(" ", raw), reasoning)
    if _has_options(row):
        check_fields(item, row)
        if any(_marks_differ(option) for option in _list_option_values(row)):
            drop_keys(item)
    return item


def _list_option_values(row: Mapping[str, Any]) -> list[Any]:
    options = _find_value(row, OPTION_NAMES)
    return list(options.values()) if isinstance(options, dict) else list(options)


def _marks_differ(option: Any) -> bool:
    """Whether an option is called both correct and wrong: in two fields, or in a field and at the end of its words."""
    if not isinstance(option, dict):
        return False
    lower = {str(name).lower(): value for name, value in option.items()}
    truths = {_parse_mark(lower[name]) for name in MARK_NAMES if name in lower}
    truths.add(read_mark(_get_text(_find_value(option, WORDING_NAMES)))[0])
    return {True, False} <= truths


def _read_options(row: Mapping[str, Any]) -> list[ParsedOption]:
    options = _find_value(row, OPTION_NAMES)
    pairs = list(options.items()) if isinstance(options, dict) else [("", option) for option in options]
    return [_read_option(label, option) for label, option in pairs[: MOST_OPTIONS + 1]]


def _read_keys_and_distractors(row: Mapping[str, Any]) -> list[ParsedOption]:
    """The options from both lists; every key gets the reasoning, a distractor its misconception."""
    keys, reasoning = _find_value(row, KEY_NAMES), _get_text(_find_value(row, REASONING_NAMES))
    found = [ParsedOption(_get_text(key), True, reasoning) for key in (keys if isinstance(keys, list) else [keys])]
    for each in _find_value(row, DISTRACTOR_NAMES):
        parts = each if isinstance(each, dict) else {"text": each}
        found.append(
            ParsedOption(
                _get_text(_find_value(parts, DISTRACTOR_TEXTS)), False, _get_text(_find_value(parts, WHY_NAMES))
            )
        )
    return found[: MOST_OPTIONS + 1]


def _read_option(label: str, option: Any) -> ParsedOption:
    if isinstance(option, dict):
        why = _get_text(_find_value(option, WHY_NAMES))
        return ParsedOption(
            _get_text(_find_value(option, WORDING_NAMES)), _parse_mark(_find_value(option, MARK_NAMES)), why
        )
    if isinstance(option, bool):  # {"die Stadt": true}
        return ParsedOption(_get_text(label), option)
    correct, words = read_mark(_get_text(option))
    return ParsedOption(words.strip(), correct)


def _find_value(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    lower = {str(name).lower(): value for name, value in row.items()}
    return next((lower[name] for name in names if name in lower), None)


def _get_text(value: Any) -> str:
    return CONTROL.sub(" ", value).strip() if isinstance(value, str) else ""


def _parse_mark(value: Any) -> bool | None:
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
        if rows := [row for row in _list_objects(value) if isinstance(_find_value(row, OPEN_STEM_NAMES), str)]:
            return [_read_open_item(row) for row in rows]
    return []


def _read_open_item(row: Mapping[str, Any]) -> ParsedItem:
    raw = CONTROL.sub(" ", json.dumps(row, ensure_ascii=False))[:LONGEST_RAW]
    return ParsedItem(
        _get_text(_find_value(row, OPEN_STEM_NAMES)), raw=raw, answer=_get_text(_find_value(row, ANSWER_NAMES))
    )


# Parse items in numbered or lettered lists of a reply. Without Django.


BULLET = re.compile(r"[-*•–]\s+")
MARKER = re.compile(r"\(?(?P<label>[A-Ta-t]|\d{1,3})[).:]\**\s+|\(?(?P<bare>[A-Ta-t]|\d{1,3})[).:]\**$")
ITEM = r"(?:frage|question|item|aufgabe|galdera|itema)"
HEADING = re.compile(
    rf"{ITEM}(?:\s*(?:nr\.?\s*)?\d{{1,3}})?\s*[.:)–-]\**\s*|{ITEM}\s*\d{{1,3}}$|galdera$", re.IGNORECASE
)
EXPLANATION = re.compile(
    r"(?P<kind>begründung|reasoning|erklärung|explanation|misconception|denkfehler|fehlvorstellung|missverständnis|"
    r"arrazoia|arrazoibidea|azalpena|uste okerra)"
    r"\**\s*:\**\s*",
    re.IGNORECASE,
)
KEY_EXPLANATIONS = ("begründung", "reasoning", "arrazoia", "arrazoibidea")


@dataclass
class _Line:
    """A line without its marks and markers. `label`: the letter or number before it, - for a bullet."""

    raw: str
    text: str
    label: str
    is_heading: bool
    correct: bool | None

    @property
    def without_marks(self) -> str:
        """The line without marks of bold or quotation, whatever it was parsed as."""
        return _strip_emphasis(self.raw.lstrip("#> \t-•–")).replace("**", "").replace("__", "")

    @property
    def asks(self) -> bool:
        return self.text.endswith("?")


class _Reader:
    """Goes through the lines once: a stem opens an item, options go to the open item."""

    def __init__(self, explains: bool) -> None:
        self.explains, self.explanation = explains, ""
        self.items: list[ParsedItem] = []
        self.pending: list[str] = []
        self.last = ""
        self.labels: list[str] = []
        self.keys: list[set[str]] = []

    def read(self, line: _Line) -> None:
        if self.explains and (found := EXPLANATION.match(line.text)):
            self._explain(found["kind"].lower() in KEY_EXPLANATIONS, line)
        elif line.correct is None and self.labels and (letters := find_key_letters(line.without_marks)):
            self.keys.append(letters)
            self.items[-1].raw += f"\n{line.raw}"
        elif self._is_stem(line):
            self._start_item(line)
        elif line.correct is not None or line.label:
            self._add_option(line)
        elif self._is_stem_open():
            self.items[-1].stem = f"{self.items[-1].stem} {line.text}".strip()
            self.items[-1].raw += f"\n{line.raw}"
        elif line.asks:
            self._start_item(line)
        else:
            self.pending = [line.raw]
            if self.items:
                self.items[-1].raw += f"\n{line.raw}"

    def finish_item(self) -> None:
        """Called when everything about the last item is read."""
        for letters in self.keys:
            check_keys(self.items[-1], self.labels, letters)
        self.labels, self.keys = [], []

    def _explain(self, is_of_keys: bool, line: _Line) -> None:
        """Keep the explanation for the option that follows it."""
        self.explanation = EXPLANATION.sub("", line.text, count=1).strip()
        if self.items:
            self.items[-1].raw += f"\n{line.raw}"
            if is_of_keys and not self.items[-1].reasoning:
                self.items[-1].reasoning = self.explanation

    def _is_stem(self, line: _Line) -> bool:
        if line.correct is not None:
            return False
        if line.is_heading:
            return True
        if not line.label.isdigit():
            return False
        return line.asks or not self._continues(line.label) or not self.items[-1].stem

    def _continues(self, label: str) -> bool:
        """Whether the label is the next one in the current list of options."""
        if not self.items:
            return False
        if not self.items[-1].options:
            return label in ("1", "a", "A") and bool(self.items[-1].stem) and self.last == "stem without number"
        if label.isdigit():
            return self.last.isdigit() and int(label) == int(self.last) + 1
        return len(self.last) == 1 and len(label) == 1 and ord(label) == ord(self.last) + 1

    def _is_stem_open(self) -> bool:
        return bool(self.items) and not self.items[-1].options

    def _start_item(self, line: _Line) -> None:
        self.finish_item()
        self.items.append(ParsedItem(line.text, raw=line.raw))
        self.pending, self.explanation = [], ""
        self.last = "stem" if line.label or line.is_heading else "stem without number"

    def _add_option(self, line: _Line) -> None:
        if self.pending and not self._continues(line.label):
            self.finish_item()
            self.items.append(ParsedItem(_strip_emphasis(self.pending[-1]), raw=self.pending[-1]))
        elif not self.items:
            self.items.append(ParsedItem(""))
        item = self.items[-1]
        item.options.append(ParsedOption(line.text, line.correct, self.explanation))
        self.explanation = ""
        self.labels.append(line.label)
        item.raw = f"{item.raw}\n{line.raw}".strip("\n")
        self.pending, self.last = [], line.label


def read_line_items(text: str, explains: bool = False) -> list[ParsedItem]:
    """The items in the lines of a reply. explains: lines such as “Reasoning: …” are about the option after them."""
    reader = _Reader(explains)
    for raw in text.split("\n"):
        if raw.strip():
            reader.read(_parse_line(raw.strip()[: 3 * LONGEST_STEM]))
    reader.finish_item()
    return reader.items


def _parse_line(raw: str) -> _Line:
    text = raw.lstrip("#> \t")
    label = ""
    if bullet := BULLET.match(text):
        text, label = text[bullet.end() :], "-"
    text = text.removeprefix("**").removeprefix("__").lstrip()
    heading = HEADING.match(text)
    if heading:
        text = text[heading.end() :]
    elif marker := MARKER.match(text):
        text, label = text[marker.end() :], marker["label"] or marker["bare"]
        if inner := HEADING.match(text):  # "1. Frage: …"
            heading, text = inner, text[inner.end() :]
    correct, text = read_mark(text)
    return _Line(raw, _strip_emphasis(text), label, heading is not None, correct)


def _strip_emphasis(text: str) -> str:
    """The text without the asterisks of bold and italic."""
    return text.strip().strip("*_ \t").strip()
