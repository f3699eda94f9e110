"""The agreement family against its definitions written out, and the identities that hold between its members."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.inter_rater import fleiss_kappa as second_fleiss

from analysis.measures.agreement import (
    MISSING,
    all_pairs,
    clustered_kappa,
    cohen_kappa,
    mean_agreement,
    pair_tables,
    pairwise,
)
from analysis.measures.alpha import INTERVAL, LEVELS, NOMINAL, ORDINAL, RATIO, clustered_alpha, krippendorff_alpha
from analysis.measures.coefficients import (
    CONGER,
    brennan_prediger,
    category_counts,
    clustered_coefficient,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    percent,
    published_coefficient,
)
from analysis.measures.kappa import fleiss_test, kappa_test, mean_kappa_of, weighted_kappa
from analysis.measures.types import KINDS, agreement_weights
from tests.analysis.measures.strategies import ratings

BY_COUNTS = {"percent": percent, "fleiss": fleiss_kappa, "gwet": gwet_ac, "brennan_prediger": brennan_prediger}
NAMES = (*BY_COUNTS, CONGER)
FREE = arrays(np.float64, (3, 3), elements=st.sampled_from([0.0, 0.25, 0.4, 0.5, 0.9])).map(
    lambda given: np.triu(given, 1) + np.triu(given, 1).T + np.eye(3)
)


def coefficient(name: str, values: np.ndarray, weights: np.ndarray | None = None, c: int = 3):
    if name == CONGER:
        return conger_kappa(values, c, weights)
    return BY_COUNTS[name](category_counts(values, c), weights)


def numbers(values: np.ndarray) -> np.ndarray:
    return np.where(values == MISSING, np.nan, values.astype(float))


def written_out(name: str, values: np.ndarray, w: np.ndarray) -> float:
    """(p_a - p_e) / (1 - p_e) as Gwet (2014, chapters 2 to 4) words it, rating by rating."""
    c = len(w)
    units = [[int(value) for value in unit if value != MISSING] for unit in values.T]
    rated, twice = [unit for unit in units if unit], [unit for unit in units if len(unit) > 1]
    if not twice:
        return math.nan
    observed = np.mean([np.mean([w[a, b] for a, b in permutations(unit, 2)]) for unit in twice])
    share = np.mean([[unit.count(k) / len(unit) for k in range(c)] for unit in rated], axis=0)
    cells = [(k, m) for k in range(c) for m in range(c)]
    if name == "percent":
        expected = 0.0
    elif name == "fleiss":
        expected = sum(w[k, m] * share[k] * share[m] for k, m in cells)
    elif name == "gwet":
        expected = w.sum() / (c * (c - 1)) * sum(part * (1 - part) for part in share)
    elif name == "brennan_prediger":
        expected = w.sum() / c**2
    else:
        own = [[np.mean(row[row != MISSING] == k) for k in range(c)] for row in values if (row != MISSING).any()]
        expected = np.mean([sum(w[k, m] * one[k] * two[m] for k, m in cells) for one, two in permutations(own, 2)])
    return float((observed - expected) / (1 - expected)) if expected < 1 - 1e-12 else math.nan


@pytest.mark.parametrize("name", NAMES)
@given(ratings(4, 3), FREE)
def test_coefficients_with_weights_of_ones_own_are_their_written_out_definitions(name, values, weights):
    found = coefficient(name, values, weights)
    assert found.value == pytest.approx(written_out(name, values, weights), abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_their_written_out_definitions(kind):
    points = np.array([1.0, 2.0, 4.0, 8.0])
    wanted = {
        "identity": lambda k, m: float(k == m),
        "linear": lambda k, m: 1 - abs(points[k] - points[m]) / 7,
        "quadratic": lambda k, m: 1 - (points[k] - points[m]) ** 2 / 49,
        "ordinal": lambda k, m: 1 - math.comb(abs(k - m) + 1, 2) / math.comb(4, 2),
    }[kind]
    assert agreement_weights(kind, 4, points).tolist() == [
        [pytest.approx(wanted(k, m)) for m in range(4)] for k in range(4)
    ]


@given(ratings(2, 3, missing=False))
def test_two_raters_fleiss_is_scotts_pi_and_brennan_prediger_bennetts_s(two):
    """Scott (1955): p_e = Σ ((n_1k + n_2k) / 2n)². Bennett, Alpert & Goldstein (1954): S = (c p_o - 1) / (c - 1)."""
    agreed = np.mean(two[0] == two[1])
    by_chance = sum((np.mean(two == k)) ** 2 for k in range(3))
    pi = (agreed - by_chance) / (1 - by_chance) if by_chance < 1 else math.nan
    assert coefficient("fleiss", two).value == pytest.approx(pi, abs=1e-9, nan_ok=True)
    assert coefficient("brennan_prediger", two).value == pytest.approx((3 * agreed - 1) / 2, abs=1e-9)


@given(ratings(2, 4, missing=False), st.sampled_from(KINDS))
def test_two_raters_conger_is_cohens_weighted_kappa(two, kind):
    weights = agreement_weights(kind, 4)
    table = pair_tables(two, 4, all_pairs(2), np.zeros(two.shape[1], dtype=np.int64), 1)[0, 0]
    found = conger_kappa(two, 4, weights).value
    assert found == pytest.approx(float(weighted_kappa(table, weights)), abs=1e-9, nan_ok=True)


def test_light_is_the_mean_of_cohens_kappas_and_conger_is_not():
    three = np.array([[0, 0, 1, 1, 2, 0, 1, 2], [0, 1, 1, 1, 2, 0, 0, 2], [0, 0, 0, 1, 1, 0, 0, 2]])
    pairs = all_pairs(3)
    tables = pair_tables(three, 3, pairs, np.zeros(8, dtype=np.int64), 1)[0]
    light, n_pairs = mean_kappa_of(tables, np.eye(3), by_shared=False)
    assert light == pytest.approx(np.mean([float(cohen_kappa(table)) for table in tables]))
    assert light == pytest.approx(mean_agreement(pairwise(three, 3)).kappa_unweighted)
    assert n_pairs == 3
    assert abs(light - conger_kappa(three, 3).value) > 0.001


@given(ratings(4, 3, missing=False))
def test_kappa_of_a_category_is_that_of_it_against_all_others(four):
    counts = category_counts(four, 3)
    for code, kappa in enumerate(fleiss_test(counts).kappa):
        merged = np.stack([counts[:, code], counts.sum(axis=1) - counts[:, code]], axis=1)
        if 0 < merged[:, 0].sum() < merged.sum():
            assert kappa == pytest.approx(second_fleiss(merged), abs=1e-9)


@given(ratings(3, 2))
def test_with_two_values_all_levels_but_the_ratio_are_the_same(three):
    """Two values are one distance apart, whatever its size."""
    values = numbers(three) + 3
    nominal = krippendorff_alpha(values, NOMINAL).value
    for level in (ORDINAL, INTERVAL, RATIO):
        assert krippendorff_alpha(values, level).value == pytest.approx(nominal, abs=1e-9, nan_ok=True)


@given(ratings(3, 3), st.randoms(use_true_random=False))
def test_who_gave_which_of_a_units_values_does_not_matter_to_alpha(three, random):
    shuffled = np.array([random.sample(list(unit), 3) for unit in three.T]).T
    for level in LEVELS:
        one, other = krippendorff_alpha(numbers(three), level), krippendorff_alpha(numbers(shuffled), level)
        assert (one.value, one.error) == pytest.approx((other.value, other.error), abs=1e-9, nan_ok=True)


def test_who_gave_which_of_a_units_values_matters_to_conger():
    apart, mixed = np.array([[0, 0, 0, 1], [1, 1, 0, 1]]), np.array([[0, 1, 0, 1], [1, 0, 0, 1]])
    assert conger_kappa(apart, 2).value == pytest.approx(0.2)
    assert conger_kappa(mixed, 2).value == pytest.approx(0.0)


@given(ratings(3, 3), st.sampled_from(NAMES))
def test_units_that_come_twice_leave_the_coefficient_and_shrink_its_error_by_about_root_two(three, name):
    one, two = coefficient(name, three), coefficient(name, np.tile(three, 2))
    assert two.value == pytest.approx(one.value, abs=1e-9, nan_ok=True)
    assert (two.n_units, two.n_pairs, two.n_judgments) == (2 * one.n_units, 2 * one.n_pairs, 2 * one.n_judgments)
    if one.n_sampled > 1:
        shrunk = one.error * math.sqrt((one.n_sampled - 1) / (2 * one.n_sampled - 1))
        assert two.error == pytest.approx(shrunk, abs=1e-6, nan_ok=True)


@given(ratings(3, 3), st.sampled_from(LEVELS))
def test_units_that_come_twice_move_alpha_by_its_correction_for_the_number_of_values(three, level):
    one, two = krippendorff_alpha(numbers(three), level), krippendorff_alpha(np.tile(numbers(three), 2), level)
    assume(not math.isnan(one.value))
    n = one.n_values
    assert 1 - two.value == pytest.approx((1 - one.value) * (2 * n - 1) / (2 * (n - 1)), abs=1e-9)
    assert two.n_values == 2 * n


def of_texts(name: str, values: np.ndarray, text: np.ndarray):
    if name == "alpha":
        return clustered_alpha(numbers(values), NOMINAL, text, seed=1)
    if name == "mean kappa":
        return clustered_kappa(values, 3, all_pairs(len(values)), text, seed=1)
    return clustered_coefficient(name, values, 3, text, seed=1)


@pytest.mark.parametrize("name", [*NAMES, "alpha", "mean kappa"])
@settings(max_examples=20)
@given(ratings(3, 3), st.permutations(range(3)), st.permutations(range(3)), st.randoms(use_true_random=False))
def test_intervals_do_not_mind_the_order_of_raters_units_and_texts_or_names(name, three, order, names, random):
    text = np.arange(three.shape[1]) // 2
    places = random.sample(range(three.shape[1]), three.shape[1])
    renamed = np.where(three == MISSING, MISSING, np.array(names)[three])[list(order)]
    one, other = of_texts(name, three, text), of_texts(name, renamed[:, places], 1000 - 7 * text[places])
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-6, nan_ok=True)
    assert (one.n_units, one.n_responses, one.reason) == (other.n_units, other.n_responses, other.reason)


@pytest.mark.parametrize("name", [*NAMES, "mean kappa"])
@settings(max_examples=20)
@given(ratings(3, 3))
def test_units_that_come_twice_in_their_text_leave_its_interval_and_double_the_responses(name, three):
    text = np.arange(three.shape[1]) // 2
    one, two = of_texts(name, three, text), of_texts(name, np.tile(three, 2), np.tile(text, 2))
    assert (one.low, one.high) == pytest.approx((two.low, two.high), abs=1e-6, nan_ok=True)
    assert (two.n_units, two.n_responses) == (one.n_units, 2 * one.n_responses)


def test_units_that_come_twice_narrow_the_published_interval():
    rng = np.random.default_rng(1)
    first = rng.integers(3, size=80)
    three = np.stack([np.where(rng.random(80) < 0.7, first, rng.integers(3, size=80)) for _rater in range(3)])
    one, two = (published_coefficient("fleiss", values, 3, seed=1) for values in (three, np.tile(three, 4)))
    assert (two.high - two.low) / (one.high - one.low) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("name", [*NAMES, "alpha", "mean kappa"])
@given(ratings(3, 3))
def test_intervals_stay_in_the_range_of_their_measure_or_say_why_there_is_none(name, three):
    found = of_texts(name, three, np.arange(three.shape[1]))
    if math.isnan(found.low):
        assert math.isnan(found.high)
        assert found.reason
    else:
        assert (0 if name == "percent" else -1) <= found.low <= found.high <= 1
        assert not found.reason


@given(ratings(3, 3), st.sampled_from([*NAMES, *LEVELS]))
def test_what_is_undefined_has_a_reason_and_what_is_defined_has_none(three, name):
    found = krippendorff_alpha(numbers(three), name) if name in LEVELS else coefficient(name, three)
    assert math.isnan(found.value) == bool(found.reason)
    assert math.isnan(found.interval().low) == bool(found.interval().reason)


@given(arrays(np.int64, (2, 2), elements=st.integers(0, 8)))
def test_a_kappa_test_is_undefined_exactly_where_chance_agreement_is_certain(table):
    found = kappa_test(table)
    n = table.sum()
    certain = not n or bool((table.sum(axis=1) == n).any() and (table.sum(axis=0) == n).any() and np.trace(table) == n)
    assert math.isnan(found.value) == bool(found.reason) == certain
