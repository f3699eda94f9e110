"""Shares from counts."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.measures.informativity import informativity, share, tally

judgments = st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=60)


@given(st.integers(1, 10**6), st.data())
def test_share_is_the_float_nearest_to_the_true_fraction(n, data):
    right = data.draw(st.integers(0, n))
    assert share(right, n) == float(Fraction(right, n))


def test_planted_shares_come_out_to_the_last_digit():
    right, text = np.tile([True, True, False], 30), np.repeat(np.arange(10), 9)
    per_text, n = tally(right, text, 10)
    assert share(per_text.sum(), n.sum()) == 2 / 3
    assert informativity(per_text.sum(), n.sum(), 54, 180) == 2 / 3 - 3 / 10


@pytest.mark.parametrize(("read", "guess"), [((0, 0), (3, 6)), ((3, 6), (0, 0)), ((0, 0), (0, 0))])
def test_informativity_is_undefined_without_either_stage(read, guess):
    assert math.isnan(informativity(*read, *guess))


def test_share_of_nothing_is_undefined():
    assert math.isnan(share(0, 0))


def test_tally_keeps_texts_without_judgments_as_zero():
    right, n = tally(np.array([True, False, True]), np.array([0, 2, 2]), 4)
    assert right.tolist() == [1, 0, 1, 0]
    assert n.tolist() == [1, 0, 2, 0]


@given(judgments)
def test_tally_counts_what_a_loop_counts(rows):
    text, right = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    counted, n = tally(right, text, 5)
    assert n.tolist() == [sum(t == code for t, _ in rows) for code in range(5)]
    assert counted.tolist() == [sum(t == code and r for t, r in rows) for code in range(5)]


def test_shares_are_pooled_and_not_means_of_means():
    right, n = tally(np.array([True, True, True, False]), np.array([0, 0, 0, 1]), 2)
    assert share(right.sum(), n.sum()) == 0.75  # the mean of the texts' shares would be 0.5
