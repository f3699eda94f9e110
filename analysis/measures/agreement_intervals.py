"""Intervals of a mean of pairwise kappas: texts resampled (the default), or judged units (as published)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from analysis.measures.agreement import judgments_compared, kappa_of_sums, pair_tables, sharing
from analysis.measures.intervals import (
    CELLS,
    JUDGMENT,
    NO_JUDGMENT,
    PERCENTILE,
    Interval,
    Statistic,
    clustered,
    resampled,
    undefined,
)
from analysis.measures.types import FloatArray, IntArray

KAPPA_BOUNDS = (-1.0, 1.0)


def mean_kappa(
    ratings: IntArray, categories: int, pairs: IntArray, groups: IntArray, n_groups: int, *, weighted: bool = True
) -> Statistic:
    """Mean Cohen's κ over defined pairs as a function of the weights of groups of units, such as texts.

    Arguments as in `pair_tables`; weights (b, n_groups) give (b,). A replicate weighs each pair's tables and adds them
    up, so no judgment is looked at twice; a pair undefined in a replicate is left out of that one. weighted: by the
    judgments that a pair shares in the replicate.
    """
    pairs = sharing(ratings, pairs)
    size = max(1, CELLS // max(1, n_groups * categories**2))
    blocks = [pairs[start : start + size] for start in range(0, len(pairs), size)]

    @lru_cache(maxsize=1)  # one block is kept; where several are needed, they do not fit together
    def sums(block: int) -> _Sums:
        return _Sums.of(pair_tables(ratings, categories, blocks[block], groups, n_groups))

    def statistic(weights: FloatArray) -> FloatArray:
        added = sum((sums(block).added(weights, weighted) for block in range(len(blocks))), np.zeros((2, len(weights))))
        with np.errstate(invalid="ignore"):
            return np.asarray(added[0] / np.where(added[1] > 0, added[1], np.nan))

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
    if not compared.any():
        return undefined(PERCENTILE, (JUDGMENT, 0, 0, seed), NO_JUDGMENT)
    raters, local = np.unique(pairs, return_inverse=True)
    units = ratings[np.ix_(raters, np.flatnonzero(compared.any(axis=0)))]
    kinds, counts = np.unique(units, axis=1, return_counts=True)
    each = np.arange(kinds.shape[1])
    statistic = mean_kappa(kinds, categories, local.reshape(pairs.shape), each, len(each), weighted=weighted)
    return resampled(statistic, counts.astype(np.int64), int(compared.sum()), seed=seed)


@dataclass(frozen=True)
class _Sums:
    """What κ needs of the tables of a block of pairs: (groups, p) units and agreements, (c, groups, p) marginals.

    used: the groups in which some pair of the block judged; the others are not there.
    """

    used: IntArray | slice
    n: FloatArray
    agreed: FloatArray
    first: FloatArray
    second: FloatArray

    @classmethod
    def of(cls, tables: FloatArray) -> _Sums:
        """From (groups, p, c, c) counts; each part in one piece of memory, as it is multiplied ten thousand times."""
        some = tables.any(axis=(1, 2, 3))
        used = slice(None) if some.all() else np.flatnonzero(some)
        first, second = (np.ascontiguousarray(np.moveaxis(tables[used].sum(axis=axis), -1, 0)) for axis in (3, 2))
        return cls(used, first.sum(axis=0), np.trace(tables[used], axis1=2, axis2=3), first, second)

    def added(self, weights: FloatArray, weighted: bool) -> FloatArray:
        """(2, b): per replicate the weighted sum of the defined κ and the sum of the weights, in blocks of rows."""
        rows = max(1, CELLS // max(1, self.n.shape[1]))
        parts = [
            self._added(weights[start : start + rows, self.used], weighted) for start in range(0, len(weights), rows)
        ]
        return np.concatenate(parts, axis=1)

    def _added(self, weights: FloatArray, weighted: bool) -> FloatArray:
        n, by_chance = weights @ self.n, np.zeros((len(weights), self.n.shape[1]))
        for first, second in zip(self.first, self.second, strict=True):
            by_chance += (weights @ first) * (weights @ second)
        kappa = kappa_of_sums(n, weights @ self.agreed, by_chance)
        defined = ~np.isnan(kappa)
        weight = np.where(defined, n if weighted else 1.0, 0.0)
        return np.stack([np.where(defined, kappa * weight, 0.0).sum(axis=1), weight.sum(axis=1)])
