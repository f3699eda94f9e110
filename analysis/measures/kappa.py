"""Tests of Cohen's and Fleiss' κ, and the labels of Landis and Koch for its size."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analysis.measures.coefficients import CERTAIN, NOTHING_SHARED, ONE_LABEL, correct_for_chance
from analysis.measures.distributions import normal_above, normal_quantile
from analysis.measures.intervals import LEVEL
from analysis.measures.types import FloatArray, IntArray, gettext_noop

POOR, SLIGHT, FAIR = gettext_noop("poor"), gettext_noop("slight"), gettext_noop("fair")
MODERATE, SUBSTANTIAL = gettext_noop("moderate"), gettext_noop("substantial")
ALMOST_PERFECT = gettext_noop("almost perfect")
UPPER_ENDS = ((0.20, SLIGHT), (0.40, FAIR), (0.60, MODERATE), (0.80, SUBSTANTIAL))


def name_strength(coefficient: float) -> str:
    """The label of Landis & Koch (1977, p. 165): poor below 0, slight to .20, fair to .40, and so on.

    The coefficient is rounded to two digits, as in their table. Empty where it is undefined.
    """
    if math.isnan(coefficient):
        return ""
    rounded = round(coefficient, 2)
    if rounded < 0:
        return POOR
    return next((word for end, word in UPPER_ENDS if rounded <= end), ALMOST_PERFECT)


ROUNDING = 1e-15  # a variance below this is a rounding error


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
        reach = float(normal_quantile((1 + LEVEL) / 2)) * self.error
        return self.value - reach, self.value + reach


def weighted_kappa(tables: FloatArray | IntArray, weights: FloatArray) -> FloatArray:
    """Cohen's (1968) weighted κ from counts, (..., c, c) to (...); weights as in types.py.

    NaN for an empty table and where chance agreement is 1.
    """
    counts = np.asarray(tables, dtype=np.float64)
    n = counts.sum(axis=(-2, -1))
    shares = counts / np.where(n > 0, n, np.nan)[..., None, None]
    observed = (shares * weights).sum(axis=(-2, -1))
    expected = ((shares.sum(axis=-1) @ weights) * shares.sum(axis=-2)).sum(axis=-1)
    return correct_for_chance(observed, expected)


def kappa_test(table: IntArray, weights: FloatArray | None = None) -> KappaTest:
    """κ of a table (c, c) of counts with standard errors (Fleiss, Cohen & Everitt 1969; Fleiss, Levin & Paik 2003)."""
    counts = np.asarray(table, dtype=np.float64)
    n = int(counts.sum())
    w = np.eye(len(counts)) if weights is None else weights
    if not n:
        return _make_undefined(math.nan, math.nan, n, NOTHING_SHARED)
    p = counts / n
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    observed, expected = float((p * w).sum()), float(rows @ w @ columns)
    if expected > CERTAIN:
        return _make_undefined(observed, expected, n, ONE_LABEL)
    value = (observed - expected) / (1 - expected)
    mean = (w @ columns)[:, None] + (rows @ w)[None, :]
    error = _root((p * (w - mean * (1 - value)) ** 2).sum() - (value - expected * (1 - value)) ** 2, expected, n)
    error_null = _root((np.outer(rows, columns) * (w - mean) ** 2).sum() - expected**2, expected, n)
    unbiased = error * math.sqrt(n / (n - 1)) if n > 1 else math.nan
    z = value / error_null if error_null else math.nan
    return KappaTest(value, observed, expected, error, unbiased, error_null, z, 2 * float(normal_above(abs(z))), n)


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


def _make_undefined(observed: float, expected: float, n: int, reason: str) -> KappaTest:
    nan = math.nan
    return KappaTest(nan, observed, expected, nan, nan, nan, nan, nan, n, reason)


def _root(variance: float, expected: float, n: int) -> float:
    """Standard error √(variance / n) / (1 - p_e); 0 where the variance is a rounding error."""
    return math.sqrt(variance / n) / (1 - expected) if variance > ROUNDING else 0.0


UNEQUAL = gettext_noop("This test needs the same number of ratings, two or more, for every unit.")
NO_SPREAD_IN_LABELS = gettext_noop("All ratings are the same, so there is nothing to test.")


@dataclass(frozen=True)
class FleissTest:
    """Tests of Fleiss' κ for each category (c,) and overall; NaN where undefined, and `reason` says why.

    kappa: of a category against all others, NaN where nobody or everybody chose it. error_null: its standard error
    under chance agreement, the same for every category. z: κ over that, p two-sided. overall_…: of κ as a whole.
    """

    kappa: FloatArray
    z: FloatArray
    p: FloatArray
    error_null: float
    overall_z: float
    overall_p: float
    overall_error_null: float
    reason: str = ""


def fleiss_test(counts: IntArray) -> FleissTest:
    """κ of every category (Fleiss 1971) and z with the null variance of Fleiss, Nee & Landis (1979).

    counts: (units, c) raters per category; units without ratings are left out.
    """
    rated = counts[counts.sum(axis=1) > 0]
    n = rated.sum(axis=1)
    units, c = rated.shape
    if not units or n.min() < 2 or n.min() != n.max():
        return _make_undefined_test(c, UNEQUAL)
    raters = int(n[0])
    share = rated.sum(axis=0) / (units * raters)
    spread = share * (1 - share)
    if not spread.any():
        return _make_undefined_test(c, NO_SPREAD_IN_LABELS)
    pairs = units * raters * (raters - 1)
    split = (rated * (raters - rated)).sum(axis=0)
    kappa = 1 - split / np.where(spread > 0, pairs * spread, np.nan)
    whole = 1 - split.sum() / (pairs * spread.sum())
    skew = float((spread * (1 - 2 * share)).sum())
    error = math.sqrt(2 / pairs) * math.sqrt(spread.sum() ** 2 - skew) / spread.sum()
    z, of_category = float(whole / error), math.sqrt(2 / pairs)
    each = kappa / of_category
    p_of_each, p = 2 * normal_above(np.abs(each)), 2 * float(normal_above(abs(z)))
    return FleissTest(kappa, each, p_of_each, of_category, z, p, float(error))


def _make_undefined_test(categories: int, reason: str) -> FleissTest:
    nothing = np.full(categories, np.nan)
    return FleissTest(nothing, nothing, nothing, math.nan, math.nan, math.nan, math.nan, reason)
