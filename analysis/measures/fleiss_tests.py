"""Fleiss' κ of each category, and its test against chance, for units that all have the same number of ratings."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from analysis.measures.types import FloatArray, IntArray, gettext_noop

UNEQUAL = gettext_noop("This test needs the same number of ratings, two or more, for every unit.")
NO_SPREAD_IN_LABELS = gettext_noop("All ratings are the same, so there is nothing to test.")


@dataclass(frozen=True)
class FleissTest:
    """Per category (c,) and overall; NaN where undefined, and `reason` says why.

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
        return _undefined(c, UNEQUAL)
    raters = int(n[0])
    share = rated.sum(axis=0) / (units * raters)
    spread = share * (1 - share)
    if not spread.any():
        return _undefined(c, NO_SPREAD_IN_LABELS)
    pairs = units * raters * (raters - 1)
    split = (rated * (raters - rated)).sum(axis=0)
    kappa = 1 - split / np.where(spread > 0, pairs * spread, np.nan)
    whole = 1 - split.sum() / (pairs * spread.sum())
    skew = float((spread * (1 - 2 * share)).sum())
    error = math.sqrt(2 / pairs) * math.sqrt(spread.sum() ** 2 - skew) / spread.sum()
    z, of_category = float(whole / error), math.sqrt(2 / pairs)
    each = kappa / of_category
    return FleissTest(kappa, each, 2 * norm.sf(np.abs(each)), of_category, z, 2 * float(norm.sf(abs(z))), float(error))


def _undefined(categories: int, reason: str) -> FleissTest:
    nothing = np.full(categories, np.nan)
    return FleissTest(nothing, nothing, nothing, math.nan, math.nan, math.nan, math.nan, reason)
