"""Probabilities of a model against what is true: Brier score, calibration error, reliability bins, label mass, τ.

p: (n,) p(true) from 0 to 1, without NaN. true: (n,) whether the option is a key.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analysis.measures.types import BoolArray, FloatArray, IntArray

BINS = 10
LOW_MASS = 0.5  # below this the model was mostly saying something else than a label


@dataclass(frozen=True)
class Reliability:
    """Per bin of p (bins,): its ends, mean p, share of keys (both NaN where empty) and n; the figure's points.

    brier: mean squared error, 0 to 1. ece: expected calibration error, the mean over judgments of how far mean p and
    share of keys of their bin are apart. ece_by_chance: about what it would be on these judgments if every p were
    right, as shares scatter; an ece is no sign of anything unless it is above. All NaN without judgments.
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

    low: judgments below 0.5, where the model was mostly not answering with a label.
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


@dataclass(frozen=True)
class Threshold:
    """τ that makes the most judgments right when an option counts as correct where p ≥ τ; NaN without judgments.

    low, high: the plateau (low, high] around it on which accuracy is the same. plateaus: how many such stretches there
    are; τ is the middle of the widest. accuracy: on these judgments, which are not to be the tested ones.
    """

    tau: float
    low: float
    high: float
    plateaus: int
    accuracy: float
    n: int


def best_threshold(p: FloatArray, true: BoolArray) -> Threshold:
    """τ between 0 and 1 by trying every step of accuracy; choose it on texts that are not in the test."""
    if not len(p):
        return Threshold(math.nan, math.nan, math.nan, 0, math.nan, 0)
    steps, code = np.unique(p, return_inverse=True)
    gained = np.bincount(code, weights=np.where(true, 1, -1), minlength=len(steps)).astype(np.int64)
    # right at τ in (steps[i - 1], steps[i]]: distractors below and keys from there up; last: nothing is correct
    right = (~true).sum() + np.concatenate([np.cumsum(gained[::-1])[::-1], [0]])
    low, high = np.concatenate([[0.0], steps]), np.concatenate([steps, [1.0]])
    possible = (high > low) | (np.arange(len(low)) == 0)  # τ = 0 always is, τ above 1 never
    most = right[possible].max()
    best = np.flatnonzero((right == most) & possible)
    runs = np.split(best, np.flatnonzero(np.diff(best) > 1) + 1)
    widest = max(runs, key=lambda run: high[run[-1]] - low[run[0]])
    ends = float(low[widest[0]]), float(high[widest[-1]])
    return Threshold(sum(ends) / 2, *ends, len(runs), float(most / len(p)), len(p))


def accuracy_at(p: FloatArray, true: BoolArray, tau: float) -> float:
    """Share right where p ≥ τ counts as correct, 0 to 1; NaN without judgments."""
    return float(((p >= tau) == true).mean()) if len(p) else math.nan
