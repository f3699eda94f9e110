"""Axe on all pages of annotators: each phase, each stage of each protocol, the end, own answers, refusals.

Each template once per language, at 320 pixels, which is what a window of 1,280 has at a zoom of 400 %; phases and the
first page of a unit at 1,280 too. And what a screen reader reads of a unit.
"""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Request, expect

from items.models import Item
from projects.models import Project
from studies.models import Annotator, StudyState
from studies.presentation_order import read_shown_items
from studies.services.people import revoke_link
from studies.services.rights import get_second_code
from tests import dimensions, stopping
from tests.annotation.test_phases import ATTENTION, BACKGROUND, CHECK, SURVEY, TEST, TRAINING
from tests.annotation.world import set_state
from tests.browser.axe import find_faults
from tests.patience import MAX_PAGES
from tests.studies import world
from tests.waiting import act_until, wait_until_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

UNNAMED = re.compile(r"^\s*- (radio|checkbox|button|textbox|combobox|link|progressbar|dialog)( \[[^\]]*\])*:?$", re.M)
LANGUAGES = ("de", "eu", "en")
NARROW, WIDE = {"width": 320, "height": 400}, {"width": 1280, "height": 800}


def make_four_items(project: Project) -> None:
    world.bank(project, texts=1, generators=("alder", "birch", "cedar", "dogwood"))


BANKS = {
    "guess-then-read": make_four_items,
    "dimension-ratings": dimensions.make_bank,
    "stopping-questionnaire": stopping.make_bank,
    "pairwise": make_four_items,
    "best-worst": make_four_items,
    "item-writing-flaws": make_four_items,
    "writing": make_four_items,
}
SHOWS_NO_ITEM, ONE_AT_A_TIME = ("writing",), ("stopping-questionnaire", "item-writing-flaws")
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


# What axe looks at but for the words: elements with what makes them visible, named and coloured.
BUILT = """() => {
  const isWord = /^[a-z]+$/;
  const isFound = id => document.getElementById(id) !== null;
  const describeAria = ({ name, value }) => {
    if (/(labelledby|describedby|controls|owns)$/.test(name)) return name + value.trim().split(/\\s+/).every(isFound);
    return name + (isWord.test(value) ? value : Boolean(value.trim()));
  };
  const describe = each => [
    each.localName, each.className, each.type, each.hidden, each.checked, each.disabled, each.lang, each.tabIndex,
    each.labels?.length, ...["alt", "title", "href", "style"].map(name => each.hasAttribute(name)),
    ...[...each.attributes].filter(({ name }) => name === "role" || name.startsWith("aria-")).map(describeAria),
    [...each.childNodes].some(one => one.nodeType === Node.TEXT_NODE && one.data.trim()),
  ].join();
  const ids = [...document.querySelectorAll("[id]")].map(each => each.id);
  const page = [document.documentElement.lang, Boolean(document.title), new Set(ids).size === ids.length];
  return [...page, ...[...document.body.querySelectorAll("*")].map(describe)].join(" ");
}"""
looked_at: set[tuple[int, str]] = set()


def check(page: Page, *sizes: dict) -> None:
    """Nothing runs out of the page, and axe finds nothing; it need not look at a page built like another one."""
    for size in sizes or (NARROW,):
        page.set_viewport_size(size)
        wait_until_it_fits(page)
        built = size["width"], page.evaluate(BUILT)
        if built not in looked_at:
            assert find_faults(page) == []
            looked_at.add(built)


def name_page(page: Page) -> tuple[str, str]:
    """What tells one template from another: its title, and what lies around its questions."""
    return page.locator("h1").first.inner_text(), page.locator("main").first.inner_html().split(">")[0]


def walk_to_the_end(
    page: Page, annotator: Annotator, *sizes: dict, listen: Callable[[], None] = lambda: None
) -> list[str]:
    """Through all pages by the link; axe looks at each template once, `listen` at the first page of a unit.

    Returns the titles in their order.
    """
    seen: set[tuple[str, str]] = set()
    is_first = True
    titles = []
    page.goto(f"/join/{annotator.token}/")
    for _page in range(MAX_PAGES):
        if (name := name_page(page)) not in seen:
            seen.add(name)
            titles.append(name[0])
            check(page, *sizes)
        if is_first and page.locator("#stage").count():
            for summary in page.locator("details.comment > summary").all()[:1]:
                summary.click()
            check(page, WIDE)
            listen()
            is_first = False
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


def list_stems(annotator: Annotator, protocol: str) -> list[str]:
    """Of the unit before the annotator, in the order shown."""
    assignment = annotator.assignments.open().first()
    shown = [each.item_id for each in read_shown_items(assignment.shown, assignment.stage)]
    stems = Item.objects.in_bulk(shown)
    return [stems[pk].stem for pk in (shown[:1] if protocol in ONE_AT_A_TIME else shown)]


def listen_to_unit(page: Page, annotator: Annotator, protocol: str) -> None:
    """A title, every question in the order shown, and no control without a name."""
    tree = page.locator("body").aria_snapshot()
    assert re.search(r"- heading .* \[level=1\]", tree)
    assert UNNAMED.findall(tree) == []
    assert re.search(r"- (radio|checkbox|button|textbox) \"", tree)
    assert page.locator("details.comment[open] textarea").count() == 1
    spoken = " ".join(tree.split())
    stems = [] if protocol in SHOWS_NO_ITEM else list_stems(annotator, protocol)
    places = [spoken.find(" ".join(stem.split())) for stem in stems]
    assert -1 not in places
    assert places == sorted(places)
    assert bool(stems) is (protocol not in SHOWS_NO_ITEM)


@pytest.mark.parametrize("protocol", BANKS)
def test_axe_finds_nothing_on_any_page_of_a_protocol_and_its_units_are_read_out_whole(page, project, protocol):
    BANKS[protocol](project)
    for language in LANGUAGES:
        study = world.make_live_study(
            project, slug=f"study-{language}", protocol=protocol, language=language, recruitment={"comments": True}
        )
        annotator = study.annotators.filter(kind="human").order_by("seat").first()
        walk_to_the_end(page, annotator, listen=lambda: listen_to_unit(page, annotator, protocol))  # noqa: B023 - at once
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
        "/join/wrong/",
        "/work/0123456789abcdef/",
        "/mine/0123456789abcdef/",
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
