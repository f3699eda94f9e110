"""Text-clustered intervals of correlations: over all rows, within texts, and of generators' means.

Every replicate recomputes means, ranks and generators' means; for Pearson's r, sums per text are enough. The value of a
replicate is NaN if it has fewer rows (or generators) than a correlation needs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from analysis.measures.correlations import (
    FEWEST,
    KENDALL,
    PEARSON,
    SPEARMAN,
    Correlation,
    divide_by_root,
    moments,
    pearson_of,
    round_means,
    row_correlations,
    text_correlations,
)
from analysis.measures.distributions import normal_quantile
from analysis.measures.intervals import (
    CELLS,
    LEVEL,
    NO_SPREAD,
    Bounds,
    Interval,
    Statistic,
    cluster_interval,
    clustered_mean,
    undefined_interval,
)
from analysis.measures.types import FloatArray, IntArray, gettext_noop

BOUNDS = (-1.0, 1.0)
FISHER, ITEM = "fisher-z", "item"
TOO_FEW_FOR_Z = gettext_noop("An interval by Fisher's z needs at least four rows, for Kendall's τ five.")
PERFECT = gettext_noop("A correlation of 1 or −1 has no interval by Fisher's z.")


def clustered_correlation(
    x: FloatArray,
    y: FloatArray,
    text: IntArray,
    coefficient: str = PEARSON,
    *,
    seed: int,
    method: str = "",
    bounds: Bounds = BOUNDS,
) -> Interval:
    """Interval of `correlations.correlation`; x, y: (n,) numbers, NaN where missing; text: (n,) whole numbers.

    bounds: to which a jackknife interval is clipped; `p_of_zero` needs the unclipped one.

    Kendall's τ-b compares every two rows once, in blocks: time grows with n².
    """
    both = ~(np.isnan(x) | np.isnan(y))
    texts, groups = np.unique(text[both], return_inverse=True)
    counts = np.bincount(groups, minlength=len(texts))
    figure = _STATISTICS[coefficient](x[both], y[both], groups, len(texts))

    def statistic(weights: FloatArray) -> FloatArray:
        return np.where(weights @ counts >= FEWEST, figure(weights), np.nan)

    return cluster_interval(statistic, len(texts), int(both.sum()), bounds=bounds, seed=seed, method=method)


def clustered_within(
    x: FloatArray,
    y: FloatArray,
    text: IntArray,
    coefficient: str = PEARSON,
    *,
    seed: int,
    method: str = "",
    bounds: Bounds = BOUNDS,
) -> Interval:
    """Interval of `correlations.within_texts`, over the texts that have a correlation."""
    both = ~(np.isnan(x) | np.isnan(y))
    r, n = text_correlations(x[both], y[both], text[both], coefficient)
    return clustered_mean(r * n, n, bounds=bounds, seed=seed, method=method)


def clustered_by_generator(
    x: FloatArray,
    y: FloatArray,
    text: IntArray,
    generator: IntArray,
    coefficient: str = PEARSON,
    *,
    seed: int,
    method: str = "",
    bounds: Bounds = BOUNDS,
) -> Interval:
    """Interval of `correlations.by_generator`: texts are drawn, generators stay, their means are recomputed."""
    both = ~(np.isnan(x) | np.isnan(y))
    texts, groups = np.unique(text[both], return_inverse=True)
    generators, code = np.unique(generator[both], return_inverse=True)
    cell, size = groups * len(generators) + code, len(texts) * len(generators)
    sums = [
        np.bincount(cell, weights=column, minlength=size).reshape(len(texts), len(generators))
        for column in (x[both], y[both], np.ones(int(both.sum())))
    ]

    def statistic(weights: FloatArray) -> FloatArray:
        n = weights @ sums[2]
        n = np.where(n > 0, n, np.nan)
        if len(generators) < FEWEST:
            return np.full(len(weights), np.nan)
        return row_correlations(round_means(weights @ sums[0] / n), round_means(weights @ sums[1] / n), coefficient)

    return cluster_interval(statistic, len(texts), int(both.sum()), bounds=bounds, seed=seed, method=method)


def independent_correlation(found: Correlation, coefficient: str = PEARSON, *, unit: str = ITEM) -> Interval:
    """Interval of a correlation of independent rows by Fisher's z (the published convention).

    Squared standard errors of z: Pearson 1 / (n - 3) (Fisher 1921), Spearman (1 + r²/2) / (n - 3) (Bonett & Wright
    2000), Kendall .437 / (n - 4) (Fieller et al. 1957). Undefined where that is not positive, and for r of -1 or 1.
    """
    about = (unit, found.n, found.n, None)
    left = found.n - (4 if coefficient == KENDALL else 3)
    if math.isnan(found.r):
        return undefined_interval(FISHER, about, found.reason)
    if left <= 0:
        return undefined_interval(FISHER, about, TOO_FEW_FOR_Z)
    if abs(found.r) > 1 - NO_SPREAD:
        return undefined_interval(FISHER, about, PERFECT)
    scale = {PEARSON: 1.0, SPEARMAN: 1 + found.r**2 / 2, KENDALL: 0.437}[coefficient]
    reach = float(normal_quantile((1 + LEVEL) / 2)) * math.sqrt(scale / left)
    low, high = (math.tanh(math.atanh(found.r) + side * reach) for side in (-1, 1))
    return Interval(low, high, FISHER, *about[:3], 0, None)


def _pearson(x: FloatArray, y: FloatArray, groups: IntArray, n_groups: int) -> Statistic:
    """Pearson's r from six sums per text; numbers are centered first, which avoids rounding errors."""
    parts = moments(x - x.mean(), y - y.mean()) if len(x) else moments(x, y)
    sums = np.stack([np.bincount(groups, weights=part, minlength=n_groups) for part in parts], axis=1)
    return lambda weights: pearson_of(weights @ sums)


