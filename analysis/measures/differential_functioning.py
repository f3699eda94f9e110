"""Items that are harder for one group of readers than for equally good readers of another (DIF).

Mantel & Haenszel (1959) over strata of the score; Holland & Thayer (1988): D = -2.35 ln α, negative: harder for the
second group; variance of ln α after Robins, Breslow & Greenland (1986); classes A, B, C of Educational Testing Service
(Dorans & Holland 1993).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2 as chi_squared
from scipy.stats import norm

from analysis.measures.types import BoolArray, FloatArray, IntArray

DELTA = 2.35
NEGLIGIBLE, MODERATE, LARGE = "A", "B", "C"


@dataclass(frozen=True)
class MantelHaenszel:
    """Common odds ratio α with its 95 % ends, χ² with and without correction, D with its standard error and class."""

    odds_ratio: float
    low: float
    high: float
    chi2: float
    chi2_corrected: float
    p: float
    d: float
    error: float
    category: str


NOT_DEFINED = MantelHaenszel(np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, "")


def mantel_haenszel(tables: FloatArray | IntArray) -> MantelHaenszel:
    """From (strata, 2 groups, 2: right, wrong), the reference group first. p: with continuity correction.

    NaN where no stratum has both groups and both outcomes.
    """
    counts = np.asarray(tables, dtype=np.float64)
    counts = counts[(counts.sum(axis=2) > 0).all(axis=1)]
    (a, b), (c, d) = counts.transpose(1, 2, 0)
    n = a + b + c + d
    r, s = (a * d / n).sum(), (b * c / n).sum()
    if not (r > 0 and s > 0):
        return NOT_DEFINED
    ratio = float(r / s)
    p, q = (a + d) / n, (b + c) / n
    of_r, of_s = a * d / n, b * c / n
    variance = (p * of_r).sum() / (2 * r**2) + (p * of_s + q * of_r).sum() / (2 * r * s) + (q * of_s).sum() / (2 * s**2)
    expected = (a + b) * (a + c) / n
    spread = ((a + b) * (c + d) * (a + c) * (b + d) / (n**2 * np.maximum(n - 1, 1)))[n > 1].sum()
    apart = abs((a - expected).sum())
    plain, corrected = (float(max(apart - less, 0) ** 2 / spread) for less in (0.0, 0.5))
    log_error, log_ratio = float(np.sqrt(variance)), float(np.log(ratio))
    low, high = (float(np.exp(log_ratio + sign * norm.ppf(0.975) * log_error)) for sign in (-1, 1))
    size, error, p_value = -DELTA * log_ratio, DELTA * log_error, float(chi_squared.sf(corrected, 1))
    return MantelHaenszel(ratio, low, high, plain, corrected, p_value, size, error, classify(size, error, p_value))


def classify(d: float, error: float, p: float) -> str:
    """A: |D| < 1 or p ≥ .05. C: |D| ≥ 1.5 and significantly above 1. B: the others."""
    if abs(d) < 1 or p >= 0.05:
        return NEGLIGIBLE
    return LARGE if abs(d) >= 1.5 and abs(d) - 1 > norm.ppf(0.95) * error else MODERATE


def item_functioning(answers: IntArray, second: BoolArray) -> list[MantelHaenszel]:
    """Test each item of a matrix persons × items (n, k) of 0, 1, -1 (missing); second (n,): who is in the second group.

    Strata: people with the same items and the same score, the item included; once purified: items of class C leave
    the score, and all are looked at again.
    """
    everything = np.ones(answers.shape[1], dtype=bool)
    first = _each(answers, second, everything)
    kept = np.array([each.category != LARGE for each in first])
    return first if kept.all() else _each(answers, second, kept)


def _each(answers: IntArray, second: BoolArray, kept: BoolArray) -> list[MantelHaenszel]:
    seen = answers >= 0
    _patterns, same_items = np.unique(seen, axis=0, return_inverse=True)
    right = np.where(seen, answers, 0)
    score = right[:, kept].sum(axis=1)
    found = []
    for item in range(answers.shape[1]):
        own = score if kept[item] else score + right[:, item]
        judged = seen[:, item]
        _strata, stratum = np.unique(
            np.stack([same_items.ravel()[judged], own[judged]], axis=1), axis=0, return_inverse=True
        )
        cell = (stratum.ravel() * 2 + second[judged]) * 2 + (1 - right[judged, item])
        size = int(stratum.max(initial=0)) + 1
        found.append(mantel_haenszel(np.bincount(cell, minlength=4 * size).reshape(size, 2, 2)))
    return found
