"""Chance-corrected agreement of two and more raters: percent, Fleiss' κ, Conger's κ, Gwet's AC1/AC2, Brennan-Prediger.

All are (p_a - p_e) / (1 - p_e) with the same p_a and differ in p_e. Ratings may be missing. A unit with two or more
ratings counts in p_a, with a single rating only in p_e, without ratings in neither (Gwet 2014, chapters 2 and 3).
`counts` is (units, c): how many raters put the unit into each of the c declared categories. `times`, (units,), says how
often such a unit occurs (default once), so a table of counts needs no row per unit. `weights`, (c, c), are those of
types.py; without them only the same category agrees. Krippendorff's α is in alpha.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analysis.measures.agreement import MISSING
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

LINEARISED, UNIT = "linearised-t", "unit"
CERTAIN = 1 - 1e-12  # chance agreement above this counts as 1

NOTHING_SHARED = gettext_noop("No unit was judged by two annotators, so there is nothing to compare.")
ONE_LABEL = gettext_noop("All judgments are the same, so agreement by chance is 1 and the coefficient is 0/0.")
ONE_CATEGORY = gettext_noop("The scale has a single category, so agreement is certain.")
ONE_UNIT = gettext_noop("A standard error needs at least two units.")

Chance = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True)
class Coefficient:
    """A coefficient and the numbers behind it; NaN where undefined, and `reason` says why.

    value: -1 to 1. error: standard error over units (n - 1). observed, expected: p_a and p_e. n_units: units with two
    or more ratings. n_pairs: pairs of ratings of one unit. n_judgments: ratings of those units. n_sampled: units over
    which the error is computed. prevalence: share of the commonest category among all ratings.
    """

    value: float
    error: float
    observed: float
    expected: float
    n_units: int
    n_pairs: int
    n_judgments: int
    n_sampled: int
    prevalence: float
    reason: str = ""

    @property
    def error_over_n(self) -> float:
        """The standard error with n in place of n - 1, as Gwet's functions for two raters and SAS print it."""
        return self.error * math.sqrt((self.n_sampled - 1) / self.n_sampled) if self.n_sampled else math.nan

    def interval(self, *, over_n: bool = False) -> Interval:
        """value ± t.975(n_sampled - 1) · error, clipped to -1 and 1; units are taken as independent of each other.

        Undefined where all units are alike, because an interval of width 0 would claim too much.
        """
        error = self.error_over_n if over_n else self.error
        about = (UNIT, self.n_sampled, self.n_judgments, None)
        if math.isnan(self.value) or math.isnan(error):
            return undefined_interval(LINEARISED, about, self.reason or ONE_UNIT)
        if error <= NO_SPREAD:
            return undefined_interval(LINEARISED, about, NO_VARIATION)
        reach = float(t_quantile((1 + LEVEL) / 2, self.n_sampled - 1)) * error
        return Interval(max(self.value - reach, -1.0), min(self.value + reach, 1.0), LINEARISED, *about[:3], 0, None)


def category_counts(ratings: IntArray, categories: int) -> IntArray:
    """(units, c) raters per category, from codes (raters, units) with MISSING."""
    _raters, units = ratings.shape
    unit = np.broadcast_to(np.arange(units), ratings.shape)
    rated = ratings != MISSING
    code = unit[rated] * categories + ratings[rated]
    return np.bincount(code, minlength=units * categories).reshape(units, categories).astype(np.int64)


def table_ratings(table: IntArray) -> tuple[IntArray, IntArray]:
    """Ratings (2, c · c) and times (c · c,) of a table of counts: one unit per cell, with the count as its times."""
    at = np.indices(np.asarray(table).shape).reshape(2, -1).astype(np.int64)
    return at, np.asarray(table, dtype=np.int64).ravel()


