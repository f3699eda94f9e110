"""Text-clustered intervals of the coefficients of several raters: each replicate weighs sums per text and adds them."""

from __future__ import annotations

import numpy as np

from analysis.measures.agreement import MISSING
from analysis.measures.coefficients import (
    Chance,
    brennan_prediger_chance,
    category_counts,
    conger_chance,
    correct_for_chance,
    fleiss_chance,
    gwet_chance,
    no_chance,
    unit_agreement,
    unit_shares,
)
from analysis.measures.intervals import CELLS, Interval, Statistic, cluster_interval, resample_interval
from analysis.measures.types import FloatArray, IntArray

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
    """Text-clustered interval of a coefficient of coefficients.py, -1 to 1 (percent 0 to 1).

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
    """The same with single units resampled, all taken as independent (the published convention).

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
        _by_rater(ratings, categories, weights, groups, n_groups)
        if name == CONGER
        else _by_shares(CHANCES[name], counts, weights, groups, n_groups)
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


def _by_shares(chance: Chance, counts: IntArray, weights: FloatArray, groups: IntArray, n_groups: int) -> Statistic:
    """p_e from the mean over units of the shares of categories."""
    rated = (counts.sum(axis=1, keepdims=True) > 0).astype(np.float64)
    sums = group_sums(np.concatenate([unit_shares(counts), rated], axis=1), groups, n_groups)

    def statistic(drawn: FloatArray) -> FloatArray:
        added = drawn @ sums
        units = np.where(added[:, -1:] > 0, added[:, -1:], np.nan)
        return chance(added[:, :-1] / units, weights)

    return statistic


def _by_rater(ratings: IntArray, categories: int, weights: FloatArray, groups: IntArray, n_groups: int) -> Statistic:
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
