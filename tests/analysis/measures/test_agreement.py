"""Agreement of pairs, against published figures and a second implementation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from analysis.measures.agreement import (
    MISSING,
    all_pairs,
    cohen_kappa,
    gwet_ac1,
    human_average,
    judgments_compared,
    leave_one_out_means,
    mean_agreement,
    pair_tables,
    pairs_with,
    pairwise,
    percent_agreement,
    select_sharing_pairs,
)
from analysis.measures.coefficients import category_counts, percent
from tests.analysis.measures.published import (
    ABSTRACTORS,
    ANXIETY_2,
    ANXIETY_3,
    COHEN_1960,
    COHEN_1968,
    DIAGNOSES,
    FEINSTEIN_A,
    FEINSTEIN_B,
    PROC_FREQ,
    codes,
)
from tests.analysis.measures.strategies import ratings


@pytest.mark.parametrize(
    ("measure", "table", "published", "decimals"),
    [
        (cohen_kappa, ABSTRACTORS, 0.7964094, 7),
        (gwet_ac1, ABSTRACTORS, 0.8493305, 7),
        (percent_agreement, ABSTRACTORS, 0.89, 7),
        (cohen_kappa, COHEN_1968, 0.492, 3),
        (percent_agreement, COHEN_1968, 0.70, 2),
        (cohen_kappa, COHEN_1960, -0.09, 2),
        (percent_agreement, COHEN_1960, 0.29, 2),
        (cohen_kappa, PROC_FREQ, 0.4842, 4),
        (cohen_kappa, FEINSTEIN_A, 0.70, 2),
        (percent_agreement, FEINSTEIN_A, 0.85, 2),
        (cohen_kappa, FEINSTEIN_B, 0.32, 2),
        (percent_agreement, FEINSTEIN_B, 0.85, 2),
    ],
)
def test_published_tables_come_out_to_the_printed_digits(measure, table, published, decimals):
    assert round(float(measure(np.array(table))), decimals) == published


def test_published_ratings_of_two_raters_come_out_to_the_printed_digits():
    two = np.array([ANXIETY_2, ANXIETY_3]) - 1
    assert pairwise(two, 6).kappa[0] == pytest.approx(-0.006289308, abs=5e-10)


def test_mean_over_all_pairs_is_lights_kappa():
    six = codes([[int(digit) for digit in row] for row in DIAGNOSES.split()])
    mean = mean_agreement(pairwise(six, 5))
    assert round(mean.kappa, 3) == round(mean.kappa_unweighted, 3) == 0.459  # all pairs share all 30 units
    assert round(mean.percent, 3) == 0.556
    assert (mean.n_pairs, mean.n_pairs_possible, mean.n_judgments) == (15, 15, 450)


@pytest.mark.parametrize(
    ("printed", "average"),
    [([0.185, 0.015, 0.0, 0.4, 0.0, 0.216], 0.136), ([0.712, 0.679, 0.677, 0.669, 0.634, 0.729], 0.683)],
)
def test_published_human_average_is_the_mean_of_the_leave_one_out_means(printed, average):
    # Säuberli & Clematide 2024, table 2: human1 to human6 and "average", without and with the text
    assert round(human_average(np.array(printed)), 3) == average


def test_unused_declared_category_counts_in_ac1_and_not_in_kappa():
    two = np.array(FEINSTEIN_B)
    three = np.pad(two, ((0, 1), (0, 1)))
    assert float(gwet_ac1(two)) == pytest.approx((0.85 - 0.21875) / (1 - 0.21875), abs=1e-15)
    assert float(gwet_ac1(three)) == pytest.approx((0.85 - 0.109375) / (1 - 0.109375), abs=1e-15)
    assert cohen_kappa(two) == cohen_kappa(three)


def test_two_raters_constant_on_one_category_have_no_kappa_and_full_agreement():
    pair = pairwise(codes([[3, 3]] * 5), 3)
    assert math.isnan(pair.kappa[0])
    assert pair.percent[0] == 1.0
    assert pair.ac1[0] == 1.0


def test_one_constant_rater_gives_kappa_exactly_zero():
    pair = pairwise(codes([[1, 1], [1, 2], [1, 1], [1, 2], [1, 1]]), 2)
    assert pair.kappa[0] == 0.0
    assert pair.percent[0] == 0.6
    assert pair.ac1[0] == pytest.approx(0.4117647058823529, abs=1e-15)


@given(st.lists(st.integers(1, 10**6), min_size=2, max_size=5), st.data())
def test_one_constant_rater_gives_zero_for_any_counts(column, data):
    table = np.zeros((len(column), len(column)), dtype=np.int64)
    table[data.draw(st.integers(0, len(column) - 1))] = column
    assert cohen_kappa(table) == 0.0


def test_two_raters_constant_on_different_categories_have_kappa_zero():
    assert cohen_kappa(np.array([[0, 7], [0, 0]])) == 0.0


def test_negative_kappa_stays_negative():
    pair = pairwise(codes([[1, 2], [2, 1], [1, 2], [2, 1], [1, 1]]), 2)
    assert pair.kappa[0] == pytest.approx(-2 / 3, abs=1e-15)


def test_pairs_that_share_nothing_are_undefined_and_left_out_of_the_mean():
    sparse = codes([[1, None, 2], [None, 2, 2], [1, None, None], [2, None, 1], [None, 1, 1], [None, None, None]])
    pairs = pairwise(sparse, 2)
    assert pairs.n.tolist() == [0, 2, 2]
    assert pairs.kappa.tolist() == pytest.approx([math.nan, -1.0, 1.0], nan_ok=True)
    mean = mean_agreement(pairs)
    assert (mean.kappa, mean.kappa_unweighted, mean.n_pairs, mean.n_pairs_possible, mean.n_judgments) == (0, 0, 2, 3, 4)
    assert leave_one_out_means(pairs, 3).tolist() == [-1.0, 1.0, 0.0]
    assert select_sharing_pairs(sparse, all_pairs(3)).tolist() == [[0, 2], [1, 2]]


def test_a_rater_who_shares_nothing_has_no_mean_and_is_left_out_of_the_average():
    lonely = codes([[1, 1, None], [2, 2, None], [None, None, 1]])
    means = leave_one_out_means(pairwise(lonely, 2), 3)
    assert means.tolist() == pytest.approx([1.0, 1.0, math.nan], nan_ok=True)
    assert human_average(means) == 1.0


@given(ratings(2, 3))
def test_agreement_over_all_is_that_over_the_applicable_and_what_neither_saw(two):
    n, seen = two.shape[1], two != MISSING
    over_all = percent(category_counts(np.where(seen, two, 3), 4)).value
    both, neither = int(seen.all(axis=0).sum()), int((~seen).all(axis=0).sum())
    over_applicable = percent(category_counts(two, 3)).value
    applicable = over_applicable * both if both else 0.0
    assert over_all * n == pytest.approx(applicable + neither, abs=1e-9)


def test_nothing_shared_at_all_is_undefined_everywhere():
    apart = mean_agreement(pairwise(codes([[1, None], [None, 1]]), 2))
    assert all(math.isnan(value) for value in (apart.kappa, apart.kappa_unweighted, apart.percent, apart.ac1))
    assert (apart.n_pairs, apart.n_judgments) == (0, 0)
    assert math.isnan(human_average(np.array([np.nan, np.nan])))


def test_mean_kappa_is_weighted_by_shared_judgments_and_unweighted_beside_it():
    many = [[1, 1, None], [2, 2, None]] * 45  # raters 1 and 2 share ninety units and agree
    two = [[None, 1, 2], [None, 2, 1]]  # raters 2 and 3 share two and disagree
    mean = mean_agreement(pairwise(codes(many + two), 2))
    assert mean.kappa == pytest.approx((90 * 1 + 2 * -1) / 92, abs=1e-15)
    assert mean.kappa_unweighted == 0.0
    assert mean.percent == 90 / 92


def test_percent_and_its_judgments_keep_pairs_whose_kappa_is_undefined():
    rows = [[1, 1, 1], [1, 1, 2], [1, 1, 2], [1, 1, 2]]  # raters 1 and 2 constant
    mean = mean_agreement(pairwise(codes(rows), 2))
    assert mean.percent == (4 + 1 + 1) / 12
    assert (mean.kappa, mean.n_pairs, mean.n_pairs_possible, mean.n_judgments) == (0.0, 2, 3, 12)


def test_pairs_of_one_rater_with_a_group_leave_the_rater_out():
    assert pairs_with(1, np.arange(4)).tolist() == [[1, 0], [1, 2], [1, 3]]
    assert pairs_with(9, np.arange(2)).tolist() == [[9, 0], [9, 1]]


def test_judgments_compared_are_those_that_a_partner_made_too():
    three = codes([[1, None, 2], [None, 2, 2], [1, None, None]])
    assert judgments_compared(three, all_pairs(3)).tolist() == [
        [True, False, False],
        [False, True, False],
        [True, True, False],
    ]


def test_tables_per_group_add_up_to_the_whole_and_hold_the_first_rater_in_rows():
    two = codes([[1, 2], [1, 2], [2, 2], [3, None], [3, 1]])
    tables = pair_tables(two, 3, all_pairs(2), np.array([0, 1, 1, 1, 2]), 3)
    assert tables.shape == (3, 1, 3, 3)
    assert tables.sum(axis=(1, 2, 3)).tolist() == [1, 2, 1]
    assert tables.sum(axis=0)[0].tolist() == [[0, 2, 0], [0, 1, 0], [1, 0, 0]]


@given(ratings(2, 3))
def test_kappa_equals_scikit_learn(two):
    both = (two != MISSING).all(axis=0)
    pair = pairwise(two, 3)
    assert pair.n[0] == both.sum()
    constant = len(np.unique(two[:, both])) <= 1
    if constant:
        assert math.isnan(pair.kappa[0])
    else:
        expected = cohen_kappa_score(*two[:, both], labels=[0, 1, 2])
        assert pair.kappa[0] == pytest.approx(expected, abs=1e-12)


@given(ratings(2, 4))
def test_ac1_equals_the_written_out_definition(two):
    shared = two[:, (two != MISSING).all(axis=0)]
    pair = pairwise(two, 4)
    if not shared.size:
        assert math.isnan(pair.ac1[0])
        return
    shares = [(shared == code).mean() for code in range(4)]
    chance = sum(share * (1 - share) for share in shares) / 3
    observed = (shared[0] == shared[1]).mean()
    assert pair.ac1[0] == pytest.approx((observed - chance) / (1 - chance), abs=1e-12)


@given(ratings(4, 3), st.permutations(range(4)))
def test_order_of_annotators_changes_no_mean(four, order):
    one, other = mean_agreement(pairwise(four, 3)), mean_agreement(pairwise(four[list(order)], 3))
    assert vars(one) == pytest.approx(vars(other), abs=1e-12, nan_ok=True)


@given(ratings(3, 3), st.permutations(range(3)))
def test_relabelling_the_categories_changes_nothing(three, order):
    renamed = np.where(three == MISSING, MISSING, np.array(order)[three])
    one, other = mean_agreement(pairwise(three, 3)), mean_agreement(pairwise(renamed, 3))
    assert vars(one) == pytest.approx(vars(other), abs=1e-12, nan_ok=True)


@given(ratings(3, 3))
def test_duplicated_units_change_no_coefficient(three):
    one, other = pairwise(three, 3), pairwise(np.tile(three, 2), 3)
    assert (2 * one.n == other.n).all()
    np.testing.assert_allclose(one.kappa, other.kappa, atol=1e-12)
    np.testing.assert_allclose(one.ac1, other.ac1, atol=1e-12)
    np.testing.assert_array_equal(one.percent, other.percent)


@given(ratings(4, 2))
def test_coefficients_stay_in_their_range(four):
    pairs = pairwise(four, 2)
    for values in (pairs.kappa, pairs.ac1):
        defined = values[~np.isnan(values)]
        assert ((defined >= -1) & (defined <= 1)).all()
    assert np.isnan(pairs.percent).tolist() == (pairs.n == 0).tolist()


def test_an_empty_table_is_undefined():
    nothing = np.zeros((2, 2))
    assert all(math.isnan(measure(nothing)) for measure in (percent_agreement, cohen_kappa, gwet_ac1))


def test_a_single_category_has_no_ac1():
    assert math.isnan(gwet_ac1(np.array([[5]])))
