"""The wording of an item in the form that rules need, and words that give clues, in English, German and Basque."""

from __future__ import annotations

import re
from dataclasses import dataclass

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


def words_in(text: str) -> list[str]:
    return [word.casefold() for word in WORD.findall(text)]
