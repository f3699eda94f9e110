"""Dimension ratings with a real browser: a text by keys alone on a laptop, by touch on a phone, and without a fault."""

import pytest
from playwright.sync_api import Page, expect

from studies.models import Draft, Response
from studies.services.answering import pass_phase
from studies.services.second_round import open_second_round
from tests.annotation.world import Walker
from tests.browser.axe import find_faults
from tests.browser.conftest import PHONE
from tests.dimensions import DIMENSIONS, annotators, make_bank, make_live_study
from tests.waiting import wait_until_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def study(project):
    make_bank(project)
    return make_live_study(project)


def start(page: Page, annotator) -> None:
    for phase in ("consent", "instructions"):
        pass_phase(annotator, phase)
    page.goto(f"/join/{annotator.token}/")
    page.click("main button.primary")
    expect(page.locator("h1")).to_have_text("Read and score")


def scores_of(item) -> dict[str, int]:
    return dict(Response.objects.filter(item=item).values_list("question", "value"))


def test_a_digit_scores_and_moves_on_and_nothing_asks_for_the_mouse(page, study):
    start(page, annotators(study)[0])
    expect(page.locator(".source .anchors section.is-here h3")).to_have_text("Fluency")
    page.keyboard.press("3")
    expect(page.locator(".source .anchors section.is-here h3")).to_have_text("Clarity")
    expect(page.locator("#save-state")).to_have_text("Saved")
    assert Draft.objects.get().values == {"fluency": "3"}
    for place in range(1, 3 * 7):
        page.keyboard.press(str(place % 3 + 1))
    expect(page.locator("[data-go-on]")).to_be_focused()
    expect(page.locator(".go-on .count")).to_have_text("3 of 3 answered")
    assert not Response.objects.exists()  # a digit never hands in
    page.keyboard.press("Enter")
    expect(page.locator(".place strong")).to_have_text("Text 2 of 3")
    assert Response.objects.count() == 21
    for place, (_handle, item, _options) in enumerate(annotators(study)[0].assignments.first().shown["rate"]):
        wanted = [(place * 7 + step) % 3 + 1 for step in range(7)]
        if place == 0:
            wanted[0] = 3
        assert scores_of(item) == dict(zip(DIMENSIONS, wanted, strict=True))


def test_shift_and_enter_goes_back_and_a_score_can_be_changed(page, study):
    start(page, annotators(study)[0])
    page.keyboard.press("3")
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("1")
    expect(page.locator("#save-state")).to_have_text("Saved")
    expect(page.locator('.item >> nth=0 >> [data-name=fluency] input[value="1"]')).to_be_checked()


def test_a_text_by_touch_on_a_phone(phone, study):
    start(phone, annotators(study)[0])
    expect(phone.locator(".bar .anchors")).to_be_visible()
    for row in phone.locator("[data-row]").all():
        row.locator('label:has(input[value="2"])').tap()
    expect(phone.locator(".go-on .count")).to_have_text("3 of 3 answered")
    wait_until_it_fits(phone)
    phone.locator("[data-go-on]").tap()
    expect(phone.locator(".place strong")).to_have_text("Text 2 of 3")
    assert set(Response.objects.values_list("value", flat=True)) == {2}


def test_one_question_a_page_by_keys_with_a_way_back(page, project):
    make_bank(project)
    study = make_live_study(project, params={"layout": "question"})
    start(page, annotators(study)[0])
    for _question in range(2):
        first = page.locator(".item").get_attribute("data-item")
        for _row in range(7):
            page.keyboard.press("3")
        expect(page.locator("[data-go-on]")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator(f'.item[data-item="{first}"]')).to_have_count(0)
    page.locator("[data-go-back]").click()
    expect(page.locator("[aria-current=page]")).to_have_text("2 answered")
    expect(page.locator(".item input:checked")).to_have_count(7)


def test_what_is_missing_is_said_and_led_to(page, study):
    start(page, annotators(study)[0])
    page.click("[data-go-on]")
    expect(page.locator("#missing")).to_contain_text("Not answered yet: Fluency, Clarity, Conciseness")


LOOKS = [
    pytest.param({"color_scheme": "dark"}, id="dark"),
    pytest.param(PHONE | {"color_scheme": "light"}, id="phone"),
]


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_in_both_rounds(open_page, study, look):
    raters = annotators(study)
    for seat, rater in enumerate(raters):
        rate_everything(rater, seat + 1)
    open_second_round(study)
    page = open_page(**look, reduced_motion="reduce")
    page.goto(f"/join/{raters[0].token}/")
    page.click("main button.primary")
    expect(page.locator("h1")).to_have_text("Please look at these scores again")
    expect(page.locator(".earlier").first).to_contain_text("The others' scores: 2, 3")
    assert find_faults(page) == []


def rate_everything(annotator, score: int) -> None:
    walker = Walker(annotator).start()
    while assignment := walker.assignment:
        data = {"token": assignment.token, "item": [handle for handle, _item, _options in assignment.shown["rate"]]}
        for handle in data["item"]:
            data |= {f"{dimension}-{handle}": score for dimension in DIMENSIONS}
        walker.post(data)


def test_axe_finds_nothing_while_scoring_in_the_dark(open_page, study):
    page = open_page(color_scheme="dark", reduced_motion="reduce")
    start(page, annotators(study)[0])
    assert find_faults(page) == []
