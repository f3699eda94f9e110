"""The alternative-annotator test: can a model replace an annotator? (Calderon, Reichart & Dror 2025)

Each person is left out in turn. On every unit the model and that person are compared by their agreement with the
remaining people; the model passes against a person if it agrees as well about as often, where ε is a bonus for the
model because people cost more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from analysis.measures.contrasts import BENJAMINI_YEKUTIELI, adjust_p_values
from analysis.measures.types import FloatArray, IntArray, gettext_noop

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
    """Per person (r,): p, adjusted p, how often the model and how often the person is at least as good, and units.

    winning_rate: share of the tested people that the model passes against, 0 to 1; passed: at least a half.
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
    return float(student.cdf((mean - epsilon) / (spread / math.sqrt(n)), n - 1))


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
