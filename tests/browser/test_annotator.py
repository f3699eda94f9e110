"""The annotator's pages with a real browser: keys, saving, tabs, phones, no script at all."""

import re

import pytest
from playwright.sync_api import Page, expect

from studies.models import Draft, Response, Submission
from studies.services.answering import pass_phase
from studies.services.launching import pause_study, resume_study
from tests.annotation.world import Walker, make_world
from tests.waiting import wait_until_equal, wait_until_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

STALE = "This part was already handed in, perhaps in another tab. Here is where you are now."
OFFLINE = "Not saved yet: no connection. Your answers are kept in this browser and will be sent again."


@pytest.fixture
def annotator(project):
    return make_world(project).annotators.first()


@pytest.fixture
def walker(annotator):
    """The same annotator through HTTP, to move on behind the browser's back."""
    return Walker(annotator)


def start(page: Page, annotator) -> None:
    """By the link to the first guess; consent and instructions were passed before."""
    for phase in ("consent", "instructions"):
        pass_phase(annotator, phase)
    page.goto(f"/join/{annotator.token}/")
    page.click("main button.primary")
    expect(page.locator("h1")).to_have_text("Guess without the text")
    wait_for_keys(page)


def wait_for_keys(page: Page) -> None:
    """Until the script listens to keys, which it shows by the current item."""
    expect(page.locator(".item.is-current")).to_have_count(1)


def guess_by_keys(page: Page) -> None:
    for key in ("1", "Enter", "n", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("h1")).to_have_text("Finished guessing?")


def reveal(page: Page) -> None:
    page.click("text=Show the text")
    expect(page.locator("h1")).to_have_text("Read and answer")


def start_reading(page: Page, annotator) -> None:
    start(page, annotator)
    guess_by_keys(page)
    reveal(page)
    wait_for_keys(page)


def choice(page: Page, item: int, place: int):
    return page.locator(".item").nth(item).locator(".choice input").nth(place)


def wait_until_saved(page: Page) -> None:
    expect(page.locator("#save-state")).to_have_text("Saved")


def test_a_whole_text_with_keys_alone(page, annotator):
    start_reading(page, annotator)
    for number in range(6):
        for key in ("2", "u", "Enter", str(number % 5 + 1), "Enter"):
            page.keyboard.press(key)
    expect(page.locator(".place strong")).to_have_text("Text 2 of 2")
    assert Submission.objects.count() == 2
    read = Response.objects.filter(stage="read")
    assert list(read.filter(question="rating").values_list("value", flat=True)) == [1, 2, 3, 4, 5, 1]
    assert read.filter(value=True).count() == 6
    assert read.filter(value=True, unsure=True).count() == 6


def test_digits_follow_the_shown_order_and_toggle(page, annotator):
    start(page, annotator)
    page.keyboard.press("3")
    expect(choice(page, 0, 2)).to_be_checked()
    expect(choice(page, 0, 2)).to_be_focused()
    page.keyboard.press("3")
    expect(choice(page, 0, 2)).not_to_be_checked()


def test_the_current_item_is_the_one_touched_last(page, annotator):
    start(page, annotator)
    choice(page, 1, 0).check()
    page.keyboard.press("2")
    expect(choice(page, 1, 1)).to_be_checked()
    expect(page.locator(".item").nth(1)).to_have_class(re.compile("is-current"))
    expect(page.locator(".is-current")).to_have_count(1)


def test_none_and_an_option_exclude_each_other(page, annotator):
    start(page, annotator)
    page.keyboard.press("1")
    page.keyboard.press("n")
    expect(choice(page, 0, 0)).not_to_be_checked()
    expect(choice(page, 0, 3)).to_be_checked()
    page.keyboard.press("2")
    expect(choice(page, 0, 3)).not_to_be_checked()


def test_enter_does_not_leave_an_unanswered_item(page, annotator):
    start(page, annotator)
    page.keyboard.press("Enter")
    expect(page.locator(".problem").first).to_have_text("Not answered yet: press a number, or N for none.")
    expect(page.locator(".item").first).to_have_class(re.compile("is-current"))


def test_shift_and_enter_go_back(page, annotator):
    start_reading(page, annotator)
    for key in ("1", "Enter", "Shift+Enter", "2"):
        page.keyboard.press(key)
    expect(choice(page, 0, 1)).to_be_checked()
    expect(page.locator(".level input:checked")).to_have_count(0)


