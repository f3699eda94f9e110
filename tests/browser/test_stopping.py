"""A stopping questionnaire in a browser: gates open without a reload, by keys and by touch; what hides is not kept."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from studies.models import Response
from studies.services.answering import pass_phase
from tests.stopping import annotators, make_bank, make_live_study
from tests.waiting import wait_until_equal, wait_until_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def annotator(project):
    make_bank(project)
    return annotators(make_live_study(project, params={"domain": "biology"}))[0]


def start(page: Page, annotator) -> None:
    for phase in ("consent", "instructions"):
        pass_phase(annotator, phase)
    page.goto(f"/join/{annotator.token}/")
    page.click("main button.primary")
    expect(page.locator("h1")).to_have_text("Judge this question")


def row(page: Page, name: str):
    return page.locator(f'.item [data-row][data-name="{name}"]')


def open_rows(page: Page) -> list[str]:
    rows = page.locator(".item [data-row]:visible")
    return [each.get_attribute("data-name") for each in rows.all()]


def wait_until_saved(page: Page) -> None:
    expect(page.locator("#save-state")).to_have_text("Saved")


def picture(page: Page, name: str) -> None:
    """A screenshot where one is asked for, to be looked at."""
    if folder := os.environ.get("LESART_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def read_answers() -> dict[str, str]:
    return dict(Response.objects.values_list("question", "value"))


def test_one_item_with_keys_alone(page, annotator):
    start(page, annotator)
    wait_until_equal(page, open_rows, ["understandable"])
    picture(page, "laptop-first")
    page.keyboard.press("1")
    expect(row(page, "domain_related").locator("input").first).to_be_focused()
    wait_until_equal(page, open_rows, ["understandable", "domain_related", "grammatical", "clear"])
    for key in ("1", "2", "2"):  # domain related, not grammatical, more or less clear
        page.keyboard.press(key)
    wait_until_equal(page, lambda page: open_rows(page)[4:], ["rephrase", "answerable"])
    page.keyboard.press("1")  # rephrase: its text opens and has the focus
    expect(row(page, "rephrasal").locator("textarea")).to_be_focused()
    page.keyboard.type("Where do herons sleep?")
    expect(page.locator("legend .rewording")).to_have_text("Your wording: Where do herons sleep?")
    expect(row(page, "answerable").locator("[data-rewording]")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("1")
    expect(row(page, "answer").locator("textarea")).to_be_focused()
    expect(row(page, "central")).not_to_be_visible()
    page.keyboard.type("In the reeds.")
    picture(page, "laptop-rephrased")
    page.keyboard.press("Tab")
    for key in ("2", "1", "2"):
        page.keyboard.press(key)
    expect(page.locator("[data-go-on]")).to_be_focused()
    wait_until_saved(page)
    picture(page, "laptop-last")
    page.keyboard.press("Enter")
    expect(page.locator(".place strong")).to_have_text("Question 2 of 4")
    assert read_answers() == {
        "understandable": "yes", "domain_related": "yes", "grammatical": "no", "clear": "more_or_less",
        "rephrase": "yes", "rephrasal": "Where do herons sleep?", "answerable": "yes", "answer": "In the reeds.",
        "information_needed": "parts", "central": "yes", "would_use": "maybe",
    }  # fmt: skip


def test_a_stop_leads_on_at_once(page, annotator):
    start(page, annotator)
    page.keyboard.press("2")
    expect(page.locator("[data-go-on]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".place strong")).to_have_text("Question 2 of 4")
    assert read_answers() == {"understandable": "no"}


def test_what_an_earlier_answer_takes_away_hides_and_is_not_stored(page, annotator):
    start(page, annotator)
    for key in ("1", "1", "1", "1", "1"):
        page.keyboard.press(key)
    row(page, "answer").locator("textarea").fill("In the reeds.")
    row(page, "central").locator("input").first.check()
    row(page, "clear").locator("[type=radio]").last.check()
    wait_until_equal(page, open_rows, ["understandable", "domain_related", "grammatical", "clear"])
    page.click("[data-go-on]")
    expect(page.locator(".place strong")).to_have_text("Question 2 of 4")
    assert read_answers() == {"understandable": "yes", "domain_related": "yes", "grammatical": "yes", "clear": "no"}


def test_a_reload_stands_where_it_was_left(page, annotator):
    start(page, annotator)
    for key in ("1", "1", "2"):
        page.keyboard.press(key)
    wait_until_saved(page)
    page.reload()
    wait_until_equal(page, open_rows, ["understandable", "domain_related", "grammatical", "clear"])
    expect(row(page, "grammatical").locator("[type=radio]").last).to_be_checked()


def test_what_is_left_alone_is_missed_and_what_has_not_opened_is_not(page, annotator):
    start(page, annotator)
    page.keyboard.press("1")
    row(page, "clear").locator("input").first.check()
    page.click("[data-go-on]")
    expect(page.locator("#missing")).to_contain_text("Not answered yet: related to the subject, grammatical.")


def test_one_item_on_a_phone(phone, annotator):
    start(phone, annotator)
    picture(phone, "phone-first")
    for name, place in (
        ("understandable", 0),
        ("domain_related", 0),
        ("grammatical", 1),
        ("clear", 1),
        ("rephrase", 0),
    ):
        row(phone, name).locator(".choice").nth(place).tap()
    row(phone, "rephrasal").locator("textarea").fill("Where do herons sleep?")
    row(phone, "answerable").locator(".choice").nth(0).tap()
    row(phone, "answer").locator("textarea").fill("In the reeds.")
    for name in ("information_needed", "central", "would_use"):
        row(phone, name).locator(".choice").nth(0).tap()
    wait_until_it_fits(phone)
    picture(phone, "phone-last")
    phone.tap("[data-open-text]")
    expect(phone.locator("dialog.text-sheet")).to_contain_text("about herons")
    phone.tap("text=Back to the questions")
    phone.tap("[data-go-on]")
    expect(phone.locator(".place strong")).to_have_text("Question 2 of 4")
    assert len(read_answers()) == 11


def test_without_a_script_the_button_opens_the_next_gate(open_page, annotator):
    page = open_page(java_script_enabled=False)
    start(page, annotator)
    for names in (("understandable",), ("domain_related", "grammatical", "clear"), ("answerable",)):
        for name in names:
            row(page, name).locator("input[type=radio]").first.check()
        page.click("[data-go-on]")
        expect(page.locator("#missing")).to_have_count(0)
    row(page, "answer").locator("textarea").fill("In the reeds.")
    page.click("[data-go-on]")
    for name in ("information_needed", "central", "would_use"):
        row(page, name).locator("input[type=radio]").first.check()
    page.click("[data-go-on]")
    expect(page.locator(".place strong")).to_have_text("Question 2 of 4")
    assert len(read_answers()) == 9


@pytest.mark.parametrize("window", ["page", "phone"])
def test_the_flow_picture_scrolls_in_itself(request, window, annotator, client, viewer, live_server):
    client.force_login(viewer)
    window = request.getfixturevalue(window)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    window.context.add_cookies([cookie])
    window.goto(f"/s/{annotator.study.slug}/design/")
    window.locator("summary", has_text="Order of the questions").click()
    expect(window.locator(".flow svg")).to_be_visible()
    window.locator(".flow ~ details summary").first.click()
    expect(window.locator(".paths > li")).to_have_count(8)
    wait_until_it_fits(window)
    picture(window, f"flow-{window.viewport_size['width']}")
