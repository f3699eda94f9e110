"""Does one judge favour some items beyond what another judge gives them? A difference of differences.

x, y: (n,) two judges' numbers of the same items, NaN where missing; chosen: (n,) which items are asked about. Both
columns are standardised over the items that have both, so that scales of any kind can be compared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analysis.measures.intervals import Interval, clustered
from analysis.measures.types import BoolArray, FloatArray, IntArray, gettext_noop

NO_CHOSEN = gettext_noop("None of these items has both numbers.")
NO_OTHERS = gettext_noop("No other item has both numbers, so there is nothing to compare with.")
FLAT = gettext_noop("One of the two columns is the same everywhere, so it cannot be put on a common scale.")


@dataclass(frozen=True)
class Favour:
    """mean(z_x - z_y) of the chosen minus that of the others, in standard deviations; NaN with its reason."""

    difference: float
    reason: str = ""


def favour(x: FloatArray, y: FloatArray, chosen: BoolArray) -> Favour:
    """Above 0: x gives the chosen items more than y does, measured against all others."""
    apart, both, reason = _apart(x, y)
    inside, outside = chosen & both, ~chosen & both
    reason = NO_CHOSEN if not inside.any() else NO_OTHERS if not outside.any() else reason
    if reason:
        return Favour(math.nan, reason)
    return Favour(float(apart[inside].mean() - apart[outside].mean()))


def clustered_favour(x: FloatArray, y: FloatArray, chosen: BoolArray, text: IntArray, *, seed: int) -> Interval:
    """Text-clustered interval of `favour`; text: (n,) whole numbers. The scales stay those of all items."""
    apart, both, _reason = _apart(x, y)
    texts, group = np.unique(text[both], return_inverse=True)
    sums = [
        np.bincount(group, weights=part, minlength=len(texts))
        for inside in (chosen[both], ~chosen[both])
        for part in (np.where(inside, apart[both], 0.0), inside.astype(np.float64))
    ]

    def statistic(weights: FloatArray) -> FloatArray:
        own, n_own, others, n_others = (weights @ part for part in sums)
        return np.asarray(own / np.where(n_own > 0, n_own, np.nan) - others / np.where(n_others > 0, n_others, np.nan))

    return clustered(statistic, len(texts), int(both.sum()), bounds=(-math.inf, math.inf), seed=seed)


def _apart(x: FloatArray, y: FloatArray) -> tuple[FloatArray, BoolArray, str]:
    """z_x - z_y, (n,), NaN where undefined; which items have both; and why there is none."""
    both = ~(np.isnan(x) | np.isnan(y))
    apart = np.full(x.shape, np.nan)
    if not both.any() or np.ptp(x[both]) == 0 or np.ptp(y[both]) == 0:
        return apart, both, FLAT if both.any() else ""
    z_x, z_y = ((column[both] - column[both].mean()) / column[both].std() for column in (x, y))
    apart[both] = z_x - z_y
    return apart, both, ""
