"""What a screen reader reads of a unit, for each protocol: a title, every question, and no control without a name.

In each language axe finds nothing from the first page to the unit, and nothing scrolls sideways at 320 pixels, which is
what a window of 1,280 has at a zoom of 400 %.
"""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from items.models import Item
from projects.models import Project
from studies.models import Annotator
from studies.presentation_order import read_shown_items
from tests import dimensions, pairs, stopping
from tests.patience import MAX_PAGES
from tests.studies import world
from tests.waiting import wait_until_it_fits

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
    "pairwise": pairs.make_bank,
    "best-worst": make_four_items,
    "item-writing-flaws": make_four_items,
    "writing": make_four_items,
}
SHOWS_NO_ITEM, ONE_AT_A_TIME = ("writing",), ("stopping-questionnaire", "item-writing-flaws")


def list_stems(annotator: Annotator, one_at_a_time: bool) -> list[str]:
    """Of the unit before the annotator, in the order shown."""
    assignment = annotator.assignments.open().first()
    shown = [each.item_id for each in read_shown_items(assignment.shown, assignment.stage)]
    stems = Item.objects.in_bulk(shown)
    return [stems[pk].stem for pk in (shown[:1] if one_at_a_time else shown)]


def check(page: Page) -> None:
    axe = Axe().run(page)
    assert axe.violations_count == 0, axe.generate_report()


@pytest.mark.parametrize("protocol", BANKS)
def test_a_unit_is_read_out_whole_and_has_no_fault_in_any_language(page, project, protocol):
    BANKS[protocol](project)
    for language in LANGUAGES:
        study = world.make_live_study(project, slug=f"study-{language}", protocol=protocol, language=language)
        annotator = study.annotators.filter(kind="human").order_by("seat").first()
        page.set_viewport_size(WIDE)
        page.goto(f"/join/{annotator.token}/")
        for _page in range(MAX_PAGES):
            if page.locator("#stage").count():
                break
            check(page)
            page.click("main button.primary")
            page.wait_for_load_state()
        check(page)
        page.set_viewport_size(NARROW)
        wait_until_it_fits(page)
        check(page)
    tree = page.locator("body").aria_snapshot()
    assert re.search(r"- heading .* \[level=1\]", tree)
    assert UNNAMED.findall(tree) == []
    assert re.search(r"- (radio|checkbox|button|textbox) \"", tree)
    spoken = " ".join(tree.split())
    stems = [] if protocol in SHOWS_NO_ITEM else list_stems(annotator, protocol in ONE_AT_A_TIME)
    places = [spoken.find(" ".join(stem.split())) for stem in stems]
    assert -1 not in places
    assert places == sorted(places)  # read in the order in which they are shown
    assert bool(stems) is (protocol not in SHOWS_NO_ITEM)
