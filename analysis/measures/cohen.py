"""Cohen's κ of a square table with weights, its asymptotic errors, and its means over pairs of raters."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from analysis.measures.coefficients import CERTAIN, NOTHING_SHARED, ONE_LABEL, corrected
from analysis.measures.intervals import LEVEL
from analysis.measures.types import FloatArray, IntArray

ROUNDING = 1e-15  # a variance below this is rounding


@dataclass(frozen=True)
class KappaTest:
    """Cohen's κ of one table of n units with its large-sample errors; NaN where undefined, and `reason` says why.

    error: asymptotic, over n (Fleiss, Cohen & Everitt 1969; what SAS and statsmodels print). error_unbiased: the same
    over n - 1, which is that of coefficients.py. error_null, z, p: under H0 of chance agreement; p is two-sided.
    z and p are NaN where error_null is 0, as one rater is constant.
    """

    value: float
    observed: float
    expected: float
    error: float
    error_unbiased: float
    error_null: float
    z: float
    p: float
    n: int
    reason: str = ""

    def ends(self) -> tuple[float, float]:
        """value ± z.975 · error, the large-sample 95 % interval, not clipped."""
        reach = float(norm.ppf((1 + LEVEL) / 2)) * self.error
        return self.value - reach, self.value + reach


def weighted_kappa(tables: FloatArray | IntArray, weights: FloatArray) -> FloatArray:
    """Cohen's (1968) weighted κ from counts, (..., c, c) to (...); weights as in scales.py.

    NaN for an empty table and where chance agreement is 1.
    """
    counts = np.asarray(tables, dtype=np.float64)
    n = counts.sum(axis=(-2, -1))
    shares = counts / np.where(n > 0, n, np.nan)[..., None, None]
    observed = (shares * weights).sum(axis=(-2, -1))
    expected = ((shares.sum(axis=-1) @ weights) * shares.sum(axis=-2)).sum(axis=-1)
    return corrected(observed, expected)


def kappa_test(table: IntArray, weights: FloatArray | None = None) -> KappaTest:
    """κ of a table (c, c) of counts with standard errors (Fleiss, Cohen & Everitt 1969; Fleiss, Levin & Paik 2003)."""
    counts = np.asarray(table, dtype=np.float64)
    n = int(counts.sum())
    w = np.eye(len(counts)) if weights is None else weights
    if not n:
        return _undefined(math.nan, math.nan, n, NOTHING_SHARED)
    p = counts / n
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    observed, expected = float((p * w).sum()), float(rows @ w @ columns)
    if expected > CERTAIN:
        return _undefined(observed, expected, n, ONE_LABEL)
    value = (observed - expected) / (1 - expected)
    mean = (w @ columns)[:, None] + (rows @ w)[None, :]
    error = _root((p * (w - mean * (1 - value)) ** 2).sum() - (value - expected * (1 - value)) ** 2, expected, n)
    error_null = _root((np.outer(rows, columns) * (w - mean) ** 2).sum() - expected**2, expected, n)
    unbiased = error * math.sqrt(n / (n - 1)) if n > 1 else math.nan
    z = value / error_null if error_null else math.nan
    return KappaTest(value, observed, expected, error, unbiased, error_null, z, 2 * float(norm.sf(abs(z))), n)


def pooled_kappa(tables: FloatArray | IntArray, weights: FloatArray) -> float:
    """κ of all pairs' judgments in one table, (p, c, c); its chance agreement is that of the pooled marginals.

    Each pair is taken in both directions, so that which rater of a pair is named first does not matter.
    """
    added = np.asarray(tables, dtype=np.float64).sum(axis=0)
    return float(weighted_kappa(added + added.T, weights))


def mean_kappa_of(tables: FloatArray | IntArray, weights: FloatArray, *, by_shared: bool = True) -> tuple[float, int]:
    """Mean κ over the pairs (p, c, c) that have one, weighted by their shared units or not, and how many these are.

    NaN where no pair has one. Over all pairs of complete ratings and unweighted it is Light's (1971) κ.
    """
    kappas = weighted_kappa(tables, weights)
    defined = ~np.isnan(kappas)
    if not defined.any():
        return math.nan, 0
    shared = np.asarray(tables).sum(axis=(-2, -1))[defined] if by_shared else np.ones(int(defined.sum()))
    return float(np.average(kappas[defined], weights=shared)), int(defined.sum())


def _undefined(observed: float, expected: float, n: int, reason: str) -> KappaTest:
    nan = math.nan
    return KappaTest(nan, observed, expected, nan, nan, nan, nan, nan, n, reason)


def _root(variance: float, expected: float, n: int) -> float:
    """Standard error from n (1 - p_e)² times the variance; what is 0 but for rounding is 0."""
    return math.sqrt(variance / n) / (1 - expected) if variance > ROUNDING else 0.0
