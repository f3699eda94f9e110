"""Excess of "correct": worked by hand."""

import numpy as np
import pytest

from analysis.measures.stand_in import excess_where, mean_excess

TEXT = np.array([0, 0, 0, 1, 1, 1])
KEY = np.array([1, 0, 0, 1, 0, 0], dtype=bool)
TICKED = np.array([1, 1, 0, 1, 1, 1], dtype=bool)
FIRST = np.array([1, 0, 0, 1, 0, 0], dtype=bool)


def test_the_excess_is_the_share_ticked_less_the_share_of_keys():
    found = mean_excess(TICKED, KEY, TEXT, seed=1)
    assert (found.value, found.n) == (pytest.approx(5 / 6 - 2 / 6), 6)
    # Without the first text 2/3, without the second 1/3: SE = 1/6, t(1) = 12.706.
    assert found.interval.high == 1.0
    assert found.interval.n_units == 2


def test_a_mark_that_keys_have_is_no_bias_by_itself():
    assert excess_where(KEY, KEY, FIRST, TEXT, seed=1).value == 0


def test_the_marked_are_held_against_the_others():
    # Marked: ticked as the keys are, 0. Others: three of four ticked, none a key.
    found = excess_where(TICKED, KEY, FIRST, TEXT, seed=1)
    assert (found.value, found.n) == (-0.75, 2)


def test_without_one_kind_of_options_it_is_undefined():
    found = excess_where(TICKED, KEY, np.zeros(6, dtype=bool), TEXT, seed=1)
    assert np.isnan(found.value)
    assert found.interval.reason


def test_without_judgments_it_is_undefined():
    nothing = np.array([], dtype=bool)
    found = mean_excess(nothing, nothing, np.array([], dtype=int), seed=1)
    assert np.isnan(found.value)
    assert found.interval.reason


def test_relabelled_texts_and_another_order_change_nothing():
    order = np.array([4, 1, 5, 0, 3, 2])
    one = excess_where(TICKED, KEY, FIRST, TEXT, seed=1)
    other = excess_where(TICKED[order], KEY[order], FIRST[order], TEXT[order] + 7, seed=1)
    assert other == one
