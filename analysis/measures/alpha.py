"""Krippendorff's α at nominal, ordinal, interval and ratio level, missing ratings allowed.

values: (raters, units) numbers, NaN where a rater did not judge; codes of categories for the nominal level, numbers or
places on the scale for the others. Units with fewer than two values are left out (Krippendorff 2011, section C).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analysis.measures.coefficients import LINEARISED, ONE_LABEL, ONE_UNIT, UNIT
from analysis.measures.distributions import t_quantile
from analysis.measures.intervals import (
    CELLS,
    LEVEL,
    NO_SPREAD,
    NO_VARIATION,
    Interval,
    Statistic,
    cluster_interval,
    resample_interval,
    undefined_interval,
)
from analysis.measures.types import FloatArray, IntArray, gettext_noop

NOMINAL, ORDINAL, INTERVAL, RATIO = "nominal", "ordinal", "interval", "ratio"
LEVELS = (NOMINAL, ORDINAL, INTERVAL, RATIO)

NO_PAIR_OF_VALUES = gettext_noop("No unit has two values, so there is nothing to compare.")


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's α and the numbers behind it; NaN where undefined, with the `reason`.

    value: 1 for full agreement, 0 for agreement by chance, negative below. error: standard error over units (n - 1),
    linearized as in Gwet (2014). n_units: units with two or more values, holding n_values.
    """

    value: float
    error: float
    level: str
    n_units: int
    n_values: int
    reason: str = ""

    def interval(self) -> Interval:
        """value ± t.975(n_units - 1) · error, clipped to -1 and 1; units are taken as independent of each other."""
        about = (UNIT, self.n_units, self.n_values, None)
        if math.isnan(self.value) or math.isnan(self.error):
            return undefined_interval(LINEARISED, about, self.reason or ONE_UNIT)
        if self.error <= NO_SPREAD:
            return undefined_interval(LINEARISED, about, NO_VARIATION)
        reach = float(t_quantile((1 + LEVEL) / 2, self.n_units - 1)) * self.error
        return Interval(max(self.value - reach, -1.0), min(self.value + reach, 1.0), LINEARISED, *about[:3], 0, None)


def krippendorff_alpha(values: FloatArray, level: str = INTERVAL) -> Alpha:
    """α = 1 - D_o / D_e (Krippendorff 2011): observed over expected disagreement of pairs of values of a unit.

    values: (raters, units) as above. level: one of LEVELS; ratio needs values of 0 or more. Undefined without a pair of
    values and where all are the same (0/0). Time grows with units and distinct values, never with pairs of units.
    """
    paired = _keep_paired(values)
    scale, counts = value_counts(paired)
    n = counts.sum(axis=1)
    if not len(n):
        return Alpha(math.nan, math.nan, level, 0, 0, NO_PAIR_OF_VALUES)
    if len(scale) < 2:
        return Alpha(math.nan, math.nan, level, len(n), int(n.sum()), ONE_LABEL)
    totals = counts.sum(axis=0).astype(np.float64)
    squared_distances = distances(scale, totals, level)
    value = float(alpha_of_coincidences(coincidences(counts, np.zeros(len(n), dtype=np.int64), 1), scale, level)[0])
    return Alpha(value, _error(counts, squared_distances), level, len(n), int(n.sum()))


def clustered_alpha(values: FloatArray, level: str, text: IntArray, *, seed: int) -> Interval:
    """The text-clustered interval of α, clipped to -1 and 1; each resample computes its own chance agreement.

    text: (units,) the text of each unit, as whole numbers.
    """
    paired = np.asarray((~np.isnan(values)).sum(axis=0) > 1)
    scale, counts = value_counts(values[:, paired])
    texts, group = np.unique(text[paired], return_inverse=True)
    statistic = alpha_statistic(scale, counts, level, group, len(texts))
    return cluster_interval(statistic, len(texts), int(counts.sum()), bounds=(-1.0, 1.0), seed=seed)


def published_alpha(values: FloatArray, level: str, *, seed: int) -> Interval:
    """The interval of α with single units resampled, all treated as independent (the published convention)."""
    scale, counts = value_counts(_keep_paired(values))
    kinds, times = np.unique(counts, axis=0, return_counts=True)
    statistic = alpha_statistic(scale, kinds, level, np.arange(len(kinds)), len(kinds))
    return resample_interval(statistic, times.astype(np.int64), int(counts.sum()), seed=seed)


