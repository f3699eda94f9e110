"""Threshold-free and in bits; detection; and two-way intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from analysis.measures.informativity import (
    NO_BOTH_KINDS,
    auc,
    auc_informativity,
    bits,
    clustered_auc,
    clustered_auc_informativity,
    detection,
)
from analysis.measures.intervals import (
    JACKKNIFE,
    NO_GUESS,
    NO_READ,
    ONE_TEXT,
    PERCENTILE,
    TOO_FEW_OF_EITHER,
    two_way_contrast,
    two_way_share,
)


def model(texts: int, seed: int) -> tuple[np.ndarray, ...]:
    """p(true) without and with the text, keys and texts of a model that gains by reading; some p missing."""
    rng = np.random.default_rng(seed)
    text = np.repeat(np.arange(texts), 6)
    key = rng.random(len(text)) < 0.4
    level = rng.normal(0, 0.3, texts)[text]
    guess, read = (norm.cdf(level + shift * (2 * key - 1) + rng.normal(size=len(text))) for shift in (0.2, 0.9))
    guess = np.round(guess, 1)
    guess[::7] = np.nan
    return guess, read, key, text


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=40))
def test_auc_is_scikit_learns_and_any_increasing_map_leaves_it(rows):
    p, key = np.array([row[0] / 5 for row in rows]), np.array([row[1] for row in rows])
    if key.all() or not key.any():
        assert math.isnan(auc(p, key))
        return
    assert auc(p, key) == pytest.approx(roc_auc_score(key, p))
    assert auc(p**3 + 1, key) == pytest.approx(auc(p, key))
    assert auc(p, ~key) == pytest.approx(1 - auc(p, key))


def test_few_texts_give_the_jackknife_of_the_difference_of_areas():
    guess, read, key, text = model(12, seed=1)
    kept = [[column[text != code] for column in (guess, read, key)] for code in range(12)]
    without = np.array([auc_informativity(*columns) for columns in kept])
    reach = student.ppf(0.975, 11) * math.sqrt(11 / 12 * ((without - without.mean()) ** 2).sum())
    theta = auc_informativity(guess, read, key)
    found = clustered_auc_informativity(guess, read, key, text, seed=1)
    assert (found.low, found.high) == pytest.approx((theta - reach, theta + reach), abs=1e-9)
    assert (found.method, found.n_units) == (JACKKNIFE, 12)


def test_many_texts_give_percentiles_that_hold_the_area():
    _guess, read, key, text = model(45, seed=2)
    found = clustered_auc(read, key, text, seed=1)
    assert found.method == PERCENTILE
    assert found.low < auc(read, key) < found.high
    assert clustered_auc(read[:6], key[:6], text[:6], seed=1).reason == ONE_TEXT


def test_bits_are_gained_where_the_text_makes_the_right_label_likelier():
    guess, read = np.array([0.5, 0.5, 0.25, np.nan]), np.array([1.0, 0.75, 0.5, 0.5])
    found = bits(guess, read, np.array([True, False, True, True]))
    assert found.gain.tolist() == pytest.approx([1.0, -1.0, 1.0, math.nan], nan_ok=True)
    assert found.mean == pytest.approx(1 / 3)
    assert found.floored == 0


def test_a_probability_of_zero_costs_twenty_bits_and_is_counted():
    found = bits(np.array([0.0, 1.0]), np.array([1.0, 1.0]), np.array([True, False]))
    assert found.gain.tolist() == [20.0, 0.0]
    assert found.floored == 3
    assert math.isnan(bits(np.array([np.nan]), np.array([0.5]), np.array([True])).mean)


def test_a_yes_bias_shows_in_the_criterion_and_not_in_balanced_accuracy():
    ticked, key = np.array([True, True, True, True, True, False]), np.array([True, True, False, False, False, False])
    found = detection(ticked, key)
    assert found.balanced == pytest.approx(balanced_accuracy_score(key, ticked)) == pytest.approx(0.625)
    hit, alarm = norm.ppf(2.5 / 3), norm.ppf(3.5 / 5)
    assert (found.d_prime, found.criterion) == pytest.approx((hit - alarm, -(hit + alarm) / 2))
    assert found.criterion < 0
    assert found.constant == pytest.approx(4 / 6)


def test_detection_needs_keys_and_distractors():
    found = detection(np.array([True, False]), np.array([True, True]))
    assert math.isnan(found.d_prime)
    assert (found.reason, found.constant) == (NO_BOTH_KINDS, 0.0)


def counts(texts: int, annotators: int, seed: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    n = np.full((texts, annotators), 9)
    share = np.clip(0.7 + rng.normal(0, 0.1, (texts, 1)) + rng.normal(0, 0.1, annotators), 0.05, 0.95)
    return rng.binomial(n, share), n, rng.binomial(n // 3, share - 0.05), n // 3


def test_two_way_intervals_hold_the_figure_and_are_wider_than_one_way_alone():
    right, n, *_ = counts(12, 5, seed=1)
    both = two_way_share(right, n, seed=1)
    assert both.low < right.sum() / n.sum() < both.high
    rng, one_way = np.random.default_rng(2), []
    for _ in range(2000):
        drawn = rng.integers(12, size=12)
        one_way.append(right[drawn].sum() / n[drawn].sum())
    assert both.high - both.low > np.quantile(one_way, 0.975) - np.quantile(one_way, 0.025)
    assert (both.unit, both.n_units, both.n_responses) == ("text × annotator", 12, 540)


def test_two_way_draws_are_those_of_counting_every_judgment_as_often_as_both_come_up():
    read, n, guess, m = counts(8, 4, seed=3)
    rng, values = np.random.default_rng(4), []
    for _ in range(3000):
        rows, columns = rng.integers(8, size=8), rng.integers(4, size=4)
        part = np.ix_(rows, columns)
        values.append(read[part].sum() / n[part].sum() - guess[part].sum() / m[part].sum())
    found = two_way_contrast(read, n, guess, m, seed=1)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])), abs=0.01)


def test_two_way_needs_two_of_each_and_both_stages():
    right, n, *_ = counts(1, 5, seed=1)
    assert two_way_share(right, n, seed=1).reason == TOO_FEW_OF_EITHER
    right, n, guess, m = counts(4, 5, seed=1)
    assert two_way_contrast(right, n, 0 * guess, 0 * m, seed=1).reason == NO_GUESS
    assert two_way_contrast(0 * right, 0 * n, guess, m, seed=1).reason == NO_READ


def test_two_way_draws_of_a_share_are_those_of_counting_judgments_too():
    right, n, *_ = counts(8, 4, seed=5)
    rng, values = np.random.default_rng(6), []
    for _ in range(3000):
        part = np.ix_(rng.integers(8, size=8), rng.integers(4, size=4))
        values.append(right[part].sum() / n[part].sum())
    found = two_way_share(right, n, seed=1)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])), abs=0.01)


def test_order_of_texts_and_annotators_hardly_matters_to_two_way_intervals():
    tables = counts(9, 5, seed=7)
    one = two_way_contrast(*tables, seed=1)
    other = two_way_contrast(*(table[::-1, ::-1] for table in tables), seed=1)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.01)


def test_calling_everything_correct_is_no_ability():
    key = np.array([True, False, False, True, False])
    found = detection(np.ones(5, dtype=bool), key)
    assert found.balanced == 0.5
    assert abs(found.d_prime) < 0.4  # half a judgment is added to each count, of two and of three
    assert found.criterion < -0.8


def test_swapping_keys_and_distractors_turns_the_sign_of_d_prime_and_keeps_the_criterion():
    rng = np.random.default_rng(2)
    key, ticked = rng.random(60) < 0.4, rng.random(60) < 0.6
    one, other = detection(ticked, key), detection(ticked, ~key)
    assert one.d_prime == pytest.approx(-other.d_prime)
    assert one.criterion == pytest.approx(other.criterion)
    assert one.balanced == pytest.approx(1 - other.balanced)


def test_what_the_text_adds_is_what_it_takes_away_where_stages_change_places():
    guess, read, key, _text = model(10, seed=4)
    assert auc_informativity(guess, read, key) == pytest.approx(-auc_informativity(read, guess, key))
    assert bits(guess, read, key).mean == pytest.approx(-bits(read, guess, key).mean)
