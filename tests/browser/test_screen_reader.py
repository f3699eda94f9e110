"""What a screen reader reads of a unit, for each protocol: a title, every question, and no control without a name."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from items.models import Item
from studies.models import Annotator
from studies.presentation_order import read_shown_items
from studies.services.answering import pass_phase
from tests import dimensions, pairs, stopping
from tests.annotation.world import make_world
from tests.studies import world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

UNNAMED = re.compile(r"^\s*- (radio|checkbox|button|textbox|combobox|link|progressbar|dialog)( \[[^\]]*\])*:?$", re.M)


def best_worst(project):
    world.bank(project, texts=1, generators=("alder", "birch", "cedar", "dogwood"))
    return world.launched(project, protocol="best-worst")


def launched(module):
    def launch(project):
        module.make_bank(project)
        return module.launched(project)

    return launch


STUDIES = {
    "guess-then-read-de": lambda project: make_world(project, texts=1, language="de"),
    "guess-then-read-eu": lambda project: make_world(project, texts=1, language="eu"),
    "dimension-ratings": launched(dimensions),
    "stopping-questionnaire": launched(stopping),
    "pairwise": launched(pairs),
    "best-worst": best_worst,
}


def stems_shown(annotator: Annotator, one_at_a_time: bool) -> list[str]:
    """Of the unit before the annotator, in the order shown."""
    assignment = annotator.assignments.open().first()
    shown = [each.item_id for each in read_shown_items(assignment.shown, assignment.stage)]
    stems = Item.objects.in_bulk(shown)
    return [stems[pk].stem for pk in (shown[:1] if one_at_a_time else shown)]


@pytest.mark.parametrize("name", STUDIES)
def test_the_tree_of_a_unit_names_all_there_is(page, project, name):
    annotator = STUDIES[name](project).annotators.filter(kind="human").order_by("seat").first()
    page.goto(f"/join/{annotator.token}/")
    for phase in ("consent", "instructions"):
        pass_phase(annotator, phase)
    page.click("main button.primary")
    page.locator("#stage").wait_for()
    tree = page.locator("body").aria_snapshot()
    assert re.search(r"- heading .* \[level=1\]", tree)
    assert UNNAMED.findall(tree) == []
    spoken = " ".join(tree.split())
    stems = stems_shown(annotator, one_at_a_time=name == "stopping-questionnaire")
    places = [spoken.find(" ".join(stem.split())) for stem in stems]
    assert -1 not in places
    assert stems
    assert places == sorted(places)  # read in the order in which they are shown
    assert re.search(r"- (radio|checkbox|button) \"", tree)
    axe = Axe().run(page)
    assert axe.violations_count == 0, axe.generate_report()
