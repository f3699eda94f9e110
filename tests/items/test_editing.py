"""What the pages write: new versions, never changed rows."""

from dataclasses import replace

import pytest

from items.models import Generator, GeneratorKind, Item, KeyCorrection, Text
from items.services.editing import EditRefused, create_item, edit_generator, edit_item, edit_text
from items.values import ItemValues, OptionValues, get_item_values, get_text_values
from tests.items.files import BODY, OPTIONS, STEM, item_row, load, text_row

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def text(project) -> Text:
    load(project, text_row([item_row(id="q1"), item_row(id="q2", question="When?")], id="t1"))
    return Text.objects.get()


@pytest.fixture
def item(text) -> Item:
    return text.items.get(external_id="q1")


def test_a_taken_id_is_refused(text):
    with pytest.raises(EditRefused, match="already used"):
        create_item(text, ItemValues(stem="Why?", generator="Ada"), "q1")


def test_an_edited_text_is_a_new_version_with_its_items(text):
    new = edit_text(text, replace(get_text_values(text), body="Another text."))
    text.refresh_from_db()
    assert (text.body, new.body, new.version) == (BODY, "Another text.", 2)
    assert text.superseded_at
    assert new.items.current().count() == 2
    assert text.items.current().count() == 0


def test_an_edit_without_a_difference_makes_no_version(text, item, researcher):
    assert edit_text(text, get_text_values(text)) == text
    assert edit_item(item, get_item_values(item), researcher) == item
    assert Item.objects.count() == 2


def test_edited_details_stand_in_the_metadata_too(text):
    new = edit_text(text, replace(get_text_values(text), level="C1", shareable=False))
    assert new.metadata == {"extra": {"level": "C1", "shareable": False}}


def test_a_version_that_is_no_longer_current_cannot_be_edited(text, item, researcher):
    edit_text(text, replace(get_text_values(text), body="Another text."))
    with pytest.raises(EditRefused, match="newer version"):
        edit_text(text, replace(get_text_values(text), body="A third text."))
    with pytest.raises(EditRefused, match="newer version"):
        edit_item(item, replace(get_item_values(item), stem="Why not?"), researcher)


def test_a_new_item_makes_its_generator_and_letters_its_options(text):
    options = (OptionValues("", "one", True), OptionValues("", "two", False))
    item = create_item(text, ItemValues(stem="Why?", generator="Ada", options=options))
    assert item.generator == Generator.objects.get(name="Ada")
    assert list(item.options.values_list("external_id", "text")) == [("a", "one"), ("b", "two")]


def test_an_edited_item_is_a_new_version(item, researcher):
    new = edit_item(item, replace(get_item_values(item), stem="Why so late?"), researcher)
    item.refresh_from_db()
    assert (item.stem, new.stem, new.version, new.external_id) == (STEM, "Why so late?", 2, "q1")
    assert item.superseded_at
    assert [(option.text, option.correct) for option in new.options.all()] == OPTIONS


def test_a_new_option_gets_a_free_letter_and_others_keep_theirs(item, researcher):
    first, second = get_item_values(item).options
    new = edit_item(
        item, replace(get_item_values(item), options=(OptionValues("", "new", False), first, second)), researcher
    )
    assert list(new.options.values_list("external_id", "text")) == [
        ("c", "new"),
        ("a", OPTIONS[0][0]),
        ("b", OPTIONS[1][0]),
    ]


def flip_keys(item: Item) -> ItemValues:
    values = get_item_values(item)
    return replace(values, options=tuple(replace(option, correct=not option.correct) for option in values.options))


def test_a_changed_key_needs_a_reason(item, researcher):
    with pytest.raises(EditRefused, match="Enter the reason"):
        edit_item(item, flip_keys(item), researcher)
    assert [option.correct for option in item.options.all()] == [True, False]


def test_a_changed_key_alone_is_a_correction_and_no_version(item, researcher):
    assert edit_item(item, flip_keys(item), researcher, "Mixed up.") == item
    assert [option.correct for option in item.options.all()] == [False, True]
    assert KeyCorrection.objects.filter(made_by=researcher, reason="Mixed up.").count() == 2


def test_a_renamed_generator_keeps_its_items(item):
    edit_generator(item.generator, "Ada", GeneratorKind.MODEL, "Wrote by night.", {"size": "7B"})
    item.refresh_from_db()
    assert (item.generator.name, item.generator.kind, item.generator.factors) == ("Ada", "model", {"size": "7B"})


def test_a_generator_cannot_take_anothers_name(item):
    Generator.objects.create(project=item.project, name="Ada")
    with pytest.raises(EditRefused, match="has this name"):
        edit_generator(item.generator, "Ada", GeneratorKind.HUMAN, "", {})
