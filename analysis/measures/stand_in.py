"""Can a model replace people? The alternative-annotator test, probabilities against what is true, and biases.

The test (Calderon, Reichart & Dror 2025) leaves out each person in turn. On every unit the model and that person are
compared by their agreement with the remaining people; the model passes against a person if it agrees as well about as
often, where ε is a bonus for the model because people cost more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analysis.measures.contrasts import BENJAMINI_YEKUTIELI, adjust_p_values
from analysis.measures.distributions import t_above
from analysis.measures.intervals import Interval, cluster_interval
from analysis.measures.types import BoolArray, FloatArray, IntArray, gettext_noop

EXPERTS, SKILLED, CROWD = 0.2, 0.15, 0.1  # ε for people of these kinds
LEVEL_OF_TEST = 0.05
FEWEST_UNITS = 30  # with fewer the t-test is unreliable
FEWEST_PEOPLE = 3
PASSING = 0.5

CATEGORIES, NUMBERS = "categories", "numbers"

TOO_FEW_PEOPLE = gettext_noop("The test needs at least three people, so that two remain when one is left out.")
TOO_FEW_SHARED = gettext_noop("No person shares two units with the model and another person.")


@dataclass(frozen=True)
class AlternativeAnnotator:
    """Results per person (r,): p, adjusted p, how often the model and the person are at least as good, and units.

    winning_rate: share of the tested people that the model passes against, 0 to 1; the test is passed from 0.5 on.
    advantage: mean probability that the model is at least as good as a person. few_units: people with fewer than 30
    units, for whom the t-test is unreliable. NaN where undefined, with the `reason`.
    """

    p: FloatArray
    p_adjusted: FloatArray
    model_at_least: FloatArray
    person_at_least: FloatArray
    n_units: IntArray
    winning_rate: float
    advantage: float
    few_units: int
    epsilon: float
    reason: str = ""

    @property
    def is_passed(self) -> bool:
        """Whether the model may replace a person; False where undefined."""
        return not math.isnan(self.winning_rate) and self.winning_rate >= PASSING


def alternative_annotator_test(
    people: FloatArray, model: FloatArray, epsilon: float, kind: str = CATEGORIES
) -> AlternativeAnnotator:
    """One-sided paired t-tests against ε, adjusted by Benjamini & Yekutieli over people; see `_p_below` for no spread.

    people: (r, units) codes or numbers, NaN where missing. model: (units,) the same. A unit counts for a person if the
    model, the person and another person judged it. kind: categories agree or not, numbers by their root mean square.
    """
    r = len(people)
    if r < FEWEST_PEOPLE:
        return _make_undefined(r, epsilon, TOO_FEW_PEOPLE)
    found = [_against(people, model, person, epsilon, kind) for person in range(r)]
    p, model_at_least, person_at_least = (np.array([one[place] for one in found]) for place in range(3))
    n_units = np.array([one[3] for one in found], dtype=np.int64)
    tested = ~np.isnan(p)
    if not tested.any():
        return _make_undefined(r, epsilon, TOO_FEW_SHARED)
    p_adjusted = adjust_p_values(p, BENJAMINI_YEKUTIELI)
    rate = float((p_adjusted[tested] < LEVEL_OF_TEST).mean())
    advantage = float(model_at_least[tested].mean())
    few = int((n_units[tested] < FEWEST_UNITS).sum())
    return AlternativeAnnotator(p, p_adjusted, model_at_least, person_at_least, n_units, rate, advantage, few, epsilon)


def _against(
    people: FloatArray, model: FloatArray, person: int, epsilon: float, kind: str
) -> tuple[float, float, float, int]:
    """p, how often the model and how often the person is at least as good, and units, with one person left out."""
    others = np.delete(people, person, axis=0)
    used = ~np.isnan(model) & ~np.isnan(people[person]) & ~np.isnan(others).all(axis=0)
    n = int(used.sum())
    if n < 2:
        return math.nan, math.nan, math.nan, n
    score = _matches if kind == CATEGORIES else _nearness
    ours, theirs = (score(judge[used], others[:, used]) for judge in (model, people[person]))
    at_least, person_at_least = (ours >= theirs).astype(np.float64), (theirs >= ours).astype(np.float64)
    return _p_below(person_at_least - at_least, epsilon), float(at_least.mean()), float(person_at_least.mean()), n


def _p_below(differences: FloatArray, epsilon: float) -> float:
    """p of a mean difference of ε or more, one-sided. Where all differences are equal there is no t; then p is exact.

    A difference is -1, 0 or 1, so a mean of ε needs a 1 in at least a share ε of all units: n units without any have a
    probability of at most (1 - ε)ⁿ.
    """
    n, mean, spread = len(differences), float(differences.mean()), float(differences.std(ddof=1))
    if spread == 0:
        return (1 - epsilon) ** n if mean < epsilon else 1.0
    return float(t_above((epsilon - mean) / (spread / math.sqrt(n)), n - 1))


def _matches(judge: FloatArray, others: FloatArray) -> FloatArray:
    """(units,): share of the others who said the same."""
    there = ~np.isnan(others)
    return np.asarray(((others == judge) & there).sum(axis=0) / there.sum(axis=0))


def _nearness(judge: FloatArray, others: FloatArray) -> FloatArray:
    """(units,): minus the root mean squared distance to the others."""
    return np.asarray(-np.sqrt(np.nanmean((others - judge) ** 2, axis=0)))


def _make_undefined(r: int, epsilon: float, reason: str) -> AlternativeAnnotator:
    nothing, nan = np.full(r, np.nan), math.nan
    none = np.zeros(r, dtype=np.int64)
    return AlternativeAnnotator(nothing, nothing, nothing, nothing, none, nan, nan, 0, epsilon, reason)


# Probabilities of a model against what is true: Brier score, calibration error, reliability bins, label mass.
# p: (n,) p(true) from 0 to 1, without NaN. true: (n,) whether the option is a key.


BINS = 10
LOW_MASS = 0.5  # below this the model mostly wrote something other than a label


@dataclass(frozen=True)
class Reliability:
    """Calibration by bin of p (bins,): its ends, mean p, share of keys (both NaN where empty) and n.

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
    """Calibration in bins of equal width, lower end included, the last with 1 (Naeini et al. 2015; Brier 1950)."""
    place = find_bins(p, bins)
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


def find_bins(p: FloatArray, bins: int = BINS) -> IntArray:
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
    """The mass from the two labels' own probabilities, (n,), NaN where the server did not return one."""
    mass = p_true + p_false
    known = mass[~np.isnan(mass)]
    if not len(known):
        return LabelMass(0, len(mass), math.nan, math.nan, math.nan, 0)
    figures = float(known.mean()), float(np.median(known)), float(known.min())
    return LabelMass(len(known), len(mass) - len(known), *figures, int((known < LOW_MASS).sum()))


# Biases of models and metrics: what they call correct or favor beyond what people do.


RANGE = (-1.0, 1.0)
DIFFERENCE = (-2.0, 2.0)


@dataclass(frozen=True)
class Excess:
    """value: how much more often options are ticked than keys, NaN if undefined. n: judgments with the mark, or all."""

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
