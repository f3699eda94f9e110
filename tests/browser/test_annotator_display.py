"""Keys above 9, the sheet of keys, the display menu and the report form on an annotator's page."""

import pytest
from playwright.sync_api import expect

from studies.models import ItemReport
from tests.annotation.world import make_live_study
from tests.browser.axe import find_faults
from tests.browser.conftest import PHONE
from tests.factory import make_item, make_text
from tests.waiting import wait_until_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def study(project):
    """One text, one item with twelve options."""
    make_item(make_text(project, "t1"), "gen", "i1", "T" + "F" * 11)
    return make_live_study(project, "en", 1, {})


def begin(page, study):
    page.goto(f"/join/{study.annotators.first().token}/")
    for _page in ("join", "consent", "instructions"):
        page.click("main button.primary")
        page.wait_for_load_state()
    expect(page.locator("#stage")).to_be_visible()


def list_ticked(page):
    return page.locator("[data-digit]:checked").evaluate_all("found => found.map(each => Number(each.dataset.digit))")


def test_two_digits_choose_what_one_cannot(page, study):
    begin(page, study)
    page.keyboard.press("1")
    page.keyboard.press("2")
    expect(page.locator('[data-digit="12"]')).to_be_checked()
    assert list_ticked(page) == [12]
    page.keyboard.press("1")
    expect(page.locator('[data-digit="1"]')).to_be_checked()  # once no second digit comes
    page.keyboard.press("1")
    page.keyboard.press("5")  # there is no 15
    expect(page.locator('[data-digit="5"]')).to_be_checked()
    assert list_ticked(page) == [5, 12]  # and 1 was taken back


def test_a_question_mark_shows_all_keys_and_escape_leads_back(page, study):
    begin(page, study)
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keys")
    expect(sheet).to_be_visible()
    assert find_faults(page) == []
    page.keyboard.press("3")
    assert list_ticked(page) == []
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    page.click("[data-keys-sheet]")
    expect(sheet).to_be_visible()


@pytest.mark.parametrize("look", [{}, PHONE], ids=["laptop", "phone"])
def test_what_is_chosen_for_the_display_stays_on_the_device(open_page, study, look):
    page = open_page(**look)
    begin(page, study)
    usual = page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
    page.click(".display > summary")
    page.check("[name=display-size][value=larger]")
    page.check("[name=display-contrast][value=high]")
    assert find_faults(page) == []
    page.reload()
    page.wait_for_function(
        "small => parseFloat(getComputedStyle(document.documentElement).fontSize) > small", arg=1.3 * usual
    )
    expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
    wait_until_it_fits(page)
    page.click(".display > summary")
    expect(page.locator("[name=display-size][value=larger]")).to_be_checked()
    page.mouse.click(2, page.viewport_size["height"] - 2)  # beside the menu
    expect(page.locator(".display-panel")).to_be_hidden()


def test_a_report_keeps_what_was_ticked(page, study):
    begin(page, study)
    page.keyboard.press("3")
    page.click(".report > summary")
    page.fill("#report-words", "Option 3 is there twice.")
    assert find_faults(page) == []
    page.click("[name=report]")
    expect(page.locator(".note.good")).to_be_visible()
    assert list_ticked(page) == [3]
    assert ItemReport.objects.get().words == "Option 3 is there twice."
