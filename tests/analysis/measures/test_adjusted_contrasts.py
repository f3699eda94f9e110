"""Contrasts adjusted for multiple comparisons, by either convention."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import studentized_range
from scipy.stats import t as student

from analysis.measures.contrasts import (
    HOLM,
    MAX_T,
    TOO_FEW_TEXTS,
    AdjustedContrast,
    JointInfluence,
    adjust_joint_contrasts,
    adjust_p_values,
    adjust_reader_contrasts,
    adjust_text_contrasts,
    correlate_errors,
    largest_t,
    list_pairs,
)
from analysis.measures.intervals import NO_VARIATION, UNDEFINED_WITHOUT_ONE
from analysis.measures.reader_intervals import Arm, contrast_parts, family_parts, jackknife_parts
from analysis.measures.variance_parts import VarianceParts


def _contrasts_of(generators: int) -> np.ndarray:
    """(m, g): one generator minus another, pair by pair."""
    first, second = list_pairs(generators).T
    unit = np.eye(generators)
    return np.asarray(unit[first] - unit[second])


@pytest.mark.parametrize(("generators", "freedom", "critical"), [(3, 9, 2.7920), (4, 19, 2.8118)])
def test_equal_variances_give_the_studentized_range(generators: int, freedom: int, critical: float) -> None:
    """The known critical values: studentized range over the root of 2, here from draws (error about .01)."""
    over = _contrasts_of(generators)
    drawn = largest_t(over @ over.T / 2, freedom, 1)
    assert critical == pytest.approx(studentized_range.ppf(0.95, generators, freedom) / math.sqrt(2), abs=1e-4)
    assert np.quantile(drawn, 0.95) == pytest.approx(critical, abs=0.03)


def _by_texts(k: int, generators: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Means of generators over k texts, contrasted: values (m,) and without each text (k, m)."""
    scores = np.random.default_rng(seed).normal(size=(k, generators)) + np.arange(generators)
    over = _contrasts_of(generators).T
    return scores.mean(axis=0) @ over, (scores.sum(axis=0) - scores) / (k - 1) @ over


def test_max_t_by_texts() -> None:
    values, without = _by_texts(12, 4)
    found = adjust_text_contrasts(values, without, bounds=(-9.0, 9.0), seed=5)
    k = len(without)
    for at, contrast in enumerate(found):
        error = math.sqrt((k - 1) / k * ((without[:, at] - without[:, at].mean()) ** 2).sum())
        assert (contrast.high - contrast.low) / 2 == pytest.approx(student.ppf(0.975, k - 1) * error)
        assert contrast.p == pytest.approx(2 * student.sf(abs(values[at]) / error, k - 1))
        assert contrast.p <= contrast.p_adjusted <= 1
        assert contrast.low_adjusted < contrast.low < contrast.high < contrast.high_adjusted
        assert (contrast.p_adjusted < 0.05) == (contrast.low_adjusted > 0 or contrast.high_adjusted < 0)
        assert (contrast.adjustment, contrast.family_size, contrast.reason) == (MAX_T, 6, "")
    assert found == adjust_text_contrasts(values, without, bounds=(-9.0, 9.0), seed=5)


def test_more_contrasts_than_texts_are_adjusted_by_holm() -> None:
    """Also in the joint adjustment over readers and texts."""
    values, without = _by_texts(12, 6)
    parts = [jackknife_parts(value, column) for value, column in zip(values, without.T, strict=True)]
    apart = without - without.mean(axis=0)
    joint = adjust_joint_contrasts(parts, JointInfluence(apart, apart, apart), seed=5)
    for found in (adjust_text_contrasts(values, without, bounds=(-9.0, 9.0), seed=5), joint):
        p = np.array([contrast.p for contrast in found])
        assert [contrast.p_adjusted for contrast in found] == pytest.approx(adjust_p_values(p, HOLM))
        for value, contrast in zip(values, found, strict=True):
            reach = (contrast.high - value) / student.ppf(0.975, 11) * student.ppf(1 - 0.025 / 15, 11)
            assert contrast.high_adjusted == pytest.approx(value + reach)
            assert (contrast.adjustment, contrast.family_size) == (HOLM, 15)
    alone = adjust_text_contrasts(values, without, bounds=(-9.0, 9.0), seed=5, alone=True)
    assert math.isnan(alone[0].p_adjusted)


def test_a_single_contrast_is_hardly_adjusted() -> None:
    values, without = _by_texts(12, 2)
    (only,) = adjust_text_contrasts(values, without, bounds=(-9.0, 9.0), seed=5)
    assert (only.low_adjusted, only.high_adjusted) == pytest.approx((only.low, only.high), abs=0.03)


def test_fewer_than_five_texts_are_not_adjusted() -> None:
    values, without = _by_texts(4, 3)
    for contrast in adjust_text_contrasts(values, without, bounds=(-9.0, 9.0), seed=5):
        assert contrast.reason == TOO_FEW_TEXTS
        assert math.isnan(contrast.p_adjusted)
        assert math.isnan(contrast.low_adjusted)
        assert contrast.low < contrast.value < contrast.high


