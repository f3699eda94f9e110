"""The sentences of a text, and which of them can be used for an item."""

import re
from functools import cache

CLOSERS = "\"'”“’»«)]"
ABBREVIATIONS = {
    "de": "bzw ca dr evtl ggf inkl jh mind mio mrd nr prof sog st str usw vgl z b d h u a o s v n",
    "en": "mr mrs ms dr prof st no vs etc inc ltd jr sr e g i",
}
BREAK = re.compile(rf"(?<=[.!?…])[{re.escape(CLOSERS)}]*\s+(?=[\"'“„»«(]*[^\W_])")
LAST_WORD = re.compile(r"([^\W_]+)\.$")
QUOTES = re.compile(r"[\"“”„»«‚‘]")
QUOTED_NAME = re.compile(r"(?<![:.] )(?<!^)[\"“„»‚‘]([^\W_][^\"“”„»«.!?]{0,38}[^\W_])[\"”“«‘’](?![^\W_])")
DOUBLED_QUOTE = re.compile(r"([\"“”„»«])\1+")
YEAR_FIRST = re.compile(r"(?:1\d|20)\d\d ")
NUMBER_FIRST = re.compile(r"\d{2,}(?:[.,]\d+)* [^\W_]")
# “… is old.The next …”, and a footnote mark, which is no part of either sentence: “… is old.1 The next …”
RUN_TOGETHER = re.compile(r"(?<=[a-zäöüß]{2}\.)(?:([a-z\d])\s+(?=[A-ZÄÖÜ])|(?=[A-ZÄÖÜ][a-zäöüß]))")
SHORTEST_ASKED = 4
LONGEST_ASKED = 60
SHORTEST, LONGEST = 6, 40  # words of a sentence that can be asked about
MOST_CHARACTERS = 600


def sentences_of(text: str, language: str) -> list[str]:
    """The sentences in order. A line break ends one; a full stop after an abbreviation or an ordinal number does
    not."""
    found: list[str] = []
    for line in text.splitlines():
        for part in filter(None, RUN_TOGETHER.split(" ".join(line.split()))):
            found += _split(part, language)
    return found


def places_of(text: str, sentences: list[str]) -> list[list[int]]:
    """For each of the text's sentences, the places of its visible characters in the text."""
    places = [place for place, character in enumerate(text) if not character.isspace()]
    found, begin = [], 0
    for sentence in sentences:
        end = begin + len("".join(sentence.split()))
        found.append(places[begin:end])
        begin = end
    return found


def _split(line: str, language: str) -> list[str]:
    parts, start = [], 0
    for place in BREAK.finditer(line):
        if _ends(line[start : place.start()], line[place.end() :], language):
            parts.append(line[start : place.end()].strip())
            start = place.end()
    return [part for part in [*parts, line[start:].strip()] if part]


def _ends(before: str, after: str, language: str) -> bool:
    """Whether the sentence ends between the two."""
    first = after.lstrip("\"'“„»«(")[:1]
    if first.islower():
        return False
    word = LAST_WORD.search(before[-20:])
    if word is None:
        return True
    last = word[1].casefold()
    if len(last) == 1 and word[1].isupper() and word[1] != "I":
        return False  # an initial, or the end of “U.S.”
    is_ordinal = language == "de" and last.isdigit() and len(last) < 3
    return not is_ordinal and last not in _abbreviations(language)


@cache
def _abbreviations(language: str) -> frozenset[str]:
    return frozenset(ABBREVIATIONS.get(language, "").split())


def is_usable(sentence: str, *, may_name: bool = False) -> bool:
    """Whether it is a complete statement without quotation, of a usable length.

    `may_name`: allow a few words in quotation marks, such as a title.
    """
    if may_name:
        sentence = QUOTED_NAME.sub(r"\1", DOUBLED_QUOTE.sub(r"\1", sentence)).strip('"“„»”«')
    if len(sentence) > MOST_CHARACTERS or not sentence.endswith((".", "!")):
        return False
    if not sentence or QUOTES.search(sentence) or "___" in sentence:
        return False
    is_begun = sentence[0].isupper() or bool((NUMBER_FIRST if may_name else YEAR_FIRST).match(sentence))
    shortest, longest = (SHORTEST_ASKED, LONGEST_ASKED) if may_name else (SHORTEST, LONGEST)
    return is_begun and shortest <= len(sentence.split()) <= longest
