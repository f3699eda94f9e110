"""Biases of models and metrics: what they call correct or favor beyond what people do."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analysis.measures.intervals import Interval, cluster_interval
from analysis.measures.types import BoolArray, FloatArray, IntArray, gettext_noop

RANGE = (-1.0, 1.0)
DIFFERENCE = (-2.0, 2.0)


@dataclass(frozen=True)
class Excess:
    """value: NaN where undefined. n: judgments with the mark, or all of them."""

    value: float
    interval: Interval
    n: int


def mean_excess(ticked: BoolArray, key: BoolArray, text: IntArray, *, seed: int) -> Excess:
    """Share ticked minus share of keys, -1 to 1: above 0 is a yes-bias. (n,) judgments of options; text: (n,)
    numbers."""
    texts, groups = np.unique(text, return_inverse=True)
    over = ticked.astype(np.float64) - key
    sums = np.stack([_sums(over, groups, len(texts)), _sums(np.ones(len(over)), groups, len(texts))], axis=1)

    def statistic(drawn: FloatArray) -> FloatArray:
        above, n = (drawn @ sums).T
        return np.asarray(above / np.where(n > 0, n, np.nan))

    value = float(over.mean()) if len(over) else math.nan
    return Excess(value, cluster_interval(statistic, len(texts), len(over), bounds=RANGE, seed=seed), len(over))


def excess_where(ticked: BoolArray, key: BoolArray, marked: BoolArray, text: IntArray, *, seed: int) -> Excess:
    """The excess among marked options minus that among the others, -2 to 2; NaN if one kind is missing.

    Keys are subtracted option by option, so that a mark that is more frequent among keys is no bias by itself.
    """
    texts, groups = np.unique(text, return_inverse=True)
    over, k = ticked.astype(np.float64) - key, len(texts)
    columns = [over * marked, marked, over * ~marked, ~marked]
    sums = np.stack([_sums(column.astype(np.float64), groups, k) for column in columns], axis=1)

    def statistic(drawn: FloatArray) -> FloatArray:
        inside, n_inside, outside, n_outside = (drawn @ sums).T
        with np.errstate(invalid="ignore"):
            return np.asarray(
                inside / np.where(n_inside > 0, n_inside, np.nan) - outside / np.where(n_outside > 0, n_outside, np.nan)
            )

    value = float(statistic(np.ones((1, k)))[0]) if k else math.nan
    return Excess(value, cluster_interval(statistic, k, len(over), bounds=DIFFERENCE, seed=seed), int(marked.sum()))


def _sums(values: FloatArray, groups: IntArray, k: int) -> FloatArray:
    return np.bincount(groups, weights=values, minlength=k).astype(np.float64)


NO_CHOSEN = gettext_noop("None of these items has both numbers.")
NO_OTHERS = gettext_noop("No other item has both numbers, so a comparison is undefined.")
FLAT = gettext_noop("One of the two columns is constant, so it cannot be standardized.")


@dataclass(frozen=True)
class Preference:
    """mean(z_x - z_y) of the chosen minus that of the others, in standard deviations; NaN with its reason."""

    difference: float
    reason: str = ""


def preference(x: FloatArray, y: FloatArray, chosen: BoolArray) -> Preference:
    """Above 0: x scores the chosen items higher than y does, relative to all others."""
    apart, both, reason = _standardized_difference(x, y)
    inside, outside = chosen & both, ~chosen & both
    reason = NO_CHOSEN if not inside.any() else NO_OTHERS if not outside.any() else reason
    if reason:
        return Preference(math.nan, reason)
    return Preference(float(apart[inside].mean() - apart[outside].mean()))


def clustered_preference(x: FloatArray, y: FloatArray, chosen: BoolArray, text: IntArray, *, seed: int) -> Interval:
    """Text-clustered interval of `preference`; text: (n,) whole numbers. The scales stay those of all items."""
    apart, both, _reason = _standardized_difference(x, y)
    texts, group = np.unique(text[both], return_inverse=True)
    sums = [
        np.bincount(group, weights=part, minlength=len(texts))
        for inside in (chosen[both], ~chosen[both])
        for part in (np.where(inside, apart[both], 0.0), inside.astype(np.float64))
    ]

    def statistic(weights: FloatArray) -> FloatArray:
        own, n_own, others, n_others = (weights @ part for part in sums)
        return np.asarray(own / np.where(n_own > 0, n_own, np.nan) - others / np.where(n_others > 0, n_others, np.nan))

    return cluster_interval(statistic, len(texts), int(both.sum()), bounds=(-math.inf, math.inf), seed=seed)


def _standardized_difference(x: FloatArray, y: FloatArray) -> tuple[FloatArray, BoolArray, str]:
    """z_x - z_y, (n,), NaN where undefined; which items have both; and why there is none."""
    both = ~(np.isnan(x) | np.isnan(y))
    apart = np.full(x.shape, np.nan)
    if not both.any() or np.ptp(x[both]) == 0 or np.ptp(y[both]) == 0:
        return apart, both, FLAT if both.any() else ""
    z_x, z_y = ((column[both] - column[both].mean()) / column[both].std() for column in (x, y))
    apart[both] = z_x - z_y
    return apart, both, ""
