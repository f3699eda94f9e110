"""Intervals of mean pairwise kappas, against resampling judgment by judgment."""

from __future__ import annotations

import math
import random
from statistics import quantiles

import numpy as np
import pytest
from scipy.stats import t as student

from analysis.measures import agreement as agreement_intervals
from analysis.measures.agreement import (
    MISSING,
    all_pairs,
    clustered_kappa,
    mean_agreement,
    mean_kappa,
    pairs_with,
    pairwise,
    published_kappa,
)
from analysis.measures.intervals import JACKKNIFE, NO_JUDGMENT, NO_VARIATION, ONE_TEXT, PERCENTILE


def study(raters: int, texts: int, seed: int, categories: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Ratings that agree more often than by chance, 4 to 9 units a text, a fifth of the judgments missing."""
    rng = np.random.default_rng(seed)
    text = np.repeat(np.arange(texts), rng.integers(4, 10, size=texts))
    truth = rng.integers(categories, size=len(text))
    kept = rng.random((raters, len(text))) < rng.uniform(0.3, 0.8, size=texts)[text]
    ratings = np.where(kept, truth, rng.integers(categories, size=(raters, len(text))))
    ratings[rng.random(ratings.shape) < 0.2] = MISSING
    return ratings, text


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("categories", [2, 3])
def test_few_texts_give_the_delete_one_jackknife_of_the_whole_mean(weighted, categories):
    ratings, text = study(4, 9, seed=1, categories=categories)

    def mean_of(units: np.ndarray) -> float:
        found = mean_agreement(pairwise(ratings[:, units], categories))
        return found.kappa if weighted else found.kappa_unweighted

    without = np.array([mean_of(text != code) for code in range(9)])
    error = math.sqrt(8 / 9 * ((without - without.mean()) ** 2).sum())
    reach, theta = student.ppf(0.975, 8) * error, mean_of(text >= 0)
    interval = clustered_kappa(ratings, categories, all_pairs(4), text, seed=1, weighted=weighted)
    assert (interval.low, interval.high) == pytest.approx((theta - reach, theta + reach), abs=1e-12)
    assert (interval.method, interval.unit, interval.n_units) == (JACKKNIFE, "text", 9)


def test_forty_texts_give_percentiles_of_draws_of_texts():
    ratings, text = study(3, 45, seed=2)
    rng = np.random.default_rng(9)
    units = [np.flatnonzero(text == code) for code in range(45)]
    draws = []
    for _ in range(1500):
        drawn = np.concatenate([units[code] for code in rng.integers(45, size=45)])
        draws.append(mean_agreement(pairwise(ratings[:, drawn], 2)).kappa)
    cuts = quantiles(draws, n=40)
    interval = clustered_kappa(ratings, 2, all_pairs(3), text, seed=1)
    assert (interval.low, interval.high) == pytest.approx((cuts[0], cuts[-1]), abs=0.015)
    assert (interval.method, interval.n_units, interval.replicates) == (PERCENTILE, 45, 10_000)


def test_published_interval_equals_drawing_judged_units_with_all_their_judgments():
    ratings, text = study(3, 12, seed=3)
    rng = random.Random(4)
    entering = [unit for unit in range(len(text)) if (ratings[:, unit] != MISSING).sum() > 1]
    draws = []
    for _ in range(1500):
        drawn = rng.choices(entering, k=len(entering))
        draws.append(mean_agreement(pairwise(ratings[:, drawn], 2)).kappa)
    cuts = quantiles(draws, n=40)
    interval = published_kappa(ratings, 2, all_pairs(3), seed=1)
    assert (interval.low, interval.high) == pytest.approx((cuts[0], cuts[-1]), abs=0.02)
    assert (interval.unit, interval.n_units) == ("judgment", len(entering))


def test_statistic_with_all_weights_one_is_the_mean_itself():
    ratings, text = study(5, 8, seed=4, categories=3)
    mean = mean_agreement(pairwise(ratings, 3))
    for weighted, expected in ((True, mean.kappa), (False, mean.kappa_unweighted)):
        statistic = mean_kappa(ratings, 3, all_pairs(5), text, 8, weighted=weighted)
        assert statistic(np.ones((2, 8))).tolist() == pytest.approx([expected] * 2, abs=1e-12)


def test_small_blocks_of_pairs_and_rows_give_the_same_figures(monkeypatch):
    ratings, text = study(6, 10, seed=5)
    weights = np.random.default_rng(1).integers(0, 3, size=(50, 10)).astype(float)
    whole = mean_kappa(ratings, 2, all_pairs(6), text, 10)(weights)
    monkeypatch.setattr(agreement_intervals, "CELLS", 100)  # two pairs and a few rows at a time
    np.testing.assert_allclose(mean_kappa(ratings, 2, all_pairs(6), text, 10)(weights), whole, atol=1e-12)


def test_interval_of_one_rater_with_the_others_uses_only_its_pairs():
    ratings, text = study(4, 9, seed=6)
    changed = ratings.copy()
    changed[2:][changed[2:] != MISSING] = 0
    pairs = np.array([[0, 1]])
    assert clustered_kappa(ratings, 2, pairs, text, seed=1) == clustered_kappa(changed, 2, pairs, text, seed=1)
    assert published_kappa(ratings, 2, pairs, seed=1) == published_kappa(changed, 2, pairs, seed=1)


def test_texts_and_judgments_that_nobody_shares_do_not_count():
    ratings, text = study(3, 6, seed=7)
    alone = np.full((3, 4), MISSING)
    alone[0] = [0, 1, 1, 0]  # a seventh text that only one rater did
    wider, more_text = np.hstack([ratings, alone]), np.append(text, [6] * 4)
    pairs = pairs_with(0, np.arange(3))
    assert clustered_kappa(wider, 2, pairs, more_text, seed=1) == clustered_kappa(ratings, 2, pairs, text, seed=1)
    assert published_kappa(wider, 2, pairs, seed=1) == published_kappa(ratings, 2, pairs, seed=1)


def test_n_responses_counts_the_judgments_that_are_compared_once_each():
    ratings = np.array([[0, 1, 0, 1], [0, 1, 1, MISSING], [1, MISSING, 0, MISSING]])
    interval = clustered_kappa(ratings, 2, all_pairs(3), np.array([0, 0, 1, 1]), seed=1)
    assert interval.n_responses == 3 + 2 + 3  # the last unit has one rater


@pytest.mark.parametrize(
    ("ratings", "text", "reason"),
    [
        ([[0, 1, MISSING], [MISSING, MISSING, 1]], [0, 1, 2], NO_JUDGMENT),
        ([[0, 1, 1], [0, 1, 0]], [4, 4, 4], ONE_TEXT),
        ([[0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 0, 1]], [0, 0, 1, 1, 2, 2], NO_VARIATION),
    ],
)
def test_undefined_intervals_are_nan_with_a_reason(ratings, text, reason):
    interval = clustered_kappa(np.array(ratings), 2, all_pairs(2), np.array(text), seed=1)
    assert math.isnan(interval.low)
    assert interval.reason == reason


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [([[0, MISSING], [MISSING, 1]], NO_JUDGMENT), ([[0, 1] * 20, [0, 1] * 20], NO_VARIATION)],
)
def test_undefined_published_intervals_are_nan_with_a_reason(ratings, reason):
    interval = published_kappa(np.array(ratings), 2, all_pairs(2), seed=1)
    assert math.isnan(interval.high)
    assert interval.reason == reason


def test_one_rater_alone_has_no_interval():
    alone = np.array([[0, 1, 1]])
    assert clustered_kappa(alone, 2, all_pairs(1), np.array([0, 1, 2]), seed=1).reason == NO_JUDGMENT
    assert published_kappa(alone, 2, all_pairs(1), seed=1).reason == NO_JUDGMENT
