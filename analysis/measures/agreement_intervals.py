"""Intervals of a mean of pairwise kappas: texts resampled (the default), or judged units (as published)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from analysis.measures.agreement import cohen_kappa, judgments_compared, pair_tables
from analysis.measures.intervals import CELLS, Interval, Statistic, clustered, resampled
from analysis.measures.types import FloatArray, IntArray

KAPPA_BOUNDS = (-1.0, 1.0)


def mean_kappa(
    ratings: IntArray, categories: int, pairs: IntArray, groups: IntArray, n_groups: int, *, weighted: bool = True
) -> Statistic:
    """Mean Cohen's κ over defined pairs as a function of the weights of groups of units, such as texts.

    Arguments as in `pair_tables`; weights (b, n_groups) give (b,). A replicate weighs each pair's tables and adds them up,
    so no judgment is looked at twice; a pair undefined in a replicate is left out of that one. weighted: by the judgments
    that a pair shares in the replicate.
    """
    size = max(1, CELLS // (n_groups * categories**2))
    blocks = [pairs[start : start + size] for start in range(0, len(pairs), size)]

    @lru_cache(maxsize=1)  # one block is kept; where several are needed, they do not fit together
    def tables(block: int) -> FloatArray:
        return pair_tables(ratings, categories, blocks[block], groups, n_groups).reshape(n_groups, -1)

    def statistic(weights: FloatArray) -> FloatArray:
        sums = np.zeros((len(weights), 2))
        for block in range(len(blocks)):
            sums += _weighted_sums(weights, tables(block), categories, weighted)
        with np.errstate(invalid="ignore"):
            return np.asarray(sums[:, 0] / np.where(sums[:, 1] > 0, sums[:, 1], np.nan))

    return statistic


def clustered_kappa(
    ratings: IntArray, categories: int, pairs: IntArray, text: IntArray, *, seed: int, weighted: bool = True
) -> Interval:
    """Text-clustered interval of the mean κ over `pairs`, -1 to 1; text: (units,), any whole numbers.

    A text counts if two raters of a pair judged the same unit of it; n_responses are the judgments that this holds for.
    """
    compared = judgments_compared(ratings, pairs)
    entering = compared.any(axis=0)
    texts, groups = np.unique(text[entering], return_inverse=True)
    statistic = mean_kappa(ratings[:, entering], categories, pairs, groups, len(texts), weighted=weighted)
    return clustered(statistic, len(texts), int(compared.sum()), bounds=KAPPA_BOUNDS, seed=seed)


def published_kappa(
    ratings: IntArray, categories: int, pairs: IntArray, *, seed: int, weighted: bool = True
) -> Interval:
    """Interval of the mean κ over `pairs` with judged units resampled, each with all its raters' judgments.

    Units that were judged alike by everybody are one kind, so that a draw is a few multinomial counts.
    """
    compared = judgments_compared(ratings, pairs)
    raters, local = np.unique(pairs, return_inverse=True)
    units = ratings[np.ix_(raters, np.flatnonzero(compared.any(axis=0)))]
    kinds, counts = np.unique(units, axis=1, return_counts=True)
    each = np.arange(kinds.shape[1])
    statistic = mean_kappa(kinds, categories, local.reshape(pairs.shape), each, len(each), weighted=weighted)
    return resampled(statistic, counts.astype(np.int64), int(compared.sum()), seed=seed)


def _weighted_sums(weights: FloatArray, tables: FloatArray, categories: int, weighted: bool) -> FloatArray:
    """(b, 2): per replicate the weighted sum of the defined κ and the sum of the weights, in blocks of bounded size."""
    sums = np.empty((len(weights), 2))
    rows = max(1, CELLS // max(1, tables.shape[1]))
    for start in range(0, len(weights), rows):
        drawn = (weights[start : start + rows] @ tables).reshape(
            -1, tables.shape[1] // categories**2, categories, categories
        )
        kappa = cohen_kappa(drawn)
        weight = np.where(np.isnan(kappa), 0.0, drawn.sum(axis=(2, 3)) if weighted else 1.0)
        sums[start : start + rows, 0] = (np.nan_to_num(kappa) * weight).sum(axis=1)
        sums[start : start + rows, 1] = weight.sum(axis=1)
    return sums