def test_keys_with_modifiers_are_the_browsers(page, annotator):
    start(page, annotator)
    for key in ("Control+1", "Alt+1", "Meta+1", "Control+n"):
        page.keyboard.press(key)
    expect(page.locator(".item input:checked")).to_have_count(0)


def test_digits_work_where_they_need_shift(page, annotator):
    """On a French keyboard the key of 1 says &."""
    start(page, annotator)
    page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '&', code: 'Digit1', bubbles: true}))"
    )
    expect(choice(page, 0, 0)).to_be_checked()


def test_keys_can_be_switched_off(page, annotator):
    start(page, annotator)
    page.uncheck("[data-keys]")
    page.locator("h1").focus()
    page.keyboard.press("1")
    expect(page.locator(".item input:checked")).to_have_count(0)
    expect(page.locator(".choice kbd").first).not_to_be_visible()


def test_the_enter_that_opened_the_question_does_not_answer_it(page, annotator):
    """The page's clock stands still until it is moved."""
    page.add_init_script("performance.now = () => window.movedClock ?? 0")
    start(page, annotator)
    for key in ("1", "Enter", "n", "Enter"):
        page.keyboard.press(key)
    page.wait_for_selector("[data-enter]")
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    assert not Submission.objects.exists()
    page.evaluate("window.movedClock = 1000")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Read and answer")


def test_the_next_part_has_the_focus_and_the_title(page, annotator):
    start(page, annotator)
    guess_by_keys(page)
    expect(page.locator("h1")).to_be_focused()
    expect(page).to_have_title("Finished guessing?")
    assert page.url.endswith("/confirm/")
    reveal(page)
    expect(page.locator("h1")).to_be_focused()
    expect(page).to_have_title("Text 1 of 2: Read and answer")
    assert page.url.endswith(f"/work/{annotator.public_id}/")
    wait_until_equal(page, lambda page: page.evaluate("scrollY"), 0)


def test_what_is_missing_is_said_and_linked(page, annotator):
    start(page, annotator)
    choice(page, 0, 0).check()
    page.click("[data-go-on]")
    expect(page.locator("#missing")).to_be_focused()
    expect(page.locator("#missing a")).to_have_count(1)
    page.click("#missing a")
    expect(page.locator(".item").nth(1)).to_be_focused()
    expect(choice(page, 0, 0)).to_be_checked()


def test_going_back_from_the_confirmation_keeps_the_guesses(page, annotator):
    start(page, annotator)
    guess_by_keys(page)
    page.click("text=Back to the questions")
    expect(page.locator("h1")).to_have_text("Guess without the text")
    expect(choice(page, 0, 0)).to_be_checked()
    expect(choice(page, 1, 3)).to_be_checked()


def test_every_answer_is_kept_as_it_is_given(page, annotator):
    start(page, annotator)
    choice(page, 0, 1).check()
    wait_until_saved(page)
    assert Draft.objects.count() == 1
    page.reload()
    expect(choice(page, 0, 1)).to_be_checked()


def test_answers_survive_a_lost_connection(page, annotator):
    start(page, annotator)
    page.context.set_offline(True)
    for key in ("1", "Enter", "2", "3"):
        page.keyboard.press(key)
    expect(page.locator("#save-state")).to_have_text(OFFLINE)
    assert not Draft.objects.exists()
    page.context.set_offline(False)
    wait_until_saved(page)
    values = [len(draft.values["answer"]) for draft in Draft.objects.order_by("pk")]
    assert sorted(values) == [1, 2]


def test_answers_survive_a_reload_without_saving(page, annotator):
    start(page, annotator)
    page.route("**/draft/", lambda route: route.abort())
    page.keyboard.press("2")
    expect(page.locator("#save-state")).to_have_text(OFFLINE)
    page.on("dialog", lambda dialog: dialog.accept())
    page.unroute("**/draft/")
    page.route("**/draft/", lambda route: route.fulfill(status=500))
    page.reload()
    expect(choice(page, 0, 1)).to_be_checked()
    expect(page.locator("#save-state")).to_contain_text("the server has a problem")
    page.unroute("**/draft/")
    wait_until_saved(page)
    assert Draft.objects.count() == 1


def test_leaving_with_unsaved_answers_is_warned_of(page, annotator):
    start(page, annotator)
    page.route("**/draft/", lambda route: route.abort())
    choice(page, 0, 0).check()
    expect(page.locator("#save-state")).to_have_text(OFFLINE)
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.goto("about:blank")
    assert asked == ["beforeunload"]