def percent(counts: IntArray, weights: FloatArray | None = None, times: IntArray | None = None) -> Coefficient:
    """Share of agreeing pairs of ratings in a unit, mean over units, 0 to 1; with weights, partial agreement counts."""
    return _from_shares(counts, weights, times, no_chance, _no_slope)


def fleiss_kappa(counts: IntArray, weights: FloatArray | None = None, times: IntArray | None = None) -> Coefficient:
    """Fleiss' (1971) κ: p_e = Σ w_kl π_k π_l, π the mean over units of the shares of its ratings. Scott's π for two.

    Undefined where all ratings are the same.
    """
    return _from_shares(counts, weights, times, fleiss_chance, _fleiss_slope)


def gwet_ac(counts: IntArray, weights: FloatArray | None = None, times: IntArray | None = None) -> Coefficient:
    """Gwet's (2008) AC1, with weights AC2: p_e = Σ w_kl / (c (c - 1)) · Σ π_k (1 - π_k) over all declared categories.

    1 where all ratings are the same; undefined for a scale of a single category.
    """
    return _from_shares(counts, weights, times, gwet_chance, _gwet_slope)


def brennan_prediger(counts: IntArray, weights: FloatArray | None = None, times: IntArray | None = None) -> Coefficient:
    """Brennan & Prediger (1981), Bennett's S for two raters: p_e = Σ w_kl / c² over all declared categories."""
    return _from_shares(counts, weights, times, brennan_prediger_chance, _constant_slope)


def conger_kappa(
    ratings: IntArray, categories: int, weights: FloatArray | None = None, times: IntArray | None = None
) -> Coefficient:
    """Conger's (1980) κ of two and more raters; for two it is Cohen's, weighted by `weights`.

    ratings: (raters, units) codes with MISSING. p_e = Σ w_kl (p̄_k p̄_l - s_kl / r), the mean over pairs of raters of
    chance agreement from each one's own shares; s_kl is their covariance (n - 1) over the r raters that rated anything.
    """
    w, n_times = _fill_weights(weights, categories), _fill_times(times, ratings.shape[1])
    counts = category_counts(ratings, categories)
    by_rater = np.array([_weighted_bincount(row, n_times, categories) for row in ratings]).reshape(-1, categories)
    active = by_rater.sum(axis=1) > 0
    expected = float(conger_chance(by_rater[None], w)[0])
    at_unit = (
        _conger_slope(ratings[active], by_rater[active], w, n_times) if active.sum() > 1 else np.zeros(len(counts))
    )
    return _coefficient(counts, w, n_times, expected, at_unit)


def no_chance(shares: FloatArray, weights: FloatArray) -> FloatArray:
    """Agreement by chance taken as 0, which leaves percent agreement, (..., c) to (...)."""
    return np.zeros(shares.shape[:-1])


def fleiss_chance(shares: FloatArray, weights: FloatArray) -> FloatArray:
    """Fleiss' p_e from shares of categories, (..., c) to (...)."""
    return np.asarray(((shares @ weights) * shares).sum(axis=-1))


def gwet_chance(shares: FloatArray, weights: FloatArray) -> FloatArray:
    """Gwet's p_e from shares of categories, (..., c) to (...); NaN for a single category."""
    c = shares.shape[-1]
    factor = weights.sum() / (c * (c - 1)) if c > 1 else math.nan
    return np.asarray(factor * (shares * (1 - shares)).sum(axis=-1))


def brennan_prediger_chance(shares: FloatArray, weights: FloatArray) -> FloatArray:
    """Brennan and Prediger's p_e: the same for any shares, (..., c) to (...)."""
    return np.full(shares.shape[:-1], weights.mean())


