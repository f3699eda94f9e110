"""A changed key is a correction: logged, and applied to every version with that option."""

import pytest

from items.models import Item, KeyCorrection, Option
from items.services.versions import correct_key, set_keys
from tests.items.files import OPTIONS, item_row, load, text_row

pytestmark = [pytest.mark.django_db, pytest.mark.database]

FLIPPED = [(text, not correct) for text, correct in OPTIONS]


@pytest.fixture
def item(project) -> Item:
    """Version 2 of an item; version 1 had another stem and another second option."""
    first = item_row([OPTIONS[0], ("The tide is high.", False)], id="q1", question="Why?")
    load(project, text_row([first], id="t1"))
    load(project, text_row([item_row(id="q1")], id="t1"), update=True)
    return Item.objects.get(external_id="q1", version=2)


def keys(version: int) -> list[bool]:
    return list(Option.objects.filter(item__version=version).order_by("position").values_list("correct", flat=True))


def test_a_changed_key_needs_no_update(project, item):
    plan = load(project, text_row([item_row(FLIPPED, id="q1")], id="t1"))
    assert plan.counts().key_corrections == 2
    assert Item.objects.filter(external_id="q1").count() == 2
    assert keys(version=2) == [False, True]


def test_a_correction_reaches_every_version_with_the_same_option(item, researcher):
    correct_key(item, item.options.get(external_id="a"), False, "He does not sing.", researcher)
    assert keys(version=1) == [False, False]
    assert keys(version=2) == [False, False]


def test_a_correction_leaves_an_option_with_other_words_alone(item, researcher):
    correct_key(item, item.options.get(external_id="b"), True, "It is.", researcher)
    assert keys(version=1) == [True, False]
    assert keys(version=2) == [True, True]


def test_a_correction_is_logged_for_each_version_it_touches(item, researcher):
    correct_key(item, item.options.get(external_id="a"), False, "He does not sing.", researcher)
    logged = KeyCorrection.objects.order_by("item__version")
    assert [correction.item.version for correction in logged] == [1, 2]
    assert {(c.option_external_id, c.correct, c.reason, c.made_by) for c in logged} == {
        ("a", False, "He does not sing.", researcher)
    }


def test_an_import_names_its_file_as_the_reason(project, item):
    load(project, text_row([item_row(FLIPPED, id="q1")], id="t1"))
    assert KeyCorrection.objects.first().reason == "Import of the file bank.jsonl"


def test_a_key_that_is_right_already_is_no_correction(item, researcher):
    assert correct_key(item, item.options.get(external_id="a"), True, "Sure.", researcher) == []
    assert not KeyCorrection.objects.exists()


def test_an_update_with_other_words_and_keys_corrects_the_old_version_too(project, item):
    load(project, text_row([item_row(FLIPPED, id="q1", question="Why so late?")], id="t1"), update=True)
    assert keys(version=2) == [False, True]
    assert keys(version=3) == [False, True]


def test_carried_items_take_corrected_keys_along(project, item):
    load(
        project,
        text_row([item_row(FLIPPED, id="q1")], id="t1", text="Another text, about nothing at all."),
        update=True,
    )
    assert keys(version=3) == [False, True]


def test_set_keys_corrects_what_differs(item, researcher):
    corrections = set_keys(item, {"b"}, "Mixed up.", researcher)
    assert {(c.option_external_id, c.correct) for c in corrections} == {("a", False), ("b", True)}


def test_another_project_with_the_same_ids_is_not_touched(project, item, stranger, researcher):
    other = stranger.memberships.get().project
    load(other, text_row([item_row(id="q1")], id="t1"))
    correct_key(item, item.options.get(external_id="a"), False, "He does not sing.", researcher)
    assert Option.objects.get(item__project=other, external_id="a").correct