def _spearman(x: FloatArray, y: FloatArray, groups: IntArray, n_groups: int) -> Statistic:
    """Spearman's ρ: mean ranks are counted afresh in every replicate, from how often each value is drawn."""
    ranks_x, ranks_y = _Ranks(x), _Ranks(y)
    rows = max(1, CELLS // max(1, len(x)))

    def of_block(weights: FloatArray) -> FloatArray:
        n = weights[:, groups]
        (at_x, spread_x), (at_y, spread_y) = ranks_x.of(n), ranks_y.of(n)
        return divide_by_root(np.einsum("bn,bn,bn->b", n, at_x, at_y), spread_x, spread_y)

    def statistic(weights: FloatArray) -> FloatArray:
        if not len(x):
            return np.full(len(weights), np.nan)
        return np.concatenate([of_block(weights[at : at + rows]) for at in range(0, len(weights), rows)])

    return statistic


class _Ranks:
    """A column whose rows are ranked in each replicate."""

    def __init__(self, column: FloatArray) -> None:
        self.order = np.argsort(column, kind="stable")
        values, self.code = np.unique(column, return_inverse=True)
        self.starts = np.searchsorted(column[self.order], values)

    def of(self, n: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The centered ranks of the rows in each replicate, (b, n), and the sums of their squares, (b,).

        n: (b, n) how often each row is drawn. Equal values have their mean rank.
        """
        drawn = np.add.reduceat(n[:, self.order], self.starts, axis=1)
        upto = np.cumsum(drawn, axis=1)
        ranks = upto - drawn / 2 - upto[:, -1:] / 2
        return ranks[:, self.code], np.einsum("bv,bv,bv->b", drawn, ranks, ranks)


def _kendall(x: FloatArray, y: FloatArray, groups: IntArray, n_groups: int) -> Statistic:
    """Kendall's τ-b from three tables (texts, texts) of numbers of pairs of rows, by the texts of the two rows.

    They count concordant minus discordant pairs, pairs that differ in x, and pairs that differ in y.
    """
    order = np.argsort(groups, kind="stable")
    x, y, groups = x[order], y[order], groups[order]
    starts = np.searchsorted(groups, np.arange(n_groups))
    tables = np.zeros((3, n_groups, n_groups))
    rows = max(1, CELLS // max(1, len(x)))
    for at in range(0, len(x), rows):
        part = slice(at, at + rows)
        here, firsts = np.unique(groups[part], return_index=True)
        sign_x, sign_y = (_signs(column[part, None], column[None, :]) for column in (x, y))
        for table, signs in zip(tables, (sign_x * sign_y, np.abs(sign_x), np.abs(sign_y)), strict=True):
            by_text = np.add.reduceat(signs, starts, axis=1, dtype=np.int32)
            table[here] += np.add.reduceat(by_text, firsts, axis=0)

    def statistic(weights: FloatArray) -> FloatArray:
        return divide_by_root(*(((weights @ table) * weights).sum(axis=1) for table in tables))

    return statistic


def _signs(one: FloatArray, other: FloatArray) -> Any:
    """-1, 0 or 1 of every difference, in one byte each: there are n² of them."""
    return np.subtract(one > other, one < other, dtype=np.int8)


_STATISTICS = {PEARSON: _pearson, SPEARMAN: _spearman, KENDALL: _kendall}
