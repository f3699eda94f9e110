"""The editor in a real browser: the preview follows the keys, problems stand beside their field, nothing is lost."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from studies.models import InstrumentVersion
from studies.services.instrument_writing import copy_instrument
from studies.services.instruments import find_version
from tests.browser.axe import find_faults
from tests.studies.world import bank

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def editor(project, researcher, page, live_server, client):
    """A function that opens the editor of a copy of a shipped instrument, signed in."""
    bank(project)
    client.force_login(researcher)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    page.context.add_cookies([cookie])

    def open_editor(name: str):
        own = copy_instrument(find_version(name, project), project, "mine")
        page.goto(reverse("instrument_edit", args=["rivers", own.instrument_id]))
        return page, page.frame_locator("[data-frame]")

    return open_editor


def test_the_annotators_page_follows_what_is_written(editor):
    page, frame = editor("guess-then-read/en")
    expect(frame.locator("h1")).to_have_text("Guess without the text")
    page.locator("summary", has_text="guess").click()
    page.fill("[name='wording-guess.title']", "Guess, please")
    expect(frame.locator("h1")).to_have_text("Guess, please")
    expect(frame.locator(".item")).to_have_css("border-left-width", "5px")  # the annotators' own style
    assert InstrumentVersion.objects.filter(instrument__name="mine").count() == 1
    assert find_faults(page) == []


def test_a_problem_stands_beside_its_field_and_goes_when_it_is_mended(editor):
    page, frame = editor("guess-then-read-prompt/en")
    expect(frame.locator("pre").first).to_contain_text("What does t1-alder-1 ask?")
    beside = page.locator("[data-problems='guess'] li")
    page.fill("[name='wording-guess']", "{text} {question} {option}")
    expect(beside).to_contain_text("but the text is not shown at")
    expect(page.locator("[data-frame]")).to_have_class(re.compile("is-old"))
    page.fill("[name='wording-guess']", "{question}: {option}")
    expect(beside).to_have_count(0)
    expect(frame.locator("pre").first).to_have_text("What does t1-alder-1 ask?: Option a of t1-alder-1")


def test_yaml_can_be_edited_and_saved(editor):
    page, _frame = editor("generate-items/en")
    page.click('text="YAML"')
    source = page.locator("#source")
    source.fill(source.input_value().replace("exactly {n_items}", "just {n_items}"))
    page.fill("#note", "Softer")
    page.click("text=Save as new version")
    expect(page.locator("h2.title")).to_have_text("Version 2")
    version = InstrumentVersion.objects.get(instrument__name="mine", version=2)
    assert "Write just {n_items} reading" in version.content["generate"]
    assert version.note == "Softer"


def test_a_dimension_is_added_from_a_copy_and_the_page_stays_with_it(editor):
    page, frame = editor("dimension-ratings/en")
    page.locator("summary", has_text="Scores").click()
    page.get_by_role("button", name=re.compile("Add a copy ?: Dimension 1: Fluency")).click(timeout=60_000)
    copied = page.get_by_role("group", name="Dimension 2: Fluency")
    expect(copied).to_be_in_viewport()
    copied.get_by_label("Title").fill("Style")
    expect(frame.get_by_text("Style").first).to_be_attached()
    assert find_faults(page) == []
    page.click("text=Save as new version")
    version = InstrumentVersion.objects.get(instrument__name="mine", version=2)
    assert [each["title"] for each in version.content["rate"]["dimensions"]][:3] == ["Fluency", "Style", "Clarity"]
