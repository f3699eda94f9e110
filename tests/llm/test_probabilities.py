"""p(true) from log-probabilities: which token, which variants, how much mass, what is missing."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm import answers
from llm.answers import read_probability


def token(chosen, **shares):
    """A stored token with these probabilities; `_` stands for a leading blank."""
    pairs = [[name.replace("_", " "), log(share)] for name, share in shares.items()]
    return [chosen, log(shares.get(chosen.replace(" ", "_"), 0.001)), pairs]


def test_p_is_the_share_of_true_among_both_labels():
    result = read_probability([token("R", R=0.6, F=0.2, The=0.2)], "R", "F")
    assert result.p == pytest.approx(0.75)
    assert result.mass == pytest.approx(0.8)
    assert (result.is_flagged, result.missing, result.place) == (False, (), 0)


def test_variants_of_a_label_are_summed():
    result = read_probability([token("R", R=0.3, _R=0.2, r=0.1, F=0.1, _f=0.1)], "R", "F")
    assert result.p == pytest.approx(0.6 / 0.8)


def test_white_space_and_markup_before_the_answer_are_passed_over():
    logprobs = [token("\n", R=0.9), token("**", F=0.9), token("F", R=0.25, F=0.75)]
    result = read_probability(logprobs, "R", "F")
    assert (result.p, result.place) == (pytest.approx(0.25), 2)


def test_little_mass_is_flagged():
    result = read_probability([token("The", The=0.7, R=0.2, F=0.1)], "R", "F")
    assert result.is_flagged
    assert result.p == pytest.approx(2 / 3)


def test_hardly_any_mass_is_missing():
    result = read_probability([token("The", The=0.99, R=0.004, F=0.004)], "R", "F")
    assert (result.p, result.reason) == (None, answers.NO_MASS)


def test_a_label_that_was_not_returned_is_named_with_what_it_could_be():
    result = read_probability([token("R", R=0.8, The=0.15, A=0.02)], "R", "F")
    assert result.p == 1.0
    assert result.missing == ("F",)
    assert (result.low, result.high) == (pytest.approx(0.8 / 0.82), 1.0)
    result = read_probability([token("F", F=0.8, The=0.15, A=0.02)], "R", "F")
    assert (result.p, result.missing, result.low) == (0.0, ("R",), 0.0)
    assert result.high == pytest.approx(0.02 / 0.82)


@pytest.mark.parametrize(
    ("logprobs", "reason"),
    [
        (None, answers.NO_LOGPROBS),
        ([], answers.NO_LOGPROBS),
        ([token("\n", R=0.9), token(" ", R=0.9)], answers.NO_WORD),
        ([token("The", The=0.7, A=0.2)], answers.NO_LABEL),
    ],
)
def test_without_labels_there_is_no_number(logprobs, reason):
    result = read_probability(logprobs, "R", "F")
    assert (result.p, result.reason) == (None, reason)


def test_a_chosen_token_that_is_not_among_the_top_ones_counts():
    result = read_probability([["R", log(0.6), [["F", log(0.2)]]]], "R", "F")
    assert result.p == pytest.approx(0.75)


pairs = st.tuples(st.text(max_size=3) | st.sampled_from(["R", " R", "F", "f"]), st.floats(-9999, 0)).map(list)


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(["R", "F", "\n", "x"]), st.floats(-9999, 0), st.lists(pairs)).map(list)))
def test_p_lies_between_its_bounds_and_both_labels_add_up_to_one(logprobs):
    result, mirrored = read_probability(logprobs, "R", "F"), read_probability(logprobs, "F", "R")
    if result.p is None:
        assert result.reason
        assert mirrored.p is None
    else:
        assert 0 <= result.low <= result.p + 1e-12
        assert result.p <= result.high + 1e-12 <= 1 + 1e-9
        assert mirrored.p == pytest.approx(1 - result.p)
