"""Shortcuts on the sheet of an item and over the bank."""

import pytest
from django.core.cache import cache
from django.urls import reverse

from analysis.items.shortcuts import build_shortcuts
from items.models import Item
from items.services.versions import correct_key
from tests.factory import make_item, make_study, make_text


@pytest.fixture
def items(project):
    """The key is clearly the longest option in three of four careful items, and in none of the hurried ones."""
    found = []
    for number in range(4):
        text = make_text(project, f"t{number}")
        for generator, long in (("careful", "a" if number else "b"), ("hurried", "b")):
            item = make_item(text, generator, f"{generator}{number}", "TF")
            item.options.filter(external_id=long).update(text="A much longer option than the other one of this item")
            found.append(item)
    return found


def row(table, **wanted):
    return next(row for row in table.rows if wanted.items() <= row.items())


def test_each_generator_has_its_share_beside_chance(items):
    table = build_shortcuts(Item.objects.order_by("pk"))
    careful = row(table, generator="careful", cue="longest")
    assert (careful["n"], careful["n_keys"], careful["share_keys"], careful["expected"]) == (4, 3, 0.75, 0.5)
    assert 0 < careful["low"] < 0.75 < careful["high"] < 1
    assert row(table, generator="all", cue="longest")["share_keys"] == 3 / 8


def test_the_bank_page_lists_the_items_of_a_cue(as_user, viewer, stranger, project, items):
    address = reverse("bank_shortcuts", args=[project.slug])
    client = as_user(viewer)
    page = client.get(address).content.decode()
    assert "is clearly the longest" in page
    assert "careful0" not in page
    page = client.get(address, {"cue": "longest", "generator": "careful"}).content.decode()
    assert "careful0" in page
    assert "b, a distractor" in page
    assert "hurried0" not in page
    file = client.get(reverse("bank_shortcuts_csv", args=[project.slug])).content
    assert file.startswith(b"generator,cue,n,n_keys")
    assert as_user(stranger).get(address).status_code == 404


def test_each_number_leads_to_the_items_it_counts(as_user, viewer, project, items):
    client = as_user(viewer)
    address = reverse("bank_shortcuts", args=[project.slug])
    assert 'href="?generator=careful&amp;cue=longest#counted"' in (
        client.get(address, {"generator": "careful"}).content.decode()
    )
    page = client.get(address, {"generator": "careful", "cue": "longest"}).content.decode()
    listed = page.split('id="counted"')[1]
    assert (listed.count("a key"), listed.count("a distractor")) == (3, 1)


def test_a_bank_without_options_says_so(as_user, viewer, project):
    assert "No item of the project has options yet" in (
        as_user(viewer).get(reverse("bank_shortcuts", args=[project.slug])).content.decode()
    )


def test_a_bank_whose_options_are_alike_is_not_said_to_have_none(as_user, viewer, project):
    make_item(make_text(project, "t"), "careful", "c", "TF")
    page = as_user(viewer).get(reverse("bank_shortcuts", args=[project.slug])).content.decode()
    assert "No option of the project stands out by any of these clues." in page
    assert "has options yet" not in page


def test_the_sheet_says_where_a_sign_leads(as_user, viewer, project, items):
    study = make_study(project, "sheets", items)
    client = as_user(viewer)
    page = client.get(reverse("study_item", args=[study.slug, items[2].pk])).content.decode()
    assert "a: is clearly the longest" in page
    assert "leads to the key" in page
    page = client.get(reverse("study_item", args=[study.slug, items[0].pk])).content.decode()
    assert "b: is clearly the longest" in page
    assert "leads to a distractor" in page


def test_the_bank_is_counted_again_when_an_item_or_a_key_has_changed(as_user, viewer, project, items, monkeypatch):
    cache.clear()
    counted = []
    monkeypatch.setattr(
        "analysis.items.shortcuts.build_shortcuts", lambda items: counted.append(1) or build_shortcuts(items)
    )
    client, address = as_user(viewer), reverse("bank_shortcuts", args=[project.slug])
    client.get(address)
    client.get(address)
    assert len(counted) == 1
    correct_key(items[0], items[0].options.get(external_id="b"), True, "b is right too", None)
    client.get(address)
    assert len(counted) == 2
    make_item(items[0].text, "careful", "another", "TF")
    client.get(address)
    assert len(counted) == 3
