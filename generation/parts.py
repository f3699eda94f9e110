"""What is read out of a model's reply, and the marks by which options are called correct. No Django."""

import re
from dataclasses import dataclass, field

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
    """`correct` is None where the reply does not say it."""

    text: str
    correct: bool | None
    explanation: str = ""


@dataclass
class ParsedItem:
    """`reasoning` is why the keys are keys; it is kept here too because there may be none."""

    stem: str
    options: list[ParsedOption] = field(default_factory=list)
    raw: str = ""
    reasoning: str = ""


def read_mark(text: str) -> tuple[bool | None, str]:
    """What the end of the line says, and the words before it. Two marks that differ say nothing."""
    found = _mark_at_end(text)
    if not found:
        return None, text
    before = text[: found.start()]
    other = _mark_at_end(before)
    if other and (other["true"] is None) != (found["true"] is None):
        return None, text
    return found["true"] is not None, before


def _mark_at_end(text: str) -> re.Match[str] | None:
    """Only the end is looked at, from each bracket: a long line takes no time."""
    tail = text[-260:]
    offset = len(text) - len(tail)
    for place in range(len(tail) - 1, -1, -1):
        if tail[place] in "([" and (found := MARK.match(text, offset + place)):
            return found
    return None
