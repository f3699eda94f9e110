"""Intraclass correlations of numeric ratings (Shrout & Fleiss 1979)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analysis.measures.types import FloatArray

TOO_SMALL = "An intraclass correlation needs two units that the same two or more raters judged."
NO_VARIATION_AT_ALL = "All ratings are the same, so there is no variation to share out."


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
        return _undefined(n, k, TOO_SMALL)
    if np.ptp(complete) == 0:
        return _undefined(n, k, NO_VARIATION_AT_ALL)
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


def _divide(above: float, below: float) -> float:
    return float(above / below) if below else math.nan


def _undefined(n: int, raters: int, reason: str) -> Icc:
    nothing = (math.nan, math.nan, math.nan)
    return Icc(nothing, nothing, n, raters, reason)
