"""Evaluators without understanding: constant answers, and the similarity of an option to the text. Without Django.

Each returns for every option whether it is ticked, by its position in the list. Source: protocols.md, section 1; where
the publication is silent (white space, case, ties), we state our choice.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from rapidfuzz import fuzz

MAJORITY, EXACT, FUZZY = "majority", "exact", "fuzzy"
RULES = "rules"  # a protocol's rules, which answer its questions from the wording of an item
SIMILARITY_THRESHOLD = 0.8


@dataclass(frozen=True)
class Keys:
    """The number of keys, and of all options."""

    n_keys: int
    n_options: int

    def without(self, other: "Keys") -> "Keys":
        return Keys(self.n_keys - other.n_keys, self.n_options - other.n_options)


def tick_majority(others: Keys) -> bool:
    """The majority label of the options of *other* texts: whether more than half of them are keys.

    Exactly half: not ticked, as the constant answer "incorrect" is the usual chance line. The whole text is left out
    rather than the item alone, because items of different generators on one text share keys. In a study with as many
    keys as distractors, leaving a text out shifts the majority against that text's own keys: the accuracy then falls
    below one half, which says nothing about the items. ValueError if `others` has no options.
    """
    if others.n_options == 0:
        raise ValueError("There are no other items to learn the majority from.")
    return 2 * others.n_keys > others.n_options


def normalize(words: str) -> str:
    """One blank for each white space, no case (so that ß equals ss), umlauts composed. Punctuation stays."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", words).casefold())
    return " ".join(folded.split())


def tick_exact(text: str, options: Sequence[str]) -> list[bool]:
    """Ticked if the option occurs in the text, ignoring white space and case; an empty option is never ticked."""
    within = normalize(text)
    return [bool(wanted) and wanted in within for wanted in map(normalize, options)]


def measure_similarities(text: str, options: Sequence[str]) -> list[float]:
    """The similarity of each option to its nearest substring of the text: 1 − normalized edit distance, in [0, 1].

    The distance counts insertions and deletions relative to the length of both, after `normalize`; substrings are as
    long as the option, or shorter at either end of the text (rapidfuzz `partial_ratio`). An empty option has
    similarity 0. An option longer than the text is compared with the whole text.
    """
    within = normalize(text)
    return [measure_similarity(wanted, within) for wanted in map(normalize, options)]


def measure_similarity(wanted: str, within: str) -> float:
    if not wanted or not within:
        return 0.0
    # partial_ratio searches the shorter string in the longer one; the text must not be searched in the option.
    ratio = fuzz.partial_ratio if len(wanted) <= len(within) else fuzz.ratio
    return ratio(wanted, within) / 100


def tick_similar(text: str, options: Sequence[str], threshold: float = SIMILARITY_THRESHOLD) -> list[bool]:
    """Ticked if the similarity is at least the threshold: none, one or several."""
    return [found >= threshold for found in measure_similarities(text, options)]


def tick_most_similar(text: str, options: Sequence[str], seed: str) -> list[bool]:
    """Exactly one ticked, the most similar: for studies in which every item has one key.

    Of equally similar options the seed draws one, by wording and not by position: data sets often list the key first.
    """
    found = measure_similarities(text, options)
    best = sorted((options[place], place) for place, share in enumerate(found) if share == max(found))
    _wording, winner = Random(seed).choice(best)
    return [place == winner for place in range(len(options))]
