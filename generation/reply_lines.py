"""Parse items in numbered or lettered lists of a reply. Without Django."""

import re
from dataclasses import dataclass

from generation.parts import LONGEST_STEM, ParsedItem, ParsedOption, check_keys, find_key_letters, read_mark

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
OF_KEYS = ("begründung", "reasoning", "arrazoia", "arrazoibidea")


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
        return _plain(self.raw.lstrip("#> \t-•–")).replace("**", "").replace("__", "")

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
            self._explain(found["kind"].lower() in OF_KEYS, line)
        elif line.correct is None and self.labels and (letters := find_key_letters(line.without_marks)):
            self.keys.append(letters)
            self.items[-1].raw += f"\n{line.raw}"
        elif self._is_stem(line):
            self._open(line)
        elif line.correct is not None or line.label:
            self._option(line)
        elif self._open_stem():
            self.items[-1].stem = f"{self.items[-1].stem} {line.text}".strip()
            self.items[-1].raw += f"\n{line.raw}"
        elif line.asks:
            self._open(line)
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
        """An explanation before an option is about that option."""
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

    def _open_stem(self) -> bool:
        return bool(self.items) and not self.items[-1].options

    def _open(self, line: _Line) -> None:
        self.finish_item()
        self.items.append(ParsedItem(line.text, raw=line.raw))
        self.pending, self.explanation = [], ""
        self.last = "stem" if line.label or line.is_heading else "stem without number"

    def _option(self, line: _Line) -> None:
        if self.pending and not self._continues(line.label):
            self.finish_item()
            self.items.append(ParsedItem(_plain(self.pending[-1]), raw=self.pending[-1]))
        elif not self.items:
            self.items.append(ParsedItem(""))
        item = self.items[-1]
        item.options.append(ParsedOption(line.text, line.correct, self.explanation))
        self.explanation = ""
        self.labels.append(line.label)
        item.raw = f"{item.raw}\n{line.raw}".strip("\n")
        self.pending, self.last = [], line.label


def read_line_items(text: str, explains: bool = False) -> list[ParsedItem]:
    """If explanations were requested, a line that begins with such a word is about the option after it."""
    reader = _Reader(explains)
    for raw in text.split("\n"):
        if raw.strip():
            reader.read(_line(raw.strip()[: 3 * LONGEST_STEM]))
    reader.finish_item()
    return reader.items


def _line(raw: str) -> _Line:
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
    return _Line(raw, _plain(text), label, heading is not None, correct)


def _plain(text: str) -> str:
    """The text without the asterisks of bold and italic."""
    return text.strip().strip("*_ \t").strip()