def test_leaving_with_everything_saved_asks_nothing(page, annotator):
    start(page, annotator)
    choice(page, 0, 0).check()
    wait_until_saved(page)
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.goto("about:blank")
    assert asked == []


def test_handing_in_without_a_connection_keeps_the_page(page, annotator):
    start(page, annotator)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.keyboard.press("n")
    wait_until_saved(page)
    page.context.set_offline(True)
    page.keyboard.press("Enter")
    expect(page.locator("#save-state")).to_have_text(OFFLINE)
    expect(page.locator("h1")).to_have_text("Guess without the text")
    page.context.set_offline(False)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Finished guessing?")


def test_a_lost_reply_stores_once_and_leads_on(page, annotator, walker):
    start(page, annotator)
    guess_by_keys(page)

    def lose_reply(route):
        route.fetch()
        route.abort()

    page.route("**/confirm/", lose_reply, times=1)
    page.click("text=Show the text")
    expect(page.locator("#save-state")).to_have_text(OFFLINE)
    page.click("text=Show the text")
    expect(page.locator("[role=alert]")).to_have_text(STALE)
    expect(page.locator("h1")).to_have_text("Read and answer")
    assert Submission.objects.count() == 1


def test_an_answer_in_an_old_tab_is_refused_and_leads_on(page, annotator, walker):
    start(page, annotator)
    walker.join()
    walker.guess()
    walker.reveal()
    before = list(Response.objects.values_list("pk", "value"))
    choice(page, 0, 2).check()
    expect(page.locator("[role=alert]")).to_contain_text(STALE)
    page.click("[role=alert] a")
    expect(page.locator("h1")).to_have_text("Read and answer")
    assert list(Response.objects.values_list("pk", "value")) == before


def test_going_on_in_an_old_tab_leads_to_where_one_is(page, annotator, walker):
    start(page, annotator)
    choice(page, 0, 0).check()
    wait_until_saved(page)
    walker.join()
    walker.guess(tick=1)
    walker.reveal()
    page.click("[data-go-on]")
    expect(page.locator("[role=alert]")).to_have_text(STALE)
    expect(page.locator("h1")).to_have_text("Read and answer")
    assert Response.objects.filter(stage="guess").count() == 6


def test_answers_on_another_device_are_not_undone_by_this_one(page, open_page, annotator):
    start(page, annotator)
    laptop = open_page()
    laptop.goto(f"/join/{annotator.token}/")
    laptop.click("main button.primary")
    choice(laptop, 0, 1).check()
    wait_until_saved(laptop)
    choice(page, 1, 2).check()
    wait_until_saved(page)
    assert [bool(draft.values) for draft in Draft.objects.all()] == [True, True]


def test_back_shows_no_guess_that_could_be_changed(page, annotator):
    start_reading(page, annotator)
    page.go_back()
    expect(page.locator("h1")).to_have_text("Read and answer")


def test_two_annotators_side_by_side_in_one_browser(page, annotator):
    start(page, annotator)
    second = annotator.study.annotators.all()[1]
    tab = page.context.new_page()
    start(tab, second)
    page.reload()
    expect(page.locator("h1")).to_have_text("Guess without the text")
    assert {cookie["path"] for cookie in page.context.cookies() if cookie["name"] == "lesart-work"} == {
        f"/work/{annotator.public_id}/",
        f"/work/{second.public_id}/",
    }


def test_a_text_without_any_script(open_page, annotator):
    page = open_page(java_script_enabled=False)
    page.goto(f"/join/{annotator.token}/")
    for _page in ("join", "consent", "instructions"):
        page.click("main button.primary")
    expect(page.locator("h1")).to_have_text("Guess without the text")
    expect(page.locator(".keys")).not_to_be_visible()
    expect(page.locator("#save-state")).to_contain_text("Your answers are saved when you press the button")
    choice(page, 0, 0).check()
    page.click("[data-go-on]")
    expect(page.locator("#missing a")).to_have_count(1)
    choice(page, 1, 3).check()
    page.click("[data-go-on]")
    reveal(page)
    for item in range(6):
        choice(page, item, item % 3).check()
        page.locator(".item").nth(item).locator(".level input").nth(4).check()
    page.click("[data-go-on]")
    expect(page.locator(".place strong")).to_have_text("Text 2 of 2")
    assert Response.objects.filter(stage="read", question="rating", value=5).count() == 6


