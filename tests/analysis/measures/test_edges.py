"""Nothing to compute from, and very much: no measure warns, fails or invents a number, or holds judgments × draws."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from analysis.measures.agreement import (
    MISSING,
    all_pairs,
    clustered_kappa,
    mean_agreement,
    pair_tables,
    pairwise,
    published_kappa,
)
from analysis.measures.alpha import LEVELS, NOMINAL, ORDINAL, clustered_alpha, krippendorff_alpha, published_alpha
from analysis.measures.coefficients import (
    CHANCES,
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
from analysis.measures.components import Judgments, estimate_text_spread, fit_components
from analysis.measures.contrasts import adjust_p_values, friedman, nemenyi
from analysis.measures.correlation_intervals import clustered_by_generator, clustered_correlation, clustered_within
from analysis.measures.correlations import COEFFICIENTS, by_generator, correlation, within_texts
from analysis.measures.informativity import (
    auc,
    auc_informativity,
    bits,
    clustered_auc,
    clustered_auc_informativity,
    detection,
)
from analysis.measures.intervals import (
    Interval,
    clustered_contrast,
    clustered_mean,
    published_mean,
    two_way_contrast,
    two_way_share,
)
from analysis.measures.item_analysis import discrimination, miskey, unit_means
from analysis.measures.kappa import fleiss_test, kappa_test, mean_kappa_of, pooled_kappa
from analysis.measures.ranking import rank_generators
from analysis.measures.reliability import icc
from analysis.measures.stand_in import (
    CROWD,
    NUMBERS,
    alternative_annotator_test,
    clustered_preference,
    excess_where,
    label_mass,
    mean_excess,
    preference,
    reliability,
)
from analysis.measures.strengths import METHODS
from analysis.measures.types import weights_of_disagreement

COEFFICIENT_NAMES = (*CHANCES, CONGER)
NOTHING: dict[str, np.ndarray] = {
    "no rater": np.zeros((0, 4), dtype=np.int64),
    "no unit": np.zeros((3, 0), dtype=np.int64),
    "neither": np.zeros((0, 0), dtype=np.int64),
    "one rater": np.array([[0, 1, 0, 1]]),
    "all missing": np.full((3, 4), MISSING),
    "nothing shared": np.array([[0, MISSING], [MISSING, 1]]),
}
none, no, nowhere = np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool)

pytestmark = pytest.mark.filterwarnings("error")


def is_undefined(found: Any) -> bool:
    """Whether an interval, a result with fields or a number says that there is nothing."""
    if isinstance(found, Interval):
        return math.isnan(found.low) and math.isnan(found.high) and bool(found.reason)
    if isinstance(found, float):
        return math.isnan(found)
    assert found.reason
    values = [getattr(found, field.name) for field in fields(found)]
    return not any(isinstance(value, float) and not math.isnan(value) for value in values[:1])


def of_several(values: np.ndarray, c: int = 2) -> Iterator[Any]:
    """Everything that says how well raters agree."""
    numbers, counts = np.where(values == MISSING, np.nan, values.astype(float)), category_counts(values, c)
    text, pairs = np.arange(values.shape[1]) % 2, all_pairs(len(values))
    yield from (coefficient(counts) for coefficient in (percent, fleiss_kappa, gwet_ac, brennan_prediger))
    yield conger_kappa(values, c)
    for name in COEFFICIENT_NAMES:
        yield clustered_coefficient(name, values, c, text, seed=1)
        yield published_coefficient(name, values, c, seed=1)
    for level in LEVELS:
        yield krippendorff_alpha(numbers, level)
        yield clustered_alpha(numbers, level, text, seed=1)
        yield published_alpha(numbers, level, seed=1)
    yield clustered_kappa(values, c, pairs, text, seed=1)
    yield published_kappa(values, c, pairs, seed=1)
    mean = mean_agreement(pairwise(values, c))
    yield from (mean.kappa, mean.kappa_unweighted, mean.percent, mean.ac1)
    tables = pair_tables(values, c, pairs, np.zeros(values.shape[1], dtype=np.int64), 1)[0]
    yield mean_kappa_of(tables, np.eye(c))[0]
    yield pooled_kappa(tables, np.eye(c))


@pytest.mark.parametrize("values", NOTHING.values(), ids=NOTHING)
def test_without_two_ratings_of_a_unit_no_agreement_is_defined(values):
    assert all(is_undefined(found) for found in of_several(values))


@pytest.mark.parametrize("values", NOTHING.values(), ids=NOTHING)
def test_tests_of_agreement_and_of_items_have_nothing_to_say_then(values):
    numbers = np.where(values == MISSING, np.nan, values.astype(float))
    assert icc(numbers).reason
    assert fleiss_test(category_counts(values, 2)).reason
    for kind in ("categories", NUMBERS):
        found = alternative_annotator_test(numbers, np.zeros(values.shape[1]), CROWD, kind)
        assert (is_undefined(found.winning_rate), bool(found.reason), found.is_passed) == (True, True, False)
    assert np.isnan(discrimination(values).value).all()
    assert all(discrimination(values).reasons)


def test_ratings_that_nobody_made_have_no_share():
    assert np.isnan(unit_means(np.full((3, 2), MISSING)).share).all()


def of_no_judgment() -> Iterator[Any]:
    yield clustered_mean(no, no, seed=1)
    yield clustered_contrast(no, no, no, no, seed=1)
    yield published_mean(none, no, seed=1)
    nobody = np.zeros((0, 0), dtype=np.int64)
    yield two_way_share(nobody, nobody, seed=1)
    yield two_way_contrast(nobody, nobody, nobody, nobody, seed=1)
    for coefficient in COEFFICIENTS:
        yield correlation(none, none, coefficient)
        yield within_texts(none, none, no, coefficient)
        yield by_generator(none, none, no, coefficient)
        yield clustered_correlation(none, none, no, coefficient, seed=1)
        yield clustered_within(none, none, no, coefficient, seed=1)
        yield clustered_by_generator(none, none, no, no, coefficient, seed=1)
    yield auc(none, nowhere)
    yield auc_informativity(none, none, nowhere)
    yield clustered_auc(none, nowhere, no, seed=1)
    yield clustered_auc_informativity(none, none, nowhere, no, seed=1)
    yield bits(none, none, nowhere).mean
    yield detection(nowhere, nowhere)
    yield mean_excess(nowhere, nowhere, no, seed=1).value
    yield mean_excess(nowhere, nowhere, no, seed=1).interval
    yield excess_where(nowhere, nowhere, nowhere, no, seed=1).value
    yield excess_where(nowhere, nowhere, nowhere, no, seed=1).interval
    yield preference(none, none, nowhere)
    yield clustered_preference(none, none, nowhere, no, seed=1)
    yield from (reliability(none, nowhere).brier, reliability(none, nowhere).ece)
    yield label_mass(none, none).mean
    yield kappa_test(np.zeros((3, 3), dtype=np.int64))


def test_no_judgment_gives_no_figure_and_no_interval():
    assert all(is_undefined(found) for found in of_no_judgment())


def test_no_judgment_gives_no_ranking_no_components_and_no_tests():
    for method in METHODS:
        found = rank_generators(no, no, no, 3, no, method, seed=1)
        assert np.isnan(found.strength).all()
        assert all(found.reasons)
        assert (found.rank == 0).all()
    assert len(rank_generators(no, no, no, 0, no, METHODS[0], seed=1).strength) == 0
    assert len(fit_components(Judgments(no, no, no, no, no, no, nowhere)).assumed) == 5
    assert estimate_text_spread(no, no, nowhere) is None
    assert friedman(np.zeros((0, 3))).reason
    assert np.isnan(nemenyi(np.zeros((0, 3)))).all()
    assert adjust_p_values(none).size == 0
    assert miskey(no, no).reason


def test_a_single_text_has_figures_but_no_interval():
    two, text = np.array([[0, 1, 1, 0], [0, 1, 0, 0]]), np.zeros(4, dtype=np.int64)
    for name in COEFFICIENT_NAMES:
        assert is_undefined(clustered_coefficient(name, two, 2, text, seed=1))
    assert is_undefined(clustered_kappa(two, 2, all_pairs(2), text, seed=1))
    assert is_undefined(clustered_alpha(two.astype(float), NOMINAL, text, seed=1))
    x, y = np.array([1.0, 2, 3, 5]), np.array([1.0, 3, 2, 9])
    for coefficient in COEFFICIENTS:
        assert not is_undefined(correlation(x, y, coefficient).r)
        assert is_undefined(clustered_correlation(x, y, text, coefficient, seed=1))


def test_intervals_have_no_ends_where_every_text_says_the_same():
    three, text = np.zeros((3, 6), dtype=np.int64), np.arange(6) // 2
    for name in COEFFICIENT_NAMES:
        assert is_undefined(clustered_coefficient(name, three, 3, text, seed=1))
    for level in LEVELS:
        assert is_undefined(clustered_alpha(three.astype(float), level, text, seed=1))
    assert is_undefined(clustered_kappa(three, 3, all_pairs(3), text, seed=1))


def test_disagreement_weights_without_any_disagreement_are_refused():
    with pytest.raises(ValueError, match="at least one above 0"):
        weights_of_disagreement(np.zeros((3, 3)))


def test_a_wide_scale_is_computed_in_blocks(monkeypatch):
    rng = np.random.default_rng(1)
    values, text = rng.integers(0, 30, size=(3, 120)).astype(float), np.arange(120) // 3
    whole = clustered_alpha(values, ORDINAL, text, seed=1)
    monkeypatch.setattr("analysis.measures.alpha.CELLS", 30 * 30 * 700)
    blocks = clustered_alpha(values, ORDINAL, text, seed=1)
    assert (blocks.low, blocks.high) == pytest.approx((whole.low, whole.high), abs=1e-12)


MILLION = 1_000_000


def of_a_million(seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ratings of five raters on 200,000 units of a thousand texts; the same as p of a million judgments and keys."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, size=(5, MILLION // 5)), rng.random(MILLION), rng.random(MILLION) < 0.4


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mean kappa", "conger", "gwet", "published kappa", "alpha", "excess", "pearson"])
def test_a_million_judgments_never_become_judgments_times_draws(name):
    values, p, key = of_a_million()
    units, text = np.arange(MILLION // 5) // 200, np.arange(MILLION) // 1000
    tracemalloc.start()
    try:
        if name == "mean kappa":
            found = clustered_kappa(values, 3, all_pairs(5), units, seed=1)
        elif name == "published kappa":
            found = published_kappa(values, 3, all_pairs(5), seed=1)
        elif name == "alpha":
            found = clustered_alpha(values.astype(float), ORDINAL, units, seed=1)
        elif name == "excess":
            found = mean_excess(p > 0.5, key, text, seed=1).interval
        elif name == "pearson":
            found = clustered_correlation(p, key.astype(float), text, seed=1)
        else:
            found = clustered_coefficient(name, values, 3, units, seed=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert not is_undefined(found)
    assert peak < 250 * MILLION  # bytes; judgments × draws would be ten thousand million numbers
