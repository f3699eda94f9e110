"""Strengths from the best and the worst of several."""

from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import minimize

from analysis.measures.plackett_luce import Choices, fit, make_choices, rank_by_choices
from analysis.measures.strengths import NEVER_LOST


def chance_by_rankings(worth, best, worst, k):
    """The sum over all rankings that begin with the best and end with the worst."""
    total = 0.0
    for ranking in permutations(range(k)):
        if ranking[0] == best and ranking[-1] == worst:
            left = [worth[item] for item in ranking]
            total += np.prod([left[place] / sum(left[place:]) for place in range(k)])
    return total


def test_slopes_are_those_of_the_sum_over_rankings():
    """Four generators with one item each; numerical derivatives of the log of the sum over both middle orders."""
    at, step = np.array([0.4, -0.3, 0.9, -1.0]), 1e-6
    found = Choices(np.array([[0, 3, 1, 2]]), 4).slopes(at[None])[0, 0]
    moved = [[np.log(chance_by_rankings(np.exp(at + sign * step * np.eye(4)[g]), 0, 3, 4)) for sign in (1, -1)]
             for g in range(4)]  # fmt: skip
    assert found == pytest.approx([(up - down) / (2 * step) for up, down in moved], abs=1e-6)


def test_of_two_the_strengths_are_the_log_odds():
    """Best of two is a comparison of Bradley and Terry: 30 against 10 is log 3 apart."""
    choices = Choices(np.array([[0, 1], [1, 0]]), 2)
    assert fit(choices, np.array([[30.0, 10.0]]))[0] == pytest.approx([np.log(3) / 2, -np.log(3) / 2], abs=1e-9)


def draw_choices(n, worth, rng):
    """Choices of people who rank four items, one of each generator, by exponential times."""
    times = rng.exponential(1 / np.array(worth), (n, 4)).argsort(axis=1)
    return times[:, 0], times[:, 3], times[:, 1:3]


def test_the_fit_is_that_of_a_general_optimiser_and_near_what_was_planted():
    worth = np.array([3.0, 1.5, 1.0, 0.4])
    best, worst, others = draw_choices(2000, worth, np.random.default_rng(5))
    choices, which = make_choices(best, worst, others, 4)
    counts = np.bincount(which, minlength=len(choices.sets)).astype(float)

    def loss(at):
        chances = [chance_by_rankings(np.exp(at)[row], 0, 1, 4) for row in choices.sets]
        return -counts @ np.log(chances) / counts.sum()

    found = fit(choices, counts[None])[0]
    other = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x
    assert found == pytest.approx(other - other.mean(), abs=1e-4)
    planted = np.log(worth)
    assert found == pytest.approx(planted - planted.mean(), abs=0.15)


def test_replicates_are_fitted_as_if_each_stood_alone():
    rng = np.random.default_rng(2)
    choices, which = make_choices(*draw_choices(300, [3, 2, 1, 1], rng), 4)
    weights = np.stack([np.bincount(which[at], minlength=len(choices.sets)) for at in rng.integers(0, 300, (7, 300))])
    alone = np.concatenate([fit(choices, row[None].astype(float)) for row in weights])
    assert fit(choices, weights.astype(float)) == pytest.approx(alone, abs=1e-6)


def test_an_interval_over_texts_holds_the_strength_and_one_who_never_lost_has_none():
    best, worst, others = draw_choices(200, [3, 2, 1, 1], np.random.default_rng(1))
    found = rank_by_choices(best, worst, others, 4, np.arange(200) // 20, seed=1)
    assert all(each.low < value < each.high for each, value in zip(found.intervals, found.strength, strict=True))
    assert found.intervals[0].n_units == 10
    kept = best == 0
    gone = rank_by_choices(best[kept], worst[kept], others[kept], 4, np.arange(kept.sum()), seed=1)
    assert np.isnan(gone.strength).all()
    assert gone.reasons[0] == NEVER_LOST
