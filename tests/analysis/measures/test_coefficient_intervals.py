"""Text-clustered intervals of coefficients and of α, against leaving out and drawing texts one by one."""

from __future__ import annotations

import math
from statistics import quantiles

import numpy as np
import pytest
from scipy.stats import t as student

from analysis.measures.agreement import MISSING
from analysis.measures.alpha import INTERVAL, LEVELS, clustered_alpha, krippendorff_alpha, published_alpha
from analysis.measures.coefficients import (
    CHANCES,
    CONGER,
    FLEISS,
    GWET,
    PERCENT,
    brennan_prediger,
    category_counts,
    clustered_coefficient,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    percent,
    published_coefficient,
)
from analysis.measures.intervals import JACKKNIFE, JUDGMENT, NO_JUDGMENT, NO_VARIATION, ONE_TEXT, PERCENTILE
from analysis.measures.types import agreement_weights

OF_COUNTS = {"percent": percent, "fleiss": fleiss_kappa, "gwet": gwet_ac, "brennan_prediger": brennan_prediger}
NAMES = (*CHANCES, CONGER)


def study(texts: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Four raters on a scale of three, 3 to 6 units a text, a quarter of the judgments missing."""
    rng = np.random.default_rng(seed)
    text = np.repeat(np.arange(texts), rng.integers(3, 7, size=texts))
    truth = rng.integers(3, size=len(text))
    kept = rng.random((4, len(text))) < rng.uniform(0.3, 0.9, size=texts)[text]
    ratings = np.where(kept, truth, rng.integers(3, size=(4, len(text))))
    ratings[rng.random(ratings.shape) < 0.25] = MISSING
    return ratings, text


def value_of(name: str, ratings: np.ndarray, weights: np.ndarray) -> float:
    if name == CONGER:
        return conger_kappa(ratings, 3, weights).value
    return OF_COUNTS[name](category_counts(ratings, 3), weights).value


@pytest.mark.parametrize("kind", ["identity", "linear"])
@pytest.mark.parametrize("name", NAMES)
def test_few_texts_give_the_delete_one_jackknife_of_the_whole_coefficient(name, kind):
    ratings, text = study(11, seed=1)
    weights = agreement_weights(kind, 3)
    without = np.array([value_of(name, ratings[:, text != code], weights) for code in range(11)])
    reach = student.ppf(0.975, 10) * math.sqrt(10 / 11 * ((without - without.mean()) ** 2).sum())
    theta = value_of(name, ratings, weights)
    found = clustered_coefficient(name, ratings, 3, text, seed=1, weights=weights)
    assert found.method == JACKKNIFE
    assert (found.low, found.high) == pytest.approx((theta - reach, min(theta + reach, 1)), abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_many_texts_give_percentiles_of_draws_of_texts(name):
    ratings, text = study(42, seed=2)
    rng, units = np.random.default_rng(3), [np.flatnonzero(text == code) for code in range(42)]
    draws = [
        value_of(name, ratings[:, np.concatenate([units[code] for code in rng.integers(42, size=42)])], np.eye(3))
        for _ in range(800)
    ]
    cuts = quantiles(draws, n=40)
    found = clustered_coefficient(name, ratings, 3, text, seed=1)
    assert found.method == PERCENTILE
    assert (found.low, found.high) == pytest.approx((cuts[0], cuts[-1]), abs=0.02)


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_left_out_and_drawn_by_text_too(level):
    ratings, text = study(9, seed=4)
    values = np.where(ratings == MISSING, np.nan, ratings)
    without = np.array([krippendorff_alpha(values[:, text != code], level).value for code in range(9)])
    reach = student.ppf(0.975, 8) * math.sqrt(8 / 9 * ((without - without.mean()) ** 2).sum())
    theta = krippendorff_alpha(values, level).value
    found = clustered_alpha(values, level, text, seed=1)
    assert (found.low, found.high) == pytest.approx((theta - reach, min(theta + reach, 1)), abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_the_published_convention_draws_single_units(name):
    ratings, _text = study(20, seed=5)
    rng, n = np.random.default_rng(6), ratings.shape[1]
    draws = [value_of(name, ratings[:, rng.integers(n, size=n)], np.eye(3)) for _ in range(800)]
    cuts = quantiles(draws, n=40)
    found = published_coefficient(name, ratings, 3, seed=1)
    assert (found.low, found.high) == pytest.approx((cuts[0], cuts[-1]), abs=0.02)
    assert found.unit == JUDGMENT


def test_alphas_published_convention_draws_single_units():
    ratings, _text = study(20, seed=7)
    values = np.where(ratings == MISSING, np.nan, ratings)
    rng, n = np.random.default_rng(8), ratings.shape[1]
    draws = [krippendorff_alpha(values[:, rng.integers(n, size=n)], INTERVAL).value for _ in range(800)]
    cuts = quantiles(draws, n=40)
    found = published_alpha(values, INTERVAL, seed=1)
    assert (found.low, found.high) == pytest.approx((cuts[0], cuts[-1]), abs=0.03)


def test_a_text_whose_units_have_one_rating_counts_by_chance_only():
    ratings = np.array([[0, 1, 0, 1, 0], [0, 1, 1, 1, MISSING]])
    text = np.array([0, 1, 1, 2, 3])
    assert clustered_coefficient(FLEISS, ratings, 2, text, seed=1).n_units == 4
    assert clustered_coefficient(PERCENT, ratings, 2, text, seed=1).n_units == 3
    assert clustered_alpha(np.where(ratings < 0, np.nan, ratings), INTERVAL, text, seed=1).n_units == 3


def test_one_text_none_and_no_variation_are_undefined_with_the_reason():
    one = np.zeros(4, dtype=np.int64)
    ratings = np.array([[0, 1, 0, 1], [0, 1, 1, 1]])
    assert clustered_coefficient(CONGER, ratings, 2, one, seed=1).reason == ONE_TEXT
    assert clustered_coefficient(GWET, np.full((2, 4), MISSING), 2, one, seed=1).reason == NO_JUDGMENT
    assert clustered_coefficient(PERCENT, ratings[[0, 0]], 2, np.arange(4), seed=1).reason == NO_VARIATION
