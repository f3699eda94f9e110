"""Axe on the pages beyond the first of a unit: all phases, each stage of each protocol, the end, own answers, refusals.

Each template once per language, at 320 pixels, which is what a window of 1,280 has at a zoom of 400 %; those of the
phases at 1,280 too.
"""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, Request, expect

from studies.models import Annotator, StudyState
from studies.services.people import revoke_link
from studies.services.rights import get_second_code
from tests.annotation.test_phases import ATTENTION, BACKGROUND, CHECK, SURVEY, TEST, TRAINING
from tests.annotation.world import set_state
from tests.browser.test_screen_reader import BANKS, LANGUAGES, NARROW, WIDE, make_four_items
from tests.patience import MAX_PAGES
from tests.studies import world
from tests.waiting import act_until, wait_until_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

COUNT = CHECK["questions"][1]  # its right answer is the last, which the second try takes
PHASES = [
    *("consent", BACKGROUND, "instructions", CHECK | {"questions": [COUNT]}, TRAINING, TEST),
    *({"kind": "practice", "texts": ["t3"]}, ATTENTION, SURVEY, "thanks"),
]
# Answers what the page asks as a person does who takes the first of everything, and the last in a second try.
ANSWER = """() => {
  const isSecond = document.querySelector("#phase .is-wrong");
  const open = control => !control.disabled && control.offsetParent !== null;
  const isStage = document.querySelector("#stage");
  const all = document.querySelectorAll("main input[type=radio], main .choice input[type=checkbox]");
  const boxes = [...all].filter(open);
  for (const [place, name] of [...new Set(boxes.map(box => box.name))].entries()) {
    const mine = boxes.filter(box => box.name === name);
    if (isSecond) mine.at(-1).click();
    else if (!mine.some(box => box.checked)) mine[isStage ? place % mine.length : 0].click();
  }
  for (const field of document.querySelectorAll("main form textarea, main form input[type=text]")) {
    if (!open(field) || field.value || field.closest("dialog, details.report")) continue;
    field.value = "heron";
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}"""


def check(page: Page, *sizes: dict) -> None:
    for size in sizes or (NARROW,):
        page.set_viewport_size(size)
        wait_until_it_fits(page)
        axe = Axe().run(page)
        assert axe.violations_count == 0, axe.generate_report()


def name_page(page: Page) -> tuple[str, str]:
    """What tells one template from another: its title, and what lies around its questions."""
    return page.locator("h1").first.inner_text(), page.locator("main").first.inner_html().split(">")[0]


def walk_to_the_end(page: Page, annotator: Annotator, *sizes: dict) -> list[str]:
    """Through all pages by the link; axe looks at each template once. Returns the titles in their order."""
    seen: set[tuple[str, str]] = set()
    titles = []
    page.goto(f"/join/{annotator.token}/")
    for _page in range(MAX_PAGES):
        if (name := name_page(page)) not in seen:
            seen.add(name)
            titles.append(name[0])
            check(page, *sizes)
        arrows = page.locator("[data-arrow]:visible")  # of a pair, where the choice leads on by itself
        buttons = page.locator("main button.primary:visible, main [data-go-on]:visible, main [data-enter]:visible")
        controls = arrows if arrows.count() else buttons
        if not controls.count():
            return titles
        page.evaluate(ANSWER)
        press(page, controls.first)
        page.wait_for_load_state()
    pytest.fail(f"No end in sight: {titles}")


def press(page: Page, control: Locator) -> None:
    """Press until it is handed in, and wait for the answer."""
    sent: list[Request] = []
    note = lambda request: sent.append(request) if is_hand_in(request) else None  # noqa: E731 - to be removed again
    page.on("request", note)
    with page.expect_response(lambda response: is_hand_in(response.request)):
        act_until(page, lambda: control.click(timeout=1_000), lambda: sent)
    page.remove_listener("request", note)


def is_hand_in(request: Request) -> bool:
    return request.method == "POST" and "/draft/" not in request.url


@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing_in_any_phase_up_to_the_thanks(page, project, language):
    world.bank(project, texts=3, generators=("alder",))
    study = world.make_live_study(project, items={"texts": ["t1", "t2"]}, language=language, phases=PHASES)
    annotator = study.annotators.first()
    walk_to_the_end(page, annotator, WIDE, NARROW)
    passed = annotator.phases_passed.filter(passed_at__isnull=False)
    assert set(passed.values_list("phase", flat=True)) >= {"consent", "background", "training", "attention", "survey"}
    page.goto(annotator.get_own_answers_link())
    check(page)
    page.fill("#code", "wrong")
    page.click("main button.primary")
    check(page)
    page.fill("#code", get_second_code(annotator))
    page.click("main button.primary")
    expect(page.locator("main table")).to_be_visible()
    check(page, WIDE, NARROW)
    page.click("[name=withdraw]")
    check(page)
    page.check("[name=sure]")
    page.click("[name=withdraw]")
    expect(page.locator("main .note.good")).to_be_visible()
    check(page)


FEW = BANKS | {"pairwise": make_four_items}  # six pairs


@pytest.mark.parametrize("protocol", FEW)
def test_axe_finds_nothing_on_any_page_of_a_protocol(page, project, protocol):
    FEW[protocol](project)
    for language in LANGUAGES:
        study = world.make_live_study(project, slug=f"study-{language}", protocol=protocol, language=language)
        annotator = study.annotators.filter(kind="human").order_by("seat").first()
        walk_to_the_end(page, annotator)
        assert not annotator.assignments.open().exists()
        page.context.clear_cookies()


@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing_where_one_cannot_go_on(open_page, project, language):
    world.bank(project)
    told = {"open_link": True, "minutes": 10, "platform": "prolific", "codes": {"finished": "DONE1"}}
    study = world.make_live_study(
        project,
        language=language,
        plan={"annotators": 1, "per_unit": 1},
        recruitment=told,
        phases=["consent", BACKGROUND],
    )
    page = open_page(locale=language)
    for path in (
        f"/open/{study.open_token}/",
        f"/open/{'x' * 22}/",
        "/work/0123456789abcdef/",
        "/own/0123456789abcdef/",
    ):
        page.goto(path)
        check(page)
    page.goto(f"/open/{study.open_token}/?PROLIFIC_PID=one")
    check(page)
    page.click("main button.primary")
    page.wait_for_load_state()
    late = open_page(locale=language)
    late.goto(f"/open/{study.open_token}/?PROLIFIC_PID=two")
    expect(late.locator("main form")).to_have_count(0)  # all places are taken
    check(late)
    page.context.clear_cookies()
    page.click("main button.primary")  # the session has ended: 403 with the way back
    page.wait_for_load_state()
    check(page)
    annotator = study.annotators.get()
    for state in (StudyState.PAUSED, StudyState.CLOSED):
        set_state(study, state)
        for path in (f"/open/{study.open_token}/?PROLIFIC_PID=one", f"/join/{annotator.token}/"):
            page.goto(path)
            check(page)
    set_state(study, StudyState.LIVE)
    revoke_link(annotator)
    page.goto(f"/join/{annotator.token}/")
    check(page)
