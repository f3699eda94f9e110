"""The item analysis of a study worked out by hand: a row per option and stage."""

import pytest

from analysis.results.links import list_likely_miskeys
from studies.models import Response
from tests.factory import answer, make_annotator

pytestmark = pytest.mark.slow


def test_a_row_for_each_option_and_stage_in_the_order_of_the_study(two_annotators, table):
    rows = table(two_annotators, "item_analysis").rows
    assert [(row["item_id"], row["option_id"], row["stage"]) for row in rows[:4]] == [
        ("c1", "a", "guess"), ("c1", "a", "read"), ("c1", "b", "guess"), ("c1", "b", "read"),
    ]  # fmt: skip
    assert len(rows) == 4 * 2 * 2


def test_shares_of_an_option_with_the_text(two_annotators, row):
    found = row(two_annotators, "item_analysis", item_id="c2", option_id="b", stage="read")
    assert (found["key"], found["n"], found["share_ticked"], found["share_correct"]) == (False, 2, 0.5, 0.5)


def test_guesses_are_counted_apart(two_annotators, row):
    found = row(two_annotators, "item_analysis", item_id="c2", option_id="a", stage="guess")
    assert (found["n"], found["share_ticked"], found["share_correct"]) == (1, 0, 0)
    assert found["share_unsure"] is None
    assert found["miskey"] is None
    assert "without the text" in found["reason"]


def test_unsure_marks_are_a_share_of_those_who_could_set_them(two_annotators, items, row):
    answer(make_annotator(two_annotators, "cy"), "read", items["c1"], "TF", rating=3, unsure="TF")
    assert row(two_annotators, "item_analysis", item_id="c1", option_id="a", stage="read")["share_unsure"] == 1
    assert row(two_annotators, "item_analysis", item_id="c1", option_id="b", stage="read")["share_unsure"] == 0


def test_a_file_without_unsure_marks_says_nothing_of_them_and_the_reason_does(two_annotators, row):
    Response.objects.filter(assignment__annotator__study=two_annotators).update(unsure=None)
    found = row(two_annotators, "item_analysis", item_id="c1", option_id="a", stage="read")
    assert found["share_unsure"] is None
    assert "Unsure marks were not recorded." in found["reason"]


def test_without_three_people_no_discrimination_and_the_reason_says_so(two_annotators, row):
    found = row(two_annotators, "item_analysis", item_id="c1", option_id="a", stage="read")
    assert found["discrimination"] is None
    assert "at least three" in found["reason"]


def test_discrimination_separates_who_is_right_elsewhere(two_annotators, items, row):
    """Right about a of h2: ada, cy; the shares right of their other seven judgments: ada 7/7, ben 6/7, cy 3/3."""
    cy = make_annotator(two_annotators, "cy")
    for name in ("c2", "h2"):
        answer(cy, "read", items[name], "TF", rating=3)
    found = row(two_annotators, "item_analysis", item_id="h2", option_id="a", stage="read")
    assert found["discrimination"] == pytest.approx(1)


def test_an_option_that_all_readers_tick_against_its_key_is_the_alarm(two_annotators, items, table):
    people = [make_annotator(two_annotators, f"p{number}") for number in range(5)]
    for person in people:
        for name in ("c1", "h1", "c2"):
            answer(person, "read", items[name], "TF", rating=4)
        answer(person, "read", items["h2"], "FF", rating=2)
    first, *_others = list_likely_miskeys(table(two_annotators, "item_analysis").rows)
    assert (first["item_id"], first["option_id"]) == ("h2", "a")
    assert first["miskey"] > 0.5


def test_models_do_not_enter(two_annotators, items, row):
    answer(make_annotator(two_annotators, "gpt", kind="model"), "read", items["c1"], "FT")
    assert row(two_annotators, "item_analysis", item_id="c1", option_id="a", stage="read")["n"] == 2


def test_an_option_that_nobody_judged_is_there_and_undefined(tiny, row):
    found = row(tiny, "item_analysis", item_id="c1", option_id="a", stage="read")
    assert (found["n"], found["share_ticked"], found["share_correct"]) == (0, None, None)
    assert found["reason"] == "No answers in this stage."
