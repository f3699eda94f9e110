"""Pearson, Spearman and Kendall's τ-b of two columns of numbers: over all, within texts, and of generators' means.

x, y: (n,) numbers; NaN in either leaves the row out. NaN with fewer than three rows left or where a column is constant.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from analysis.measures.row_correlations import FEWEST, KENDALL, PEARSON, SPEARMAN, settled, text_correlations
from analysis.measures.types import BoolArray, FloatArray, IntArray, gettext_noop

__all__ = [
    "COEFFICIENTS",
    "KENDALL",
    "PEARSON",
    "SPEARMAN",
    "Correlation",
    "by_generator",
    "centred_within",
    "correlation",
    "correlation_matrix",
    "within_texts",
]

COEFFICIENTS = (PEARSON, SPEARMAN, KENDALL)

TOO_FEW = gettext_noop("A correlation needs at least three rows with both numbers.")
CONSTANT = gettext_noop("One of the two columns is the same everywhere, so there is nothing to correlate.")
NO_TEXT_VARIES = gettext_noop("In no text do both columns vary, so there is no correlation within texts.")


@dataclass(frozen=True)
class Correlation:
    """r from -1 to 1, two-sided p of independent rows, n rows; NaN where undefined, and `reason` says why."""

    r: float
    p: float
    n: int
    reason: str = ""


def correlation(x: FloatArray, y: FloatArray, coefficient: str = PEARSON) -> Correlation:
    """One of COEFFICIENTS over all rows. p: t with n - 2 for Pearson and Spearman, scipy's test for Kendall's τ-b."""
    both = ~(np.isnan(x) | np.isnan(y))
    return _of_complete(x[both], y[both], coefficient)


def within_texts(x: FloatArray, y: FloatArray, text: IntArray, coefficient: str = PEARSON) -> Correlation:
    """Mean over texts of each text's own correlation, weighted by its rows; texts where it is undefined are left out.

    text: (n,) any whole numbers. n: rows of the texts that count. No p: rows of a text are too few for one.
    """
    both = ~(np.isnan(x) | np.isnan(y))
    r, n = text_correlations(x[both], y[both], text[both], coefficient)
    if not len(r):
        return Correlation(math.nan, math.nan, 0, NO_TEXT_VARIES)
    return Correlation(float(np.average(r, weights=n)), math.nan, int(n.sum()))


def centred_within(x: FloatArray, text: IntArray) -> FloatArray:
    """(n,): numbers minus the mean of their text; their Pearson correlation is the pooled one within texts."""
    _texts, code = np.unique(text, return_inverse=True)
    return np.asarray(x - (np.bincount(code, weights=x) / np.bincount(code))[code])


def by_generator(x: FloatArray, y: FloatArray, generator: IntArray, coefficient: str = PEARSON) -> Correlation:
    """Of the generators' means, over generators; generator: (n,) any whole numbers. n: generators."""
    both = ~(np.isnan(x) | np.isnan(y))
    groups = rows_of_groups(generator, both)
    mean_x, mean_y = (settled(np.array([column[rows].mean() for rows in groups])) for column in (x, y))
    return _of_complete(mean_x, mean_y, coefficient)


def correlation_matrix(columns: FloatArray, coefficient: str = PEARSON) -> FloatArray:
    """(m, m) of the columns (n, m), each pair over the rows that have both numbers; NaN where undefined."""
    m = columns.shape[1]
    found = np.full((m, m), np.nan)
    for one in range(m):
        for other in range(one, m):
            r = correlation(columns[:, one], columns[:, other], coefficient).r
            found[one, other] = found[other, one] = r
    return found


def _of_complete(x: FloatArray, y: FloatArray, coefficient: str) -> Correlation:
    if len(x) < FEWEST:
        return Correlation(math.nan, math.nan, len(x), TOO_FEW)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(math.nan, math.nan, len(x), CONSTANT)
    r, p = _TESTS[coefficient](x, y)
    return Correlation(float(r), float(p), len(x))


def rows_of_groups(codes: IntArray, chosen: BoolArray) -> list[IntArray]:
    """The chosen rows of each group, the groups in ascending order of their codes (n,)."""
    rows = np.flatnonzero(chosen)
    rows = rows[np.argsort(codes[rows], kind="stable")]
    return [part for part in np.split(rows, np.flatnonzero(np.diff(codes[rows])) + 1) if len(part)]


_TESTS: dict[str, Callable[[FloatArray, FloatArray], tuple[float, float]]] = {
    PEARSON: stats.pearsonr,
    SPEARMAN: stats.spearmanr,
    KENDALL: stats.kendalltau,
}
