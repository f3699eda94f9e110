"""An expert checks scores in a real browser: by keys on a laptop, by touch on a phone, and without a fault."""

from random import Random

import pytest
from playwright.sync_api import Page, expect

from studies.models import Response
from studies.services.expert_check import open_expert_check
from tests.browser.axe import find_faults
from tests.browser.conftest import PHONE
from tests.dimensions import Rater, annotators, make_bank, make_live_study
from tests.waiting import wait_until_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def experts(project):
    make_bank(project)
    study = make_live_study(project)
    for annotator in annotators(study):
        Rater(annotator, Random(1)).work_through()
    return open_expert_check(study, items=2).experts


def start(page: Page, expert) -> None:
    page.goto(f"/join/{expert.token}/")
    page.click("main button.primary")
    expect(page.locator("h1")).to_have_text("Is each of these scores right?")


def verdicts(expert) -> list[str]:
    return list(Response.objects.filter(assignment__annotator=expert).order_by("pk").values_list("value", flat=True))


def test_verdicts_are_given_by_digits_and_each_is_kept(experts, page):
    start(page, experts[0])
    assert find_faults(page) == []
    while page.locator("fieldset.item").count():
        rows = page.locator("[data-row]").count()
        for place in range(rows):
            page.keyboard.press("2" if place == 0 else "1")
        expect(page.locator("[data-go-on]")).to_be_focused()
        here = page.locator(".place strong").inner_text()
        page.keyboard.press("Enter")
        expect(page.locator(".place strong").filter(has_text=here)).to_have_count(0)
    expect(page.locator("h1")).to_have_text("Thank you!")
    given = verdicts(experts[0])
    assert len(given) == 14
    assert set(given) == {"right", "wrong"}


def test_scores_are_checked_by_touch_and_nothing_runs_out_of_a_phone(experts, open_page):
    phone = open_page(**PHONE)
    start(phone, experts[1])
    wait_until_it_fits(phone)
    phone.locator("[data-row] .choice").first.tap()
    expect(phone.locator("[data-row] input:checked")).to_have_count(1)
    expect(phone.locator("#save-state")).to_have_text("Saved")
