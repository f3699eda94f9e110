"""Cloze items: a sentence of the text with a gap, and distractors of the same kind from the rest of the text."""

from collections import Counter
from dataclasses import dataclass

from generation.rules.sentences import is_usable, sentences_of
from generation.rules.words import (
    DECIMAL_KIND,
    NAME,
    NOUN,
    NUMBER_WORD,
    PLAIN,
    WHOLE_KIND,
    YEAR_KIND,
    Word,
    plain_words,
    words_of,
)

GAP = "___"
WORTH = {NAME: 4.0, WHOLE_KIND: 4.0, YEAR_KIND: 4.0, DECIMAL_KIND: 4.0, NUMBER_WORD: 3.5, NOUN: 3.0, PLAIN: 1.0}
BEST_LENGTH = 16  # words of a sentence; far from it a gap is either unclear or given away


@dataclass(frozen=True)
class Cloze:
    """A gapped sentence; the options stand in alphabetical or numerical order, so that their place tells nothing."""

    stem: str
    options: tuple[str, ...]
    key: str
    sentence: str
    score: float


@dataclass(frozen=True)
class _Gap:
    sentence: str
    number: int
    word: Word


def cloze_items(text: str, language: str, n_items: int, n_options: int) -> list[Cloze]:
    """The best, each from another sentence and with another key; fewer if the text does not carry so many."""
    gaps = _gaps(text, language)
    pool = _pool(gaps)
    scored = [(_score(gap, pool), gap) for gap in gaps]
    chosen: list[Cloze] = []
    sentences: set[str] = set()
    keys: set[str] = set()
    for score, gap in sorted(scored, key=lambda pair: (-pair[0], pair[1].number, pair[1].word.start)):
        if len(chosen) == n_items:
            break
        if gap.sentence in sentences or gap.word.text.casefold() in keys:
            continue
        if item := _item(gap, pool, n_options - 1, score):
            chosen.append(item)
            sentences.add(gap.sentence)
            keys.add(gap.word.text.casefold())
    return chosen


def _gaps(text: str, language: str) -> list[_Gap]:
    found = []
    for number, sentence in enumerate(sentences_of(text, language)):
        if not is_usable(sentence):
            continue
        words = words_of(sentence, language)
        counts = Counter(word.text.casefold() for word in words)
        found += [_Gap(sentence, number, word) for word in words if counts[word.text.casefold()] == 1]
    return found


def _pool(gaps: list[_Gap]) -> dict[str, list[Word]]:
    """By kind, every word in the order in which the text first has it."""
    pool: dict[str, dict[str, Word]] = {}
    for gap in gaps:
        pool.setdefault(gap.word.kind, {}).setdefault(gap.word.text.casefold(), gap.word)
    return {kind: list(words.values()) for kind, words in pool.items()}


def _score(gap: _Gap, pool: dict[str, list[Word]]) -> float:
    """Names and numbers before nouns before other words; sentences of middle length; many words to choose from."""
    length = len(gap.sentence.split())
    n_alike = sum(word.ending == gap.word.ending for word in pool[gap.word.kind])
    long_word = min(len(gap.word.text), 12) / 12
    return round(WORTH[gap.word.kind] - abs(length - BEST_LENGTH) / 8 + min(n_alike, 8) / 8 + long_word, 4)


def _item(gap: _Gap, pool: dict[str, list[Word]], n_distractors: int, score: float) -> Cloze | None:
    """None if the text has too few words of the kind."""
    distractors = _distractors(gap, pool[gap.word.kind], n_distractors)
    if len(distractors) < n_distractors:
        return None
    options = sorted([gap.word.text, *distractors], key=_order)
    stem = gap.sentence[: gap.word.start] + GAP + gap.sentence[gap.word.end :]
    return Cloze(stem, tuple(options), gap.word.text, gap.sentence, score)


def _distractors(gap: _Gap, candidates: list[Word], n: int) -> list[str]:
    """The likest ones that neither stand in the sentence nor are a form of one another."""
    within = plain_words(gap.sentence)
    ranked = sorted(enumerate(candidates), key=lambda pair: (-_likeness(gap.word, pair[1]), pair[0]))
    chosen: list[Word] = []
    for _place, word in ranked:
        is_new = not any(_same_root(word, other) for other in [gap.word, *chosen])
        if len(chosen) < n and is_new and not (plain_words(word.text) & within):
            chosen.append(word)
    return [word.text for word in chosen]


def _likeness(one: Word, other: Word) -> float:
    """After the same word (in German mostly: of the same gender and case), with the same ending, about as long."""
    same = 2.0 * (one.before == other.before) + 1.5 * (one.ending == other.ending)
    return same - abs(len(one.text) - len(other.text)) / 5


def _same_root(one: Word, other: Word) -> bool:
    """Forms of one word share its beginning; numbers are what they are."""
    first, second = one.text.casefold(), other.text.casefold()
    if one.is_number:
        return first == second
    shared = min(len(first), len(second), 5)
    return first[:shared] == second[:shared] or bool(plain_words(first) & plain_words(second))


def _order(option: str) -> tuple[float, str, str]:
    digits = option.replace(".", "").replace(",", "").replace(":", "")
    return (float(digits) if digits.isdigit() else 0.0, option.casefold(), option)
