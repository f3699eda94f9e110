"""Sets of items in a real browser: by keys on a laptop, by taps on a phone; drafts survive a reload."""

import pytest
from playwright.sync_api import Page, expect

from studies.models import Response
from studies.services.answering import pass_phase
from tests.browser.axe import find_faults
from tests.studies.world import bank, make_live_study
from tests.waiting import wait_until_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def annotator(project):
    bank(project, texts=1, generators=("alder", "birch", "cedar", "dogwood", "elm"))
    return make_live_study(project, protocol="best-worst").annotators.order_by("seat").first()


def start(page: Page, annotator) -> list[str]:
    """On the first set; the stems as they stand."""
    page.goto(f"/join/{annotator.token}/")
    for phase in ("consent", "instructions"):
        pass_phase(annotator, phase)
    page.locator("main button.primary").click()
    page.locator(".side").first.wait_for()
    return page.locator(".side h2 span[lang]").all_inner_texts()


def read_answers() -> dict[str, str]:
    return dict(Response.objects.order_by("-pk").values_list("question", "value")[:2])


def test_numbers_choose_the_best_then_the_worst_and_enter_hands_in(page, annotator):
    stems = start(page, annotator)
    page.locator(".keys").wait_for()  # the page listens; a key within 300 ms would be meant for the page before
    page.wait_for_timeout(400)
    page.keyboard.press("3")
    page.keyboard.press("1")
    expect(page.locator(".picks :checked")).to_have_count(2)
    expect(page.locator("[data-go-on]")).to_be_focused()
    expect(page.locator("#save-state")).to_have_text("Saved")
    page.keyboard.press("Enter")
    expect(page.locator(".place strong").first).to_have_text("Set 2 of 5")
    assert read_answers() == {"best": stems[2].split()[2], "worst": stems[0].split()[2]}


def test_taps_choose_an_item_once_and_a_reload_keeps_it(phone, annotator):
    start(phone, annotator)
    wait_until_it_fits(phone)
    second, third = phone.locator(".side").nth(1), phone.locator(".side").nth(2)
    second.get_by_label("Best").tap()
    second.get_by_label("Worst").tap()
    expect(second.get_by_label("Best")).not_to_be_checked()
    third.get_by_label("Best").tap()
    expect(phone.locator("#save-state")).to_have_text("Saved")
    phone.reload()
    expect(second.get_by_label("Worst")).to_be_checked()
    expect(third.get_by_label("Best")).to_be_checked()
    phone.locator("[data-go-on]").tap()
    expect(phone.locator(".place strong").first).to_have_text("Set 2 of 5")


def test_axe_finds_nothing_in_the_dark(open_page, annotator):
    page = open_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
    start(page, annotator)
    assert find_faults(page) == []