def test_the_text_stays_in_view_on_a_laptop(page, annotator):
    start_reading(page, annotator)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(page.locator("#text-title")).to_be_in_viewport()
    expect(page.locator(".criteria p")).to_be_in_viewport()
    expect(page.locator(".bar")).not_to_be_visible()


def test_a_long_text_scrolls_on_its_own(page, annotator):
    for unit in annotator.study.units.select_related("text"):
        unit.text.body = "A sentence that goes on. " * 600
        unit.text.save()
    start_reading(page, annotator)
    source = page.locator(".source-text")
    wait_until_equal(page, lambda _page: source.evaluate("box => box.scrollHeight > box.clientHeight"), True)
    bottom = "box => box.getBoundingClientRect().bottom <= innerHeight"
    wait_until_equal(page, lambda page: page.locator(".source").evaluate(bottom), True)


def test_the_text_is_one_tap_away_on_a_phone(phone, annotator):
    start_reading_by_tap(phone, annotator)
    phone.evaluate("scrollTo(0, document.body.scrollHeight / 2)")
    before = phone.evaluate("scrollY")
    phone.tap("[data-open-text]")
    expect(phone.locator("dialog.text-sheet")).to_be_visible()
    expect(phone.locator("dialog.text-sheet")).to_contain_text("about herons.")
    phone.tap("dialog.text-sheet button")
    expect(phone.locator("dialog.text-sheet")).not_to_be_visible()
    wait_until_equal(phone, lambda phone: phone.evaluate("scrollY"), before)


def start_reading_by_tap(phone: Page, annotator) -> None:
    start(phone, annotator)
    for item in (0, 1):
        choice(phone, item, 0).tap()
    phone.tap("[data-go-on]")
    phone.tap("[data-enter]")
    expect(phone.locator("h1")).to_have_text("Read and answer")


def test_targets_are_large_and_nothing_is_cut_off_on_a_phone(phone, annotator):
    start_reading_by_tap(phone, annotator)
    for kind, least in (
        (".choice", 48),
        (".unsure", 48),
        (".level", 48),
        ("[data-go-on]", 48),
        ("[data-open-text]", 48),
    ):
        heights = phone.locator(kind).evaluate_all("all => all.map(box => box.getBoundingClientRect().height)")
        assert min(heights) >= least, kind
    wait_until_it_fits(phone)
    expect(phone.locator(".choice kbd").first).not_to_be_visible()


@pytest.mark.parametrize("width", [320, 640])
def test_narrow_and_zoomed_pages_scroll_one_way(open_page, annotator, width):
    page = open_page(viewport={"width": width, "height": 400})
    start_reading(page, annotator)
    wait_until_it_fits(page)


def test_a_page_from_the_back_forward_cache_is_not_used(page, annotator):
    """The event is made by hand: under automation Chromium keeps no page."""
    start(page, annotator)
    with page.expect_navigation():
        disabled = page.evaluate(
            """() => {
                dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true}));
                return [...document.querySelectorAll("main input, main button")].every(control => control.disabled);
            }"""
        )
    assert disabled


def test_a_study_paused_meanwhile_says_so_and_keeps_the_answer_for_later(page, annotator):
    start(page, annotator)
    pause_study(annotator.study)
    choice(page, 0, 1).check()
    expect(page.locator("[role=alert]")).to_contain_text("The study is paused at the moment.")
    choice(page, 1, 2).check()
    page.click("[data-go-on]")
    expect(page.locator("h1")).to_have_text("This study is paused")
    resume_study(annotator.study)
    page.reload()
    expect(choice(page, 0, 1)).to_be_checked()
    expect(choice(page, 1, 2)).to_be_checked()
    wait_until_saved(page)
    assert Draft.objects.count() == 2


def test_answers_of_two_seconds_are_sent_together(page, annotator):
    start(page, annotator)
    sent = []
    page.on("request", lambda request: sent.append(request.post_data) if request.url.endswith("/draft/") else None)
    for place in (0, 1):
        choice(page, place, 0).check()
        choice(page, place, 1).check()
    wait_until_saved(page)
    assert len(sent) == 1
    assert [len(draft.values["answer"]) for draft in Draft.objects.all()] == [2, 2]


def test_answers_arrive_when_the_page_is_left_before_they_are_sent(page, annotator):
    start(page, annotator)
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    choice(page, 0, 1).check()
    page.goto("about:blank")
    assert asked == []
    wait_until_equal(page, lambda _page: Draft.objects.count(), 1)
