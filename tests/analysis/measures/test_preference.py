"""Whether one judge favours some items, by hand."""

import math

import numpy as np
import pytest

from analysis.measures.stand_in import FLAT, NO_CHOSEN, NO_OTHERS, clustered_preference, preference

# Standardised x is -1, -1, 1, 1 and y is -1, 1, -1, 1: apart by 0, -2, 2, 0.
X, Y = np.array([1.0, 1.0, 3.0, 3.0]), np.array([10.0, 30.0, 10.0, 30.0])


def only(*places, n=4):
    return np.isin(np.arange(n), places)


def test_it_is_what_the_chosen_get_more_than_the_others_get_more():
    assert preference(X, Y, only(2)).difference == pytest.approx(2 - (0 - 2 + 0) / 3)
    assert preference(X, Y, only(1, 2)).difference == 0


def test_scales_do_not_matter_and_what_misses_a_number_is_left_out():
    x, y = np.append(5 * X - 7, np.nan), np.append(Y / 100, 1.0)
    assert preference(x, y, only(2, n=5)).difference == pytest.approx(8 / 3)


def test_what_is_undefined_says_why():
    assert preference(X, Y, only()).reason == NO_CHOSEN
    assert preference(X, Y, only(0, 1, 2, 3)).reason == NO_OTHERS
    flat = preference(np.ones(4), Y, only(2))
    assert math.isnan(flat.difference)
    assert flat.reason == FLAT


def test_its_interval_leaves_out_each_text_in_turn():
    # One item a text, chosen are 1 and 2. Without each text in turn: 0, 2, -2 and 0, so SE² = 3/4 · 8 = 6.
    found = clustered_preference(X, Y, only(1, 2), np.arange(4), seed=1)
    assert (found.method, found.n_units) == ("jackknife-t", 4)
    assert found.high == pytest.approx(3.182446 * math.sqrt(6), rel=1e-5)
    assert found.low == pytest.approx(-found.high)
