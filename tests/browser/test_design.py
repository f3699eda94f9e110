"""A researcher designs a study by pages alone: from an empty project to a launch, and nothing typed is lost."""

import pytest
from playwright.sync_api import expect

from studies.models import Study, StudyState
from studies.services.creating import create_draft
from studies.services.spec import check_spec
from tests.studies.world import bank
from tests.waiting import wait_until_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TEXT = "Herons stand still in the shallows. They wait for a fish to come near, and then they strike."

ASKS = {"kind": "background", "questions": [{"name": "smoker", "text": "Do you smoke?", "levels": ["yes", "no"]}]}


@pytest.fixture
def researching(open_page, client, researcher, live_server):
    client.force_login(researcher)

    def make(**options):
        page = open_page(**options)
        cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
        page.context.add_cookies([cookie])
        return page

    return make


def test_an_empty_project_becomes_a_launched_study(researching, project):
    page = researching()
    page.goto("/p/rivers/studies/new/")
    page.get_by_label("Title").fill("Herons")
    page.get_by_text("Guess, then read", exact=True).click()
    page.get_by_role("button", name="Next: Texts & items").click()
    page.get_by_role("link", name="Add texts").click()
    page.locator("main textarea").first.fill(TEXT)
    page.locator("main form button.primary").first.click()
    if not project.texts.count():  # a preview comes first
        page.locator("main form button.primary").first.click()
    assert project.texts.count() == 1
    for writer in ("alder", "birch"):
        page.goto(f"/p/rivers/texts/{project.texts.get().pk}/items/new/")
        page.get_by_label("Question", exact=True).fill(f"What do herons wait for, asks {writer}?")
        for number, option in enumerate(("A fish", "A boat"), 1):
            page.locator(".option-row textarea, .option-row input[type=text]").nth(2 * number - 2).fill(option)
        page.get_by_label("Generator").fill(writer)
        page.locator("main form button.primary").first.click()
    page.goto("/s/herons/design/people/")
    people = page.get_by_label("How many people?")
    people.fill("2")
    expect(page.locator("#side")).to_contain_text("2 people")
    page.get_by_text("only some of them").click()
    page.get_by_label("How many of them?").fill("1")
    expect(page.locator("#side")).to_contain_text("guessed by nobody")
    page.get_by_role("button", name="Next: Check & launch").click()
    page.get_by_role("button", name="Launch study").click()
    page.get_by_role("button", name="Yes, launch").click()
    page.wait_for_url("**/s/herons/people/")
    study = Study.objects.get()
    assert (study.state, study.plan["annotators"], study.plan["per_unit"]) == (StudyState.LIVE, 2, 1)


@pytest.fixture
def draft(project):
    bank(project)
    return create_draft(project, check_spec({"slug": "mine", "protocol": "guess-then-read", "title": "Old"}))


def test_a_title_is_saved_as_it_is_typed(researching, draft):
    page = researching()
    page.goto("/s/mine/design/launch/")
    page.get_by_label("Title").fill("Typed")
    expect(page.locator("#saved")).to_have_text("Saved as a draft")
    page.wait_for_function("() => !Object.keys(sessionStorage).some((name) => name.startsWith('design:'))")
    page.goto("/s/mine/design/texts/")
    page.go_back()
    expect(page.get_by_label("Title")).to_have_value("Typed")
    assert Study.objects.get().title == "Typed"


def test_a_title_survives_an_expired_session(researching, draft, researcher):
    page = researching()
    page.goto("/s/mine/design/launch/")
    page.context.clear_cookies(name="sessionid")
    page.get_by_label("Title").fill("Typed after the session ended")
    expect(page.locator("#saved")).to_contain_text("signed out")
    page.get_by_role("button", name="Back").click()
    page.get_by_label("Username").or_(page.locator("[name=login]")).first.fill(researcher.username)
    page.locator("[name=password]").fill("correct horse battery")
    page.locator("main form button").first.click()
    expect(page.get_by_label("Title")).to_have_value("Typed after the session ended")
    expect(page.locator("#saved")).to_have_text("Saved as a draft")
    assert Study.objects.get().title == "Typed after the session ended"


def test_unticking_a_text_is_saved_and_counted_at_once(researching, draft):
    page = researching(viewport={"width": 390, "height": 844})
    page.goto("/s/mine/design/texts/")
    page.get_by_label("t2").uncheck()
    expect(page.locator("#side .stat b").first).to_have_text("1")
    assert Study.objects.get().selection["texts"] == ["t1"]
    wait_until_it_fits(page)


def test_questions_of_a_phase_are_added_and_moved_without_leaving_the_page(researching, project):
    bank(project)
    spec = {"slug": "herons", "protocol": "guess-then-read", "title": "Herons", "phases": ["consent", ASKS]}
    study = create_draft(project, check_spec(spec))
    page = researching()
    page.goto(f"/s/{study.slug}/phases/background/edit/")
    page.get_by_role("button", name="Add question").click()
    page.keyboard.type("Anything else?")
    added = page.locator("[data-question]").last
    added.get_by_label("Kind of question").select_option("text")
    expect(added.get_by_role("button", name="More answers")).to_be_hidden()
    first = page.locator("[data-question]").first
    first.get_by_role("button", name="More answers").click()
    page.keyboard.type("sometimes")
    first.locator(".answer-rows").get_by_label("screens out").last.check()
    added.get_by_role("button", name="Move up").press("Enter")
    expect(page.locator("[data-question]").first).to_contain_text("Question 1")
    expect(page.locator("[data-question='1'] button[value='up:1']")).to_be_focused()
    page.get_by_role("button", name="Save phase").click()
    page.wait_for_url("**/phases/#phase-background")
    study.refresh_from_db()
    later, earlier = study.phases[-1]["questions"]
    assert (later["text"], later["kind"], earlier["name"]) == ("Anything else?", "text", "smoker")
    assert earlier["screen_out"] == ["sometimes"]
