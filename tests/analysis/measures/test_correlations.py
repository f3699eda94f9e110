"""Correlations and their text-clustered intervals, against scipy and against resampling row by row."""

from __future__ import annotations

import math
from statistics import quantiles

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import t as student

from analysis.measures.correlation_intervals import (
    PERFECT,
    TOO_FEW_FOR_Z,
    clustered_by_generator,
    clustered_correlation,
    clustered_within,
    independent_correlation,
)
from analysis.measures.correlations import (
    COEFFICIENTS,
    CONSTANT,
    KENDALL,
    NO_TEXT_VARIES,
    PEARSON,
    SPEARMAN,
    TOO_FEW,
    Correlation,
    by_generator,
    center_within,
    correlation,
    correlation_matrix,
    row_correlations,
    within_texts,
)
from analysis.measures.intervals import JACKKNIFE, PERCENTILE

SCIPY = {PEARSON: stats.pearsonr, SPEARMAN: stats.spearmanr, KENDALL: stats.kendalltau}


def study(texts: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A metric and mean human scores of 3 to 7 items a text by four generators, with shared texts and many ties."""
    rng = np.random.default_rng(seed)
    text = np.repeat(np.arange(texts), rng.integers(3, 8, size=texts))
    generator = rng.integers(4, size=len(text))
    level = rng.normal(size=texts)[text] + 0.5 * generator
    x, y = level + rng.normal(size=len(text)), np.round(level + rng.normal(size=len(text)))
    x[rng.random(len(text)) < 0.05] = np.nan
    return x, y, text, generator


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_rows_with_a_missing_number_are_left_out(coefficient):
    x, y = np.array([1.0, 2, 3, np.nan, 5, 7]), np.array([2.0, 1, 4, 4, np.nan, 9])
    found, second = correlation(x, y, coefficient), SCIPY[coefficient]([1, 2, 3, 7], [2, 1, 4, 9])
    assert (found.r, found.p, found.n) == (pytest.approx(second.statistic), pytest.approx(second.pvalue), 4)


def test_too_few_rows_and_constant_columns_are_undefined_with_the_reason():
    assert correlation(np.array([1.0, 2.0]), np.array([2.0, 3.0])).reason == TOO_FEW
    constant = correlation(np.array([1.0, 2.0, 3.0]), np.array([5.0, 5.0, 5.0]), KENDALL)
    assert math.isnan(constant.r)
    assert constant.reason == CONSTANT


def test_within_texts_differs_from_pooled_where_texts_differ_in_level():
    x, y = np.array([1.0, 2, 3, 11, 12, 13]), np.array([3.0, 2, 1, 13, 12, 11])
    text = np.array([0, 0, 0, 1, 1, 1])
    assert correlation(x, y).r > 0.9
    assert within_texts(x, y, text).r == pytest.approx(-1.0)
    assert correlation(center_within(x, text), center_within(y, text)).r == pytest.approx(-1.0)


def test_within_texts_leaves_out_texts_in_which_a_column_is_constant_and_weighs_by_rows():
    x = np.array([1.0, 2, 3, 1, 2, 3, 4, 5, 5, 5])
    y = np.array([1.0, 2, 3, 4, 3, 2, 1, 1, 2, 3])
    text = np.array([0] * 3 + [1] * 4 + [2] * 3)
    found = within_texts(x, y, text)
    assert (found.r, found.n) == (pytest.approx((3 * 1 + 4 * -1) / 7), 7)
    assert within_texts(x[-3:], y[-3:], text[-3:]).reason == NO_TEXT_VARIES


def test_by_generator_correlates_means():
    x, y = np.array([1.0, 3, 2, 2, 8, 10]), np.array([5.0, 5, 1, 3, 9, 9])
    found = by_generator(x, y, np.array([7, 7, 2, 2, 4, 4]))
    second = stats.pearsonr([2, 2, 9], [5, 2, 9])
    assert (found.r, found.n) == (pytest.approx(second.statistic), 3)


def test_means_that_are_equal_but_for_rounding_are_equal():
    """In floating point .1 + .2 + .3 and .3 + .3 + 0 differ in the last digit; all means are .2."""
    x = np.array([0.1, 0.2, 0.3, 0.3, 0.3, 0.0, 0.2, 0.2, 0.2])
    generator = np.repeat([0, 1, 2], 3)
    assert len({x[generator == code].mean() for code in range(3)}) > 1
    found = by_generator(x, np.repeat([1.0, 2.0, 3.0], 3), generator, SPEARMAN)
    assert (math.isnan(found.r), found.reason) == (True, CONSTANT)


def test_a_matrix_holds_every_pair_and_its_diagonal_is_one():
    columns = np.array([[1.0, 2, 3], [2, 1, 3], [3, 5, 3], [4, 4, 3]])
    found = correlation_matrix(columns)
    assert found[0, 1] == found[1, 0] == pytest.approx(stats.pearsonr(columns[:, 0], columns[:, 1]).statistic)
    assert found[0, 0] == pytest.approx(1.0)
    assert np.isnan(found[2]).all()


def of_rows(scope: str, coefficient: str, x, y, text, generator) -> float:
    if scope == "pooled":
        return correlation(x, y, coefficient).r
    if scope == "within":
        return within_texts(x, y, text, coefficient).r
    return by_generator(x, y, generator, coefficient).r


def interval_of(scope: str, coefficient: str, x, y, text, generator):
    if scope == "pooled":
        return clustered_correlation(x, y, text, coefficient, seed=1)
    if scope == "within":
        return clustered_within(x, y, text, coefficient, seed=1)
    return clustered_by_generator(x, y, text, generator, coefficient, seed=1)


@pytest.mark.parametrize("scope", ["pooled", "within", "generators"])
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_few_texts_give_the_delete_one_jackknife(scope, coefficient):
    columns = study(12, seed=3)
    without = []
    for code in range(12):
        kept = [column[columns[2] != code] for column in columns]
        without.append(of_rows(scope, coefficient, *kept))
    if scope == "within":  # texts without a correlation do not count as texts
        alone = [of_rows(scope, coefficient, *(column[columns[2] == code] for column in columns)) for code in range(12)]
        without = [value for value, own in zip(without, alone, strict=True) if not math.isnan(own)]
    k = len(without)
    theta, spread = of_rows(scope, coefficient, *columns), np.array(without) - np.mean(without)
    reach = student.ppf(0.975, k - 1) * math.sqrt((k - 1) / k * (spread**2).sum())
    found = interval_of(scope, coefficient, *columns)
    assert found.method == JACKKNIFE
    assert (found.low, found.high) == pytest.approx((max(theta - reach, -1), min(theta + reach, 1)), abs=1e-9)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_a_replicate_with_fewer_than_three_rows_has_no_correlation_and_so_no_interval(coefficient):
    x, y = np.array([1.0, 2, 4, 3, 7]), np.array([2.0, 1, 5, 4, 6])
    text, generator = np.array([0, 0, 0, 1, 1]), np.array([0, 1, 0, 1, 0])
    assert not math.isnan(correlation(x, y, coefficient).r)
    pooled = clustered_correlation(x, y, text, coefficient, seed=1)  # without the first text two rows are left
    assert (math.isnan(pooled.low), pooled.reason != "") == (True, True)
    assert math.isnan(by_generator(x, y, generator, coefficient).r)  # two generators' means
    by_means = clustered_by_generator(x, y, text, generator, coefficient, seed=1)
    assert (math.isnan(by_means.low), by_means.reason != "") == (True, True)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_many_texts_give_percentiles_of_draws_of_texts(coefficient):
    x, y, text, _generator = study(45, seed=4)
    rng, rows = np.random.default_rng(5), [np.flatnonzero(text == code) for code in range(45)]
    draws = []
    for _ in range(800):
        drawn = np.concatenate([rows[code] for code in rng.integers(45, size=45)])
        draws.append(correlation(x[drawn], y[drawn], coefficient).r)
    cuts = quantiles(draws, n=40)
    found = clustered_correlation(x, y, text, coefficient, seed=1)
    assert found.method == PERCENTILE
    assert (found.low, found.high) == pytest.approx((cuts[0], cuts[-1]), abs=0.03)


@given(st.integers(0, 10**6), st.sampled_from(COEFFICIENTS))
def test_order_of_rows_and_rescaling_do_not_matter_and_a_reversed_column_turns_the_sign(seed, coefficient):
    x, y, *_ = study(6, seed)
    order = np.random.default_rng(seed).permutation(len(x))
    r = correlation(x, y, coefficient).r
    assert correlation(x[order], y[order], coefficient).r == pytest.approx(r, abs=1e-12, nan_ok=True)
    assert correlation(3 * x + 2, y, coefficient).r == pytest.approx(r, abs=1e-9, nan_ok=True)
    assert correlation(-x, y, coefficient).r == pytest.approx(-r, abs=1e-12, nan_ok=True)


def test_the_interval_of_independent_rows_is_fisher_s():
    # r = .5 of 28 rows: z = .549306, SE = 1/5, so tanh(.549306 ± 1.959964 / 5).
    found = independent_correlation(Correlation(0.5, 0.01, 28))
    assert (found.low, found.high) == (pytest.approx(0.156028, abs=1e-5), pytest.approx(0.735818, abs=1e-5))
    ranks = independent_correlation(Correlation(0.5, 0.01, 28), SPEARMAN)
    assert math.atanh(ranks.high) == pytest.approx(0.549306 + 1.959964 / 5 * math.sqrt(1.125), abs=1e-5)
    tau = independent_correlation(Correlation(0.5, 0.01, 28), KENDALL)
    assert math.atanh(tau.high) == pytest.approx(0.549306 + 1.959964 * math.sqrt(0.437 / 24), abs=1e-5)


def test_where_fisher_s_interval_is_undefined_it_says_why():
    assert independent_correlation(Correlation(0.5, 0.5, 3)).reason == TOO_FEW_FOR_Z
    assert independent_correlation(Correlation(1.0, 0.0, 30)).reason == PERFECT
    assert independent_correlation(Correlation(math.nan, math.nan, 2, TOO_FEW)).reason == TOO_FEW


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("rows", [6, 150])
def test_within_texts_is_the_weighted_mean_of_scipys_correlations_of_texts(coefficient, rows):
    rng = np.random.default_rng(rows)
    text = np.repeat(np.arange(4), [rows, rows, rows - 2, 2])
    x, y = rng.integers(6, size=(2, len(text))).astype(float)
    own = [SCIPY[coefficient](x[text == code], y[text == code]).statistic for code in range(3)]  # two rows have none
    found = within_texts(x, y, text, coefficient)
    assert (found.r, found.n) == (pytest.approx(np.average(own, weights=[rows, rows, rows - 2])), 3 * rows - 2)


def test_kendall_of_many_short_rows_is_compared_in_blocks(monkeypatch):
    x, y = np.random.default_rng(1).integers(5, size=(2, 30, 8)).astype(float)
    whole = row_correlations(x, y, KENDALL)
    monkeypatch.setattr("analysis.measures.correlations.CELLS", 200)
    np.testing.assert_array_equal(row_correlations(x, y, KENDALL), whole)
    assert whole[0] == pytest.approx(stats.kendalltau(x[0], y[0]).statistic)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_rows_that_come_twice_leave_the_coefficient_and_its_interval_and_lower_p(coefficient):
    x, y, text, _generator = study(8, seed=9)
    twice = [np.tile(column, 2) for column in (x, y, text)]
    one, two = correlation(x, y, coefficient), correlation(*twice[:2], coefficient)
    assert (two.r, two.n) == (pytest.approx(one.r), 2 * one.n)
    assert two.p < one.p
    once, double = (clustered_correlation(*columns, coefficient, seed=1) for columns in ((x, y, text), twice))
    assert (once.low, once.high) == pytest.approx((double.low, double.high), abs=1e-9)
    assert (double.n_units, double.n_responses) == (once.n_units, 2 * once.n_responses)
