"""Results of large studies: a worker makes them, the page says how far they are, and shows what it shows as of when."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from analysis.choices import Choices
from analysis.figures.registry import FORMS
from analysis.frames.evidence import collect_evidence
from analysis.services import cached_results
from analysis.services.computing import compute_report
from analysis.services.figures import draw_figure
from analysis.services.reporting import build, build_report
from items.models import Generator
from jobs.kinds import JobFailed
from jobs.models import Job, JobState
from jobs.progress import ANSWERS, TABLES, expect_tables, listen, report_table
from jobs.views import ResultPending
from projects.models import Role
from studies.models import Study, StudyState
from studies.services.states import switch_effects
from tests.factory import answer, make_annotator
from tests.studies.world import bank, make_live_study

pytestmark = pytest.mark.slow

PAGES = [
    "study_results",
    "results_agreement",
    "results_items",
    "results_compare",
    "results_details",
    "agreement_lab",
    "stand_in",
    "study_planner",
    "study_items",
]
COMPUTING = "Computing the results"
FIGURE = "data-kind="  # stands where the summary has its verdict


@pytest.fixture(autouse=True)
def large(db, settings):
    """Every study is large."""
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": 0}


@pytest.fixture
def small(settings):
    """A function that makes every study small."""
    return lambda: setattr(settings, "LESART", settings.LESART | {"RESULTS_AT_ONCE": 1_000_000})


@pytest.fixture
def reading(as_user, reviewer):
    return as_user(reviewer)


@pytest.fixture
def choices(two_annotators):
    """What the page asks for by itself."""
    return Choices(seed=abs(two_annotators.seed))


@pytest.fixture
def get(reading, two_annotators):
    """A function that gives a page of the study as a reviewer sees it."""
    return lambda name="study_results", *rest, **asked: reading.get(
        reverse(name, args=[two_annotators.slug, *rest]), asked
    )


def page_text(response) -> str:
    return " ".join(response.content.decode().split())


def one_more(study, items, code="cem"):
    answer(make_annotator(study, code), "guess", items["c1"], "TF")


def test_a_large_study_shows_the_progress_and_then_the_numbers_of_the_report(
    get, run_jobs, worker, two_annotators, choices
):
    page = page_text(get())
    assert COMPUTING in page
    assert "Waiting for a worker." in page
    assert "No worker is running." not in page
    assert FIGURE not in page
    assert run_jobs() == ["report"]
    response = get()
    assert response.context["report"] == build(two_annotators, choices)
    assert FIGURE in page_text(response)
    assert COMPUTING not in page_text(response)


def test_the_page_keeps_head_tabs_and_controls(get, two_annotators):
    page = page_text(get())
    assert f"<h1>{two_annotators.title}</h1>" in page
    assert 'aria-current="page"' in page
    assert 'name="convention"' in page


def test_a_small_study_is_computed_in_the_request_and_once(get, small, run_jobs, monkeypatch):
    small()
    assert FIGURE in page_text(get())
    monkeypatch.setattr("analysis.services.computing.compute_report", None)
    assert FIGURE in page_text(get())
    assert run_jobs() == []


def test_a_large_study_is_never_computed_in_the_request(get, run_jobs):
    assert "No worker is running." in page_text(get())
    assert run_jobs() == ["report"]  # once there is one
    assert FIGURE in page_text(get())


def test_what_fails_is_said_and_can_be_asked_for_again(get, run_jobs, reading, monkeypatch):
    get()
    with monkeypatch.context() as broken:
        broken.setattr("analysis.services.computing.compute_report", lambda *job: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run_jobs()
    page = page_text(get())
    assert "failed: ZeroDivisionError." in page
    assert run_jobs() == []  # nothing is asked for by itself
    reading.post(Job.objects.get().get_absolute_url(), {"retry": ""})
    assert run_jobs() == ["report"]
    assert FIGURE in page_text(get())


def test_what_cannot_be_chosen_is_said_in_a_sentence(two_annotators):
    job = cached_results.ResultKey("report", two_annotators, Choices(groups=("nobody",))).make_job()
    with pytest.raises(JobFailed, match="nobody"):
        compute_report(job, lambda *step: None)


def test_after_new_answers_the_earlier_results_say_of_when_they_are(get, run_jobs, two_annotators, items, choices):
    get()
    run_jobs()
    one_more(two_annotators, items)
    response = get()
    assert "These results were computed at" in page_text(response)
    assert "2 new answers have arrived since." in page_text(response)
    assert COMPUTING in page_text(response)
    assert response.context["report"].n_responses == build(two_annotators, choices).n_responses - 2
    assert run_jobs() == ["report"]
    response = get()
    assert "computed at" not in page_text(response)
    assert response.context["report"] == build(two_annotators, choices)


def test_what_has_changed_without_a_new_answer_is_said_too(get, run_jobs, two_annotators):
    get()
    run_jobs()
    two_annotators.annotators.filter(code="ada").update(purpose="pilot")
    assert "Answers, keys or people have changed since." in page_text(get())


def test_results_that_are_too_old_are_not_shown(get, run_jobs, two_annotators, items, monkeypatch):
    get()
    run_jobs()
    one_more(two_annotators, items)
    monkeypatch.setattr(cached_results, "MAX_STALE_AGE", timedelta(0))
    page = page_text(get())
    assert COMPUTING in page
    assert FIGURE not in page


def test_the_figures_of_earlier_results_are_drawn_from_them_and_say_of_when(
    get, run_jobs, two_annotators, items, monkeypatch, choices
):
    drawn = []
    monkeypatch.setitem(FORMS, "svg", lambda spec: drawn.append(spec) or b"<svg/>")
    get()
    run_jobs()
    one_more(two_annotators, items)
    assert draw_figure(two_annotators, choices, "dumbbell", "svg") == b"<svg/>"
    assert re.search(r"Computed at \d+:\d\d", str(drawn[0]["title"]))


def test_files_are_never_those_of_earlier_results(get, run_jobs, two_annotators, items, choices):
    get()
    run_jobs()
    one_more(two_annotators, items)
    response = get("study_table", "informativity")
    assert (response.status_code, response["Content-Type"]) == (202, "text/html; charset=utf-8")
    with pytest.raises(ResultPending):
        draw_figure(two_annotators, choices, "dumbbell", "svg", only_current=True)
    run_jobs()
    assert get("study_table", "informativity")["Content-Type"] == "text/csv; charset=utf-8"


@pytest.mark.parametrize("name", PAGES)
def test_every_page_of_results_waits_and_then_shows_them(get, run_jobs, name):
    assert "data-refresh" in page_text(get(name))
    run_jobs()
    if name == "agreement_lab":  # first all questions at a glance, then one of them
        get(name)
        run_jobs()
    response = get(name)
    assert response.status_code == 200
    assert "data-refresh" not in page_text(response)


def test_the_progress_is_for_members_of_the_project(get, as_user, stranger, member):
    get()
    address = Job.objects.get().get_absolute_url()
    assert "Waiting for a worker." in page_text(as_user(member(Role.VIEWER)).get(address))
    assert as_user(stranger).get(address).status_code == 404


def test_what_is_hidden_stays_hidden_on_the_way(get, run_jobs, two_annotators, items, owner, reading):
    Study.objects.filter(pk=two_annotators.pk).update(state=StudyState.LIVE)
    two_annotators.refresh_from_db()
    get()
    run_jobs()  # before effects are hidden: what is cached holds all of them
    switch_effects(two_annotators, owner, hidden=True)
    one_more(two_annotators, items)
    now, progress = get(), reading.get(Job.objects.get(kind="report").get_absolute_url())
    assert "computed at" in page_text(now)
    run_jobs()
    names = Generator.objects.filter(project=two_annotators.project).values_list("name", flat=True)
    for response in (now, progress, get()):
        page = re.sub(r'<section id="description">.*?</section>', "", page_text(response))  # names what was asked
        assert not [name for name in names if name in page]
    assert get("study_table", "informativity").status_code == 404


def test_each_reader_has_the_results_in_their_language(get, reading, run_jobs):
    reading.cookies["django_language"] = "de"
    get()
    run_jobs()
    assert "Informativität" in page_text(get())
    reading.cookies["django_language"] = "en"
    get()
    assert run_jobs() == ["report"]


@pytest.mark.parametrize(
    ("step", "words", "value"),
    [
        ((ANSWERS, 12, 34), "Reading answers: 12 of 34.", 'max="34" value="12"'),
        ((TABLES, 3, 9), "Making tables: 3 of 9.", 'max="9" value="3"'),
    ],
)
def test_the_page_says_how_far_the_worker_is(get, step, words, value):
    get()
    Job.objects.update(state=JobState.RUNNING, **dict(zip(("step", "done", "total"), step, strict=True)))
    page = page_text(get())
    assert words in page
    assert value in page


def test_a_report_tells_of_answers_read_and_of_each_table(two_annotators, choices, recompute):
    heard = []
    with listen(lambda *step: heard.append(step)):
        build_report(collect_evidence(two_annotators, choices))
    assert heard[0] == (ANSWERS, 32, 0)
    _step, done, total = heard[-1]
    assert heard[1:] == [(TABLES, number, total) for number in range(done + 1)]
    assert 0 < done <= total


def test_only_expected_tables_are_counted_and_each_once():
    heard = []
    with listen(lambda *step: heard.append(step)), expect_tables({"wins", "ranking"}):
        for name in ("wins", "wins", "variants", "ranking"):
            report_table(name)
    report_table("wins")
    assert heard == [(TABLES, 0, 2), (TABLES, 1, 2), (TABLES, 2, 2)]


def test_a_worker_says_how_many_answers_there_are(get, monkeypatch, two_annotators):
    heard = []
    get()
    job = Job.objects.get()
    compute_report(job, lambda *step: heard.append(step))
    assert heard[0] == (ANSWERS, 32, 32)


def test_of_a_study_that_was_deleted_the_job_says_so(get, two_annotators, run_jobs):
    get()
    Job.objects.update(subject="study:0")
    run_jobs()
    assert Job.objects.get().error == "The study was deleted."


def test_an_address_of_earlier_versions_leads_to_the_results(get):
    assert get("study_working", "abc")["Location"] == reverse("study_results", args=["tiny"])


@pytest.mark.parametrize(
    ("generators", "n", "is_long"), [(4, 60, False), (10, 60, True), (10, 9, False), (4, 101, True)]
)
def test_many_generators_make_a_study_large(project, settings, generators, n, is_long):
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": 100}
    bank(project, texts=1, generators=tuple(f"g{number}" for number in range(generators)))
    study = make_live_study(project, plan={"annotators": 2, "seed": 1})
    assert cached_results.takes_long(study, n) == is_long
