"""Pairs in a real browser, by keys on a laptop and by taps on a phone; what is stored is what was planted."""

from typing import Literal

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Locator, Page, TimeoutError, expect

from studies.models import Response, Study
from studies.services.answering import pass_phase
from studies.services.launching import open_main_part
from tests.browser.conftest import PHONE
from tests.pairs import (
    PAIRS,
    SHARED,
    annotators,
    item_ids,
    list_expected_judgments,
    make_bank,
    make_live_study,
    true_preference,
)
from tests.waiting import act_until, wait_until_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

KEYS = {"left": "ArrowLeft", "right": "ArrowRight", "down": "ArrowDown"}
OFFLINE = "Not saved yet: no connection. Your answers are kept in this browser and will be sent again."


@pytest.fixture
def study(project):
    make_bank(project)
    return make_live_study(project)


def start(page: Page, annotator) -> None:
    page.goto(f"/join/{annotator.token}/")
    for phase in ("consent", "instructions"):
        pass_phase(annotator, phase)
    page.locator("main button.primary").click()
    page.locator(".pair").wait_for()


def leave(page: Page, act) -> None:
    """Do something until another page stands; never on that one, where it would choose again."""
    page.evaluate("document.querySelector('main').firstElementChild.dataset.left = 'yes'")
    old = page.locator("[data-left]")
    act_until(page, lambda: old.count() and act(), lambda: is_in_state(old, "detached"))
    page.locator("main h1").wait_for()


def is_in_state(place: Locator, state: Literal["attached", "detached"]) -> bool:
    try:
        place.wait_for(state=state, timeout=100)
    except TimeoutError:
        return False
    return True


def arrow_on(page: Page, seat: int) -> str:
    by_stem = item_ids()
    stems = BeautifulSoup(page.content(), "html.parser").select(".side h2 span[lang]")
    left, right = (by_stem[str(stem.get_text())] for stem in stems)
    return {left: "left", right: "right", "tie": "down"}[true_preference(seat, left, right)]


def by_key(page: Page, arrow: str) -> None:
    page.keyboard.press(KEYS[arrow])


def by_tap(page: Page, arrow: str) -> None:
    """On the page that `leave` has marked only: a tap that waits must not land on the next pair."""
    page.locator(f"main:has(> [data-left]) [data-arrow={arrow}]").tap(timeout=1000)


def test_a_comment_goes_along_with_the_choice_that_hands_it_in(page, study):
    Study.objects.filter(pk=study.pk).update(recruitment={"comments": True})
    annotator = annotators(study)[0]
    start(page, annotator)
    page.locator("details.comment > summary").click()
    page.locator("details.comment textarea").fill("Both are alike.")
    leave(page, lambda: by_key_outside(page, "left"))
    assert [answer.comment for answer in Response.objects.filter(assignment__annotator=annotator)] == [
        "Both are alike."
    ]


def by_key_outside(page: Page, arrow: str) -> None:
    """A key pressed while the field of the comment does not have the focus."""
    page.evaluate("document.activeElement.blur()")
    by_key(page, arrow)


def compare(page: Page, seat: int, act) -> None:
    """All pairs until there are none to compare now."""
    while page.locator(".pair").count():
        arrow = arrow_on(page, seat)
        leave(page, lambda arrow=arrow: act(page, arrow))


def read_preferences(annotator) -> set[tuple]:
    found = set()
    for row in Response.objects.filter(assignment__annotator=annotator).select_related("assignment__unit"):
        one, other = (each.item.external_id for each in row.assignment.unit.unit_items.all())
        found.add((annotator.code, one, other, row.value))
    return found


def of(annotator, rows) -> set[tuple]:
    return {row for row in rows if row[0] == annotator.code}


@pytest.mark.parametrize(("options", "act", "seat"), [({}, by_key, 0), (PHONE, by_tap, 1)], ids=["laptop", "phone"])
def test_pairs_are_worked_through_to_the_waiting_page_and_on(study, open_page, options, act, seat):
    page, annotator = open_page(**options), annotators(study)[seat]
    start(page, annotator)
    compare(page, seat, act)
    expect(page.locator("h1")).to_have_text("The first part is done")
    assert read_preferences(annotator) == of(annotator, list_expected_judgments(study, "calibration"))
    assert len(read_preferences(annotator)) == SHARED * PAIRS
    open_main_part(study)
    page.reload()
    compare(page, seat, act)
    expect(page.locator("h1")).to_have_text("Thank you!")
    assert read_preferences(annotator) == of(annotator, list_expected_judgments(study))


def test_a_choice_made_without_a_connection_is_kept_and_goes_on_later(study, page):
    annotator = annotators(study)[0]
    start(page, annotator)
    page.route("**/*", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    pressed = page.locator('[aria-pressed="true"]')
    act_until(page, lambda: page.keyboard.press("ArrowLeft"), lambda: is_in_state(pressed, "attached"))
    expect(page.locator("#save-state")).to_have_text(OFFLINE)
    page.unroute("**/*")
    page.reload()
    expect(page.locator('[data-arrow="left"]')).to_have_attribute("aria-pressed", "true")
    leave(page, lambda: page.keyboard.press("Enter"))
    assert Response.objects.count() == 1


def test_a_slip_is_taken_back_by_a_key(study, page):
    start(page, annotators(study)[0])
    expect(page.locator("[data-take-back]")).to_have_count(0)
    leave(page, lambda: page.keyboard.press("ArrowLeft"))
    expect(page.locator("[data-take-back]")).to_be_visible()
    leave(page, lambda: page.keyboard.press("Backspace"))
    expect(page.get_by_text("This pair is open again.")).to_be_visible()
    leave(page, lambda: page.keyboard.press("ArrowDown"))
    rounds = Response.objects.order_by("pk").values_list("assignment__round", flat=True)
    assert list(rounds) == [1, 2]
    assert Response.objects.last().value == "tie"


def test_criteria_are_ticked_by_digits_and_enter_hands_in(project, page):
    make_bank(project)
    study = make_live_study(project, slug="ticks", params={"criteria_ticks": True})
    start(page, annotators(study)[0])
    expect(page.locator(".deciding")).to_be_hidden()
    checked = page.locator("[data-arrow=right]:checked")
    act_until(page, lambda: page.keyboard.press("ArrowRight"), lambda: is_in_state(checked, "attached"))
    expect(page.locator(".deciding")).to_be_visible()
    page.keyboard.press("2")
    page.keyboard.press("4")
    leave(page, lambda: page.keyboard.press("Enter"))
    ticked = Response.objects.filter(value=True).values_list("question", flat=True)
    assert set(ticked) == {"from_text", "understanding"}


def test_the_text_folds_by_a_key_and_nothing_runs_out_of_a_phone(study, page, open_page):
    start(page, annotators(study)[0])
    expect(page.locator(".source-text")).to_be_visible()
    page.keyboard.press("t")
    expect(page.locator(".source-text")).to_be_hidden()
    phone = open_page(**PHONE)
    start(phone, annotators(study)[1])
    wait_until_it_fits(phone)
    bar, screen = phone.locator(".verdict").bounding_box(), phone.viewport_size
    assert bar["y"] + bar["height"] <= screen["height"] + 1
    phone.locator("[data-open-text]").tap()
    expect(phone.locator("dialog.text-sheet")).to_be_visible()
