"""The wording of an item in the form that rules need, words that give clues, and the sentences of a text, in English,
German and Basque."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

WORD = re.compile(r"\w+(?:['’-]\w+)*")
GAP = re.compile(r"_{2,}|\.{3,}|…")
ARTICLES = {
    "en": {"a", "an", "the"},
    "de": {"der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "eines"},
}
ABSOLUTE = {
    "en": {"all", "always", "never", "none", "every", "everybody", "everyone", "everything", "nobody", "nothing",
           "only", "completely", "impossible", "must"},
    "de": {"alle", "alles", "allen", "immer", "nie", "niemals", "niemand", "nichts", "jeder", "jede", "jedes", "nur",
           "ausschließlich", "völlig", "unmöglich", "muss", "müssen"},
    "eu": {"beti", "inoiz", "guztiak", "denak", "dena", "inor", "ezer", "bakarrik"},
}  # fmt: skip
MONTHS = {
    "en": ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December"),
    "de": ("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
           "Dezember"),
    "eu": ("urtarrila", "otsaila", "martxoa", "apirila", "maiatza", "ekaina", "uztaila", "abuztua", "iraila", "urria",
           "azaroa", "abendua"),
}  # fmt: skip
NEGATION = {
    "en": {"not", "no", "never", "none", "nobody", "nothing", "neither", "nor", "without"},
    "de": {"nicht", "kein", "keine", "keinen", "keinem", "keiner", "nie", "niemals", "niemand", "nichts", "ohne"},
    "eu": {"ez", "inoiz", "inor", "ezer", "gabe"},
}


@dataclass(frozen=True)
class Wording:
    """An item as seen by somebody who looks for clues without understanding. language: two letters; keys: which
    options are keys; is_cloze: whether its gap is intended."""

    stem: str
    options: tuple[str, ...]
    keys: tuple[bool, ...]
    text: str
    language: str
    is_cloze: bool = False


def is_cloze(category: str, setting: str) -> bool:
    """Whether an item is a cloze item, by its category or by the factor `setting` of its generator."""
    return "cloze" in (category.casefold(), setting.casefold())


def split_words(text: str) -> list[str]:
    return [word.casefold() for word in WORD.findall(text)]


# The sentences of a text, for languages whose abbreviations and ordinal numbers are known here.


CLOSERS = "\"'”“’»«)]"
ABBREVIATIONS = {
    "de": "bzw ca dr evtl ggf inkl jh mind mio mrd nr prof sog st str usw vgl z b d h u a o s v n",
    "en": "mr mrs ms dr prof st no vs etc inc ltd jr sr e g i",
    "eu": "adib eab jn and dr etab",
}
WITH_ORDINAL_STOPS = ("de", "eu")  # languages that write “3.” for the third
BREAK = re.compile(rf"(?<=[.!?…])[{re.escape(CLOSERS)}]*\s+(?=[\"'“„»«(]*[^\W_])")
LAST_WORD = re.compile(r"([^\W_]+)\.$")
# “… is old.The next …”, and a footnote mark, which is no part of either sentence: “… is old.1 The next …”
RUN_TOGETHER = re.compile(r"(?<=[a-zäöüß]{2}\.)(?:([a-z\d])\s+(?=[A-ZÄÖÜ])|(?=[A-ZÄÖÜ][a-zäöüß]))")


def split_sentences(text: str, language: str) -> list[str]:
    """The sentences in order. A line break ends one; a full stop after an abbreviation or an ordinal number does
    not."""
    return [sentence for line in text.splitlines() for sentence in split_line(line, language)]


def count_sentences(text: str, language: str) -> int:
    """The number of sentences; a line break ends none."""
    return len(split_line(text, language))


def split_line(line: str, language: str) -> list[str]:
    pieces = filter(None, RUN_TOGETHER.split(" ".join(line.split())))
    return [sentence for piece in pieces for sentence in _split(piece, language)]


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
    is_ordinal = language in WITH_ORDINAL_STOPS and last.isdigit() and len(last) < 3
    return not is_ordinal and last not in _list_abbreviations(language)


@cache
def _list_abbreviations(language: str) -> frozenset[str]:
    return frozenset(ABBREVIATIONS.get(language, "").split())
