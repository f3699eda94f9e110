"""Weighted κ and its errors, tests of Fleiss' κ, intraclass correlations and words, against printed figures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import f_oneway
from scipy.stats import t as student
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from analysis.measures.agreement import all_pairs, cohen_kappa, pair_tables
from analysis.measures.alpha import LEVELS, krippendorff_alpha
from analysis.measures.coefficients import NOTHING_SHARED, ONE_LABEL, category_counts, conger_kappa, table_ratings
from analysis.measures.kappa import (
    NO_SPREAD_IN_LABELS,
    UNEQUAL,
    fleiss_test,
    kappa_test,
    mean_kappa_of,
    name_strength,
    pooled_kappa,
    weighted_kappa,
)
from analysis.measures.reliability import NO_VARIATION_AT_ALL, TOO_SMALL, clustered_icc, icc
from analysis.measures.types import agreement_weights, weights_of_disagreement
from tests.analysis.measures.published import (
    ANXIETY_2,
    ANXIETY_3,
    COHEN_1960,
    COHEN_1968,
    DIAGNOSES,
    KRIPPENDORFF_A,
    KRIPPENDORFF_B,
    KRIPPENDORFF_C,
    PROC_FREQ,
    SHROUT_FLEISS,
    codes,
    numbers,
)

TABLES = arrays(np.int64, (3, 3), elements=st.integers(0, 20))


@pytest.mark.parametrize(("level", "printed"), list(zip(LEVELS, (0.743, 0.815, 0.849, 0.797), strict=True)))
def test_krippendorffs_four_observers_come_out_as_printed(level, printed):
    assert round(krippendorff_alpha(numbers(KRIPPENDORFF_C), level).value, 3) == printed


def test_krippendorffs_two_observers_come_out_as_printed():
    binary = np.array(KRIPPENDORFF_A, dtype=float).T
    letters = np.array([[ord(letter) for letter in unit] for unit in KRIPPENDORFF_B], dtype=float).T
    assert round(krippendorff_alpha(binary, "nominal").value, 3) == 0.095
    assert round(krippendorff_alpha(letters, "nominal").value, 3) == 0.692


def test_cohens_tables_come_out_as_printed():
    found = kappa_test(np.array(COHEN_1968))
    assert (round(found.value, 3), round(found.observed, 2), round(found.expected, 2)) == (0.492, 0.70, 0.41)
    weights = weights_of_disagreement(np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]]))
    assert round(kappa_test(np.array(COHEN_1968), weights).value, 3) == 0.348
    assert round(kappa_test(np.array(COHEN_1960)).expected, 2) == 0.35


@pytest.mark.parametrize(
    ("kind", "kappa", "error", "ends", "null"),
    [
        ("identity", 0.4842, 0.1380, (0.2137, 0.7547), 0.1484),
        ("linear", 0.4701, 0.1457, (0.1845, 0.7558), 0.1426),
    ],
)
def test_proc_freq_comes_out_as_printed(kind, kappa, error, ends, null):
    found = kappa_test(np.array(PROC_FREQ), agreement_weights(kind, 3))
    assert (round(found.value, 4), round(found.error, 4), round(found.error_null, 4)) == (kappa, error, null)
    assert tuple(round(end, 4) for end in found.ends()) == ends


@pytest.mark.parametrize(
    ("kind", "kappa", "z"),
    [("identity", -0.006289308, -0.0604067), ("linear", 0.1459075, 1.282472), ("quadratic", 0.2520325, 1.437451)],
)
def test_anxiety_ratings_come_out_as_printed_on_the_scale_of_the_labels_that_occur(kind, kappa, z):
    # R irr's kappa2 takes its scale from the data, where nobody gave a 5; on the declared scale weights differ.
    occurring, values = np.unique([ANXIETY_2, ANXIETY_3], return_inverse=True)
    tables = pair_tables(values.reshape(2, -1), len(occurring), all_pairs(2), np.zeros(20, dtype=np.int64), 1)[0]
    found = kappa_test(tables[0].astype(np.int64), agreement_weights(kind, len(occurring)))
    assert (found.value, found.z) == (pytest.approx(kappa, abs=5.1e-8), pytest.approx(z, abs=5.1e-7))


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@given(TABLES, st.sampled_from(["linear", "quadratic"]))
def test_weighted_kappa_and_its_errors_are_the_second_implementations(table, kind):
    found = kappa_test(table, agreement_weights(kind, 3))
    if math.isnan(found.value):
        return
    one, other = np.repeat(np.indices((3, 3)).reshape(2, -1), table.ravel(), axis=1)
    assert found.value == pytest.approx(cohen_kappa_score(one, other, labels=[0, 1, 2], weights=kind), abs=1e-9)
    second = cohens_kappa(table, wt="ca" if kind == "linear" else "fc")
    # a variance that is 0 but for rounding is below 0 there, and its root NaN
    assert found.error == pytest.approx(np.nan_to_num(second.std_kappa), abs=1e-6)
    assert found.error_null == pytest.approx(np.nan_to_num(second.std_kappa0), abs=1e-6)


@given(TABLES)
def test_the_error_over_n_minus_one_is_that_of_conger(table):
    values, times = table_ratings(table)
    found, conger = kappa_test(table), conger_kappa(values, 3, None, times)
    assert found.value == pytest.approx(conger.value, abs=1e-9, nan_ok=True)
    if table.sum() > 1:
        assert found.error_unbiased == pytest.approx(conger.error, abs=1e-6, nan_ok=True)


@given(TABLES)
def test_without_weights_it_is_the_exact_kappa_and_turning_the_table_changes_nothing(table):
    found = weighted_kappa(table, np.eye(3))
    assert float(found) == pytest.approx(float(cohen_kappa(table)), abs=1e-9, nan_ok=True)
    assert float(found) == pytest.approx(float(weighted_kappa(table.T, np.eye(3))), abs=1e-12, nan_ok=True)


def test_empty_tables_and_one_label_have_no_kappa():
    assert kappa_test(np.zeros((2, 2), dtype=np.int64)).reason == NOTHING_SHARED
    same = kappa_test(np.array([[7, 0], [0, 0]]))
    assert math.isnan(same.value)
    assert (same.observed, same.reason) == (1.0, ONE_LABEL)


def test_pooled_kappa_takes_pairs_together_and_the_mean_takes_them_one_by_one():
    tables = np.array([[[45, 0], [0, 45]], [[0, 1], [1, 0]], [[0, 0], [0, 0]]])
    assert mean_kappa_of(tables, np.eye(2)) == (pytest.approx((90 * 1 + 2 * -1) / 92), 2)
    assert mean_kappa_of(tables, np.eye(2), by_shared=False) == (pytest.approx(0.0), 2)
    assert pooled_kappa(tables, np.eye(2)) == pytest.approx((90 / 92 - 0.5) / 0.5)
    assert pooled_kappa(tables.transpose(0, 2, 1), np.eye(2)) == pooled_kappa(tables, np.eye(2))
    assert math.isnan(mean_kappa_of(tables[2:], np.eye(2))[0])


def test_fleiss_categories_and_z_come_out_as_printed():
    counts = category_counts(codes([[int(digit) for digit in row] for row in DIAGNOSES.split()]), 5)
    found = fleiss_test(counts)
    assert np.round(found.kappa, 3).tolist() == [0.245, 0.245, 0.520, 0.471, 0.566]
    assert np.round(found.z, 3).tolist() == [5.192, 5.192, 11.031, 9.994, 12.009]
    assert round(found.overall_z, 5) == 17.65183


def test_a_test_of_fleiss_kappa_needs_equal_numbers_of_ratings_and_some_variation():
    assert fleiss_test(np.array([[2, 1], [2, 0]])).reason == UNEQUAL
    assert fleiss_test(np.array([[3, 0], [3, 0]])).reason == NO_SPREAD_IN_LABELS
    assert np.isnan(fleiss_test(np.array([[2, 1, 0], [1, 2, 0]])).kappa).tolist() == [False, False, True]


def test_shrout_and_fleiss_come_out_as_printed():
    found = icc(np.array(SHROUT_FLEISS, dtype=float).T)
    assert tuple(round(value, 2) for value in found.single) == (0.17, 0.29, 0.71)
    assert tuple(round(value, 2) for value in found.average) == (0.44, 0.62, 0.91)


def test_intraclass_correlations_leave_out_incomplete_units_and_say_what_is_missing():
    values = np.array(SHROUT_FLEISS, dtype=float).T
    more = np.concatenate([values, [[1.0], [2.0], [np.nan], [4.0]]], axis=1)
    assert icc(more) == icc(values)
    assert icc(values[:, :1]).reason == TOO_SMALL
    assert icc(np.ones((3, 4))).reason == NO_VARIATION_AT_ALL


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (-0.1, "poor"), (0.0, "slight"), (0.2, "slight"), (0.204, "slight"), (0.21, "fair"), (0.4, "fair"),
        (0.41, "moderate"), (0.61, "substantial"), (0.8, "substantial"), (0.81, "almost perfect"),
        (1.0, "almost perfect"), (math.nan, ""),
    ],
)  # fmt: skip
def test_words_of_landis_and_koch(value, word):
    assert name_strength(value) == word


def test_weights_of_an_ordinal_scale_count_the_pairs_between():
    assert agreement_weights("ordinal", 4)[0].tolist() == pytest.approx([1, 5 / 6, 0.5, 0])
    assert agreement_weights("linear", 3, np.array([0.0, 1.0, 4.0]))[0].tolist() == [1, 0.75, 0]
    assert agreement_weights("quadratic", 1).tolist() == [[1.0]]
    with pytest.raises(ValueError, match="identity, linear, quadratic, ordinal"):
        agreement_weights("cubic", 3)


SCORES = arrays(np.float64, (3, 6), elements=st.integers(1, 5).map(float))


@given(SCORES)
def test_one_way_intraclass_correlation_is_that_of_scipys_analysis_of_variance(scores):
    """ICC(1) = (F - 1) / (F + k - 1) with the F of units as groups."""
    found = icc(scores)
    if (np.ptp(scores, axis=0) == 0).all():  # raters agree throughout: F is infinite
        assert math.isnan(found.single[0]) or found.single[0] == pytest.approx(1.0)
        return
    f = float(f_oneway(*scores.T).statistic)
    assert found.single[0] == pytest.approx((f - 1) / (f + 2), abs=1e-9)


@given(SCORES)
def test_consistency_of_the_mean_is_cronbachs_alpha_and_averages_follow_spearman_and_brown(scores):
    found = icc(scores)
    total = scores.sum(axis=0).var(ddof=1)
    if total > 1e-9:
        cronbach = 3 / 2 * (1 - scores.var(axis=1, ddof=1).sum() / total)
        assert found.average[2] == pytest.approx(cronbach, abs=1e-9)
    for single, average in zip(found.single, found.average, strict=True):
        if abs(1 + 2 * single) > 1e-9:
            assert average == pytest.approx(3 * single / (1 + 2 * single), abs=1e-6, nan_ok=True)


def test_a_strict_rater_leaves_consistency_and_lowers_agreement():
    fair = np.array(SHROUT_FLEISS, dtype=float).T
    strict = fair + np.array([[0.0], [-5.0], [0.0], [0.0]])
    assert icc(strict).single[2] == pytest.approx(icc(fair).single[2])
    assert icc(strict).single[1] < icc(fair).single[1]
    assert icc(fair[::-1]).single == pytest.approx(icc(fair).single)


@pytest.mark.parametrize("texts", [5, 41])
def test_intervals_of_intraclass_correlations_recompute_them_without_or_with_drawn_texts(texts):
    rng = np.random.default_rng(4)
    text = np.repeat(np.arange(texts), 3)
    values = rng.normal(size=len(text)) + rng.normal(0, 0.7, size=(3, len(text))) + np.array([[0.0], [0.5], [1.0]])
    values[1, 4] = np.nan
    found, whole = clustered_icc(values, text, seed=1), icc(values)
    figures = np.array([*whole.single, *whole.average])
    if texts < 40:
        without = [icc(values[:, text != code]) for code in range(texts)]
        spread = np.array([[*one.single, *one.average] for one in without])
        error = np.sqrt((texts - 1) / texts * ((spread - spread.mean(axis=0)) ** 2).sum(axis=0))
        reach = student.ppf(0.975, texts - 1) * error
        low, high = np.maximum(figures - reach, -1), np.minimum(figures + reach, 1)
    else:
        rows, drawn = [np.flatnonzero(text == code) for code in range(texts)], []
        for _draw in range(1500):
            part = icc(values[:, np.concatenate([rows[code] for code in rng.integers(texts, size=texts)])])
            drawn.append([*part.single, *part.average])
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    tolerance = 1e-9 if texts < 40 else 0.03
    assert [one.low for one in found] == pytest.approx(low.tolist(), abs=tolerance)
    assert [one.high for one in found] == pytest.approx(high.tolist(), abs=tolerance)
    assert {(one.n_units, one.n_responses) for one in found} == {(texts, 3 * (3 * texts - 1))}


def test_intervals_of_intraclass_correlations_of_nothing_or_of_equal_ratings_say_why():
    for values in (np.zeros((0, 4)), np.zeros((3, 0)), np.full((3, 4), np.nan), np.ones((3, 4)), np.ones((1, 4))):
        found = clustered_icc(values, np.arange(values.shape[1]), seed=1)
        assert all(math.isnan(one.low) and one.reason for one in found)
