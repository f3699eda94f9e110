"""Each baseline on hand-made texts and options."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.baselines import Keys, measure_similarities, tick_exact, tick_majority, tick_most_similar, tick_similar

TEXT = "Am Montag fuhr Jürgen\n mit dem\tZug über die GROSSE Straße nach Köln."


@pytest.mark.parametrize(
    ("keys", "ticked"),
    [(Keys(2, 3), True), (Keys(1, 3), False), (Keys(2, 4), False), (Keys(3, 3), True), (Keys(0, 3), False)],
)
def test_majority_ticks_only_if_more_than_half_of_the_other_options_are_keys(keys, ticked):
    assert tick_majority(keys) is ticked


def test_majority_of_nothing_is_an_error():
    with pytest.raises(ValueError, match="no other items"):
        tick_majority(Keys(0, 0))


@pytest.mark.parametrize(
    ("option", "stands"),
    [
        ("mit dem Zug", True),  # the text has a tab there
        ("Jürgen mit", True),  # and a line break with a blank
        ("  am   montag ", True),
        ("JÜRGEN", True),
        (unicodedata.normalize("NFD", "über die"), True),
        ("große strasse", True),  # without case, ß is ss
        ("Köln.", True),
        ("Köln!", False),  # punctuation counts
        ("Jurgen", False),  # an umlaut is no u
        ("Juergen", False),
        ("Mon", True),  # anywhere, also inside a word
        ("mit dem Rad", False),
        ("", False),
        (" \n", False),
    ],
)
def test_exact_ticks_what_stands_in_the_text_but_for_white_space_and_case(option, stands):
    assert tick_exact(TEXT, [option]) == [stands]


def test_exact_may_tick_several_options_or_none():
    assert tick_exact("Rot und blau.", ["rot", "grün", "blau"]) == [True, False, True]
    assert tick_exact("Rot und blau.", ["gelb", "grün"]) == [False, False]


def test_the_similarity_is_one_minus_the_share_of_letters_to_insert_or_delete():
    # "abcdefghix" and the substring "abcdefghij" share nine of ten letters: 1 - 2/20.
    assert measure_similarities("..abcdefghij..", ["abcdefghix"]) == [pytest.approx(0.9)]
    assert measure_similarities("ab", ["xyz"]) == [0.0]
    assert measure_similarities("der grüne Fluss", ["Grüne"]) == [1.0]


def test_near_ticks_from_the_threshold_on():
    # Eight of ten letters stand in a window of ten: 1 - 4/20, exactly .8.
    assert measure_similarities("..abcdefgh??..", ["abcdefghxy"]) == [0.8]
    assert tick_similar("..abcdefgh??..", ["abcdefghxy"]) == [True]
    assert tick_similar("..abcdefg???..", ["abcdefgwxy"]) == [False]


def test_near_forgives_an_ending_and_a_comma_but_not_another_word():
    text = "Die alte Burg steht auf dem Berg, nicht im Tal."
    assert tick_similar(text, ["auf dem Berge", "auf dem Berg nicht im Tal", "am See"]) == [True, True, False]


def test_an_option_longer_than_the_text_is_held_against_the_whole_text():
    # partial_ratio alone would find the text in the option and say 1.
    assert measure_similarities("Köln", ["Köln liegt am Rhein"]) == [pytest.approx(8 / 23)]
    assert tick_similar("Köln", ["Köln liegt am Rhein"]) == [False]


def test_an_empty_option_is_near_to_nothing():
    assert tick_similar("Text", ["", "  "]) == [False, False]
    assert tick_similar("", ["Text"]) == [False]


def test_nearest_ticks_exactly_the_most_similar_option():
    text = "Die alte Burg steht auf dem Berg."
    assert tick_most_similar(text, ["am See", "auf dem Berge", "im Tal"], "7/i1") == [False, True, False]
    assert tick_most_similar(text, ["ganz", "anders", "etwas"], "7/i1").count(True) == 1


def test_nearest_draws_among_equals_by_wording_and_seed_and_not_by_position():
    text, options = "rot grün blau", ["rot", "grün", "blau"]
    winners = {seed: options[tick_most_similar(text, options, seed).index(True)] for seed in map(str, range(60))}
    assert set(winners.values()) == set(options)
    turned = options[::-1]
    assert all(turned[tick_most_similar(text, turned, seed).index(True)] == winner for seed, winner in winners.items())


words = st.text(alphabet="abcäöüß ,.\nA", max_size=30)


@given(words, st.lists(words, min_size=1, max_size=4))
def test_what_matches_exactly_also_matches_nearly_and_never_without_letters(text, options):
    for strict, loose, option in zip(tick_exact(text, options), tick_similar(text, options), options, strict=True):
        assert loose or not strict
        assert option.strip() or not loose


@given(words, st.lists(words, min_size=1, max_size=4))
def test_similarities_are_shares(text, options):
    assert all(0 <= share <= 1 for share in measure_similarities(text, options))
