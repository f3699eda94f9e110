"""Coefficients of several raters, against published figures, hand-worked cases and their own identities."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from evalica import alpha as second_alpha
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa as second_fleiss

from analysis.measures.agreement import MISSING, cohen_kappa, gwet_ac1, pairwise
from analysis.measures.alpha import INTERVAL, LEVELS, NOMINAL, ORDINAL, RATIO, krippendorff_alpha
from analysis.measures.coefficients import (
    NOTHING_SHARED,
    ONE_CATEGORY,
    ONE_LABEL,
    brennan_prediger,
    category_counts,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    percent,
    table_ratings,
)
from analysis.measures.intervals import NO_VARIATION
from analysis.measures.types import agreement_weights, free_weights
from tests.analysis.measures.published import ABSTRACTORS, DIAGNOSES, FOUR_RATERS, SIX_RATERS, codes, numbers
from tests.analysis.measures.strategies import ratings

NAMES = {"percent": percent, "gwet": gwet_ac, "fleiss": fleiss_kappa, "brennan_prediger": brennan_prediger}


def by_name(name: str, values: np.ndarray, c: int, weights: np.ndarray | None = None):
    if name == "conger":
        return conger_kappa(values, c, weights)
    return NAMES[name](category_counts(values, c), weights)


# Gwet (2014), four raters with missing ratings: coefficient, standard error, lower end, chance agreement.
FOUR_PRINTED = [
    ("percent", "identity", 0.81818, 0.12561, 0.542, None),
    ("gwet", "identity", 0.77544, 0.14295, 0.461, 0.1903212),
    ("fleiss", "identity", 0.76117, 0.15302, 0.424, 0.2387153),
    ("conger", "identity", 0.76282, 0.14917, 0.435, 0.2334252),
    ("brennan_prediger", "identity", 0.77273, 0.14472, 0.454, 0.2),
    ("percent", "quadratic", 0.97538, 0.09062, 0.776, None),
    ("gwet", "quadratic", 0.914, 0.10396, 0.685, 0.7137044),
    ("fleiss", "quadratic", 0.86494, 0.14603, 0.544, 0.8177083),
    ("conger", "quadratic", 0.85771, 0.14367, 0.541, 0.8269638),
    ("brennan_prediger", "quadratic", 0.90152, 0.11089, 0.657, 0.75),
]


@pytest.mark.parametrize(("name", "kind", "value", "error", "low", "expected"), FOUR_PRINTED)
def test_four_raters_with_missing_ratings_come_out_as_printed(name, kind, value, error, low, expected):
    found = by_name(name, codes(FOUR_RATERS), 5, agreement_weights(kind, 5))
    assert round(found.value, 5) == value
    assert round(found.error, 5) == error
    assert (round(found.interval().low, 3), found.interval().high) == (low, 1.0)
    assert expected is None or round(found.expected, 7) == expected
    assert (found.n_units, found.n_pairs, found.n_judgments, found.n_sampled) == (11, 55, 40, 12)


@pytest.mark.parametrize(
    ("level", "value", "error", "low"), [(NOMINAL, 0.74342, 0.14557, 0.419), (INTERVAL, 0.84911, 0.12913, 0.561)]
)
def test_alpha_of_four_raters_comes_out_as_printed(level, value, error, low):
    found = krippendorff_alpha(numbers(FOUR_RATERS), level)
    assert (round(found.value, 5), round(found.error, 5), round(found.interval().low, 3)) == (value, error, low)
    assert (found.n_units, found.n_values) == (11, 40)


# The first 15 patients of Fleiss (1971): coefficient, standard error, interval (R irrCAC vignettes).
SIX_PRINTED = [
    ("gwet", "identity", 0.4448007, 0.08418757, (0.264, 0.625)),
    ("fleiss", "identity", 0.4139265, 0.08119291, (0.240, 0.588)),
    ("brennan_prediger", "identity", 0.4388889, 0.08312142, (0.261, 0.617)),
    ("gwet", "quadratic", 0.4837438, 0.1058227, (0.257, 0.711)),
    ("fleiss", "quadratic", 0.2511909, 0.1457381, (-0.061, 0.564)),
    ("brennan_prediger", "quadratic", 0.4177778, 0.1067493, (0.189, 0.647)),
]


@pytest.mark.parametrize(("name", "kind", "value", "error", "ends"), SIX_PRINTED)
def test_counts_of_raters_per_category_come_out_as_printed(name, kind, value, error, ends):
    found = NAMES[name](np.array(SIX_RATERS), agreement_weights(kind, 5))
    assert found.value == pytest.approx(value, abs=5.1e-8)
    assert found.error == pytest.approx(error, abs=5.1e-8)
    assert (round(found.interval().low, 3), round(found.interval().high, 3)) == ends


# Gwet's three abstractors' categories, printed with errors over n: coefficient, error, interval.
TABLE_PRINTED = [
    ("conger", "identity", 0.7964094, 0.05891072, (0.680, 0.913)),
    ("fleiss", "identity", 0.7962397, 0.05905473, (0.679, 0.913)),
    ("gwet", "identity", 0.8493305, 0.04321747, (0.764, 0.935)),
    ("brennan_prediger", "identity", 0.8350000, 0.04693346, (0.742, 0.928)),
    ("percent", "identity", 0.89, 0.03128898, (0.828, 0.952)),
    ("conger", "quadratic", 0.8921569, 0.03535151, (0.822, 0.962)),
    ("fleiss", "quadratic", 0.8921093, 0.03539506, (0.822, 0.962)),
    ("gwet", "quadratic", 0.9402369, 0.01792019, (0.905, 0.976)),
    ("brennan_prediger", "quadratic", 0.9175, 0.02346673, (0.871, 0.964)),
]


@pytest.mark.parametrize(("name", "kind", "value", "error", "ends"), TABLE_PRINTED)
def test_a_table_of_two_raters_needs_no_row_per_unit(name, kind, value, error, ends):
    values, times = table_ratings(np.array(ABSTRACTORS))
    weights = agreement_weights(kind, 3)
    found = (
        conger_kappa(values, 3, weights, times)
        if name == "conger"
        else NAMES[name](category_counts(values, 3), weights, times)
    )
    assert found.value == pytest.approx(value, abs=5.1e-8)
    assert found.error_over_n == pytest.approx(error, abs=5.1e-8)
    interval = found.interval(over_n=True)
    assert (round(interval.low, 3), round(interval.high, 3)) == pytest.approx(ends, abs=0.0011)
    assert found.n_units == 100


def test_fleiss_patients_and_the_exact_kappa_of_conger():
    six = codes([[int(digit) for digit in row] for row in DIAGNOSES.split()])
    fleiss = fleiss_kappa(category_counts(six, 5))
    assert (round(fleiss.value, 7), round(fleiss.observed, 3), round(fleiss.expected, 2)) == (0.4302445, 0.556, 0.22)
    assert round(conger_kappa(six, 5).value, 3) == 0.442  # R irr, kappam.fleiss(diagnoses, exact = TRUE)


@pytest.mark.parametrize(
    ("rows", "fleiss", "free"),
    [([[7, 1], [3, 5]], 0.161905, 0.214286), ([[6, 1, 0], [0, 7, 0]], 0.708333, 0.785714)],
)
def test_fixed_and_free_marginals_as_by_randolphs_calculator(rows, fleiss, free):
    assert round(fleiss_kappa(np.array(rows)).value, 6) == fleiss
    assert round(brennan_prediger(np.array(rows)).value, 6) == free


def test_only_gwet_and_brennan_prediger_mind_how_many_categories_are_declared():
    rows = codes([[1, 1, 1, 1, 1, 1, 2], [2] * 7])
    found = {name: [by_name(name, rows, c).value for c in (2, 3)] for name in [*NAMES, "conger"]}
    assert found["gwet"] == pytest.approx([0.72, 30 / 37])
    assert found["brennan_prediger"] == pytest.approx([5 / 7, 11 / 14])
    for name in ("percent", "fleiss", "conger"):
        assert found[name][0] == pytest.approx(found[name][1], abs=1e-15)


def test_weights_follow_the_declared_order():
    low, medium, high = 1, 2, 3
    rows = [[low, medium], [high, high], [medium, medium], [low, low], [medium, high], [low, low], [high, medium]]
    given_order = codes([*rows, [low, high]])
    weights = agreement_weights("quadratic", 3)
    assert by_name("percent", given_order, 3, weights).value == pytest.approx(1 - (3 * 0.25 + 1) / 8)
    assert by_name("fleiss", given_order, 3, weights).value == pytest.approx(0.36)
    assert by_name("conger", given_order, 3, weights).value == pytest.approx(9 / 23)
    alphabetical = np.array([1, 2, 0])[given_order]  # high, low, medium
    assert by_name("fleiss", alphabetical, 3, weights).value == pytest.approx(0.0)


def test_judgments_that_are_all_the_same_have_no_kappa_but_full_ac1():
    rows = codes([[3, 3, 3]] * 5)
    for name in ("fleiss", "conger"):
        found = by_name(name, rows, 3)
        assert math.isnan(found.value)
        assert math.isnan(found.error)
        assert (found.reason, found.interval().reason) == (ONE_LABEL, ONE_LABEL)
    assert [by_name(name, rows, 3).value for name in ("percent", "gwet", "brennan_prediger")] == [1.0, 1.0, 1.0]
    alpha = krippendorff_alpha(np.full((3, 5), 3.0), NOMINAL)
    assert math.isnan(alpha.value)
    assert alpha.reason == ONE_LABEL


def test_a_constant_rater_gives_cohens_kappa_of_zero():
    rows = codes([[1, 1], [1, 2], [1, 1], [1, 2], [1, 1]])
    assert by_name("conger", rows, 2).value == pytest.approx(0.0, abs=1e-15)
    assert by_name("percent", rows, 2).value == pytest.approx(0.6)
    assert by_name("gwet", rows, 2).value == pytest.approx(7 / 17)


def test_a_single_rating_counts_by_chance_and_a_unit_nobody_rated_counts_nowhere():
    sparse = codes([[1, None, 2], [None, 2, 2], [1, None, None], [2, None, 1], [None, 1, 1], [None, None, None]])
    expected = {"percent": 0.5, "brennan_prediger": 0.0, "fleiss": -1 / 24, "gwet": 1 / 26, "conger": 0.0}
    for name, value in expected.items():
        found = by_name(name, sparse, 2)
        assert found.value == pytest.approx(value, abs=1e-15)
        assert (found.n_units, found.n_sampled, found.n_pairs) == (4, 5, 4)
    values = np.where(sparse == MISSING, np.nan, sparse)
    assert krippendorff_alpha(values, NOMINAL).value == pytest.approx(0.125)


def test_negative_agreement_stays_negative():
    rows = codes([[1, 2], [2, 1], [1, 2], [2, 1], [1, 1]])
    assert by_name("conger", rows, 2).value == pytest.approx(-2 / 3)
    assert by_name("fleiss", rows, 2).value == pytest.approx(-2 / 3)
    assert krippendorff_alpha(rows.astype(float), NOMINAL).value == pytest.approx(-0.5)


def test_the_ratio_distance_of_two_zeros_is_zero():
    values = np.array([[0, 0, 2, 3], [0, 1, 2, 3.0]])
    found = krippendorff_alpha(values, RATIO).value
    pairs = [(a, b) for i, a in enumerate(values.ravel()) for j, b in enumerate(values.ravel()) if i != j]
    expected = sum(((a - b) / (a + b)) ** 2 for a, b in pairs if a + b) / len(pairs)
    assert found == pytest.approx(1 - (2 / 8) / expected, abs=1e-12)
    assert found == pytest.approx(0.5592556317335945, abs=1e-12)


def test_nothing_shared_is_undefined_with_the_reason():
    apart = codes([[1, None], [None, 1]])
    for name in (*NAMES, "conger"):
        found = by_name(name, apart, 2)
        assert math.isnan(found.value)
        assert found.reason == NOTHING_SHARED
    assert math.isnan(krippendorff_alpha(np.array([[1, np.nan], [np.nan, 1]]), NOMINAL).value)


def test_a_scale_of_one_category_has_no_ac1():
    found = gwet_ac(np.array([[2], [2]]))
    assert math.isnan(found.value)
    assert found.reason == ONE_CATEGORY


def test_prevalence_is_the_share_of_the_commonest_category():
    assert fleiss_kappa(np.array([[3, 0], [2, 1], [0, 3], [3, 0]])).prevalence == 8 / 12


@pytest.mark.parametrize("given", [[[1, 0.5], [0.2, 1]], [[0.9, 0], [0, 1]], [[1, 2], [2, 1]], [[1, 0, 0], [0, 1, 0]]])
def test_weights_of_ones_own_are_checked(given):
    with pytest.raises(ValueError, match="Weights must"):
        free_weights(np.array(given))


def test_ratio_level_refuses_negative_values_and_unknown_levels_are_named():
    with pytest.raises(ValueError, match="interval level"):
        krippendorff_alpha(np.array([[-1.0, 2.0], [1.0, 2.0]]), RATIO)
    with pytest.raises(ValueError, match="nominal, ordinal, interval, ratio"):
        krippendorff_alpha(np.array([[1.0, 2.0], [1.0, 3.0]]), "cardinal")


@given(ratings(3, 4), st.sampled_from(LEVELS))
def test_alpha_equals_a_second_implementation(three, level):
    values = np.where(three == MISSING, np.nan, three)
    found = krippendorff_alpha(values, level)
    if math.isnan(found.value):
        return
    assert found.value == pytest.approx(second_alpha(pd.DataFrame(values), distance=level).alpha, abs=1e-9)


@given(ratings(4, 3, missing=False))
def test_fleiss_equals_statsmodels(four):
    counts = category_counts(four, 3)
    found = fleiss_kappa(counts).value
    if not math.isnan(found):
        assert found == pytest.approx(second_fleiss(counts), abs=1e-9)


@given(ratings(2, 3))
def test_two_raters_conger_is_cohen_and_gwet_is_the_pairs_ac1(two):
    shared = two[:, (two != MISSING).all(axis=0)]
    pair = pairwise(shared, 3)
    assert conger_kappa(shared, 3).value == pytest.approx(float(pair.kappa[0]), abs=1e-9, nan_ok=True)
    assert gwet_ac(category_counts(shared, 3)).value == pytest.approx(float(pair.ac1[0]), abs=1e-9, nan_ok=True)


@given(ratings(3, 3, missing=False))
def test_congers_chance_agreement_is_the_mean_of_the_pairs(three):
    tables = [three[[one, other]] for one, other in [(0, 1), (0, 2), (1, 2)]]
    pairs = [conger_kappa(table, 3) for table in tables]
    whole = conger_kappa(three, 3)
    assert whole.expected == pytest.approx(np.mean([pair.expected for pair in pairs]), abs=1e-12)
    assert whole.observed == pytest.approx(np.mean([pair.observed for pair in pairs]), abs=1e-12)


@given(ratings(3, 4, missing=False))
def test_alpha_is_fleiss_corrected_for_the_number_of_values(three):
    n = three.size
    for level, kind in ((NOMINAL, "identity"), (INTERVAL, "quadratic")):
        fleiss = fleiss_kappa(category_counts(three, 4), agreement_weights(kind, 4)).value
        alpha = krippendorff_alpha(three.astype(float), level).value
        assert alpha == pytest.approx(1 - (1 - fleiss) * (n - 1) / n, abs=1e-9, nan_ok=True)


@given(ratings(3, 3), st.permutations(range(3)), st.permutations(range(3)))
def test_order_of_raters_and_names_of_categories_do_not_matter(three, order, names):
    renamed = np.where(three == MISSING, MISSING, np.array(names)[three])[list(order)]
    for name in (*NAMES, "conger"):
        one, other = by_name(name, three, 3), by_name(name, renamed, 3)
        assert (one.value, one.error) == pytest.approx((other.value, other.error), abs=1e-6, nan_ok=True)


@given(ratings(3, 3), st.randoms(use_true_random=False))
def test_shuffling_a_units_ratings_changes_only_conger(three, random):
    shuffled = np.array([random.sample(list(unit), 3) for unit in three.T]).T
    for name in NAMES:
        one, other = by_name(name, three, 3).value, by_name(name, shuffled, 3).value
        assert one == pytest.approx(other, abs=1e-12, nan_ok=True)


@given(ratings(3, 3))
def test_rows_that_occur_twice_are_the_same_as_a_count_of_two(three):
    twice = np.full(three.shape[1], 2)
    for name in NAMES:
        listed = by_name(name, np.tile(three, 2), 3)
        counted = NAMES[name](category_counts(three, 3), None, twice)
        assert (listed.value, listed.error) == pytest.approx((counted.value, counted.error), abs=1e-6, nan_ok=True)
        assert by_name(name, three, 3).value == pytest.approx(listed.value, abs=1e-12, nan_ok=True)
    listed, counted = conger_kappa(np.tile(three, 2), 3), conger_kappa(three, 3, None, twice)
    assert (listed.value, listed.error) == pytest.approx((counted.value, counted.error), abs=1e-6, nan_ok=True)


@given(ratings(3, 4), st.integers(1, 5), st.integers(0, 7))
def test_alpha_is_unchanged_by_what_its_level_allows(three, factor, shift):
    values = np.where(three == MISSING, np.nan, three)
    changes = {
        NOMINAL: (values * 7) % 5,
        ORDINAL: values**3 + shift,
        INTERVAL: values * factor + shift,
        RATIO: values * factor,
    }
    for level, changed in changes.items():
        one, other = krippendorff_alpha(values, level).value, krippendorff_alpha(changed, level).value
        assert one == pytest.approx(other, abs=1e-9, nan_ok=True)


def test_errors_over_n_of_two_raters_are_those_of_fleiss_cohen_and_everitt():
    values, times = table_ratings(np.array([[0, 4, 1], [0, 8, 0], [0, 1, 5]]))
    found = conger_kappa(values, 3, None, times)
    assert round(found.error_over_n, 4) == 0.1380  # SAS PROC FREQ printout in statsmodels' tests
    assert found.value == pytest.approx(float(cohen_kappa(times.reshape(3, 3))), abs=1e-12)
    assert gwet_ac(category_counts(values, 3), None, times).value == pytest.approx(
        float(gwet_ac1(times.reshape(3, 3))), abs=1e-12
    )


@pytest.mark.parametrize("name", [*NAMES, "conger"])
def test_full_agreement_has_no_interval_of_no_width(name):
    found = by_name(name, np.array([[0, 1, 2, 0, 1, 2]] * 3), 3)
    interval = found.interval()
    assert found.value == 1
    assert (math.isnan(interval.low), interval.reason) == (True, NO_VARIATION)


@pytest.mark.parametrize("level", LEVELS)
def test_full_agreement_has_no_interval_of_alpha_either(level):
    found = krippendorff_alpha(np.array([[1.0, 2.0, 3.0, 1.0]] * 3), level)
    assert (found.value, math.isnan(found.interval().low), found.interval().reason) == (1, True, NO_VARIATION)