def conger_chance(by_rater: FloatArray, weights: FloatArray) -> FloatArray:
    """Conger's p_e from each rater's counts of categories, (b, raters, c) to (b,); NaN with fewer than two raters.

    Written as the mean of p_g W p_h over pairs of different raters g, h, leaving out those who rated nothing.
    """
    n = by_rater.sum(axis=-1, keepdims=True)
    own = np.divide(by_rater, n, out=np.zeros(by_rater.shape), where=n > 0)
    raters = (n[..., 0] > 0).sum(axis=-1)
    total = own.sum(axis=-2)
    different = ((total @ weights) * total).sum(axis=-1) - ((own @ weights) * own).sum(axis=(-2, -1))
    return np.asarray(different / np.where(raters > 1, raters * (raters - 1), np.nan))


def correct_for_chance(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """(p_a - p_e) / (1 - p_e), NaN where p_e is 1."""
    return np.asarray((observed - expected) / np.where(expected < CERTAIN, 1 - expected, np.nan))


def unit_agreement(counts: IntArray, weights: FloatArray) -> FloatArray:
    """(units,) share of the pairs of a unit's ratings that agree, by weights; 0 for units with fewer than two."""
    n = counts.sum(axis=1)
    agreeing = (counts * (counts @ weights - 1)).sum(axis=1)
    return np.asarray(np.where(n > 1, agreeing / np.maximum(n * (n - 1), 1), 0.0))


def unit_shares(counts: IntArray) -> FloatArray:
    """(units, c) shares of the categories in a unit's ratings; zeros for a unit without any."""
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))


def _from_shares(
    counts: IntArray, weights: FloatArray | None, times: IntArray | None, chance: Chance, slope: Chance
) -> Coefficient:
    """A coefficient whose p_e is a function of the mean shares of categories."""
    w, n_times = _fill_weights(weights, counts.shape[1]), _fill_times(times, len(counts))
    rated = (counts.sum(axis=1) > 0) * n_times
    shares = unit_shares(counts)
    mean = (rated @ shares) / max(rated.sum(), 1)
    return _coefficient(counts, w, n_times, float(chance(mean, w)), shares @ slope(mean, w))


