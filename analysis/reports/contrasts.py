"""Two generators side by side: the difference of their informativity, recomputed inside every replicate."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.measures.intervals import Interval, clustered
from analysis.reports.answers import GUESS, READ
from analysis.reports.estimates import Counts, counts_of

# Of each generator: right and n with the text, right and n without.
Columns = np.ndarray


@dataclass(frozen=True)
class Contrast:
    """Informativity of `less` minus that of `more`, with its text-clustered interval."""

    less: str
    more: str
    value: float
    interval: Interval
    n_texts: int


def contrast(judgments: pd.DataFrame, less: str, more: str, seed: int) -> Contrast:
    """All judgments of one evaluator; a text counts if it has a judgment about either generator's items."""
    texts = pd.Index(judgments[judgments["generator"].isin([less, more])]["text_id"].unique())
    sums = np.concatenate([sums_of(judgments, name, texts) for name in (less, more)], axis=1)

    def statistic(weights: np.ndarray) -> np.ndarray:
        return informativities(weights @ sums[:, :4]) - informativities(weights @ sums[:, 4:])

    n = int(sums[:, 1::2].sum())
    interval = clustered(statistic, len(texts), n, bounds=(-2.0, 2.0), seed=seed)
    value = float(statistic(np.ones((1, len(texts))))[0])
    return Contrast(less, more, value, interval, len(texts))


def sums_of(judgments: pd.DataFrame, generator: str, texts: pd.Index) -> np.ndarray:
    """(texts, 4): right and n with the text, right and n without."""
    mine = judgments[judgments["generator"] == generator]
    read, guess = (counts_of(mine[mine["stage"] == stage], texts) for stage in (READ, GUESS))
    return np.stack([*columns(read), *columns(guess)], axis=1).astype(np.float64)


def columns(counts: Counts) -> tuple[np.ndarray, np.ndarray]:
    return counts.right, counts.n


def informativities(sums: np.ndarray) -> np.ndarray:
    """(b, 4) sums to (b,) answerability minus guessability; NaN where a stage has no judgment."""
    n = np.where(sums[:, 1::2] > 0, sums[:, 1::2], np.nan)
    shares = sums[:, 0::2] / n
    return np.asarray(shares[:, 0] - shares[:, 1])