def alpha_statistic(scale: FloatArray, counts: IntArray, level: str, groups: IntArray, n_groups: int) -> Statistic:
    """α as a function of the weights (b, n_groups) of groups of units, such as texts.

    scale: (v,) distinct values, ascending. counts: (units, v) how many raters gave each. groups: (units,) codes.
    """
    v = len(scale)
    tables = coincidences(counts, groups, n_groups).reshape(n_groups, v * v)
    rows = max(1, CELLS // max(1, v * v))

    def statistic(weights: FloatArray) -> FloatArray:
        blocks = (weights[start : start + rows] @ tables for start in range(0, len(weights), rows))
        return np.concatenate([alpha_of_coincidences(drawn.reshape(-1, v, v), scale, level) for drawn in blocks])

    return statistic


def value_counts(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """The distinct values (v,), ascending, and how many raters gave each of them to a unit, (units, v)."""
    given = ~np.isnan(values)
    scale, code = np.unique(values[given], return_inverse=True)
    unit = np.broadcast_to(np.arange(values.shape[1]), values.shape)[given]
    counts = np.bincount(unit * len(scale) + code, minlength=values.shape[1] * len(scale))
    return scale, counts.reshape(values.shape[1], len(scale)).astype(np.int64)


def coincidences(counts: IntArray, groups: IntArray, n_groups: int) -> FloatArray:
    """(n_groups, v, v): ordered pairs of values of one unit, each unit's with weight 1 / (its values - 1)."""
    n = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, n - 1, out=np.zeros(counts.shape), where=n > 1)
    tables = np.zeros((n_groups, counts.shape[1], counts.shape[1]))
    order = np.argsort(groups, kind="stable")
    ends = np.searchsorted(groups[order], np.arange(n_groups + 1))
    for group in range(n_groups):
        units = order[ends[group] : ends[group + 1]]
        tables[group] = shares[units].T @ counts[units] - np.diag(shares[units].sum(axis=0))
    return tables


def alpha_of_coincidences(tables: FloatArray, scale: FloatArray, level: str) -> FloatArray:
    """α (b,) from the coincidences (b, v, v) of the values `scale` (v,); NaN where all values are the same."""
    totals = tables.sum(axis=-1)
    n = totals.sum(axis=-1)
    squared_distances = distances(scale, totals, level)
    observed = (tables * squared_distances).sum(axis=(-2, -1))
    expected = ((squared_distances @ totals[..., None])[..., 0] * totals).sum(axis=-1)
    return np.asarray(1 - (n - 1) * observed / np.where(expected > 0, expected, np.nan))


def distances(scale: FloatArray, totals: FloatArray, level: str) -> FloatArray:
    """Squared distances between the values (v,) at a level of measurement, (v, v); ordinal (..., v, v).

    totals: (..., v) how often each value occurs. The ordinal distance of two values is the number of values given
    between them, plus half of those equal to either. The ratio distance of 0 and 0 is 0.
    """
    if level == NOMINAL:
        return np.asarray(scale[:, None] != scale[None, :], dtype=np.float64)
    if level == ORDINAL:
        middle = np.cumsum(totals, axis=-1) - totals / 2
        return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2)
    squared = (scale[:, None] - scale[None, :]) ** 2
    if level == INTERVAL:
        return np.asarray(squared)
    if level == RATIO:
        return _ratio_distances(squared, scale)
    raise ValueError(f"There is no level of measurement called {level}; choose one of {', '.join(LEVELS)}.")


def _ratio_distances(squared: FloatArray, scale: FloatArray) -> FloatArray:
    if len(scale) and scale[0] < 0:
        raise ValueError("The ratio level needs values of 0 or more; choose the interval level.")
    total = scale[:, None] + scale[None, :]
    return np.divide(squared, total**2, out=np.zeros(squared.shape), where=total > 0)


def _keep_paired(values: FloatArray) -> FloatArray:
    """Only the units with two or more values."""
    return np.asarray(values[:, (~np.isnan(values)).sum(axis=0) > 1])


def _error(counts: IntArray, squared_distances: FloatArray) -> float:
    """Linearized standard error over units (Gwet 2014, chapter 5), n - 1; NaN for a single unit.

    `small` is the share of a single value among all values: α's observed agreement is (1 - small) · agreement + small.
    """
    n = counts.sum(axis=1)
    units, mean = len(n), n.mean()
    if units < 2:
        return math.nan
    weights = 1 - squared_distances / squared_distances.max()
    shares = counts.sum(axis=0) / (units * mean)
    agreeing = (counts * (counts @ weights - 1)).sum(axis=1) / (mean * (n - 1))
    small = 1 / n.sum()
    observed, expected = agreeing.mean(), float(shares @ weights @ shares)
    value = (observed - expected) / (1 - expected)
    agreement_parts = agreeing - ((1 - small) * observed + small) * (n - mean) / mean - expected
    chance_parts = counts @ (weights @ shares) / mean - expected * (n - mean) / mean - expected
    parts = (agreement_parts - 2 * (1 - value) * chance_parts) / (1 - expected)
    return math.sqrt(float(((parts - value) ** 2).sum() / (units * (units - 1))))
