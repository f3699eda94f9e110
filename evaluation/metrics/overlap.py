"""How much of a question stands in its text, and how much of its answer stands in the question."""

from collections.abc import Collection, Sequence

from evaluation.baselines import plain, similarity


def exact_overlap(words: Sequence[str], text: Collection[str]) -> float:
    """The share of the question's words that occur in the text, in [0, 1]; each word as often as it stands there."""
    return sum(word in text for word in words) / len(words)


def fuzzy_overlap(question: str, text: str) -> float:
    """1 − normalised edit distance of the question to its nearest substring of the text, in [0, 1]."""
    return similarity(plain(question), plain(text))


def answer_overlap(answer: Sequence[str], question: Collection[str]) -> float:
    """The share of the answer's words that occur in the question: what it gives away, in [0, 1]."""
    return sum(word in question for word in answer) / len(answer)
