"""Accuracy from counts: a share is one division of whole numbers, so equal counts give equal figures to the digit."""

from __future__ import annotations

import math

import numpy as np

from analysis.measures.types import BoolArray, IntArray


def tally(right: BoolArray, text: IntArray, texts: int) -> tuple[IntArray, IntArray]:
    """Right judgments and all judgments per text.

    right: (n,), whether each judgment was right. text: (n,), codes 0 to texts - 1. Gives two arrays (texts,) of
    counts; a text without judgments has 0 and 0. Their sums are the counts of the whole.
    """
    n = np.bincount(text, minlength=texts)
    return np.bincount(text[right], minlength=texts).astype(np.int64), n.astype(np.int64)


def share(right: int, n: int) -> float:
    """Right of n judgments, 0 to 1; NaN where n is 0. Counts are pooled first: a mean of shares is another figure."""
    return int(right) / int(n) if n else math.nan


def informativity(read_right: int, read_n: int, guess_right: int, guess_n: int) -> float:
    """Answerability minus guessability, -1 to 1 (Säuberli & Clematide 2024); NaN where either has no judgment."""
    return share(read_right, read_n) - share(guess_right, guess_n)
