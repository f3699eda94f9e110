"""Cues in the wording of items: each rule on an item made for it."""

import pytest

from analysis.measures.shortcuts import Finding, count_cues, find_cues, find_near_duplicates, is_negated
from items.wording import Wording

TEXT = "The ferry leaves at nine. The choir sang on the pier until the storm came."


def item(stem="Why did it happen?", options=("red", "sun", "oak"), keys="TFF", text=TEXT, language="en"):
    return Wording(stem, tuple(options), tuple(mark == "T" for mark in keys), text, language)


def cues(wording):
    return {found.cue: found.place for found in find_cues(wording)}


@pytest.mark.parametrize(
    ("cue", "wording", "place"),
    [
        ("longest", item(options=("red sun", "the choir had sung too long", "oak")), 1),
        ("copied", item(options=("until the storm came", "until the moon came", "never again came")), 0),
        ("text_overlap", item(options=("choir storm", "choir lamps", "lamps birds")), 0),
        ("stem_overlap", item("Why did the steamer stop?", ("the steamer sank", "the pier broke", "it rained")), 0),
        ("article", item(options=("the sun", "red", "oak")), 0),
        ("article", item(options=("Wind", "ein Sturm", "Regen"), language="de"), 1),
        ("number", item(options=("at 9", "later", "never")), 0),
        ("agreement", item("What did she eat? She ate an ___.", ("apple", "pear", "plum")), 0),
        ("form", item(options=("Red.", "sun", "oak")), 0),
        ("form", item(options=("Red", "Sun", "oak")), 2),
        ("absolute", item(options=("it always rains", "it rains", "it may rain")), 0),
        ("negation", item(options=("es regnet", "es regnet nicht", "es schneit"), language="de"), 1),
    ],
)
def test_the_option_that_stands_out_is_found(cue, wording, place):
    assert cues(wording)[cue] == place


@pytest.mark.parametrize(
    ("cue", "wording"),
    [
        ("longest", item(options=("reds", "suns", "oak"))),  # longer, but not clearly
        ("copied", item(options=("the storm came", "the choir sang", "oak"))),  # two do
        ("copied", item(options=("ferry", "sun", "oak"))),  # one word is no copy
        ("stem_overlap", item("Was it the sun?", ("the sun", "the oak", "it is red"))),  # short words join all
        ("agreement", item("She ate a ___.", ("pear", "plum", "apple"))),  # two fit
        ("agreement", item("Sie aß an ___.", ("apple", "pear", "plum"), language="de")),
        ("form", item(options=("Red", "sun"))),  # of two each differs from the other
        ("negation", item(options=("es regnet", "es regnet nicht", "es schneit"), language="fr")),
    ],
)
def test_where_none_or_several_stand_out_there_is_no_cue(cue, wording):
    assert cue not in cues(wording)


def test_an_open_item_has_no_cues():
    assert find_cues(item(options=(), keys="")) == []


def test_a_cue_says_whether_it_leads_to_the_key():
    assert Finding("number", 2, True) in find_cues(item(options=("red", "sun", "at 9"), keys="FFT"))
    assert Finding("number", 2, False) in find_cues(item(options=("red", "sun", "at 9"), keys="TFF"))


def test_the_order_of_options_changes_nothing_but_the_place():
    options, keys = ("at 9 the choir had sung", "red", "the oak"), "TFF"
    one = {found.cue: options[found.place] for found in find_cues(item(options=options, keys=keys))}
    other = {found.cue: options[::-1][found.place] for found in find_cues(item(options=options[::-1], keys=keys[::-1]))}
    assert one == other


def test_near_duplicates_and_negated_stems():
    assert find_near_duplicates(item(options=("the red sun rises", "The red sun rises!", "oak"))) == [(0, 1)]
    assert is_negated(item("Why did it not happen?"))
    assert not is_negated(item("Why did it happen?"))


def test_counts_over_items_worked_by_hand():
    bank = [
        item(options=("at 9", "later", "never"), keys="TFF"),
        item(options=("at 9", "later", "never"), keys="FTF"),
        item(options=("at 9", "later"), keys="TF"),
        item(options=("at 9", "at 10", "never"), keys="TFF"),  # two with numbers
    ]
    found = count_cues(bank)["number"]
    assert (found.n, found.n_keys) == (3, 2)
    assert found.expected == pytest.approx(1 / 3 + 1 / 3 + 1 / 2)
