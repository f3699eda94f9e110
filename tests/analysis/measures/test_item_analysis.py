"""Items one by one, against hand-worked tables and written-out definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, betabinom, t
from statsmodels.stats.proportion import proportion_confint

from analysis.measures.agreement import MISSING
from analysis.measures.item_analysis import (
    ALL_ALIKE,
    NO_BETTER_THAN_CHANCE,
    TOO_FEW_ANNOTATORS,
    TOO_FEW_FOR_INTERVAL,
    certainty_above,
    discrimination,
    discrimination_intervals,
    jeffreys_interval,
    miskey,
    unit_means,
)
from tests.analysis.measures.strategies import ratings

NO = MISSING


def test_shares_and_their_n_leave_out_what_is_missing():
    found = unit_means(np.array([[1, 0, NO], [1, NO, NO], [0, 1, NO]]))
    assert found.share.tolist() == pytest.approx([2 / 3, 0.5, math.nan], nan_ok=True)
    assert found.n.tolist() == [3, 2, 0]


def test_discrimination_leaves_the_unit_out_of_the_score():
    right = np.array([[1, 1, 1, 0], [1, 1, 0, 0], [0, 1, 1, 1], [0, 0, 0, 1], [1, 0, 1, 0]])
    found = discrimination(right)
    for unit in range(4):
        rest = np.delete(right, unit, axis=1).sum(axis=1)
        assert found.value[unit] == pytest.approx(np.corrcoef(right[:, unit], rest)[0, 1])
    assert found.n.tolist() == [5] * 4


def test_discrimination_with_missing_judgments_uses_each_annotators_own_rest():
    right = np.array([[1, 1, 0], [0, NO, 1], [1, 1, 1], [0, 0, NO], [1, NO, NO]])
    found = discrimination(right)
    assert found.n.tolist() == [4, 3, 3]  # the last annotator judged nothing else
    assert found.value[0] == pytest.approx(np.corrcoef([1, 0, 1, 0], [0.5, 1, 1, 0])[0, 1])


def test_discrimination_is_undefined_without_three_annotators_or_without_variation():
    assert discrimination(np.array([[1, 0], [0, 1]])).reasons == [TOO_FEW_ANNOTATORS] * 2
    found = discrimination(np.array([[1, 0, 1], [1, 1, 0], [1, 1, 1]]))
    assert math.isnan(found.value[0])
    assert found.reasons[0] == ALL_ALIKE


@given(ratings(5, 2), st.permutations(range(5)))
def test_order_of_annotators_does_not_matter_and_values_are_correlations(right, order):
    one, other = discrimination(right), discrimination(right[list(order)])
    np.testing.assert_allclose(one.value, other.value, atol=1e-12)
    defined = one.value[~np.isnan(one.value)]
    assert (np.abs(defined) <= 1 + 1e-12).all()
    assert [bool(reason) for reason in one.reasons] == np.isnan(one.value).tolist()


def test_a_key_that_nearly_everybody_contradicts_raises_the_alarm_and_a_hard_one_less():
    n_right, n = np.array([6, 6, 5, 6, 6, 5, 6, 0, 3]), np.full(9, 6)
    found = miskey(n_right, n).probability
    assert found[7] > 0.5
    assert found[8] == pytest.approx(0.02)  # as many for as against: no evidence either way
    assert (found[:7] < 0.02).all()


def test_a_prior_of_a_half_and_one_more_disagreeing_reader_raise_the_alarm():
    n_right, n = np.array([8, 8, 7, 8, 2, 1]), np.full(6, 8)
    low, high = miskey(n_right, n).probability, miskey(n_right, n, prior=0.5).probability
    assert (high > low).all()
    assert low[5] > low[4]


def test_no_alarm_where_readers_are_no_better_than_chance_or_nobody_read():
    none = miskey(np.array([1, 1]), np.array([2, 2]))
    assert none.reason == NO_BETTER_THAN_CHANCE
    assert np.isnan(none.probability).all()
    assert np.isnan(miskey(np.array([3, 2, 0]), np.array([3, 3, 0])).probability).tolist() == [False, False, True]


def test_certainty_grows_with_n_and_is_a_half_where_answers_are_split():
    found = certainty_above(np.array([2, 20, 3, 0]), np.array([3, 30, 6, 0]))
    assert found[0] < found[1]
    assert found[0] == pytest.approx(1 - beta.cdf(0.5, 2.5, 1.5))
    assert found[2] == pytest.approx(0.5)
    assert math.isnan(found[3])


def test_jeffreys_interval_is_that_of_statsmodels():
    low, high = jeffreys_interval(7, 10)
    assert (low, high) == pytest.approx(proportion_confint(7, 10, method="jeffreys"))


def test_jeffreys_interval_of_the_first_of_two():
    """Brown, Cai & DasGupta 2001: Beta(1.5, 1.5) between its 2.5 and 97.5 percent points."""
    assert jeffreys_interval(1, 2) == pytest.approx((0.0608, 0.9392), abs=1e-4)


def test_jeffreys_interval_reaches_the_ends_where_all_or_none_are_right():
    assert jeffreys_interval(0, 4)[0] == 0
    assert jeffreys_interval(4, 4)[1] == 1


def test_jeffreys_interval_of_nobody_is_undefined():
    assert all(np.isnan(jeffreys_interval(0, 0)))


def miskey_written_out(n_right: list[int], n: list[int], unit: int, prior: float) -> float:
    """Bayes' rule with scipy's beta-binomial; its mean and spread are those of the other units, one by one."""
    others = [(x, m) for code, (x, m) in enumerate(zip(n_right, n, strict=True)) if code != unit and m]
    k, all_n = len(others), sum(m for _x, m in others)
    mean = sum(x for x, _m in others) / all_n
    between = sum(m * (x / m - mean) ** 2 for x, m in others) / (k - 1)
    within = sum(x * (m - x) / m for x, m in others) / (all_n - k)
    typical = (all_n - sum(m**2 for _x, m in others) / all_n) / (k - 1)
    spread = min(max((between - within) / (between + (typical - 1) * within), 1e-3), 0.99)
    mean = min(max(mean, 0.5 / all_n), 1 - 0.5 / all_n)
    a, b = mean * (1 / spread - 1), (1 - mean) * (1 / spread - 1)
    right_key, wrong_key = (betabinom.pmf(x, n[unit], a, b) for x in (n_right[unit], n[unit] - n_right[unit]))
    return prior * wrong_key / (prior * wrong_key + (1 - prior) * right_key)


def test_the_probability_of_a_wrong_key_is_that_of_bayes_rule_written_out():
    n_right, n = [8, 6, 7, 1, 5, 8, 0, 3], [8, 8, 7, 6, 8, 8, 0, 4]
    found = miskey(np.array(n_right), np.array(n), prior=0.1).probability
    for unit in (0, 1, 2, 3, 4, 5, 7):
        assert found[unit] == pytest.approx(miskey_written_out(n_right, n, unit, 0.1), abs=1e-9)
    assert math.isnan(found[6])


def test_a_discrimination_has_an_interval_from_ten_annotators_on():
    rng = np.random.default_rng(1)
    right = (rng.random((40, 6)) < rng.random((40, 1))).astype(np.int64)
    right[3, 0] = MISSING
    of_all, few_people = discrimination(right), discrimination(right[:9])
    found, value = discrimination_intervals(right, of_all)[0], of_all.value[0]
    others = [discrimination(np.delete(right, place, axis=0)).value[0] for place in range(40) if place != 3]
    reach = t.ppf(0.975, 38) * np.sqrt(38 / 39 * ((np.array(others) - np.mean(others)) ** 2).sum())
    assert (found.low, found.high) == pytest.approx((max(value - reach, -1), min(value + reach, 1)))
    assert (found.unit, found.n_units) == ("annotator", 39)
    few = discrimination_intervals(right[:9], few_people)[1]
    assert (np.isnan(few.low), few.reason) == (True, TOO_FEW_FOR_INTERVAL)
