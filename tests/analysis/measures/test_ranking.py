"""Rankings with clustered intervals, against leaving texts out one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t as student

from analysis.measures.intervals import JACKKNIFE, PERCENTILE
from analysis.measures.ranking import rank_generators
from analysis.measures.strengths import (
    DAVIDSON,
    FIRST,
    HALF_WINS,
    METHODS,
    NEVER_LOST,
    NO_TIES,
    ONLY_TIES,
    RUNS_AWAY,
    SECOND,
    TIE,
)

WORTH = np.array([4.0, 2.0, 1.0, 0.9])


def study(texts: int, seed: int, each: int = 12) -> tuple[np.ndarray, ...]:
    """Judgments of four generators drawn from Davidson's model with ν = .5, with worths of their own in each text."""
    rng = np.random.default_rng(seed)
    text = np.repeat(np.arange(texts), each)
    first = rng.integers(4, size=len(text))
    second = (first + rng.integers(1, 4, size=len(text))) % 4
    worth = WORTH * np.exp(rng.normal(0, 0.4, size=(texts, 4)))
    one, other = worth[text, first], worth[text, second]
    tie = 0.5 * np.sqrt(one * other)
    drawn = rng.random(len(text)) * (one + other + tie)
    return first, second, np.where(drawn < one, FIRST, np.where(drawn < one + other, SECOND, TIE)), text


@pytest.mark.parametrize("method", METHODS)
def test_few_texts_give_the_delete_one_jackknife_of_every_strength(method):
    first, second, outcome, text = study(14, seed=1)
    found = rank_generators(first, second, outcome, 4, text, method, seed=1)
    without = []
    for code in range(14):
        kept = text != code
        without.append(
            rank_generators(first[kept], second[kept], outcome[kept], 4, text[kept], method, seed=1).strength
        )
    error = np.sqrt(13 / 14 * ((np.array(without) - np.mean(without, axis=0)) ** 2).sum(axis=0))
    reach = student.ppf(0.975, 13) * error
    assert [one.low for one in found.intervals] == pytest.approx((found.strength - reach).tolist(), abs=1e-7)
    assert [one.method for one in found.intervals] == [JACKKNIFE] * 4
    assert found.strength.sum() == pytest.approx(0, abs=1e-9)
    assert found.worth.sum() == pytest.approx(1)
    assert found.n_texts == 14


def test_many_texts_give_percentiles_that_hold_the_strength():
    found = rank_generators(*study(45, seed=2)[:3], 4, study(45, seed=2)[3], DAVIDSON, seed=1)
    for strength, interval in zip(found.strength, found.intervals, strict=True):
        assert interval.method == PERCENTILE
        assert interval.low < strength < interval.high


def test_rank_ranges_hold_the_rank_and_part_only_what_the_data_part():
    first, second, outcome, text = study(30, seed=3)
    found = rank_generators(first, second, outcome, 4, text, DAVIDSON, seed=1)
    assert (found.rank_low <= found.rank).all()
    assert (found.rank <= found.rank_high).all()
    assert (found.rank[0], found.rank_low[0], found.rank_high[0]) == (1, 1, 1)
    assert found.rank_high[2] >= 3
    assert found.rank_low[3] <= 3


def test_turning_every_judgment_round_turns_the_ranking_round():
    first, second, outcome, text = study(12, seed=4)
    one = rank_generators(first, second, outcome, 4, text, DAVIDSON, seed=1)
    other = rank_generators(first, second, np.array([SECOND, FIRST, TIE])[outcome], 4, text, DAVIDSON, seed=1)
    assert one.strength == pytest.approx(-other.strength)
    assert (one.rank + other.rank).tolist() == [5, 5, 5, 5]


def test_a_generator_that_never_lost_has_no_strength_and_the_others_are_ranked_without_it():
    first, second, outcome, text = study(12, seed=5)
    outcome = np.where(first == 0, FIRST, np.where(second == 0, SECOND, outcome))
    found = rank_generators(first, second, outcome, 4, text, DAVIDSON, seed=1)
    others = (first > 0) & (second > 0)
    alone = rank_generators(first[others] - 1, second[others] - 1, outcome[others], 3, text[others], DAVIDSON, seed=1)
    assert math.isnan(found.strength[0])
    assert (found.rank[0], found.reasons[0], found.intervals[0].reason) == (0, NEVER_LOST, NEVER_LOST)
    assert found.strength[1:].tolist() == pytest.approx(alone.strength.tolist())
    assert found.rank[1:].tolist() == alone.rank.tolist()


def test_two_generators_with_ties_but_wins_of_one_only_have_no_strength_by_davidson():
    rows = np.zeros(6, dtype=np.int64)
    outcome = np.array([FIRST, FIRST, TIE, FIRST, TIE, FIRST])
    found = rank_generators(rows, rows + 1, outcome, 2, np.arange(6), DAVIDSON, seed=1)
    assert np.isnan(found.strength).all()
    assert found.reasons == [RUNS_AWAY, RUNS_AWAY]
    assert not np.isnan(rank_generators(rows, rows + 1, outcome, 2, np.arange(6), HALF_WINS, seed=1).strength).any()


def test_ties_alone_tell_no_strengths():
    rows = np.zeros(6, dtype=np.int64)
    found = rank_generators(rows, rows + 1, rows + TIE, 2, np.arange(6), DAVIDSON, seed=1)
    assert np.isnan(found.strength).all()
    assert found.reasons == [ONLY_TIES, ONLY_TIES]
    assert rank_generators(rows, rows + 1, rows + TIE, 2, np.arange(6), HALF_WINS, seed=1).strength.tolist() == [0, 0]


def test_no_judgment_at_all_gives_no_ranking():
    none = np.zeros(0, dtype=np.int64)
    found = rank_generators(none, none, none, 3, none, DAVIDSON, seed=1)
    assert np.isnan(found.strength).all()
    assert all(found.reasons)


def test_texts_with_nothing_but_ties_are_no_units_of_a_model_without_ties():
    first, second, outcome, text = study(10, seed=6)
    tied = np.isin(text, (3, 7))
    outcome = np.where(tied, TIE, outcome)
    dropped = rank_generators(first, second, outcome, 4, text, NO_TIES, seed=1)
    alone = rank_generators(first[~tied], second[~tied], outcome[~tied], 4, text[~tied], NO_TIES, seed=1)
    assert (dropped.n_texts, dropped.intervals) == (8, alone.intervals)
    assert rank_generators(first, second, outcome, 4, text, DAVIDSON, seed=1).n_texts == 10
