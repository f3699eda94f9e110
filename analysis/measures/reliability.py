"""Reliability: how well items would rank readers again, and whether two protocols rank the same items alike.

And how well raters agree on numbers: intraclass correlations (Shrout & Fleiss 1979).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import fdtri

from analysis.measures.intervals import LEVEL, Interval, cluster_intervals_together
from analysis.measures.reader_intervals import jackknife_parts
from analysis.measures.types import BoolArray, FloatArray, IntArray, gettext_noop
from analysis.measures.variance_parts import VarianceParts

# How well a set of items on certain texts would rank readers again.
#
# α: Cronbach (1951), for 0/1 KR-20; its interval: Feldt (1965). ω total: McDonald (1999), one factor by maximum
# likelihood. Longer tests: Spearman (1910), Brown (1910).

LEAST_FACTOR_PARTS = 3
MOST_PATTERNS = 200  # sets of texts that are compared in pairs when the largest complete block is sought


@dataclass(frozen=True)
class AlphaOfParts:
    """Cronbach's α with its interval, of n persons and k parts; NaN without two of each, or if all sums are equal."""

    value: float
    low: float
    high: float
    n: int
    k: int


def alpha_of_parts(scores: FloatArray, level: float = LEVEL) -> AlphaOfParts:
    """α of persons × parts (n, k), such as items or texts, without missing scores."""
    n, k = scores.shape
    spread = float(scores.sum(axis=1).var(ddof=1)) if n > 1 else 0.0
    if k < 2 or spread <= 1e-12:
        return AlphaOfParts(math.nan, math.nan, math.nan, n, k)
    value = k / (k - 1) * (1 - float(scores.var(axis=0, ddof=1).sum()) / spread)
    tail, freedom = (1 - level) / 2, (n - 1, (n - 1) * (k - 1))
    low, high = (1 - (1 - value) * float(fdtri(*freedom, end)) for end in (1 - tail, tail))
    return AlphaOfParts(value, low, high, n, k)


def alpha_of_covariances(covariance: FloatArray) -> float:
    """Cronbach's α from a covariance matrix (k, k)."""
    k = len(covariance)
    return float(k / (k - 1) * (1 - np.trace(covariance) / covariance.sum()))


def omega_of_loadings(loadings: FloatArray, unique: FloatArray) -> float:
    """(Σ l)² / ((Σ l)² + Σ ψ) from loadings and unique variances (k,)."""
    shared = float(loadings.sum()) ** 2
    return shared / (shared + float(unique.sum()))


def omega_total(scores: FloatArray) -> float:
    """ω of persons × parts (n, k); NaN below three parts, where a part does not vary or the fit does not converge."""
    if scores.shape[1] < LEAST_FACTOR_PARTS or (scores.std(axis=0) <= 1e-12).any():
        return math.nan
    loadings, unique = fit_one_factor(np.asarray(np.corrcoef(scores, rowvar=False)))
    spread = scores.std(axis=0, ddof=1)
    return omega_of_loadings(loadings * spread, unique * spread**2)


LEAST_UNIQUE = 0.005  # of a part's variance; where nothing is left to be unique, the likelihood has no maximum


