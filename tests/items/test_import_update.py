"""Other wordings of what the project knows: refused, or new versions on request."""

import pytest

from items.models import Item, Text
from items.services.importing import read_bank_file
from items.services.naming import ImportOptions
from items.services.planning import plan_import
from tests.items.files import BODY, OPTIONS, STEM, item_row, jsonl, load, refusal, text_row, warnings

pytestmark = [pytest.mark.django_db, pytest.mark.database]

OTHER = "The ferry does not leave at all. It never did."


@pytest.fixture
def items_in_bank(project):
    load(
        project,
        text_row(
            [item_row(id="q1"), item_row(id="q2", question="When?")], id="t1", metadata={"extra": {"level": "B1"}}
        ),
    )
    return project


def test_another_wording_is_refused(items_in_bank):
    reasons = refusal(items_in_bank, text_row([item_row(id="q1", question="Why?")], id="t1", text=OTHER))
    assert [(line, field) for line, field, _reason in reasons] == [(1, ""), (1, "items 1")]
    assert "(text)" in reasons[0][2]
    assert "(question)" in reasons[1][2]
    assert Text.objects.get().body == BODY


def test_an_update_makes_a_new_version_of_a_text_and_carries_its_items(items_in_bank):
    plan = load(items_in_bank, text_row([], id="t1", text=OTHER), update=True)
    old, new = Text.objects.order_by("version")
    assert (old.body, new.body, new.version) == (BODY, OTHER, 2)
    assert old.superseded_at
    assert not new.superseded_at
    assert set(new.items.values_list("external_id", "version")) == {("q1", 2), ("q2", 2)}
    assert old.items.filter(superseded_at=None).count() == 0
    assert [option.text for option in new.items.get(external_id="q1").options.all()] == [text for text, _key in OPTIONS]
    assert plan.counts().carried_items == 2


def test_an_update_makes_a_new_version_of_an_item_and_keeps_the_old(items_in_bank):
    load(items_in_bank, text_row([item_row(id="q1", question="Why so late?")], id="t1"), update=True)
    old, new = Item.objects.filter(external_id="q1").order_by("version")
    assert (old.stem, new.stem, new.version) == (STEM, "Why so late?", 2)
    assert old.superseded_at
    assert old.options.count() == new.options.count() == 2
    assert Text.objects.count() == 1
    assert Item.objects.filter(external_id="q2").count() == 1


def test_a_text_and_its_item_change_together_in_one_version_each(items_in_bank):
    load(items_in_bank, text_row([item_row(id="q1", question="Why so late?")], id="t1", text=OTHER), update=True)
    current = {item.external_id: item for item in Item.objects.current()}
    assert (current["q1"].version, current["q1"].stem) == (2, "Why so late?")
    assert {item.text.version for item in current.values()} == {2}


def test_another_option_is_another_wording(items_in_bank):
    changed = item_row([("He sings.", True), OPTIONS[1]], id="q1")
    assert "(answers)" in refusal(items_in_bank, text_row([changed], id="t1"))[0][2]
    load(items_in_bank, text_row([changed], id="t1"), update=True)
    options = Item.objects.current().get(external_id="q1").options
    assert list(options.values_list("external_id", "text")) == [("a", "He sings."), ("b", "The tide is low.")]


def test_another_order_of_options_is_no_other_wording(items_in_bank):
    assert not load(items_in_bank, text_row([item_row(OPTIONS[::-1], id="q1")], id="t1")).writes


def test_another_generator_that_is_said_is_a_change(items_in_bank):
    assert "(generator)" in refusal(items_in_bank, text_row([item_row(id="q1", generator="Ada")], id="t1"))[0][2]


def test_other_details_are_left_with_a_warning(items_in_bank):
    plan = load(items_in_bank, text_row([], id="t1", metadata={"extra": {"level": "C1"}}))
    assert warnings(plan)[0][:2] == (1, "")
    assert Text.objects.get().level == "B1"
    load(items_in_bank, text_row([], id="t1", metadata={"extra": {"level": "C1"}}), update=True)
    assert Text.objects.current().get().level == "C1"


def test_an_update_without_a_difference_makes_no_version(items_in_bank):
    assert not load(items_in_bank, text_row([item_row(id="q1")], id="t1"), update=True).writes


def test_true_is_another_metadata_than_one(items_in_bank):
    load(items_in_bank, text_row([item_row(id="q3", question="How?", metadata={"x": 1})], id="t1"))
    plan = load(items_in_bank, text_row([item_row(id="q3", question="How?", metadata={"x": True})], id="t1"))
    assert "(metadata)" in warnings(plan)[0][2]


def test_only_missing_updates_can_be_remedied_by_an_update(items_in_bank):
    changed = text_row([], id="t1", text=OTHER)
    assert plan_import(items_in_bank, read_bank_file(jsonl(changed)), ImportOptions()).can_update
    assert not plan_import(items_in_bank, read_bank_file(jsonl(changed, b"nonsense")), ImportOptions()).can_update
