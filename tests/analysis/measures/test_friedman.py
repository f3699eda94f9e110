"""Friedman, Nemenyi and adjusted p-values, against Demšar's figures and second implementations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from statsmodels.stats.multitest import multipletests

from analysis.measures.contrasts import (
    ALL_TIED,
    BENJAMINI_HOCHBERG,
    BENJAMINI_YEKUTIELI,
    HOLM,
    PROCEDURES,
    TOO_SMALL,
    adjust_p_values,
    compute_nemenyi_quantile,
    critical_difference,
    friedman,
    nemenyi,
)
from tests.analysis.measures.published import DEMSAR


def test_demsars_example_comes_out_as_printed():
    found = friedman(np.array(DEMSAR))
    assert np.round(found.mean_ranks, 3).tolist() == [3.143, 2.0, 2.893, 1.964]
    assert (round(found.chi2, 2), round(found.iman_davenport, 2)) == (9.28, 3.69)
    assert (round(compute_nemenyi_quantile(4), 3), round(found.critical_difference, 2)) == (2.569, 1.25)


def test_chi_square_with_ties_is_scipys():
    found, second = friedman(np.array(DEMSAR)), stats.friedmanchisquare(*np.array(DEMSAR).T)
    assert (found.chi2_ties, found.p) == pytest.approx((second.statistic, second.pvalue))


def test_nemenyi_is_below_five_percent_exactly_beyond_the_critical_difference():
    scores = np.array(DEMSAR)
    means, p = friedman(scores).mean_ranks, nemenyi(scores)
    apart = np.abs(means[:, None] - means[None, :])
    assert ((p < 0.05) == (apart > critical_difference(14, 4))).all()
    assert (np.diag(p) == 1).all()
    assert (p == p.T).all()


def test_nemenyi_of_two_columns_is_the_normal_test_of_their_rank_difference():
    scores = np.array([[1.0, 2], [1, 3], [2, 1], [1, 2], [0, 5]])
    z = abs(1.8 - 1.2) / math.sqrt(2 * 3 / (6 * 5))
    assert nemenyi(scores)[0, 1] == pytest.approx(2 * stats.norm.sf(z), abs=1e-9)


def test_incomplete_blocks_are_left_out_and_the_rest_may_be_too_small():
    scores = np.array([[1.0, 2, 3], [1, np.nan, 2], [2, 1, 3]])
    assert friedman(scores).n == 2
    assert friedman(scores[:2]).reason == TOO_SMALL
    assert math.isnan(friedman(scores[:2]).chi2)
    assert np.isnan(nemenyi(scores[:2])).all()


def test_equal_scores_everywhere_leave_nothing_to_rank():
    found = friedman(np.ones((4, 3)))
    assert found.reason == ALL_TIED
    assert math.isnan(found.p)


@given(arrays(np.float64, (6, 3), elements=st.integers(0, 5).map(float)), st.permutations(range(3)))
def test_order_of_blocks_and_columns_does_not_matter(scores, order):
    one, other = friedman(scores), friedman(scores[::-1][:, list(order)])
    np.testing.assert_allclose(one.mean_ranks[list(order)], other.mean_ranks)
    assert (one.chi2, one.p) == pytest.approx((other.chi2, other.p), nan_ok=True)


@pytest.mark.slow
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.sampled_from(PROCEDURES))
def test_adjusted_p_values_are_statsmodels(p, procedure):
    second = {HOLM: "holm", BENJAMINI_HOCHBERG: "fdr_bh", BENJAMINI_YEKUTIELI: "fdr_by"}[procedure]
    np.testing.assert_allclose(adjust_p_values(np.array(p), procedure), multipletests(p, method=second)[1], atol=1e-12)


def test_an_undefined_p_value_is_no_member_of_the_family():
    assert adjust_p_values(np.array([0.01, np.nan, 0.04])).tolist() == pytest.approx([0.02, np.nan, 0.04], nan_ok=True)
    with pytest.raises(ValueError, match="holm, bh, by"):
        adjust_p_values(np.array([0.1]), "sidak")


# Demšar (2006), table 5 (a): q.05 of the Nemenyi test for 2 to 10 classifiers
DEMSAR_Q = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]


@pytest.mark.parametrize(("treatments", "printed"), list(enumerate(DEMSAR_Q, start=2)))
def test_quantiles_of_the_nemenyi_test_are_the_printed_ones(treatments, printed):
    assert compute_nemenyi_quantile(treatments) == pytest.approx(printed, abs=0.0011)


def test_iman_and_davenports_f_is_that_of_an_analysis_of_variance_of_the_ranks():
    scores = np.random.default_rng(3).normal(size=(9, 4)) + np.array([0.0, 0.3, 0.6, 0.9])
    ranks = stats.rankdata(-scores, axis=1)
    columns = 9 * ((ranks.mean(axis=0) - 2.5) ** 2).sum()
    rest = ((ranks - ranks.mean(axis=0)) ** 2).sum()  # all blocks have the mean 2.5
    found = friedman(scores)
    assert found.iman_davenport == pytest.approx((columns / 3) / (rest / (3 * 8)))
    assert found.iman_davenport_p == pytest.approx(stats.f.sf(found.iman_davenport, 3, 24))


def test_every_block_in_the_same_order_is_the_largest_difference_there_is():
    found = friedman(np.tile([1.0, 2.0, 3.0], (6, 1)))
    assert found.mean_ranks.tolist() == [3.0, 2.0, 1.0]
    assert (found.chi2, found.iman_davenport, found.iman_davenport_p) == (12.0, math.inf, 0.0)
