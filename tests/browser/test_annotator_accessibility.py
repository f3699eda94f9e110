"""In each state of the pages of a text axe finds nothing: light, dark, large, small. Others walk in all languages."""

import pytest
from playwright.sync_api import Page, expect

from tests.annotation.world import make_world
from tests.browser.axe import find_faults
from tests.browser.conftest import PHONE

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LOOKS = [
    pytest.param("en", {"color_scheme": "dark"}, id="en-dark"),
    pytest.param("en", PHONE | {"color_scheme": "light"}, id="en-phone"),
    pytest.param("eu", PHONE | {"color_scheme": "dark"}, id="eu-phone-dark"),
]


def check(page: Page) -> None:
    assert find_faults(page) == []


@pytest.mark.parametrize(("language", "look"), LOOKS)
def test_axe_finds_nothing_on_the_whole_way(open_page, project, language, look):
    annotator = make_world(project, texts=1, language=language).annotators.first()
    page = open_page(**look, reduced_motion="reduce")
    page.goto(f"/join/{annotator.token}/")
    check(page)
    for _page in ("join", "consent", "instructions"):
        page.click("main button.primary")
        page.wait_for_load_state()
        check(page)
    page.click("[data-go-on]")
    expect(page.locator("#missing")).to_be_visible()
    check(page)
    answer(page, rated=False)
    check(page)
    page.click("[data-go-on]")
    expect(page.locator("[data-enter]")).to_be_visible()
    check(page)
    page.click("[data-enter]")
    expect(page.locator("#text")).to_be_visible()
    check(page)
    answer(page, rated=True)
    check(page)
    if page.locator("[data-open-text]").is_visible():
        page.click("[data-open-text]")
        check(page)
        page.click("dialog.text-sheet button")
    page.click("[data-go-on]")
    expect(page.locator("main button")).to_have_count(0)
    check(page)


def answer(page: Page, rated: bool) -> None:
    for item in page.locator(".item").all():
        item.locator(".choice input").first.check()
        if rated:
            item.locator(".unsure input").first.check()
            item.locator(".level input").nth(3).check()
    expect(page.locator("#save-state[data-is=saved]")).to_be_visible()


def test_the_way_through_the_page_by_tab(page, project):
    annotator = make_world(project, texts=1).annotators.first()
    page.goto(f"/join/{annotator.token}/")
    for _page in ("join", "consent", "instructions"):
        page.click("main button.primary")
    expect(page.locator("h1")).to_have_text("Guess without the text")
    page.locator("h1").focus()
    reached = []
    for _tab in range(12):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.name || document.activeElement.tagName"))
    first, second = [item.get_attribute("data-item") for item in page.locator(".item").all()]
    assert reached == ["SUMMARY", "INPUT", "BUTTON", *[f"answer-{first}"] * 4, *[f"answer-{second}"] * 4, "BUTTON"]
