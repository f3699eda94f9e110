"""Writing items in a browser: text in view, fields by number, kept while typing, one more on request."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from items.models import Item
from studies.models import Response
from studies.services.written_items import list_written_items
from tests.factory import make_text
from tests.studies.world import make_live_study
from tests.waiting import wait_until_equal, wait_until_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BODY = "Herons stand in the water.\nThey wait for fish.\n" + "The reeds hide them from the wind. " * 20
OPEN = {"items_per_text": 3, "at_least": 1, "target_class": "pupils of year 7"}
CHOICE = {"items_per_text": 1, "form": "multiple_choice", "options_per_item": 3}


def annotator(project, **params):
    for number in (1, 2):
        make_text(project, f"t{number}", title=f"Herons {number}", body=BODY)
    return make_live_study(project, protocol="writing", params=params, groups=["teachers"]).annotators.first()


def start(page: Page, annotator) -> None:
    page.goto(f"/join/{annotator.token}/")
    page.click("main button.primary")
    for _phase in ("consent", "instructions"):
        page.click("main button.primary")
    expect(page.locator("h1")).to_have_text("Write questions about this text")


def field(page: Page, name: str):
    return page.locator(f'.item [data-row][data-name="{name}"] textarea')


def headings(page: Page) -> list[str]:
    return [each.inner_text() for each in page.locator(".item h2:visible").all()]


def wait_until_saved(page: Page) -> None:
    expect(page.locator("#save-state")).to_have_text("Saved")


def picture(page: Page, name: str) -> None:
    """A screenshot where one is asked for, to be looked at."""
    if folder := os.environ.get("LESART_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def read_answers() -> dict[str, str]:
    return dict(Response.objects.values_list("question", "value"))


def test_two_open_questions_with_keys_alone(page, project):
    start(page, annotator(project, **OPEN))
    expect(page.locator(".lead-in")).to_contain_text("for pupils of year 7. Number of questions: 1–3.")
    wait_until_equal(page, headings, ["Question 1"])
    field(page, "stem_1").focus()
    page.keyboard.type("Why do herons stand still? 12")
    page.keyboard.press("Tab")
    page.keyboard.type("They wait for fish.")
    page.keyboard.press("Tab")
    page.keyboard.press("1")  # one more
    expect(field(page, "stem_2")).to_be_focused()
    wait_until_equal(page, headings, ["Question 1", "Question 2"])
    page.keyboard.type("Where?")
    page.keyboard.press("Tab")
    wait_until_saved(page)
    picture(page, "writing-laptop")
    page.reload()
    expect(field(page, "stem_1")).to_have_value("Why do herons stand still? 12")
    expect(field(page, "stem_2")).to_have_value("Where?")
    page.click("[data-go-on]")
    expect(page.locator("#missing")).to_contain_text("answer to question 2, one more after question 2")
    picture(page, "writing-missing")
    field(page, "answer_2").fill("In the water.")
    page.locator('[data-name="more_2"] .choice').last.click()
    wait_until_saved(page)
    page.click("[data-go-on]")
    expect(page.locator(".place strong")).to_have_text("Text 2 of 2")
    assert read_answers() == {
        "stem_1": "Why do herons stand still? 12", "answer_1": "They wait for fish.", "more_1": "yes",
        "stem_2": "Where?", "answer_2": "In the water.", "more_2": "no",
    }  # fmt: skip


def test_a_question_that_is_rewritten_takes_nothing_else_away(page, project):
    start(page, annotator(project, items_per_text=2))
    for name in ("stem_1", "answer_1", "stem_2", "answer_2"):
        field(page, name).fill(f"This is {name}.")
    wait_until_saved(page)
    field(page, "stem_1").fill("")
    page.keyboard.press("Tab")
    wait_until_saved(page)
    page.reload()
    expect(field(page, "stem_1")).to_have_value("")
    expect(field(page, "stem_2")).to_have_value("This is stem_2.")


def test_options_on_a_phone(phone, project):
    someone = annotator(project, **CHOICE)
    start(phone, someone)
    field(phone, "stem_1").fill("Where do herons stand?")
    for name, words in (("key_1_1", "In water."), ("distractor_1_1", "In trees."), ("distractor_2_1", "On roofs.")):
        field(phone, name).fill(words)
    wait_until_saved(phone)
    wait_until_it_fits(phone)
    picture(phone, "writing-phone")
    phone.tap("[data-open-text]")
    expect(phone.locator("dialog.text-sheet")).to_contain_text("Herons stand in the water.")
    phone.tap("text=Back to the questions")
    phone.tap("[data-go-on]")
    expect(phone.locator(".place strong")).to_have_text("Text 2 of 2")
    (found,) = list_written_items(someone.study)
    assert [option.text for option in found.values.options if option.correct] == ["In water."]


def test_without_a_script_one_more_opens_by_the_button(open_page, project):
    page = open_page(java_script_enabled=False)
    start(page, annotator(project, **OPEN))
    field(page, "stem_1").fill("Why?")
    field(page, "answer_1").fill("So.")
    page.locator('[data-name="more_1"] input').first.check()
    page.click("[data-go-on]")
    expect(page.locator("#missing")).to_have_count(0)
    wait_until_equal(page, headings, ["Question 1", "Question 2"])


@pytest.mark.parametrize("window", ["page", "phone"])
def test_a_researcher_looks_through_it(request, window, project, client, researcher, live_server):
    someone = annotator(project, **CHOICE)
    window = request.getfixturevalue(window)
    start(window, someone)
    for name in ("stem_1", "key_1_1", "distractor_1_1", "distractor_2_1"):
        field(window, name).fill(f"This is {name}.")
    window.click("[data-go-on]")
    expect(window.locator(".place strong")).to_have_text("Text 2 of 2")
    client.force_login(researcher)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    window.context.add_cookies([cookie])
    window.goto(f"/s/{someone.study.slug}/written/")
    wait_until_it_fits(window)
    picture(window, f"written-{window.viewport_size['width']}")
    window.click("main a:has-text('Repair')")
    wait_until_it_fits(window)
    picture(window, f"repair-{window.viewport_size['width']}")
    window.fill("[name=stem]", "Where do herons stand?")
    window.click("text=Add to the project")
    expect(window.locator("main")).to_contain_text("repaired")
    assert Item.objects.get().stem == "Where do herons stand?"