def _coefficient(
    counts: IntArray, weights: FloatArray, times: IntArray, expected: float, at_unit: FloatArray
) -> Coefficient:
    """The coefficient and its error; at_unit: (units,) half the derivative of p_e with respect to each unit."""
    n = counts.sum(axis=1)
    twice = n > 1
    n_units = int(times[twice].sum())
    observed = float((unit_agreement(counts, weights) * times).sum() / n_units) if n_units else math.nan
    value = float(correct_for_chance(np.array(observed), np.array(expected)))
    totals = times @ counts
    about = (
        n_units,
        int((times * n * (n - 1) // 2).sum()),
        int((times * n)[twice].sum()),
        int(times[n > 0].sum()),
        float(totals.max() / totals.sum()) if totals.sum() else math.nan,
    )
    error = math.nan if math.isnan(value) else _error(counts, weights, times, value, expected, at_unit)
    return Coefficient(value, error, observed, expected, *about, _why_not(value, n_units, counts.shape[1]))


def _error(
    counts: IntArray, weights: FloatArray, times: IntArray, value: float, expected: float, at_unit: FloatArray
) -> float:
    """Linearized standard error (Gwet 2014, chapter 5): spread over the rated units, n - 1, of their contributions."""
    n = counts.sum(axis=1)
    times = times * (n > 0)
    sampled, n_units = times.sum(), times[n > 1].sum()
    if sampled < 2:
        return math.nan
    own = (unit_agreement(counts, weights) - expected * (n > 1)) * sampled / n_units
    parts = (own - 2 * (1 - value) * (at_unit - expected)) / (1 - expected)
    return math.sqrt(float((times * (parts - value) ** 2).sum() / (sampled * (sampled - 1))))


def _why_not(value: float, n_units: int, categories: int) -> str:
    if not math.isnan(value):
        return ""
    if not n_units:
        return NOTHING_SHARED
    return ONE_CATEGORY if categories == 1 else ONE_LABEL


def _no_slope(shares: FloatArray, weights: FloatArray) -> FloatArray:
    return np.zeros(shares.shape[-1])


def _constant_slope(shares: FloatArray, weights: FloatArray) -> FloatArray:
    return np.full(shares.shape[-1], weights.mean())


def _fleiss_slope(shares: FloatArray, weights: FloatArray) -> FloatArray:
    return np.asarray(weights @ shares)


def _gwet_slope(shares: FloatArray, weights: FloatArray) -> FloatArray:
    c = len(shares)
    return np.asarray(weights.sum() / max(c * (c - 1), 1) * (1 - shares))


def _conger_slope(ratings: IntArray, by_rater: FloatArray, weights: FloatArray, times: IntArray) -> FloatArray:
    """(units,) half the slope of Conger's p_e in each unit (Gwet 2014, chapter 5)."""
    raters = len(ratings)
    n_rated = by_rater.sum(axis=1)
    n = times[(ratings != MISSING).any(axis=0)].sum()
    own = by_rater / n_rated[:, None]
    to_others = (own.sum(axis=0) - own) @ weights  # (raters, c)
    mean = (own * to_others).sum(axis=1)
    slope = np.zeros(ratings.shape[1])
    for rater, row in enumerate(ratings):
        rated = row != MISSING
        chosen = np.where(rated, to_others[rater][np.where(rated, row, 0)], 0.0)
        slope += n / n_rated[rater] * (chosen - rated * mean[rater]) + mean[rater]
    return np.asarray(slope / (raters * (raters - 1)))


def _weighted_bincount(row: IntArray, times: IntArray, categories: int) -> FloatArray:
    rated = row != MISSING
    return np.bincount(row[rated], weights=times[rated], minlength=categories).astype(np.float64)


def _fill_weights(weights: FloatArray | None, categories: int) -> FloatArray:
    return np.eye(categories) if weights is None else np.asarray(weights, dtype=np.float64)


def _fill_times(times: IntArray | None, units: int) -> IntArray:
    return np.ones(units, dtype=np.int64) if times is None else times


# Intervals over texts -------------------------------------------------------------------------------------------------

# Each replicate weighs sums per text and adds them.


PERCENT, FLEISS, CONGER, GWET, BRENNAN_PREDIGER = "percent", "fleiss", "conger", "gwet", "brennan_prediger"
PAIRS_ONLY = (PERCENT, BRENNAN_PREDIGER)  # single ratings do not enter their agreement by chance
CHANCES: dict[str, Chance] = {
    PERCENT: no_chance,
    FLEISS: fleiss_chance,
    GWET: gwet_chance,
    BRENNAN_PREDIGER: brennan_prediger_chance,
}


def clustered_coefficient(
    name: str, ratings: IntArray, categories: int, text: IntArray, *, seed: int, weights: FloatArray | None = None
) -> Interval:
    """Text-clustered interval of a coefficient, -1 to 1 (percent 0 to 1).

    name: percent, fleiss, conger, gwet or brennan_prediger. ratings: (raters, units) codes with MISSING. text: (units,)
    whole numbers. A unit with a single rating enters agreement by chance, where that depends on the ratings.
    """
    rated = (ratings != MISSING).sum(axis=0)
    entering = rated > (1 if name in PAIRS_ONLY else 0)
    texts, groups = np.unique(text[entering], return_inverse=True)
    w = np.eye(categories) if weights is None else weights
    statistic = coefficient_statistic(name, ratings[:, entering], categories, w, groups, len(texts))
    bounds = (0.0 if name == PERCENT else -1.0, 1.0)
    return cluster_interval(statistic, len(texts), int(rated[entering].sum()), bounds=bounds, seed=seed)


def published_coefficient(
    name: str, ratings: IntArray, categories: int, *, seed: int, weights: FloatArray | None = None
) -> Interval:
    """The interval with single units resampled, all taken as independent (the published convention).

    Units that were rated alike by everybody are one kind, so that a draw is a few multinomial counts.
    """
    rated = (ratings != MISSING).sum(axis=0)
    entering = rated > (1 if name in PAIRS_ONLY else 0)
    kinds, counts = np.unique(ratings[:, entering], axis=1, return_counts=True)
    w = np.eye(categories) if weights is None else weights
    each = np.arange(kinds.shape[1])
    statistic = coefficient_statistic(name, kinds, categories, w, each, len(each))
    return resample_interval(statistic, counts.astype(np.int64), int(rated[entering].sum()), seed=seed)


def coefficient_statistic(
    name: str, ratings: IntArray, categories: int, weights: FloatArray, groups: IntArray, n_groups: int
) -> Statistic:
    """The coefficient as a function of the weights (b, n_groups) of groups of units; groups: (units,) codes."""
    counts = category_counts(ratings, categories)
    observed = _observed_agreement(counts, weights, groups, n_groups)
    chance = (
        _chance_from_raters(ratings, categories, weights, groups, n_groups)
        if name == CONGER
        else _chance_from_shares(CHANCES[name], counts, weights, groups, n_groups)
    )
    return lambda drawn: correct_for_chance(observed(drawn), chance(drawn))


def _observed_agreement(counts: IntArray, weights: FloatArray, groups: IntArray, n_groups: int) -> Statistic:
    """p_a: the mean over units with two or more ratings."""
    twice = (counts.sum(axis=1) > 1).astype(np.float64)
    sums = group_sums(np.stack([unit_agreement(counts, weights), twice], axis=1), groups, n_groups)

    def statistic(drawn: FloatArray) -> FloatArray:
        agreeing, units = (drawn @ sums).T
        return np.asarray(agreeing / np.where(units > 0, units, np.nan))

    return statistic


def _chance_from_shares(
    chance: Chance, counts: IntArray, weights: FloatArray, groups: IntArray, n_groups: int
) -> Statistic:
    """p_e from the mean over units of the shares of categories."""
    rated = (counts.sum(axis=1, keepdims=True) > 0).astype(np.float64)
    sums = group_sums(np.concatenate([unit_shares(counts), rated], axis=1), groups, n_groups)

    def statistic(drawn: FloatArray) -> FloatArray:
        added = drawn @ sums
        units = np.where(added[:, -1:] > 0, added[:, -1:], np.nan)
        return chance(added[:, :-1] / units, weights)

    return statistic


def _chance_from_raters(
    ratings: IntArray, categories: int, weights: FloatArray, groups: IntArray, n_groups: int
) -> Statistic:
    """Conger's p_e from each rater's own counts, in blocks of replicates of bounded size."""
    raters = len(ratings)
    tables = np.zeros((n_groups, raters, categories))
    for rater, row in enumerate(ratings):
        tables[:, rater] = counts_in_groups(row, categories, groups, n_groups)
    flat = tables.reshape(n_groups, raters * categories)
    rows = max(1, CELLS // max(1, raters * categories))

    def statistic(drawn: FloatArray) -> FloatArray:
        parts = [
            conger_chance((drawn[start : start + rows] @ flat).reshape(-1, raters, categories), weights)
            for start in range(0, len(drawn), rows)
        ]
        return np.concatenate(parts)

    return statistic


def group_sums(values: FloatArray, groups: IntArray, n_groups: int) -> FloatArray:
    """(n_groups, m) sums of the rows of values (units, m) by group."""
    return np.stack([np.bincount(groups, weights=column, minlength=n_groups) for column in values.T], axis=1)


def counts_in_groups(row: IntArray, categories: int, groups: IntArray, n_groups: int) -> FloatArray:
    """(n_groups, c): how often one rater gave each category in each group."""
    rated = row != MISSING
    code = groups[rated] * categories + row[rated]
    return np.bincount(code, minlength=n_groups * categories).reshape(n_groups, categories).astype(np.float64)
