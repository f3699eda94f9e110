"""Many published intervals at once are those that come out one by one, up to the luck of the draws."""

import numpy as np
import pytest

from analysis.measures.agreement import MISSING, all_pairs, pairs_with, published_kappa
from analysis.protocols.guess_then_read.agreement import compute_published_kappas

LUCK = 0.02


@pytest.fixture
def ratings():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 60)
    judged = np.where(rng.random((4, 60)) < 0.8, truth, 1 - truth)
    judged[3, 20:] = MISSING
    return judged


def test_sets_about_the_same_units_get_the_same_intervals_as_alone(ratings):
    three = all_pairs(3)
    sets = [three, pairs_with(0, np.arange(3)), pairs_with(2, np.arange(3))]
    together = compute_published_kappas(ratings, 2, sets, seed=5)
    for pairs, interval in zip(sets, together, strict=True):
        alone = published_kappa(ratings, 2, pairs, seed=5)
        assert (interval.low, interval.high) == pytest.approx((alone.low, alone.high), abs=LUCK)
        assert (interval.n_units, interval.n_responses) == (alone.n_units, alone.n_responses)


def test_sets_about_other_units_are_drawn_for_themselves(ratings):
    wide, narrow = compute_published_kappas(ratings, 2, [all_pairs(3), pairs_with(3, np.arange(3))], seed=5)
    alone = published_kappa(ratings, 2, pairs_with(3, np.arange(3)), seed=5)
    assert (narrow.n_units, narrow.n_responses) == (20, 80) == (alone.n_units, alone.n_responses)
    assert (narrow.low, narrow.high) == pytest.approx((alone.low, alone.high), abs=LUCK)
    assert wide.n_units == 60


def test_pairs_that_share_nothing_have_a_reason(ratings):
    ratings[3] = MISSING
    (found,) = compute_published_kappas(ratings, 2, [pairs_with(3, np.arange(3))], seed=5)
    assert np.isnan(found.low)
    assert found.reason


def test_many_pairs_are_drawn_a_tenth_as_often(ratings, monkeypatch):
    monkeypatch.setattr("analysis.protocols.guess_then_read.agreement.MANY_PAIRS", 2)
    many, few = (compute_published_kappas(ratings, 2, [pairs], seed=5)[0] for pairs in (all_pairs(3), all_pairs(2)))
    assert (many.replicates, few.replicates) == (1_000, 10_000)
    alone = published_kappa(ratings, 2, all_pairs(3), seed=5)
    assert (many.low, many.high) == pytest.approx((alone.low, alone.high), abs=0.04)
