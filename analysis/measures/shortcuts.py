"""Cues with which somebody without understanding can pick an option: signs in the wording, item by item.

Each cue says which option of an item stands out, if exactly one does. If that option is a key more often than by
chance, the cue gives items away (or, if it is less often a key, gives distractors away). After the item-writing flaws
listed by Haladyna, Downing & Rodriguez (2002); the rules are our own and compare words, not meanings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from items.wording import ABSOLUTE, ARTICLES, GAP, NEGATION, Wording, split_words

NUMBER = re.compile(r"\d")
ENDS = re.compile(r"[.!?…]$")
SHORT = 3  # words of up to three letters occur everywhere
ALIKE = 0.9  # similarity from which on two options are near-duplicates
LONGER = 1.2  # the longest option stands out if it is a fifth longer than the next


@dataclass(frozen=True)
class Finding:
    """A cue of an item: the place of the option that stands out, and whether it is a key."""

    cue: str
    place: int
    is_key: bool


@lru_cache(maxsize=256)  # items of a text follow each other
def split_text_words(text: str) -> tuple[frozenset[str], str]:
    """The words of a text as a set, and joined by spaces, for searching phrases."""
    found = split_words(text)
    return frozenset(found), f" {' '.join(found)} "


def select_content_words(words: Iterable[str]) -> set[str]:
    return {word for word in words if len(word) > SHORT}


def find_highest(values: Sequence[float], factor: float = 1.0) -> int | None:
    """The place of the highest value if it is above 0, and above `factor` times the next; else None."""
    if len(values) < 2:
        return None
    first, second = sorted(values, reverse=True)[:2]
    return values.index(first) if first > 0 and first > second and first >= factor * second else None


def find_only(marks: Sequence[bool]) -> int | None:
    """The place of the only mark, None if there are none or several."""
    return list(marks).index(True) if sum(marks) == 1 and len(marks) > 1 else None


def find_longest(item: Wording) -> int | None:
    return find_highest([len(option) for option in item.options], LONGER)


def find_stem_overlap(item: Wording) -> int | None:
    """The option that shares the largest part of its longer words with the stem."""
    stem = select_content_words(split_words(item.stem))
    return find_highest([compute_overlap(select_content_words(split_words(option)), stem) for option in item.options])


def find_text_overlap(item: Wording) -> int | None:
    """The option with the largest part of its longer words from the text."""
    words, _row = split_text_words(item.text)
    return find_highest([compute_overlap(select_content_words(split_words(option)), words) for option in item.options])


def compute_overlap(words: set[str], others: Iterable[str]) -> float:
    return len(words & set(others)) / len(words) if words else 0.0


def find_copied(item: Wording) -> int | None:
    """The only option that occurs in the text word for word, with at least two words."""
    _words, row = split_text_words(item.text)
    phrases = [split_words(option) for option in item.options]
    return find_only([len(phrase) > 1 and f" {' '.join(phrase)} " in row for phrase in phrases])


def find_number(item: Wording) -> int | None:
    return find_only([bool(NUMBER.search(option)) for option in item.options])


def find_article(item: Wording) -> int | None:
    """The only option that starts with an article."""
    known = ARTICLES.get(item.language, set())
    return find_only([split_words(option)[:1] != [] and split_words(option)[0] in known for option in item.options])


def find_absolute(item: Wording) -> int | None:
    return find_only_with(item, ABSOLUTE)


def find_negation(item: Wording) -> int | None:
    return find_only_with(item, NEGATION)


def find_only_with(item: Wording, lists: Mapping[str, set[str]]) -> int | None:
    known = lists.get(item.language, set())
    return find_only([not known.isdisjoint(split_words(option)) for option in item.options])


def find_odd_form(item: Wording) -> int | None:
    """The only option that differs from all others in its first letter's case, or in ending like a sentence."""
    for feature in (lambda option: option[:1].isupper(), lambda option: bool(ENDS.search(option.rstrip()))):
        marks = [feature(option.lstrip()) for option in item.options]
        found = find_only(marks) if len(marks) > 2 else None
        if found is None and len(marks) > 2:
            found = find_only([not mark for mark in marks])
        if found is not None:
            return found
    return None


def find_agreeing(item: Wording) -> int | None:
    """The only option that fits "a" or "an" before the gap or at the end of an English stem, by its first letter."""
    if item.language != "en":
        return None
    before = split_words(GAP.split(item.stem)[0])[-1:]
    if before not in (["a"], ["an"]):
        return None
    starts = [split_words(option)[:1] for option in item.options]
    return find_only([bool(start) and (start[0][0] in "aeiou") == (before == ["an"]) for start in starts])


CUES: dict[str, Callable[[Wording], int | None]] = {
    "longest": find_longest,
    "copied": find_copied,
    "text_overlap": find_text_overlap,
    "stem_overlap": find_stem_overlap,
    "article": find_article,
    "number": find_number,
    "agreement": find_agreeing,
    "form": find_odd_form,
    "absolute": find_absolute,
    "negation": find_negation,
}


def find_cues(item: Wording) -> list[Finding]:
    """Every cue by which exactly one option of the item stands out; none for open items and single options."""
    found = [(name, cue(item)) for name, cue in CUES.items()] if len(item.options) > 1 else []
    return [Finding(name, place, item.keys[place]) for name, place in found if place is not None]


def find_near_duplicates(item: Wording) -> list[tuple[int, int]]:
    """Pairs of options that are nearly the same words."""
    plain = [" ".join(split_words(option)) for option in item.options]
    return [
        (one, other)
        for other in range(len(plain))
        for one in range(other)
        if plain[one] and SequenceMatcher(None, plain[one], plain[other]).ratio() >= ALIKE
    ]


def is_negated(item: Wording) -> bool:
    """Whether the stem contains a negation, which is often overlooked."""
    return not NEGATION.get(item.language, set()).isdisjoint(split_words(item.stem))


@dataclass(frozen=True)
class CueCount:
    """Items in which an option stands out by a cue, those in which it is a key, and how many of these are expected if
    the cue is unrelated to the keys (the sum of each item's share of keys)."""

    n: int
    n_keys: int
    expected: float


def count_cues(items: Iterable[Wording]) -> dict[str, CueCount]:
    counts = {name: [0, 0, 0.0] for name in CUES}
    for item in items:
        for found in find_cues(item):
            counted = counts[found.cue]
            counted[0] += 1
            counted[1] += found.is_key
            counted[2] += sum(item.keys) / len(item.keys)
    return {name: CueCount(int(n), int(keys), expected) for name, (n, keys, expected) in counts.items()}
