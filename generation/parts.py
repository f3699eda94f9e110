"""The parts of a reply: items, marks of options, and contradicting keys. Without Django."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MOST_OPTIONS, LONGEST_OPTION, LONGEST_STEM, LONGEST_RAW = 20, 2_000, 10_000, 20_000
LONGEST_EXPLANATION = 2_000
TRUE = r"richtige?|korrekte?|wahr|zutreffend|stimmt|correct|true|right|yes|ja|zuzena?|egia|bai|✓|✔|✅"
FALSE = (
    r"falsche?|inkorrekte?|unwahr|unzutreffend|stimmt nicht|nicht richtig|nicht korrekt|not correct|incorrect|false|"
    r"wrong|no|nein|okerra?|gezurra|ez da zuzena|ez zuzena|ez|✗|✘|❌"
)
MARK = re.compile(
    rf"[*_\s]*[(\[][*_\s]*(?:erantzun )?(?:(?P<false>{FALSE})|(?P<true>{TRUE}))(?: (?:antwort|answer|option))?"
    r"(?:\s*[,;:–-][^()\[\]]{0,200})?[*_\s]*[)\]][*_\s.;,]*$",
    re.IGNORECASE,
)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass
class ParsedOption:
    """An option of a reply; `correct` is None if the reply does not say it."""

    text: str
    correct: bool | None
    explanation: str = ""


@dataclass
class ParsedItem:
    """`answer`: the expected answer of an open question. `reasoning`: why the keys are keys; kept here because there
    may be no key. `contradicts`: the reply names other keys elsewhere, so no option has a mark."""

    stem: str
    options: list[ParsedOption] = field(default_factory=list)
    raw: str = ""
    reasoning: str = ""
    contradicts: bool = False
    answer: str = ""


def read_mark(text: str) -> tuple[bool | None, str]:
    """The mark at the end of the line, and the words before it. Two different marks count as none."""
    found = _mark_at_end(text)
    if not found:
        return None, text
    before = text[: found.start()]
    other = _mark_at_end(before)
    if other and (other["true"] is None) != (found["true"] is None):
        return None, text
    return found["true"] is not None, before


def _mark_at_end(text: str) -> re.Match[str] | None:
    """The mark at the end. Only brackets near the end are tried, so that a long line takes no time."""
    tail = text[-260:]
    offset = len(text) - len(tail)
    for place in range(len(tail) - 1, -1, -1):
        if tail[place] in "([" and (found := MARK.match(text, offset + place)):
            return found
    return None


KEY_NAMES = (
    "correct_answer", "correct_answers", "correct_option", "correct_options", "right_answer", "right_answers",
    "answer_key", "solution", "keys", "key", "richtige_antwort", "richtige_antworten", "lösung", "lösungen",
    "erantzun_zuzena", "erantzun_zuzenak",
)  # fmt: skip
LETTER = r"[(\[]?[A-Ta-t][)\].]?"
LETTERS = rf"{LETTER}(?:\s*(?:,|;|/|&|\+|and|und|eta|\s)\s*{LETTER})*"
# A line that names the key is: START, WHAT, IS, letters.
START = (
    r"(?:(?:wait|actually|correction|sorry|no|hmm|korrektur|nein|doch|moment|barkatu|ez)\b[,.:;…\s–—-]*)*"
    r"(?:(?:the|die|der)\s+)?"
)
WHAT = (
    r"(?:(?:correct|right|richtigen?|korrekten?)\s+)?(?:answers?(?:\s+key)?|options?|keys?|solutions?|antwort(?:en)?|"
    r"option(?:en)?|lösung(?:en)?|schlüssel|erantzun(?:a|ak)?|aukera)(?:\s+zuzenak?)?|correct|richtig(?:\s+sind|\s+ist)?|zuzenak?"
)
IS = r"\s*(?:[:=]|\b(?:is|are|ist|sind|lautet|da|dira)\b\s*:?)\s*(?:option(?:en|s)?\s+|antwort(?:en)?\s+)?"
KEY_LINE = re.compile(rf"{START}(?:{WHAT}){IS}(?P<said>{LETTERS})(?:[\s.!,;:(–—-].*)?$", re.IGNORECASE)
LETTER_FIRST = re.compile(
    rf"{START}(?:option|answer|antwort|aukera)?\s*(?P<said>{LETTER})\s+(?:is|ist|wäre|da)\s+(?:actually\s+|eigentlich\s+)?"
    r"(?:the\s+|die\s+)?(?:correct|right|richtige?|korrekte?|zuzena)\b.*$",
    re.IGNORECASE,
)


def find_key_letters(line: str) -> set[str]:
    """The letters that a line calls the key; empty for other lines."""
    found = KEY_LINE.match(line) or LETTER_FIRST.match(line)
    return {letter.lower() for letter in re.findall(r"(?<!\w)[A-Ta-t](?!\w)", found["said"])} if found else set()


def drop_keys(item: ParsedItem) -> None:
    """Remove all marks of correct or wrong from the item's options."""
    item.contradicts = True
    for option in item.options:
        option.correct = None


def check_keys(item: ParsedItem, labels: Sequence[str], given: set[str]) -> None:
    """Compare the marks with the letters that the reply calls the key; letters without an option are no key."""
    places = {label.lower(): place for place, label in enumerate(labels)}
    if given and given <= set(places):
        check_places(item, {places[letter] for letter in given})


def check_places(item: ParsedItem, places: Iterable[int]) -> None:
    """Compare the marks with the options at these places; incomplete marks cannot contradict."""
    marked = {place for place, option in enumerate(item.options) if option.correct}
    if all(option.correct is not None for option in item.options) and marked != set(places):
        drop_keys(item)


def check_fields(item: ParsedItem, row: Mapping[str, Any]) -> None:
    """Compare the marks with fields of the JSON that name the key, by letter or by wording."""
    lower = {str(name).lower(): value for name, value in row.items()}
    for value in (lower[name] for name in KEY_NAMES if name in lower):
        places = [_find_position(item.options, each) for each in (value if isinstance(value, list) else [value])]
        known = {place for place in places if place is not None}
        if known and len(known) == len(places):
            check_places(item, known)


def _find_position(options: Sequence[ParsedOption], named: Any) -> int | None:
    if not isinstance(named, str):
        return None
    words = _normalize(named)
    texts = [_normalize(option.text) for option in options]
    if words in texts:
        return texts.index(words)
    letter = re.fullmatch(r"[(\[]?([a-t])[)\].:]?", words)
    place = ord(letter[1]) - ord("a") if letter else len(options)
    return place if place < len(options) else None


def merge_contradicting(items: Sequence[ParsedItem]) -> list[ParsedItem]:
    """Remove items that repeat an earlier one with other keys; the earlier one then has no keys."""
    kept: list[ParsedItem] = []
    for item in items:
        same = next((earlier for earlier in kept if _is_same(earlier, item)), None)
        if same is not None and (same.contradicts or _list_marks(same) != _list_marks(item)):
            drop_keys(same)
        else:
            kept.append(item)
    return kept


def _is_same(one: ParsedItem, other: ParsedItem) -> bool:
    return (
        bool(one.stem)
        and _normalize(one.stem) == _normalize(other.stem)
        and _list_wordings(one) == _list_wordings(other)
    )


def _list_wordings(item: ParsedItem) -> list[str]:
    return sorted(_normalize(option.text) for option in item.options)


def _list_marks(item: ParsedItem) -> list[tuple[str, str]]:
    return sorted((_normalize(option.text), str(option.correct)) for option in item.options)


def _normalize(words: str) -> str:
    return " ".join(words.casefold().split())
