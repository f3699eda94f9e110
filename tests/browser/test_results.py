"""The results of a large study in a real browser: a panel first, then the numbers without anybody's doing."""

from dataclasses import replace

import pytest
from django.core.cache import cache
from django.utils import timezone
from playwright.sync_api import Page, expect

from analysis import tasks
from analysis.progress import ANSWERS, Step
from analysis.services import working
from jobs.models import Worker
from studies.models import Study
from tests.browser.conftest import LAPTOP, PHONE
from tests.dimensions import imported
from tests.factory import answer, make_annotator, make_item, make_study, make_text
from tests.waiting import PATIENCE_MS, wait_until_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WAIT = PATIENCE_MS


@pytest.fixture
def study(project) -> Study:
    text = make_text(project, "t1")
    items = [make_item(text, name, name, "TF") for name in ("careful", "hurried")]
    study = make_study(project, "large", items)
    for code in ("ada", "ben"):
        person = make_annotator(study, code)
        answer(person, "guess", items[0], "TF")
        for item in items:
            answer(person, "read", item, "TF", rating=4)
    return study


@pytest.fixture
def sent(study, settings, monkeypatch):
    """Two answers are many, a worker is alive, and what it is asked for waits here."""
    cache.clear()
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": 2}
    monkeypatch.setattr(working, "EVERY", 3600)
    now, asked = timezone.now(), []
    Worker.objects.create(name="w@here", started_at=now, last_seen=now)
    monkeypatch.setattr(tasks.work_out_results, "apply_async", lambda kwargs, **how: asked.append(kwargs["place"]))
    return asked


@pytest.fixture(params=[LAPTOP, PHONE], ids=["laptop", "phone"])
def page(request, open_page, client, viewer, live_server) -> Page:
    client.force_login(viewer)
    page = open_page(**request.param)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    page.context.add_cookies([cookie])
    return page


def work(page: Page, place: str) -> None:
    """The worker does it. The live server shares the test's connection, so figures must be there before."""
    page.wait_for_load_state("networkidle")
    tasks.work_out_results(place=place)


def test_the_panel_counts_and_gives_way_to_the_numbers(page, study, sent):
    page.goto(f"/s/{study.slug}/results/")
    panel = page.locator("#working")
    expect(panel).to_contain_text("Waiting for a worker.")
    wait_until_it_fits(page)
    working.store(replace(working.ticket_at(study, sent[0]), step=Step(ANSWERS, 7)))
    expect(panel).to_contain_text("Reading answers: 7 of", timeout=WAIT)
    expect(panel.locator("progress")).to_have_attribute("value", "7")
    work(page, sent[0])
    expect(page.locator("#informativity h2")).to_be_visible(timeout=WAIT)
    expect(panel).to_have_count(0)


def test_earlier_results_stay_until_somebody_wants_the_new_ones(page, study, sent):
    page.goto(f"/s/{study.slug}/results/")
    work(page, sent[0])
    expect(page.locator("#informativity h2")).to_be_visible(timeout=WAIT)
    page.wait_for_load_state("networkidle")
    answer(make_annotator(study, "cem"), "read", study.units.first().items.first(), "TF", rating=5)
    page.reload()
    expect(page.get_by_text("These results are as of")).to_be_visible()
    work(page, sent[1])
    expect(page.locator("#working")).to_contain_text("New results are ready.", timeout=WAIT)
    page.get_by_role("link", name="Show them").click()
    expect(page.get_by_text("These results are as of")).to_have_count(0)
    expect(page.locator("#informativity h2")).to_be_visible()


def test_a_failure_is_said_and_can_be_tried_again(page, study, sent, monkeypatch):
    page.goto(f"/s/{study.slug}/results/")
    with monkeypatch.context() as broken:
        broken.setattr(working, "compute", lambda ticket: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            work(page, sent[0])
    page.get_by_role("button", name="Try again").click(timeout=WAIT)
    expect(page.locator("#working")).to_contain_text("Waiting for a worker.")
    work(page, sent[1])
    expect(page.locator("#informativity h2")).to_be_visible(timeout=WAIT)


def test_on_paper_no_column_of_a_table_is_lost(page, project):
    study = imported(project)
    page.goto(f"/s/{study.slug}/results/")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 720, "height": 1000})  # A4 between its margins
    table = page.locator("table[data-table=generator_means]").first
    assert table.evaluate("table => table.getBoundingClientRect().right <= document.documentElement.clientWidth + 1")
    page.wait_for_load_state("networkidle")
