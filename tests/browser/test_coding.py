"""Coding items in a real browser: one key a code, the next item by itself, several at once, and undo."""

import pytest
from playwright.sync_api import Page, expect

from analysis.models import ItemCode
from studies.models import Study
from tests.browser.conftest import LAPTOP, PHONE
from tests.factory import make_item, make_study, make_text
from tests.waiting import wait_until_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def study(project) -> Study:
    texts = [make_text(project, name, body=f"The text {name} is about herons.") for name in ("t1", "t2")]
    return make_study(project, "coded", [make_item(text, "careful", f"{text.external_id}-i", "TF") for text in texts])


@pytest.fixture
def open_coding(study, open_page, client, reviewer, live_server):
    client.force_login(reviewer)

    def make(**options) -> Page:
        page = open_page(**options)
        cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
        page.context.add_cookies([cookie])
        page.goto("/s/coded/coding/?kind=question_type")
        return page

    return make


def standing() -> list[tuple[str, str]]:
    return sorted(ItemCode.objects.current().values_list("item__external_id", "code"))


def test_a_key_sets_its_code_and_the_next_item_follows(open_coding):
    page = open_coding(**LAPTOP)
    page.keyboard.press("1")
    expect(page.locator("#coding-message")).to_contain_text("Set on 1 item: literal")
    expect(page.locator("#coding-message")).to_contain_text("Type of question: 1 of 2")
    expect(page.locator("[data-item]").nth(1)).to_have_class("coding-item is-current")
    expect(page.locator("[data-text-place]")).to_contain_text("The text t2 is about herons.")
    assert standing() == [("t1-i", "literal")]


def test_selected_items_are_coded_at_once_and_undone_at_once(open_coding):
    page = open_coding(**LAPTOP)
    for key in ("j", "Space", "k", "Space", "3"):
        page.keyboard.press(key)
    expect(page.locator("#coding-message")).to_contain_text("Set on 2 items: inference")
    assert standing() == [("t1-i", "inference"), ("t2-i", "inference")]
    page.keyboard.press("z")
    expect(page.locator("#coding-message")).to_contain_text("Undone on 2 items.")
    assert standing() == []


def test_keys_mean_nothing_while_somebody_writes(open_coding):
    page = open_coding(**LAPTOP)
    page.get_by_text("New category").click()
    page.get_by_label("Category").fill("")
    page.get_by_label("Category").press_sequentially("12z")
    assert standing() == []


@pytest.mark.parametrize("how", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_a_button_does_the_same_and_nothing_widens_the_page(open_coding, how):
    page = open_coding(**how)
    page.locator('button[value="vocabulary"]').click()
    expect(page.locator("#coding-message")).to_contain_text("Set on 1 item: vocabulary")
    wait_until_it_fits(page)
