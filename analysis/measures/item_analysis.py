"""Items and options one by one: how often people are right, how well it separates good readers from others, and
whether the key looks wrong.

right: (annotators, units) 1 for a right judgment, 0 for a wrong one, MISSING; a unit is an option or a whole item.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincc, betaincinv, betaln

from analysis.measures.agreement import MISSING
from analysis.measures.intervals import JACKKNIFE, LEVEL, Interval, undefined_interval
from analysis.measures.item_response import discrimination_without
from analysis.measures.reader_intervals import variance_parts
from analysis.measures.types import FloatArray, IntArray, gettext_noop
from analysis.measures.variance_parts import jackknife_variance

PRIOR_MISKEY = 0.02  # assumed share of options with a wrong key, before there are answers
FEWEST_ANNOTATORS, FEWEST_FOR_INTERVAL = 3, 10

TOO_FEW_ANNOTATORS = gettext_noop(
    "A discrimination needs at least three annotators who judged this and something else."
)
ALL_ALIKE = gettext_noop(
    "All annotators judged this the same way, or do equally well on everything else, so discrimination is undefined."
)
TOO_FEW_FOR_INTERVAL = gettext_noop("Answers of %(n)d people are too few for an interval.")
UNDEFINED_WITHOUT_ONE = gettext_noop("Without one of the annotators the discrimination is undefined.")
NO_BETTER_THAN_CHANCE = gettext_noop(
    "No more than half of the judgments with the text are correct, so they say nothing about a key."
)


@dataclass(frozen=True)
class UnitShares:
    """Per unit (u,): share of 1s (NaN without judgments) and number of judgments."""

    share: FloatArray
    n: IntArray


@dataclass(frozen=True)
class Discrimination:
    """Per unit (u,): corrected point-biserial correlation, NaN if undefined, the reasons, and n annotators."""

    value: FloatArray
    reasons: list[str]
    n: IntArray


def unit_means(values: IntArray) -> UnitShares:
    """The share of 1s among the judgments of each unit: of `right`, of chosen options, or of unsure answers.

    values: (annotators, units) 0, 1 or MISSING.
    """
    judged = values != MISSING
    n = judged.sum(axis=0)
    return UnitShares(np.asarray((values * judged).sum(axis=0) / np.where(n > 0, n, np.nan)), n.astype(np.int64))


def discrimination(right: IntArray) -> Discrimination:
    """Correlation of being right here with the share right of the annotator's other judgments (the rest score).

    The unit itself is left out of the score, so it does not correlate with itself. Annotators with no other judgment
    do not count.
    """
    judged = right != MISSING
    ones, n_judged = right * judged, judged.sum(axis=1, keepdims=True)
    used = judged & (n_judged > 1)
    rest = (ones.sum(axis=1, keepdims=True) - ones) / np.maximum(n_judged - 1, 1)
    n = used.sum(axis=0)
    x, y = (_center(column, used) for column in (ones.astype(np.float64), rest))
    below = np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
    defined = (n >= FEWEST_ANNOTATORS) & (below > 1e-12)
    value = np.where(defined, (x * y).sum(axis=0) / np.where(defined, below, 1.0), np.nan)
    few = n < FEWEST_ANNOTATORS
    reasons = ["" if ok else TOO_FEW_ANNOTATORS if short else ALL_ALIKE for ok, short in zip(defined, few, strict=True)]
    return Discrimination(value, reasons, n.astype(np.int64))


def discrimination_intervals(right: IntArray, found: Discrimination) -> list[Interval]:
    """(u,) intervals of the discriminations `found` by a jackknife over annotators; undefined with fewer than 10."""
    variances = jackknife_of_discrimination(right).tolist()
    intervals = []
    for value, n, variance, why in zip(found.value.tolist(), found.n.tolist(), variances, found.reasons, strict=True):
        if math.isnan(value) or n < FEWEST_FOR_INTERVAL:
            intervals.append(undefined_interval("", ("annotator", n, n, None), why or TOO_FEW_FOR_INTERVAL))
            continue
        low, high = (math.nan, math.nan)
        if not math.isnan(variance):
            low, high = variance_parts(value, variance, n, n, (-1.0, 1.0)).ends()
        reason = UNDEFINED_WITHOUT_ONE if math.isnan(low) else ""
        intervals.append(Interval(low, high, JACKKNIFE, "annotator", n, n, 0, None, reason))
    return intervals


def jackknife_of_discrimination(right: IntArray) -> FloatArray:
    """(u,) jackknife variance of each unit's discrimination over its annotators; NaN if undefined without one."""
    judged = right != MISSING
    ones, n_judged = (right * judged).astype(np.float64), judged.sum(axis=1).astype(np.float64)
    used, total = judged & (n_judged > 1)[:, None], ones.sum(axis=1)
    n_used, found = used.sum(axis=0), np.full(right.shape[1], np.nan)
    for n in np.unique(n_used[n_used > 1]):  # units judged by equally many are computed together
        units = np.flatnonzero(n_used == n)
        mine = used[:, units].T
        own = ones[:, units].T[mine].reshape(-1, n)
        totals, counts = (np.broadcast_to(each, mine.shape)[mine].reshape(-1, n) for each in (total, n_judged))
        found[units] = jackknife_variance(discrimination_without(own, totals - own, counts - 1))
    return found


