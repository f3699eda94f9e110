"""Whether guessing an item changes how one answers it with the text.

Per item: share right of those who had guessed it minus share right of those who had not, weighted by
w = n₁n₀ / (n₁ + n₀); who guesses is drawn by the plan, so this is an experiment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.measures.text_parts import FIXED, RANDOM, ReaderInfluence, Readers, jackknife_parts
from analysis.measures.types import BoolArray, FloatArray, IntArray
from analysis.measures.variance_parts import VarianceParts


@dataclass(frozen=True)
class CarryOver:
    """parts: the effect with its variance. n_items: items that both kinds of readers read; n_texts: theirs.
    others_only: share right of those who had not guessed, over all items."""

    parts: VarianceParts
    n_items: int
    n_texts: int
    others_only: float


def carry_over(
    item: IntArray,
    text: IntArray,
    annotator: IntArray,
    guessed: BoolArray,
    right: FloatArray,
    n: FloatArray,
    readers: Readers = RANDOM,
    bounds: tuple[float, float] = (-1.0, 1.0),
) -> CarryOver:
    """From sums by item and annotator with the text, all (m,): right of n judgments, guessed before or not. Times work
    as well: right = minutes, n = 1. The effect is NaN where no item has both kinds of readers."""
    side = guessed.astype(np.int64)
    n_items = int(item.max(initial=-1)) + 1
    judged, hit = (
        np.bincount(2 * item + side, weights=each, minlength=2 * n_items).astype(np.float64).reshape(-1, 2)
        for each in (n, right)
    )
    both: BoolArray = np.asarray((judged > 0).all(axis=1))
    share = hit / np.where(judged > 0, judged, np.nan)
    weight = np.where(both, judged.prod(axis=1) / np.where(both, judged.sum(axis=1), 1.0), 0.0)
    difference = np.where(both, share[:, 1] - share[:, 0], 0.0)
    of_item = np.zeros(n_items, dtype=np.int64)
    of_item[item] = text
    texts, group = np.unique(of_item[both], return_inverse=True)
    total, weights = (
        np.bincount(group, weights=each[both], minlength=len(texts)).astype(np.float64)
        for each in (weight * difference, weight)
    )
    value, without = _mean_and_without(total, weights)
    others = judged[:, 0].sum()
    influence = None
    if readers != FIXED and both.any():
        at = both[item]
        pull = np.where(side == 1, 1.0, -1.0) * weight[item] / weights.sum()
        own = pull * (right - share[item, side] * n) / judged[item, side]
        deviation = weight[item] / weights.sum() * (difference[item] - value) * n / judged[item].sum(axis=1)
        influence = ReaderInfluence(text[at], annotator[at], n[at], (own + deviation)[at])
    parts = jackknife_parts(value, without, bounds=bounds, influence=influence)
    return CarryOver(parts, int(both.sum()), len(texts), float(hit[:, 0].sum() / others) if others else np.nan)


def _mean_and_without(total: FloatArray, weight: FloatArray) -> tuple[float, FloatArray]:
    """Σ total / Σ weight, and the same without each text."""
    if not weight.sum():
        return np.nan, np.zeros(0)
    left = weight.sum() - weight
    without = np.divide(total.sum() - total, left, out=np.full(len(left), np.nan), where=left > 0)
    return float(total.sum() / weight.sum()), without