def test_undefined_contrasts_are_no_members() -> None:
    values, without = _by_texts(8, 3)
    without[2, 0] = math.nan
    without[:, 1] = values[1]
    found = adjust_text_contrasts(values, without, bounds=(-9.0, 9.0), seed=5)
    assert [contrast.reason for contrast in found] == [UNDEFINED_WITHOUT_ONE, NO_VARIATION, ""]
    assert {contrast.family_size for contrast in found} == {1}
    assert math.isnan(found[0].low)


def _family(seed: int = 4, generators: int = 4) -> list[VarianceParts]:
    rng = np.random.default_rng(seed)
    n = np.full((10, 6), 8)
    arms = [Arm.of_tables(rng.binomial(n, 0.4 + 0.1 * place), n) for place in range(generators)]
    return [contrast_parts([arms[a]], [arms[b]]) for a, b in list_pairs(generators)]


def _numbers(contrast: AdjustedContrast) -> tuple[float, ...]:
    return contrast.low, contrast.high, contrast.low_adjusted, contrast.high_adjusted


def test_readers_by_holm_and_bonferroni() -> None:
    family = _family()
    found = adjust_reader_contrasts(family)
    p = np.array([parts.p_of_zero() for parts in family])
    assert [contrast.p_adjusted for contrast in found] == pytest.approx(adjust_p_values(p, HOLM))
    for parts, contrast in zip(family, found, strict=True):
        assert _numbers(contrast) == (*parts.ends(), *parts.ends(1 - 0.05 / 6))
        assert (contrast.adjustment, contrast.family_size) == (HOLM, 6)
        if contrast.low_adjusted > 0 or contrast.high_adjusted < 0:
            assert contrast.p_adjusted < 0.05


def test_readers_without_an_interval_are_no_members() -> None:
    n = np.full((10, 6), 8)
    same = contrast_parts([Arm.of_tables(n, n)], [Arm.of_tables(n, n)])
    found = adjust_reader_contrasts([same, *_family()])
    assert found[0].reason == NO_VARIATION
    assert math.isnan(found[0].p_adjusted)
    assert {contrast.family_size for contrast in found} == {6}


def test_over_texts_alone_the_joint_adjustment_is_max_t_of_the_jackknife() -> None:
    values, without = _by_texts(12, 4)
    parts = [jackknife_parts(value, column) for value, column in zip(values, without.T, strict=True)]
    apart = without - without.mean(axis=0)
    found = adjust_joint_contrasts(parts, JointInfluence(apart, apart, apart), seed=5)
    for one, other in zip(found, adjust_text_contrasts(values, without, bounds=(-99, 99), seed=5), strict=True):
        assert _numbers(one) == pytest.approx(_numbers(other))
        assert (one.p, one.p_adjusted) == (pytest.approx(other.p), pytest.approx(other.p_adjusted))


def _against_others(texts: int, readers: int = 6, generators: int = 4) -> tuple[list[VarianceParts], JointInfluence]:
    rng = np.random.default_rng(2)
    level = rng.normal(0.6, 0.1, (texts, 1, generators)) + rng.normal(0, 0.1, (1, readers, generators))
    n = np.full((texts, readers), 9)
    arms = [Arm.of_tables(rng.binomial(9, np.clip(level[:, :, each], 0, 1)), n) for each in range(generators)]
    over = (generators * np.eye(generators) - 1) / (generators - 1)
    return family_parts([list(zip(row, arms, strict=True)) for row in over], (-1.0, 1.0))


def test_readers_by_max_t_are_between_alone_and_bonferroni() -> None:
    parts, shared = _against_others(12)
    found = adjust_joint_contrasts(parts, shared, seed=1)
    for each, contrast in zip(parts, found, strict=True):
        low, high = each.ends(1 - 0.05 / 4)
        assert low < contrast.low_adjusted < contrast.low < contrast.high < contrast.high_adjusted < high
        assert each.p_of_zero() < contrast.p_adjusted <= 4 * each.p_of_zero() + 0.005
        assert (contrast.adjustment, contrast.family_size) == (MAX_T, 4)
        excluded = contrast.low_adjusted > 0 or contrast.high_adjusted < 0
        assert excluded == (contrast.p_adjusted < 0.05)


def test_correlations_are_those_of_texts_and_readers_without_what_both_count() -> None:
    parts, shared = _against_others(12)
    found = correlate_errors(parts, shared, np.ones(4, dtype=bool))
    variances = np.array([[each.texts, each.annotators, each.cells] for each in parts])
    wanted = np.zeros((4, 4))
    for sign, part, own in zip((1, 1, -1), (shared.texts, shared.readers, shared.cells), variances.T, strict=True):
        wanted += sign * np.corrcoef(part.T) * np.sqrt(np.outer(own, own))
    scale = np.sqrt(np.diag(wanted))
    assert found == pytest.approx(wanted / np.outer(scale, scale), abs=1e-9)
    assert np.linalg.matrix_rank(found, tol=1e-6) == 3  # differences to the others sum to 0


def test_max_t_over_readers_needs_five_texts() -> None:
    for contrast in adjust_joint_contrasts(*_against_others(4), seed=1):
        assert contrast.reason == TOO_FEW_TEXTS
        assert math.isnan(contrast.p_adjusted)
        assert contrast.low < contrast.high
