"""Agreement over readers and texts against leaving out one by one, written plainly with the public coefficients."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from analysis.measures.agreement import MISSING, all_pairs, cohen_kappa, mean_agreement, pairs_with, pairwise
from analysis.measures.alpha import INTERVAL, LEVELS, NOMINAL, krippendorff_alpha
from analysis.measures.coefficients import (
    brennan_prediger,
    category_counts,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    percent,
)
from analysis.measures.intervals import NO_JUDGMENT, NO_VARIATION, ONE_TEXT, TEXT, TEXT_AND_ANNOTATOR
from analysis.measures.reader_coefficients import (
    alpha_parts,
    coefficient_parts,
    kappa_parts,
    pooled_pairs_parts,
    readers_alpha,
    readers_coefficient,
    readers_kappa,
)
from analysis.measures.variance_parts import (
    RARE_LABELS,
    THESE_TWO_ONLY,
    THIS_MODEL_ONLY,
    THREE_READERS,
    UNDEFINED_WITHOUT_PART,
    VarianceParts,
)

Coefficient = Callable[[np.ndarray], float]  # of codes (raters, units) with MISSING

LABELS = 3
LINEAR = 1 - np.abs(np.subtract.outer(np.arange(LABELS), np.arange(LABELS))) / (LABELS - 1)
COEFFICIENTS: dict[str, Coefficient] = {
    "percent": lambda ratings: percent(category_counts(ratings, LABELS)).value,
    "fleiss": lambda ratings: fleiss_kappa(category_counts(ratings, LABELS)).value,
    "gwet": lambda ratings: gwet_ac(category_counts(ratings, LABELS)).value,
    "brennan_prediger": lambda ratings: brennan_prediger(category_counts(ratings, LABELS)).value,
    "conger": lambda ratings: conger_kappa(ratings, LABELS).value,
}
studies = st.tuples(st.integers(3, 6), st.integers(3, 5), st.integers(0, 10_000), st.sampled_from([1.0, 0.8, 0.6]))


def _ratings(texts: int, raters: int, seed: int, judged: float, units: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Codes (raters, units) that agree better than by chance, and the text of each unit."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, LABELS, texts * units)
    ratings = np.where(
        rng.random((raters, texts * units)) < 0.6, true, rng.integers(0, LABELS, (raters, texts * units))
    )
    ratings[rng.random(ratings.shape) >= judged] = MISSING
    return ratings, np.repeat(np.arange(texts) * 5, units)


def _without(ratings: np.ndarray, raters: int | slice, units: np.ndarray | slice) -> np.ndarray:
    """The same ratings without those of some raters about some units."""
    left = ratings.copy()
    left[raters, units] = MISSING
    return left


def _check(parts: VarianceParts, of: Coefficient, ratings: np.ndarray, text: np.ndarray, loads: np.ndarray) -> None:
    """V_T, V_A, V_C and the reach by the formulas, leaving out one by one; loads: judgments that enter, by cell."""
    value, (texts, raters) = of(ratings), loads.shape
    names = np.unique(text)
    no_text = np.array([of(_without(ratings, slice(None), text == t)) for t in names])
    no_rater = np.array([of(_without(ratings, a, slice(None))) for a in range(raters)])
    if np.isnan([value, *no_text, *no_rater]).any():
        assert parts.reason
        return
    there = loads > 0
    h = np.array([[of(_without(ratings, a, text == t)) - value for a in range(raters)] for t in names])
    h[~there] = 0
    v_t, v_a = ((len(x) - 1) / len(x) * ((x - x.mean()) ** 2).sum() for x in (no_text, no_rater))
    cells, e = int(there.sum()), h.copy()
    f = cells - texts - raters + 1
    for _sweep in range(8):
        for t in range(texts):
            e[t, there[t]] -= e[t, there[t]].mean()
        for a in range(raters):
            e[there[:, a], a] -= e[there[:, a], a].mean()
    v_c = (e**2).sum() * cells / f if f >= 1 else (h**2).sum()
    assert parts.value == pytest.approx(value, abs=1e-9)
    if max(v_t, v_a) < 1e-20:
        assert parts.reason == NO_VARIATION
        return
    assert (parts.texts, parts.annotators, parts.cells) == pytest.approx((v_t, v_a, v_c), abs=1e-9)
    t2, a2 = (student.ppf(0.975, loads.sum() ** 2 / (loads.sum(axis=axis) ** 2).sum() - 1) ** 2 for axis in (1, 0))
    squared = max(t2 * v_t + a2 * v_a - norm.ppf(0.975) ** 2 * v_c, t2 * v_t, a2 * v_a)
    assert parts.reach(0.05) == pytest.approx(math.sqrt(squared), abs=1e-9)


def _loads(entering: np.ndarray, text: np.ndarray) -> np.ndarray:
    return np.array([[entering[a, text == t].sum() for a in range(len(entering))] for t in np.unique(text)])


@given(studies, st.booleans())
def test_kappa(study: tuple[int, int, int, float], weighted: bool) -> None:
    ratings, text = _ratings(*study)
    pairs = all_pairs(len(ratings))

    def of(some: np.ndarray) -> float:
        found = mean_agreement(pairwise(some, LABELS))
        return found.kappa if weighted else found.kappa_unweighted

    entering = (ratings != MISSING) & ((ratings != MISSING).sum(axis=0) > 1)
    loads = _loads(entering, text)
    if loads.any(axis=1).all() and loads.any(axis=0).all():
        _check(kappa_parts(ratings, LABELS, pairs, text, weighted=weighted), of, ratings, text, loads)


@given(studies, st.sampled_from(LEVELS))
def test_alpha(study: tuple[int, int, int, float], level: str) -> None:
    ratings, text = _ratings(*study)
    scale = np.array([1.0, 2.0, 4.0])

    def values(some: np.ndarray) -> np.ndarray:
        return np.where(some == MISSING, np.nan, scale[np.maximum(some, 0)])

    entering = (ratings != MISSING) & ((ratings != MISSING).sum(axis=0) > 1)
    loads = _loads(entering, text)
    if loads.any(axis=1).all() and loads.any(axis=0).all():
        parts = alpha_parts(values(ratings), level, text)
        _check(parts, lambda some: krippendorff_alpha(values(some), level).value, ratings, text, loads)


@given(studies, st.sampled_from(sorted(COEFFICIENTS)))
def test_other_coefficients(study: tuple[int, int, int, float], name: str) -> None:
    ratings, text = _ratings(*study)
    rated = ratings != MISSING
    entering = rated & (rated.sum(axis=0) > (1 if name in ("percent", "brennan_prediger") else 0))
    loads = _loads(entering, text)
    if loads.any(axis=1).all() and loads.any(axis=0).all():
        _check(coefficient_parts(name, ratings, LABELS, text), COEFFICIENTS[name], ratings, text, loads)


def test_weights_of_labels() -> None:
    ratings, text = _ratings(5, 4, 3, 0.8)
    parts = coefficient_parts("gwet", ratings, LABELS, text, weights=LINEAR)
    _check(
        parts,
        lambda some: gwet_ac(category_counts(some, LABELS), LINEAR).value,
        ratings,
        text,
        _loads(ratings != MISSING, text),
    )


def test_a_model_beside_people_is_never_left_out() -> None:
    ratings, text = _ratings(5, 5, 8, 1.0)
    people = np.arange(1, 5)
    pairs = pairs_with(0, people)
    parts = kappa_parts(ratings, LABELS, pairs, text, fixed=[0])

    def of(some: np.ndarray) -> float:
        return mean_agreement(pairwise(some, LABELS, pairs)).kappa

    no_person = np.array([of(_without(ratings, int(a), slice(None))) for a in people])
    assert parts.n_annotators == 4
    assert parts.annotators == pytest.approx(3 / 4 * ((no_person - no_person.mean()) ** 2).sum(), abs=1e-12)


def test_models_alone_and_two_people_by_texts_only() -> None:
    ratings, text = _ratings(6, 3, 4, 1.0)
    models = readers_kappa(ratings, LABELS, all_pairs(3), text, fixed=[0, 1, 2])
    assert (models.unit, models.caveats) == (TEXT, (THIS_MODEL_ONLY,))
    two = kappa_parts(ratings[:2], LABELS, all_pairs(2), text)
    assert (two.drawn, two.caveats) == (TEXT, (THESE_TWO_ONLY,))
    assert two.reach(0.05) == pytest.approx(student.ppf(0.975, 5) * math.sqrt(two.texts))
    beside = readers_kappa(ratings, LABELS, pairs_with(2, np.arange(2)), text, fixed=[2])
    assert (beside.unit, beside.caveats) == (TEXT, (THESE_TWO_ONLY,))


def test_three_readers_are_said_to_be_few() -> None:
    ratings, text = _ratings(6, 3, 4, 1.0)
    found = readers_alpha(ratings.astype(float), NOMINAL, text)
    assert (found.unit, found.caveats) == (TEXT_AND_ANNOTATOR, (THREE_READERS,))
    assert found.n_annotators_effective == pytest.approx(3)


def test_full_agreement_has_no_interval() -> None:
    ratings, text = _ratings(6, 4, 4, 1.0)
    same = np.repeat(ratings[:1], 4, axis=0)
    found = [
        readers_kappa(same, LABELS, all_pairs(4), text),
        *(readers_alpha(same.astype(float), level, text) for level in LEVELS),
        *(readers_coefficient(name, same, LABELS, text) for name in COEFFICIENTS),
    ]
    assert {interval.reason for interval in found} == {NO_VARIATION}
    assert all(math.isnan(interval.low) and math.isnan(interval.high) for interval in found)


def test_nothing_shared_and_one_text() -> None:
    nobody = np.full((3, 8), MISSING)
    text = np.repeat([0, 1], 4)
    assert readers_kappa(nobody, LABELS, all_pairs(3), text).reason == NO_JUDGMENT
    assert readers_alpha(np.full((3, 8), np.nan), INTERVAL, text).reason == NO_JUDGMENT
    assert readers_coefficient("fleiss", nobody, LABELS, text).reason == NO_JUDGMENT
    ratings, _text = _ratings(2, 3, 4, 1.0)
    assert readers_kappa(ratings, LABELS, all_pairs(3), text * 0, fixed=[0, 1, 2]).reason == ONE_TEXT


def test_undefined_without_a_rater() -> None:
    """The first two judged no unit together, so that without the third nothing is left to compare."""
    ratings = np.array([[0, 1, 0, 1, -1, -1, -1, -1], [-1, -1, -1, -1, 0, 1, 1, 0], [0, 1, 1, 1, 0, 1, 0, 0]])
    found = readers_kappa(ratings, 2, all_pairs(3), np.array([0, 0, 1, 1, 2, 2, 3, 3]))
    assert found.reason == UNDEFINED_WITHOUT_PART


@pytest.mark.parametrize(("texts", "warned"), [(10, True), (30, False)])
def test_rare_labels_are_warned_of(texts: int, warned: bool) -> None:
    rng = np.random.default_rng(2)
    ratings = (rng.random((4, texts * 6)) < 0.1).astype(np.int64)
    text = np.repeat(np.arange(texts), 6)
    found = [
        readers_kappa(ratings, 2, all_pairs(4), text),
        readers_alpha(ratings.astype(float), NOMINAL, text),
        readers_coefficient("fleiss", ratings, 2, text),
    ]
    assert all((RARE_LABELS in interval.caveats) is warned for interval in found)
    assert RARE_LABELS not in readers_coefficient("gwet", ratings, 2, text).caveats


def test_kappa_of_all_pairs_together_leaves_out_texts_annotators_and_cells():
    """Against tables counted again from the pairs that are left."""
    rng = np.random.default_rng(5)
    ratings, text = _ratings(5, 4, 3, 1.0)
    pairs = np.array([(a, b, unit) for unit in range(ratings.shape[1]) for a, b in all_pairs(4)])
    pairs = pairs[rng.random(len(pairs)) < 0.9]
    labels, who = ratings[pairs[:, :2], pairs[:, 2:]], pairs[:, :2]
    of_text = text[pairs[:, 2]]

    def kappa(kept: np.ndarray) -> float:
        table = np.zeros((LABELS, LABELS))
        np.add.at(table, (labels[kept, 0], labels[kept, 1]), 1)
        return float(cohen_kappa(table))

    everything = np.ones(len(pairs), dtype=bool)
    without_text = [kappa(of_text != each) for each in np.unique(of_text)]
    without_rater = [kappa(~(who == each).any(axis=1)) for each in np.unique(who)]
    found = pooled_pairs_parts(cohen_kappa, labels, who, of_text, LABELS, bounds=(-1.0, 1.0))
    assert found.value == pytest.approx(kappa(everything), abs=1e-12)
    for variance, values in ((found.texts, without_text), (found.annotators, without_rater)):
        k = len(values)
        assert variance == pytest.approx((k - 1) / k * ((np.array(values) - np.mean(values)) ** 2).sum(), abs=1e-9)
    assert (found.n_texts, found.n_annotators, found.n_responses) == (5, 4, 2 * len(pairs))
    assert found.interval().low < found.value < found.interval().high
