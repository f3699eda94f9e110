"""How long and how hard to read a text is."""

from collections.abc import Sequence

from evaluation.metrics.words import n_sentences, n_syllables, words_of

LONG = 6  # letters; a longer word is a long one


def lix(text: str) -> float:
    """LIX (Björnsson 1968): words a sentence + percentage of words of more than six letters; higher is harder."""
    words = words_of(text)
    return len(words) / n_sentences(text) + 100 * sum(len(word) > LONG for word in words) / len(words)


def flesch(text: str) -> float:
    """Flesch Reading Ease (1948), English: 206.835 − 1.015 · words a sentence − 84.6 · syllables a word."""
    words, syllables = _means(text, "en")
    return 206.835 - 1.015 * words - 84.6 * syllables


def amstad(text: str) -> float:
    """The Flesch formula for German (Amstad 1978): 180 − words a sentence − 58.5 · syllables a word."""
    words, syllables = _means(text, "de")
    return 180 - words - 58.5 * syllables


def _means(text: str, language: str) -> tuple[float, float]:
    words: Sequence[str] = words_of(text)
    return len(words) / n_sentences(text), sum(n_syllables(word, language) for word in words) / len(words)