def fit_one_factor(correlation: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Loadings and unique variances (k,) by maximum likelihood (Jöreskog 1967); NaN if the search does not converge.

    The best loadings follow from the unique variances ψ, so the search is over ψ alone. The matrix may be singular.
    """

    def misfit(unique: FloatArray) -> tuple[float, FloatArray]:
        root, loadings = load(correlation, unique)
        value = np.log(unique).sum() + (1 / unique).sum() + math.log(root) - root + 1
        return float(value), (loadings**2 + unique - 1) / unique**2

    from scipy.optimize import minimize  # a quarter of a second to load

    found = minimize(
        misfit, np.full(len(correlation), 0.5), jac=True, method="L-BFGS-B",
        bounds=[(LEAST_UNIQUE, 1.0)] * len(correlation), options={"maxiter": 1000, "ftol": 1e-15, "gtol": 1e-7},
    )  # fmt: skip
    unique = np.asarray(found.x)
    step = unique - np.clip(unique - misfit(unique)[1], LEAST_UNIQUE, 1.0)  # 0 where none within the bounds is better
    if np.abs(step).max() > 1e-4:
        unique = np.full_like(unique, np.nan)
        return unique, unique
    return load(correlation, unique)[1], unique


def load(correlation: FloatArray, unique: FloatArray) -> tuple[float, FloatArray]:
    """The largest root of Ψ^-½ R Ψ^-½, at least 1, and the loadings (k,) that follow from it."""
    roots, vectors = np.linalg.eigh(correlation / np.sqrt(np.outer(unique, unique)))
    root = max(float(roots[-1]), 1.0)
    return root, np.asarray(np.sqrt(unique * (root - 1)) * vectors[:, -1])


def spearman_brown(reliability: float, times: float) -> float:
    """The reliability of a set `times` as long: mρ / (1 + (m - 1) ρ)."""
    return times * reliability / (1 + (times - 1) * reliability)


def largest_block(answered: BoolArray, least: int = 0) -> tuple[IntArray, IntArray]:
    """Persons and texts of the largest complete block of persons × texts (n, t), by number of cells; at least
    `least` persons, if a block has so many.

    Sought among the sets of texts that persons did and what two of these share: the commonest 200 sets.
    """
    patterns, count = np.unique(answered, axis=0, return_counts=True)
    kept = patterns[np.argsort(-count)[:MOST_PATTERNS]]
    shared = [one & other for one, other in combinations(kept, 2)] if len(kept) > 1 else []
    candidates = np.unique(np.array([*kept, *shared], dtype=bool), axis=0)
    having = (answered.astype(np.int64) @ candidates.T.astype(np.int64)) == candidates.sum(axis=1)
    persons = having.sum(axis=0)
    enough = persons >= least if (persons >= least).any() else np.ones(len(persons), dtype=bool)
    best = int(np.argmax(np.where(enough, persons * candidates.sum(axis=1), -1)))
    return np.flatnonzero(having[:, best]), np.flatnonzero(candidates[best])


# The same items under two protocols: whether both rank them alike, and how reliable an hour of answers is in each.

HOUR = 60.0


def rank_correlation(one: FloatArray, other: FloatArray) -> float:
    """Spearman's ρ; NaN below three pairs or where one side does not vary."""
    from scipy.stats import rankdata  # a second to load

    both = ~(np.isnan(one) | np.isnan(other))
    if both.sum() < 3:
        return np.nan
    x, y = rankdata(one[both]), rankdata(other[both])
    if not (x.std() > 0 and y.std() > 0):
        return np.nan
    return float(np.corrcoef(x, y)[0, 1])


def item_correlation(one: FloatArray, other: FloatArray, text: IntArray) -> VarianceParts:
    """ρ of items' scores (m,), with a jackknife over their texts (m,)."""
    texts = np.unique(text)
    without = np.array([rank_correlation(one[text != each], other[text != each]) for each in texts])
    return jackknife_parts(rank_correlation(one, other), without, bounds=(-1.0, 1.0))


def generator_correlation(one: FloatArray, other: FloatArray) -> VarianceParts:
    """ρ of generators' means, from sums and counts by text: (2, texts, generators) each, texts left out in turn."""
    value = rank_correlation(_means(one.sum(axis=1)), _means(other.sum(axis=1)))
    without = np.array(
        [
            rank_correlation(_means(one.sum(axis=1) - one[:, at]), _means(other.sum(axis=1) - other[:, at]))
            for at in range(one.shape[1])
        ]
    )
    return jackknife_parts(value, without, bounds=(-1.0, 1.0))


def _means(sums: FloatArray) -> FloatArray:
    return np.asarray(sums[0] / np.where(sums[1] > 0, sums[1], np.nan))


def reliability_of_an_hour(reliability: float, minutes: float) -> float:
    """α over texts of a set that takes so many minutes, stepped to one hour; NaN for α at most 0."""
    return spearman_brown(reliability, HOUR / minutes) if minutes > 0 and reliability > 0 else np.nan


# Intraclass correlations ----------------------------------------------------------------------------------------------


TOO_SMALL = gettext_noop("An intraclass correlation needs two units that the same two or more annotators judged.")
ROUNDING = 1e-12  # mean squares below this share of all squares count as 0

NO_VARIATION_AT_ALL = gettext_noop("All ratings are the same, so there is no variance to decompose.")


@dataclass(frozen=True)
class Icc:
    """single: one-way ICC(1), two-way random ICC(2), two-way mixed ICC(3) of one rater. average: of k raters' mean.

    NaN where undefined, and `reason` says why. n: units with all ratings.
    """

    single: tuple[float, float, float]
    average: tuple[float, float, float]
    n: int
    raters: int
    reason: str = ""


def icc(values: FloatArray) -> Icc:
    """The ICCs of (raters, units) numbers, from mean squares of a two-way table; units with a NaN are left out."""
    complete = values[:, ~np.isnan(values).any(axis=0)].T
    n, k = complete.shape
    if n < 2 or k < 2:
        return _make_undefined(n, k, TOO_SMALL)
    if np.ptp(complete) == 0:
        return _make_undefined(n, k, NO_VARIATION_AT_ALL)
    grand = complete.mean()
    between = k * ((complete.mean(axis=1) - grand) ** 2).sum() / (n - 1)
    raters = n * ((complete.mean(axis=0) - grand) ** 2).sum()
    within_sum = ((complete - complete.mean(axis=1, keepdims=True)) ** 2).sum()
    within, raters_mean = within_sum / (n * (k - 1)), raters / (k - 1)
    error = (within_sum - raters) / ((n - 1) * (k - 1))
    single = (
        _divide(between - within, between + (k - 1) * within),
        _divide(between - error, between + (k - 1) * error + k * (raters_mean - error) / n),
        _divide(between - error, between + (k - 1) * error),
    )
    average = (
        _divide(between - within, between),
        _divide(between - error, between + (raters_mean - error) / n),
        _divide(between - error, between),
    )
    return Icc(single, average, n, k)


def clustered_icc(values: FloatArray, text: IntArray, *, seed: int) -> list[Interval]:
    """Text-clustered intervals, -1 to 1, of the three ICCs of one rater, then of the three of the mean.

    values: (raters, units), text: (units,) whole numbers. A replicate weighs each text's sums, so no rating is read
    twice; raters stay the same.
    """
    used = ~np.isnan(values).any(axis=0) & (len(values) > 0)
    complete = values[:, used] - (values[:, used].mean() if used.any() else 0.0)
    texts, groups = np.unique(text[used], return_inverse=True)
    columns = [np.ones(complete.shape[1]), (complete**2).sum(axis=0), complete.sum(axis=0) ** 2, *complete]
    sums = np.stack([np.bincount(groups, weights=column, minlength=len(texts)) for column in columns], axis=1)
    k = len(values)
    return cluster_intervals_together(
        lambda weights: _compute_iccs(weights @ sums, k), len(texts), complete.size, bounds=(-1.0, 1.0), seed=seed
    )


def _compute_iccs(sums: FloatArray, k: int) -> FloatArray:
    """(b, 6) ICCs from (b, 3 + k) sums over units: 1, squared ratings, squared sums of units, each rater's ratings."""
    n, squares, unit_squares, of_raters = sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3:]
    n, freedom = np.where(n > 1, n, np.nan), np.maximum(k - 1, 1)
    center = of_raters.sum(axis=1) ** 2 / (n * max(k, 1))
    between_sum, within_sum = unit_squares / max(k, 1) - center, squares - unit_squares / max(k, 1)
    raters_sum = (of_raters**2).sum(axis=1) / n - center
    exact = [
        np.where(part > ROUNDING * squares, part, 0.0)
        for part in (between_sum, within_sum, raters_sum, within_sum - raters_sum)
    ]
    between, within, raters = exact[0] / (n - 1), exact[1] / (n * freedom), exact[2] / freedom
    error = exact[3] / ((n - 1) * freedom)
    pairs = [
        (between - within, between + (k - 1) * within),
        (between - error, between + (k - 1) * error + k * (raters - error) / n),
        (between - error, between + (k - 1) * error),
        (between - within, between),
        (between - error, between + (raters - error) / n),
        (between - error, between),
    ]
    return np.stack([above / np.where(below != 0, below, np.nan) for above, below in pairs], axis=1)


def _divide(above: float, below: float) -> float:
    return float(above / below) if below else math.nan


def _make_undefined(n: int, raters: int, reason: str) -> Icc:
    nothing = (math.nan, math.nan, math.nan)
    return Icc(nothing, nothing, n, raters, reason)
