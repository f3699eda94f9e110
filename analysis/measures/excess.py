"""By how much judgments say "correct" too often, overall and where something about an option draws them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analysis.measures.intervals import Interval, clustered
from analysis.measures.types import BoolArray, FloatArray, IntArray

RANGE = (-1.0, 1.0)
DIFFERENCE = (-2.0, 2.0)


@dataclass(frozen=True)
class Excess:
    """value: NaN where undefined. n: judgments with the mark, or all of them."""

    value: float
    interval: Interval
    n: int


def excess(ticked: BoolArray, key: BoolArray, text: IntArray, *, seed: int) -> Excess:
    """Share ticked less share of keys, -1 to 1: above 0 a yes-bias. (n,) judgments of options; text: (n,) numbers."""
    texts, groups = np.unique(text, return_inverse=True)
    over = ticked.astype(np.float64) - key
    sums = np.stack([_sums(over, groups, len(texts)), _sums(np.ones(len(over)), groups, len(texts))], axis=1)

    def statistic(drawn: FloatArray) -> FloatArray:
        above, n = (drawn @ sums).T
        return np.asarray(above / np.where(n > 0, n, np.nan))

    value = float(over.mean()) if len(over) else math.nan
    return Excess(value, clustered(statistic, len(texts), len(over), bounds=RANGE, seed=seed), len(over))


def excess_where(ticked: BoolArray, key: BoolArray, marked: BoolArray, text: IntArray, *, seed: int) -> Excess:
    """The excess among marked options less that among the others, -2 to 2; NaN if there are none of one kind.

    Keys are taken off option by option, so that a mark that keys have more often is no bias by itself.
    """
    texts, groups = np.unique(text, return_inverse=True)
    over, k = ticked.astype(np.float64) - key, len(texts)
    columns = [over * marked, marked, over * ~marked, ~marked]
    sums = np.stack([_sums(column.astype(np.float64), groups, k) for column in columns], axis=1)

    def statistic(drawn: FloatArray) -> FloatArray:
        inside, n_inside, outside, n_outside = (drawn @ sums).T
        with np.errstate(invalid="ignore"):
            return np.asarray(
                inside / np.where(n_inside > 0, n_inside, np.nan) - outside / np.where(n_outside > 0, n_outside, np.nan)
            )

    value = float(statistic(np.ones((1, k)))[0]) if k else math.nan
    return Excess(value, clustered(statistic, k, len(over), bounds=DIFFERENCE, seed=seed), int(marked.sum()))


def _sums(values: FloatArray, groups: IntArray, k: int) -> FloatArray:
    return np.bincount(groups, weights=values, minlength=k).astype(np.float64)
