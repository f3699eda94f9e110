"""Reading a label out of a written reply: only where it plainly is the answer, and never one by default.

What counts: the reply, or its first or last line, is nothing but a label, as in `R`, `R.`, `**R**`; the reply begins
with one as in `R. Because …` or `R: …`; it ends with one in parentheses; or it says "answer is R" (or "Antwort: R",
"erantzuna R da"). Another label anywhere beside it means that the reply is no answer. The English label I is also a
pronoun: "I cannot say" is no answer.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

VERSION = 1

MARKUP = r"[\s*_`~#>\"'“”„‚‘’«»‹›|]*"
OPENING, CLOSING = rf"{MARKUP}[(\[{{]?{MARKUP}", rf"{MARKUP}[)\]}}]?{MARKUP}"
CUES = (
    r"(?:answer|response|label|solution|antwort|lösung|urteil|erantzun\s+zuzena|erantzuna|erantzun)",
    r"(?:\s+(?:is|would\s+be|must\s+be|ist|lautet|wäre|therefore|thus|daher|also|hau\s+da))?",
)
AFTER = r"(?=\s*$|\s*[.,;:!)\]}*_`\"'“”’»\n]|\s+(?:because|since|as|for|weil|da|denn|zeren)\b|\s+[–—-]\s|\s*\()"
HEDGES = re.compile(
    r"\b(?:whether|if|cannot|can't|can’t|could not|couldn't|not|unsure|uncertain|unclear|either|neither|or|"
    r"ob|falls|nicht|kein\w*|unsicher|unklar|entweder|weder|oder|ez|ezin|ea|ala|edo|zalantza\w*)\b"
    , re.IGNORECASE,
)  # fmt: skip
MOST_CHARACTERS = 20_000


@dataclass(frozen=True)
class LabelReading:
    """The label, or None and the reason."""

    label: str | None
    reason: str = ""


def read_label(text: str, labels: Sequence[str]) -> LabelReading:
    """The one label that the reply gives as its answer. Labels differ from one another also in lower case."""
    text = text.strip()
    if not text:
        return LabelReading(None, "The reply is empty.")
    if len(text) > MOST_CHARACTERS:
        return LabelReading(None, "The reply is too long to be an answer.")
    given = {label for label in labels if _gives(text, label)}
    named = given | {label for label in labels if _names(text, label)}
    if not given:
        return LabelReading(None, "The reply gives no label as its answer.")
    if len(named) > 1:
        return LabelReading(None, f"The reply names more than one label: {', '.join(sorted(named))}.")
    return LabelReading(given.pop())


def _gives(text: str, label: str) -> bool:
    """Whether the label stands where an answer stands."""
    lines = [line for line in text.splitlines() if line.strip()]
    if any(_lone(label).fullmatch(line) for line in {lines[0], lines[-1]}):
        return True
    if _leading(label).match(text) or _closing(label).search(text):
        return True
    return any(not _is_hedged(text, match) for match in _cued(label).finditer(text))


def _is_hedged(text: str, match: "re.Match[str]") -> bool:
    """Whether the sentence up to the label, or right after it, takes back what it says."""
    start = max(text.rfind(mark, 0, match.start()) for mark in ".!?\n") + 1
    after = re.match(r"\W{0,3}\s*(?:or|oder|edo|/)\s*\W{0,2}\w", text[match.end() :], re.IGNORECASE)
    return bool(HEDGES.search(text[start : match.start()]) or after)


def _names(text: str, label: str) -> bool:
    """Whether the label stands anywhere as a word of its own, written as it is."""
    return any(not _is_pronoun(label, text[match.end() :]) for match in _word(label).finditer(text))


def _is_pronoun(label: str, rest: str) -> bool:
    return label == "I" and bool(re.match(r"\s+[a-z]|['’][a-z]", rest))


@cache
def _lone(label: str) -> "re.Pattern[str]":
    return re.compile(rf"{OPENING}{re.escape(label)}{CLOSING}[.!:]?{CLOSING}", re.IGNORECASE)


@cache
def _leading(label: str) -> "re.Pattern[str]":
    """`R.`, `R:`, `R)`, `(R)`, `R,` or `R – ` at the very beginning; a bare `R because` is too near to a word."""
    return re.compile(rf"{MARKUP}(?:\({re.escape(label)}\)|{re.escape(label)}{MARKUP}(?:[.:)\]]|\s[–—-]))(?:\s|$)")


@cache
def _closing(label: str) -> "re.Pattern[str]":
    return re.compile(rf"[(\[]{MARKUP}{re.escape(label)}{MARKUP}[)\]]\W*$")


@cache
def _cued(label: str) -> "re.Pattern[str]":
    cue = "".join(CUES)
    return re.compile(rf"\b(?i:{cue}){MARKUP}[:=]?{OPENING}(?<!\w){re.escape(label)}(?!\w){AFTER}")


@cache
def _word(label: str) -> "re.Pattern[str]":
    return re.compile(rf"(?<!\w){re.escape(label)}(?!\w)")
