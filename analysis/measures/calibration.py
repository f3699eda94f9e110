"""Probabilities of a model against what is true: Brier score, calibration error, reliability bins, label mass.

p: (n,) p(true) from 0 to 1, without NaN. true: (n,) whether the option is a key.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analysis.measures.types import BoolArray, FloatArray, IntArray

BINS = 10
LOW_MASS = 0.5  # below this the model mostly wrote something other than a label


@dataclass(frozen=True)
class Reliability:
    """Per bin of p (bins,): its ends, mean p, share of keys (both NaN where empty) and n; the figure's points.

    brier: mean squared error, 0 to 1. ece: expected calibration error, the mean over judgments of the difference
    between mean p and share of keys in their bin. ece_by_chance: its approximate value if every p were right, due to
    random variation; only an ece above it means anything. All NaN without judgments.
    """

    edges: FloatArray
    mean_p: FloatArray
    share: FloatArray
    n: IntArray
    brier: float
    ece: float
    ece_by_chance: float


def reliability(p: FloatArray, true: BoolArray, bins: int = BINS) -> Reliability:
    """Bins of equal width, a bin holds its lower end and the last one 1 too (Naeini et al. 2015; Brier 1950)."""
    place = bins_of(p, bins)
    n = np.bincount(place, minlength=bins)
    filled = np.where(n > 0, n, np.nan)
    mean_p = np.bincount(place, weights=p, minlength=bins) / filled
    share = np.bincount(place, weights=true, minlength=bins) / filled
    some = len(p) > 0
    brier = float(((p - true) ** 2).mean()) if some else math.nan
    ece = float(np.nansum(n * np.abs(mean_p - share)) / len(p)) if some else math.nan
    # keys of a bin less its Σ p have the variance Σ p (1 - p); the mean of |normal deviate| is √(2 / π) of its error
    scatter = np.sqrt(np.bincount(place, weights=p * (1 - p), minlength=bins))
    by_chance = math.sqrt(2 / math.pi) * float(scatter.sum()) / len(p) if some else math.nan
    return Reliability(np.linspace(0, 1, bins + 1), mean_p, share, n.astype(np.int64), brier, ece, by_chance)


def bins_of(p: FloatArray, bins: int = BINS) -> IntArray:
    """(n,) the bin of each p, from 0."""
    return np.asarray(np.minimum((p * bins).astype(np.int64), bins - 1))


@dataclass(frozen=True)
class LabelMass:
    """p(true) + p(false) over judgments: n with both, missing, mean, median, least (NaN without any), and how many low.

    low: judgments below 0.5, where the model mostly did not answer with a label.
    """

    n: int
    missing: int
    mean: float
    median: float
    least: float
    low: int


def label_mass(p_true: FloatArray, p_false: FloatArray) -> LabelMass:
    """From the two labels' own probabilities, (n,), NaN where the server did not return one."""
    mass = p_true + p_false
    known = mass[~np.isnan(mass)]
    if not len(known):
        return LabelMass(0, len(mass), math.nan, math.nan, math.nan, 0)
    figures = float(known.mean()), float(np.median(known)), float(known.min())
    return LabelMass(len(known), len(mass) - len(known), *figures, int((known < LOW_MASS).sum()))
