"""Faults in the middle of a page: no acknowledged answer is lost, and the page says what to do.

Back, a second device, old tabs and lost replies are in test_annotator.py.
"""

import pytest
from playwright.sync_api import Page, expect

from studies.models import Draft, Response, Submission
from tests.annotation.world import make_world
from tests.browser.test_annotator import OFFLINE, STALE, choice, guess_by_keys, start, wait_until_saved

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MINUTE, HOUR = 60_000, 3_600_000


@pytest.fixture
def annotator(project):
    return make_world(project).annotators.first()


def hand_in(page: Page) -> None:
    page.click("[data-go-on]")
    expect(page.locator("h1")).to_have_text("Finished guessing?")
    page.click("[data-enter]")
    expect(page.locator("h1")).to_have_text("Read and answer")


def test_a_minute_without_a_network_loses_nothing(page, annotator):
    page.clock.install()
    start(page, annotator)
    choice(page, 0, 0).check()
    page.clock.run_for(3_000)
    wait_until_saved(page)
    page.context.set_offline(True)
    choice(page, 1, 2).check()
    page.clock.run_for(MINUTE)
    expect(page.locator("#save-state")).to_have_text(OFFLINE)
    page.click("[data-go-on]")
    page.clock.run_for(MINUTE)
    expect(page.locator("h1")).to_have_text("Guess without the text")
    assert Draft.objects.count() == 1
    page.context.set_offline(False)
    page.clock.run_for(MINUTE)
    wait_until_saved(page)
    assert Draft.objects.count() == 2
    hand_in(page)
    assert Response.objects.filter(stage="guess", value=True).count() == 2


def test_a_page_that_slept_for_an_hour_goes_on_and_counts_no_work(page, annotator):
    page.clock.install()
    start(page, annotator)
    choice(page, 0, 0).check()
    page.clock.run_for(3_000)
    wait_until_saved(page)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Page.setWebLifecycleState", {"state": "frozen"})
    devtools.send("Page.setWebLifecycleState", {"state": "active"})
    page.clock.fast_forward(HOUR)
    choice(page, 1, 0).check()
    page.clock.run_for(3_000)
    wait_until_saved(page)
    hand_in(page)
    assert Submission.objects.get().active_seconds < HOUR / 1000 / 10
    assert Response.objects.filter(stage="guess", value=True).count() == 2


def test_a_session_that_ends_in_mid_page_costs_no_answer(page, annotator):
    start(page, annotator)
    choice(page, 0, 0).check()
    wait_until_saved(page)
    page.context.clear_cookies()
    choice(page, 1, 2).check()
    state = page.locator("#save-state")
    expect(state).to_have_text(state.get_attribute("data-unknown"))
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"/join/{annotator.token}/")
    page.click("main button.primary")
    expect(choice(page, 0, 0)).to_be_checked()
    expect(choice(page, 1, 2)).to_be_checked()
    wait_until_saved(page)
    assert Draft.objects.count() == 2


def test_a_double_click_hands_in_once(page, annotator):
    start(page, annotator)
    guess_by_keys(page)
    page.dblclick("[data-enter]")
    expect(page.locator("h1")).to_have_text("Read and answer")
    assert Submission.objects.count() == 1
    expect(page.locator(".item input:checked")).to_have_count(0)


def test_of_two_tabs_the_first_to_hand_in_counts_and_the_other_is_told(page, annotator):
    start(page, annotator)
    choice(page, 0, 0).check()
    choice(page, 1, 0).check()
    wait_until_saved(page)
    other = page.context.new_page()
    other.goto(page.url)
    expect(choice(other, 0, 0)).to_be_checked()
    hand_in(other)
    before = list(Response.objects.order_by("pk").values_list("pk", "value"))
    choice(page, 0, 1).check()
    expect(page.locator("[role=alert]")).to_contain_text(STALE)
    page.click("[role=alert] a")
    expect(page.locator("h1")).to_have_text("Read and answer")
    assert list(Response.objects.order_by("pk").values_list("pk", "value")) == before