@dataclass(frozen=True)
class Miskey:
    """Per unit (u,): probability that its key is wrong, NaN where undefined; `reason` where it is undefined for all."""

    probability: FloatArray
    reason: str = ""


def miskey(n_right: IntArray, n: IntArray, prior: float = PRIOR_MISKEY) -> Miskey:
    """Probability that a key is wrong, given that n_right of n judgments with the text agree with it, both (u,).

    Bayes' rule with a beta-binomial for the number right of an option whose key is right, fitted to all other options,
    so that hard options are expected to occur; where the key is wrong, right and wrong change places. `prior`: the
    share of wrong keys beforehand. NaN for units without judgments and where there is no other unit.
    """
    total = n.sum()
    if not total or n_right.sum() <= total / 2:
        return Miskey(np.full(len(n), np.nan), NO_BETTER_THAN_CHANCE)
    a, b = _beta_of_others(n_right.astype(np.float64), n.astype(np.float64))
    fits, turned = (betaln(a + x, b + n - x) for x in (n_right, n - n_right))
    odds = prior / (1 - prior) * np.exp(np.clip(turned - fits, -700, 700))
    return Miskey(np.where(n > 0, odds / (1 + odds), np.nan))


def certainty_above(n_right: IntArray, n: IntArray, share: float = 0.5) -> FloatArray:
    """(u,) probability that more than `share` of all such people would be right, given n_right of n; NaN where n is 0.

    Jeffreys' prior: Beta(right + ½, wrong + ½). Sort guessable items by it, unanswerable ones by 1 minus it.
    """
    found = betaincc(n_right + 0.5, n - n_right + 0.5, share)
    return np.asarray(np.where(n > 0, found, np.nan))


def _center(column: FloatArray, used: FloatArray) -> FloatArray:
    """(annotators, units) minus the mean of the used ones of each unit; 0 elsewhere."""
    mean = (column * used).sum(axis=0) / np.maximum(used.sum(axis=0), 1)
    return np.asarray((column - mean) * used)


def _beta_of_others(x: FloatArray, n: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Parameters (u,) of the beta distribution of the other options' shares right, without the option itself.

    Their spread is the analysis-of-variance estimate of Fleiss, Levin & Paik (2003), chapter 15; where they spread no
    more than by chance it becomes nearly a point. NaN without another option.
    """
    judged = n > 0
    squares = np.where(judged, x**2 / np.where(judged, n, 1), 0.0)
    k, rights, all_n, n_squares, own = (part.sum() - part for part in (judged * 1.0, x, n, n**2, squares))
    some = np.where(all_n > 0, all_n, np.nan)
    mean = rights / some
    between = (own - rights * mean) / np.maximum(k - 1, 1)
    within = (rights - own) / np.maximum(all_n - k, 1)
    typical = (all_n - n_squares / some) / np.maximum(k - 1, 1)
    below = between + (typical - 1) * within
    spread = np.clip((between - within) / np.where(below > 0, below, np.inf), 1e-3, 0.99)
    mean = np.clip(mean, 0.5 / some, 1 - 0.5 / some)  # if all are right, half a judgment counts as wrong
    size = 1 / spread - 1
    return np.asarray(mean * size), np.asarray((1 - mean) * size)


def jeffreys_interval(n_right: int, n: int) -> tuple[float, float]:
    """95 % interval of the share right of a single item, single people being the unit; NaN without any.

    Jeffreys' prior, the ends at 0 and 1 where nobody or everybody is right (Brown, Cai & DasGupta 2001, section 4.1.2).
    """
    if not n:
        return math.nan, math.nan
    tails = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
    low, high = (float(betaincinv(n_right + 0.5, n - n_right + 0.5, tail)) for tail in tails)
    return (0.0 if n_right == 0 else low), (1.0 if n_right == n else high)
