"""Intraclass correlations of numeric ratings (Shrout & Fleiss 1979)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analysis.measures.intervals import Interval, clustered_together
from analysis.measures.types import FloatArray, IntArray, gettext_noop

TOO_SMALL = gettext_noop("An intraclass correlation needs two units that the same two or more annotators judged.")
ROUNDING = 1e-12  # mean squares below this part of all squares are 0 but for rounding

NO_VARIATION_AT_ALL = gettext_noop("All ratings are the same, so there is no variance to decompose.")


@dataclass(frozen=True)
class Icc:
    """single: one-way ICC(1), two-way random ICC(2) and two-way mixed ICC(3) of one rater; average: of the mean of k.

    NaN where undefined, and `reason` says why. n: units with all ratings.
    """

    single: tuple[float, float, float]
    average: tuple[float, float, float]
    n: int
    raters: int
    reason: str = ""


def icc(values: FloatArray) -> Icc:
    """From (raters, units) numbers; units with a missing rating (NaN) are left out. Mean squares of a two-way table."""
    complete = values[:, ~np.isnan(values).any(axis=0)].T
    n, k = complete.shape
    if n < 2 or k < 2:
        return _make_undefined(n, k, TOO_SMALL)
    if np.ptp(complete) == 0:
        return _make_undefined(n, k, NO_VARIATION_AT_ALL)
    grand = complete.mean()
    between = k * ((complete.mean(axis=1) - grand) ** 2).sum() / (n - 1)
    raters = n * ((complete.mean(axis=0) - grand) ** 2).sum()
    within_sum = ((complete - complete.mean(axis=1, keepdims=True)) ** 2).sum()
    within, raters_mean = within_sum / (n * (k - 1)), raters / (k - 1)
    error = (within_sum - raters) / ((n - 1) * (k - 1))
    single = (
        _divide(between - within, between + (k - 1) * within),
        _divide(between - error, between + (k - 1) * error + k * (raters_mean - error) / n),
        _divide(between - error, between + (k - 1) * error),
    )
    average = (
        _divide(between - within, between),
        _divide(between - error, between + (raters_mean - error) / n),
        _divide(between - error, between),
    )
    return Icc(single, average, n, k)


def clustered_icc(values: FloatArray, text: IntArray, *, seed: int) -> list[Interval]:
    """Text-clustered intervals, -1 to 1, of the three of one rater and the three of the mean, in the order of `Icc`.

    values: (raters, units), text: (units,) whole numbers. A replicate weighs each text's sums, so no rating is read
    at twice; raters stay the same.
    """
    used = ~np.isnan(values).any(axis=0) & (len(values) > 0)
    complete = values[:, used] - (values[:, used].mean() if used.any() else 0.0)
    texts, groups = np.unique(text[used], return_inverse=True)
    columns = [np.ones(complete.shape[1]), (complete**2).sum(axis=0), complete.sum(axis=0) ** 2, *complete]
    sums = np.stack([np.bincount(groups, weights=column, minlength=len(texts)) for column in columns], axis=1)
    k = len(values)
    return clustered_together(
        lambda weights: _of_sums(weights @ sums, k), len(texts), complete.size, bounds=(-1.0, 1.0), seed=seed
    )


def _of_sums(sums: FloatArray, k: int) -> FloatArray:
    """(b, 6) from (b, 3 + k) sums over units: 1, squares of ratings, squares of units' sums, each rater's ratings."""
    n, squares, unit_squares, of_raters = sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3:]
    n, freedom = np.where(n > 1, n, np.nan), np.maximum(k - 1, 1)
    centre = of_raters.sum(axis=1) ** 2 / (n * max(k, 1))
    between_sum, within_sum = unit_squares / max(k, 1) - centre, squares - unit_squares / max(k, 1)
    raters_sum = (of_raters**2).sum(axis=1) / n - centre
    exact = [
        np.where(part > ROUNDING * squares, part, 0.0)
        for part in (between_sum, within_sum, raters_sum, within_sum - raters_sum)
    ]
    between, within, raters = exact[0] / (n - 1), exact[1] / (n * freedom), exact[2] / freedom
    error = exact[3] / ((n - 1) * freedom)
    pairs = [
        (between - within, between + (k - 1) * within),
        (between - error, between + (k - 1) * error + k * (raters - error) / n),
        (between - error, between + (k - 1) * error),
        (between - within, between),
        (between - error, between + (raters - error) / n),
        (between - error, between),
    ]
    return np.stack([above / np.where(below != 0, below, np.nan) for above, below in pairs], axis=1)


def _divide(above: float, below: float) -> float:
    return float(above / below) if below else math.nan


def _make_undefined(n: int, raters: int, reason: str) -> Icc:
    nothing = (math.nan, math.nan, math.nan)
    return Icc(nothing, nothing, n, raters, reason)
