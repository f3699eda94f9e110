"""The sentences of a text, and which of them can carry an item."""

import re
from functools import cache

CLOSERS = "\"'”“’»«)]"
ABBREVIATIONS = {
    "de": "bzw ca dr evtl ggf inkl jh mind mio mrd nr prof sog st str usw vgl z b d h u a o s",
    "en": "mr mrs ms dr prof st no vs etc inc ltd jr sr e g i",
}
BREAK = re.compile(rf"(?<=[.!?…])[{re.escape(CLOSERS)}]*\s+(?=[\"'“„»«(]*[^\W_])")
LAST_WORD = re.compile(r"([^\W_]+)\.$")
QUOTES = re.compile(r"[\"“”„»«‚‘]")
SHORTEST, LONGEST = 6, 40  # words of a sentence that can be asked about
MOST_CHARACTERS = 600


def sentences_of(text: str, language: str) -> list[str]:
    """In order. A line break ends a sentence; a full stop after an abbreviation or an ordinal number does not."""
    found: list[str] = []
    for line in text.splitlines():
        found += _split(" ".join(line.split()), language)
    return found


def _split(line: str, language: str) -> list[str]:
    parts, start = [], 0
    for place in BREAK.finditer(line):
        if _ends(line[start : place.start()], line[place.end() :], language):
            parts.append(line[start : place.end()].strip())
            start = place.end()
    return [part for part in [*parts, line[start:].strip()] if part]


def _ends(before: str, after: str, language: str) -> bool:
    """Whether the sentence is over between the two."""
    first = after.lstrip("\"'“„»«(")[:1]
    if first.islower():
        return False
    word = LAST_WORD.search(before[-20:])
    if word is None:
        return True
    last = word[1].casefold()
    is_ordinal = language == "de" and last.isdigit() and len(last) < 3
    return not is_ordinal and last not in _abbreviations(language)


@cache
def _abbreviations(language: str) -> frozenset[str]:
    return frozenset(ABBREVIATIONS.get(language, "").split())


def is_usable(sentence: str) -> bool:
    """A whole statement without quotation, neither too short nor too long to be asked about."""
    if len(sentence) > MOST_CHARACTERS or not sentence.endswith((".", "!")):
        return False
    if QUOTES.search(sentence) or "___" in sentence:
        return False
    return sentence[0].isupper() and SHORTEST <= len(sentence.split()) <= LONGEST
