"""The results of a large study in a real browser: a panel first, then the numbers without anybody's doing."""

import pytest
from playwright.sync_api import Page, expect

from config.celery import app
from jobs import tasks, working
from jobs.models import Job, JobState
from jobs.progress import ANSWERS
from studies.models import Study
from tests.browser.conftest import LAPTOP, PHONE
from tests.dimensions import import_study
from tests.factory import answer, make_annotator, make_item, make_study, make_text
from tests.patience import PATIENCE
from tests.waiting import wait_until_equal, wait_until_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WAIT = 1000 * PATIENCE


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
def large(study, worker, settings, monkeypatch):
    """Two answers are many, a worker is alive, and what it is asked for waits here."""
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": 2}
    monkeypatch.setattr(working.Heartbeat, "start", lambda heartbeat: None)
    monkeypatch.setattr(working.Heartbeat, "stop", lambda heartbeat: None)
    monkeypatch.setattr(app, "send_task", lambda name, **how: None)


@pytest.fixture
def page(request, open_page, client, viewer, live_server) -> Page:
    client.force_login(viewer)
    page = open_page(**getattr(request, "param", LAPTOP))
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    page.context.add_cookies([cookie])
    return page


def work(page: Page) -> None:
    """The worker does it. The live server shares the test's connection, so figures must be there before."""
    page.wait_for_load_state("networkidle")
    tasks.work(job_id=Job.objects.get(state=JobState.QUEUED).pk)


@pytest.mark.parametrize("page", [LAPTOP, PHONE], ids=["laptop", "phone"], indirect=True)
def test_the_panel_counts_and_gives_way_to_the_numbers(page, study, large):
    page.goto(f"/s/{study.slug}/results/details/")
    panel = page.locator("[id^=job-]")
    expect(panel).to_contain_text("Waiting for a worker.")
    wait_until_it_fits(page)
    Job.objects.update(state=JobState.RUNNING, step=ANSWERS, done=7, total=10)
    expect(panel).to_contain_text("Reading answers: 7 of", timeout=WAIT)
    expect(panel.locator("progress")).to_have_attribute("value", "7")
    Job.objects.update(state=JobState.QUEUED)
    work(page)
    expect(page.locator("#informativity summary").first).to_be_visible(timeout=WAIT)
    expect(panel).to_have_count(0)


def test_earlier_results_stay_until_somebody_wants_the_new_ones(page, study, large):
    page.goto(f"/s/{study.slug}/results/details/")
    work(page)
    expect(page.locator("#informativity summary").first).to_be_visible(timeout=WAIT)
    page.wait_for_load_state("networkidle")
    answer(make_annotator(study, "cem"), "read", study.units.first().items.first(), "TF", rating=5)
    page.reload()
    expect(page.get_by_text("These results were")).to_be_visible()
    work(page)
    expect(page.locator("[id^=job-]")).to_contain_text("A newer result is ready.", timeout=WAIT)
    page.get_by_role("link", name="Show result").click()
    expect(page.get_by_text("These results were")).to_have_count(0)
    expect(page.locator("#informativity summary").first).to_be_visible()


def test_a_failure_is_said_and_can_be_tried_again(page, study, large, monkeypatch):
    page.goto(f"/s/{study.slug}/results/details/")
    with monkeypatch.context() as broken:
        broken.setattr("analysis.services.computing.compute_report", lambda *job: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            work(page)
    page.get_by_role("button", name="Try again").click(timeout=WAIT)
    expect(page.locator("[id^=job-]")).to_contain_text("Waiting for a worker.")
    work(page)
    expect(page.locator("#informativity summary").first).to_be_visible(timeout=WAIT)


def test_on_paper_no_column_of_a_table_is_lost(page, project):
    study = import_study(project)
    page.goto(f"/s/{study.slug}/results/details/")
    page.locator("#generator_means details").evaluate("(part) => (part.open = true)")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 720, "height": 1000})  # A4 between its margins
    table = page.locator("table[data-table=generator_means]").first
    is_whole = "table => table.getBoundingClientRect().right <= document.documentElement.clientWidth + 1"
    wait_until_equal(page, lambda _page: table.evaluate(is_whole), True)
    page.wait_for_load_state("networkidle")
