"""Which scores a second round asks again, by three rules. Pure functions, without Django.

(a) one annotator scored items of one text with the same wording differently; (b) a score is at least 2 away from every
other, and the others, at least two, agree; (c) three or more scores are all different.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

RULES = ("a", "b", "c")
FAR = 2


@dataclass(frozen=True)
class Score:
    """One score of the first round. `text` and `item`: ids of any type; `wording`: the stem as it was shown."""

    annotator: str
    text: str
    item: str
    question: str
    wording: str
    value: int


@dataclass(frozen=True)
class Flag:
    """One score to be asked again, and why; `others`: the other annotators' scores, in rising order."""

    annotator: str
    item: str
    question: str
    rule: str
    score: int
    others: tuple[int, ...]


def normalize_wording(stem: str) -> str:
    """A stem without differences in case, spacing, and final punctuation."""
    plain = " ".join(unicodedata.normalize("NFC", stem).casefold().split())
    while plain and (plain[-1].isspace() or unicodedata.category(plain[-1]).startswith("P")):
        plain = plain[:-1]
    return plain


def make_wording_key(stem: str, *, is_exact: bool) -> str:
    """The key that stems of the same wording share: the stem itself, or `normalize_wording`."""
    return stem if is_exact else normalize_wording(stem)


def list_flags(scores: Iterable[Score], rules: Collection[str] = RULES, *, is_exact: bool = False) -> list[Flag]:
    """Every score that one of the rules flags, by annotator, item and question; one flag for each rule.

    is_exact: whether rule (a) compares wordings letter for letter.
    """
    scores = list(scores)
    cells: dict[tuple[str, str], list[Score]] = defaultdict(list)
    for score in scores:
        cells[score.item, score.question].append(score)
    found = flag_uneven_wordings(scores, cells, is_exact=is_exact) if "a" in rules else []
    for given in cells.values():
        for place, score in enumerate(given):
            others = list_others(score, given)
            if "b" in rules and is_alone(score.value, others):
                found.append(flag("b", given[place], others))
            if "c" in rules and len(given) >= 3 and len({each.value for each in given}) == len(given):
                found.append(flag("c", given[place], others))
    return sorted(found, key=lambda each: (each.annotator, each.item, each.question, each.rule))


def flag_uneven_wordings(
    scores: Iterable[Score], cells: dict[tuple[str, str], list[Score]], *, is_exact: bool
) -> list[Flag]:
    """Rule (a): all scores of one annotator on one wording of a text and one question, if they differ."""
    alike: dict[tuple[str, str, str, str], list[Score]] = defaultdict(list)
    for score in scores:
        alike[score.annotator, score.text, score.question, make_wording_key(score.wording, is_exact=is_exact)].append(
            score
        )
    uneven = [group for group in alike.values() if len({score.value for score in group}) > 1]
    return [
        flag("a", score, list_others(score, cells[score.item, score.question])) for group in uneven for score in group
    ]


def is_alone(value: int, others: Collection[int]) -> bool:
    """Whether rule (b) applies; it needs two other scores that agree."""
    return len(others) >= 2 and len(set(others)) == 1 and all(abs(value - other) >= FAR for other in others)


def list_others(score: Score, given: Iterable[Score]) -> tuple[int, ...]:
    return tuple(sorted(each.value for each in given if each.annotator != score.annotator))


def flag(rule: str, score: Score, others: tuple[int, ...]) -> Flag:
    return Flag(score.annotator, score.item, score.question, rule, score.value, others)
