"""Codes of items: what may be set, where they point, and that nothing is forgotten."""

import pytest

from analysis.items.coding_acts import BadCode, remove_code, set_code
from analysis.models import ItemCode
from tests.factory import make_item, make_text


def test_a_code_says_who_set_it_and_when(two_annotators, items, reviewer):
    code = set_code(two_annotators, items["h2"], "wrong_key", reviewer, note="It is the other one. ")
    assert (code.set_by, code.note, code.title) == (reviewer, "It is the other one.", "wrong key")
    assert code.set_at


def test_a_code_points_to_an_option_and_to_words_of_the_text(two_annotators, items, reviewer):
    option = items["h2"].options.get(external_id="b")
    code = set_code(
        two_annotators, items["h2"], "unclear_option", reviewer, option=option, quote="It has\n two sentences"
    )
    assert code.option == option
    assert code.quote == "It has two sentences"
    assert items["h2"].text.body[code.start : code.end] == code.quote


def test_words_that_the_text_does_not_have_are_refused(two_annotators, items, reviewer):
    with pytest.raises(BadCode, match="not in the text"):
        set_code(two_annotators, items["h2"], "wrong_key", reviewer, quote="a volcano")


def test_words_that_stand_in_two_places_are_refused(project, two_annotators, items, reviewer):
    item = items["h2"]
    item.text.body = "A dam. A dam."
    with pytest.raises(BadCode, match="2 times"):
        set_code(two_annotators, item, "wrong_key", reviewer, quote="A dam")


def test_an_unknown_code_a_foreign_option_and_a_foreign_item_are_refused(project, two_annotators, items, reviewer):
    with pytest.raises(BadCode, match="no code"):
        set_code(two_annotators, items["h2"], "boring", reviewer)
    with pytest.raises(BadCode, match="another item"):
        set_code(two_annotators, items["h2"], "wrong_key", reviewer, option=items["c1"].options.first())
    with pytest.raises(BadCode, match="not in the study"):
        set_code(two_annotators, make_item(make_text(project, "t9"), "careful", "c9"), "wrong_key", reviewer)


@pytest.mark.database
@pytest.mark.parametrize("place", [None, 0])
def test_the_same_code_is_set_once_at_a_place(two_annotators, items, reviewer, place):
    option = None if place is None else items["h2"].options.all()[place]
    set_code(two_annotators, items["h2"], "wrong_key", reviewer, option=option)
    with pytest.raises(BadCode, match="is already set"):
        set_code(two_annotators, items["h2"], "wrong_key", reviewer, option=option)


@pytest.mark.database
def test_what_is_taken_back_stays_in_the_log_and_may_be_set_again(two_annotators, items, reviewer, researcher):
    code = set_code(two_annotators, items["h2"], "wrong_key", reviewer)
    assert remove_code(code, researcher)
    assert not remove_code(code, reviewer)
    code.refresh_from_db()
    assert code.removed_by == researcher
    set_code(two_annotators, items["h2"], "wrong_key", reviewer)
    assert ItemCode.objects.count() == 2


def test_lists_name_the_codes_that_say_why(two_annotators, items, reviewer, row):
    for code in ("about_content", "wrong_key", "widely_known"):
        set_code(two_annotators, items["h1"], code, reviewer)
        set_code(two_annotators, items["c1"], code, reviewer)
    assert row(two_annotators, "guessable_items", item_id="c1")["codes"] == "widely_known; about_content"


def test_an_unanswerable_item_has_its_codes_in_the_catalogues_order(two_annotators, items, reviewer, row):
    for code in ("insufficient_evidence", "wrong_key:none_right", "widely_known"):
        set_code(two_annotators, items["h2"], code, reviewer)
    items["h2"].options.update(correct=True)  # so both readers, who ticked one of them, are wrong
    found = row(two_annotators, "unanswerable_items", item_id="h2")
    assert found["codes"] == "wrong_key:none_right; insufficient_evidence"
