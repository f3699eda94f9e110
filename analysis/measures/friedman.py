"""Friedman's test of treatments over blocks, and Nemenyi's comparison of their mean ranks (Demšar 2006).

scores: (blocks, treatments), complete. A block is a question that every dimension scored, or a data set that every
method ran on. Ties within a block share their mean rank.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from analysis.measures.intervals import LEVEL
from analysis.measures.types import FloatArray, gettext_noop

TOO_SMALL = gettext_noop("A comparison of ranks needs at least two blocks and three columns.")
ALL_TIED = gettext_noop("In every block all scores are equal, so there are no ranks to compare.")


@dataclass(frozen=True)
class Friedman:
    """mean_ranks: (k,), 1 is best where higher is better. chi2: without correction for ties (as in Demšar 2006).

    chi2_ties: corrected for ties (what scipy prints), p its p-value. iman_davenport: F from the uncorrected χ², with
    its p. critical_difference: of two mean ranks at 5 %. n: blocks. NaN where undefined, and `reason` says why.
    """

    mean_ranks: FloatArray
    chi2: float
    chi2_ties: float
    p: float
    iman_davenport: float
    iman_davenport_p: float
    critical_difference: float
    n: int
    reason: str = ""


def friedman(scores: FloatArray, *, higher_is_better: bool = True) -> Friedman:
    """Friedman's (1937) χ² and Iman & Davenport's (1980) F of mean ranks; blocks with a missing score are left out."""
    complete = scores[~np.isnan(scores).any(axis=1)]
    n, k = complete.shape
    if n < 2 or k < 3:
        return _make_undefined(np.full(k, np.nan), n, TOO_SMALL)
    ranks = block_ranks(complete, higher_is_better=higher_is_better)
    means = ranks.mean(axis=0)
    chi2 = 12 * n / (k * (k + 1)) * float(((means - (k + 1) / 2) ** 2).sum())
    spread = float(((ranks - (k + 1) / 2) ** 2).sum())
    if spread == 0:
        return _make_undefined(means, n, ALL_TIED)
    corrected = n**2 * (k - 1) * float(((means - (k + 1) / 2) ** 2).sum()) / spread
    left = n * (k - 1) - chi2
    ratio = (n - 1) * chi2 / left if left > 0 else math.inf
    return Friedman(
        means,
        chi2,
        corrected,
        float(stats.chi2.sf(corrected, k - 1)),
        ratio,
        float(stats.f.sf(ratio, k - 1, (k - 1) * (n - 1))),
        critical_difference(n, k),
        n,
    )


def _make_undefined(mean_ranks: FloatArray, n: int, reason: str) -> Friedman:
    nan = math.nan
    return Friedman(mean_ranks, nan, nan, nan, nan, nan, nan, n, reason)


def nemenyi(scores: FloatArray) -> FloatArray:
    """(k, k) p-values of equal mean ranks of each two columns (Nemenyi 1963), 1 on the diagonal; NaN where too small.

    Studentised range with infinite degrees of freedom of the difference over √(k (k + 1) / 6n) · √2.
    """
    complete = scores[~np.isnan(scores).any(axis=1)]
    n, k = complete.shape
    if n < 2 or k < 2:
        return np.full((k, k), np.nan)
    means = block_ranks(complete).mean(axis=0)
    one, other = np.triu_indices(k, 1)
    apart = np.abs(means[one] - means[other]) / math.sqrt(k * (k + 1) / (6 * n)) * math.sqrt(2)
    p = np.ones((k, k))
    p[one, other] = p[other, one] = np.clip(stats.studentized_range.sf(apart, k, np.inf), 0.0, 1.0)
    return p


def critical_difference(blocks: int, treatments: int) -> float:
    """How far two mean ranks must be apart at 5 %: q √(k (k + 1) / 6n), q the studentised range's over √2."""
    return quantile_over_root_two(treatments) * math.sqrt(treatments * (treatments + 1) / (6 * blocks))


def quantile_over_root_two(treatments: int) -> float:
    """q.05 of the studentised range of k means, infinite degrees of freedom, over √2 (Demšar 2006, table 5)."""
    return float(stats.studentized_range.ppf(LEVEL, treatments, np.inf)) / math.sqrt(2)


def block_ranks(scores: FloatArray, *, higher_is_better: bool = True) -> FloatArray:
    """(n, k) ranks within each block, ties sharing their mean rank."""
    return np.asarray(stats.rankdata(-scores if higher_is_better else scores, axis=1), dtype=np.float64)
