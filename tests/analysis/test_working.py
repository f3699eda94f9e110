"""Results of large studies: a worker makes them, the page says how far they are, and shows what it shows as of when."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone
from kombu.exceptions import OperationalError

from analysis import tasks
from analysis.choices import Choices
from analysis.figures.registry import FORMS
from analysis.frames.evidence import evidence_of
from analysis.progress import ANSWERS, TABLES, Step, listening
from analysis.reports.registry import build, report_from
from analysis.services import wanted, working
from analysis.services.figures import figure_of
from items.models import Generator
from jobs.models import Worker
from projects.models import Role
from studies.models import Study, StudyState
from studies.services.states import switch_effects
from tests.factory import answer, make_annotator, make_study

PAGES = ["study_results", "agreement_lab", "stand_in", "study_planner", "study_items"]


@pytest.fixture(autouse=True)
def large(db, settings, monkeypatch):
    """Every study is large; whoever works says nothing on the way."""
    cache.clear()
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": 0}
    monkeypatch.setattr(working, "EVERY", 3600)


@pytest.fixture
def worker(db):
    now = timezone.now()
    return Worker.objects.create(name="w@here", started_at=now, last_seen=now)


@pytest.fixture
def sent(monkeypatch, worker):
    """The names of the tickets that workers were asked about; nobody comes until a test says so."""
    asked = []
    monkeypatch.setattr(tasks.work_out_results, "apply_async", lambda kwargs, **how: asked.append(kwargs["place"]))
    return asked


@pytest.fixture
def computed(monkeypatch):
    """How often which kind of result is computed."""
    seen = []

    def counted(kind, compute):
        return lambda wanted: seen.append(kind) or compute(wanted)

    for kind, compute in list(wanted.KINDS.items()):
        monkeypatch.setitem(wanted.KINDS, kind, counted(kind, compute))
    return seen


@pytest.fixture
def reading(as_user, reviewer):
    return as_user(reviewer)


@pytest.fixture
def choices(answered):
    """What the page asks for by itself."""
    return Choices(seed=abs(answered.seed))


@pytest.fixture
def get(reading, answered):
    """A function that gives a page of the study as a reviewer sees it."""
    return lambda name="study_results", *rest, **asked: reading.get(reverse(name, args=[answered.slug, *rest]), asked)


def work(sent):
    tasks.work_out_results(place=sent[-1])


def said(response) -> str:
    return " ".join(response.content.decode().split())


def one_more(study, items, code="cem"):
    answer(make_annotator(study, code), "guess", items["c1"], "TF")


def test_a_large_study_shows_a_panel_and_then_the_numbers_of_the_report(get, sent, answered, choices):
    page = said(get())
    assert "Working out the results from" in page
    assert "Waiting for a worker." in page
    assert 'id="informativity"' not in page
    work(sent)
    response = get()
    assert response.context["report"] == build(answered, choices)
    assert 'id="informativity"' in said(response)
    assert "Working out" not in said(response)


def test_the_panel_keeps_head_tabs_and_controls(get, sent, answered):
    page = said(get())
    assert f"<h1>{answered.title}</h1>" in page
    assert 'aria-current="page"' in page
    assert 'name="convention"' in page


def test_a_small_study_is_computed_in_the_request(get, sent, settings, computed):
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": 1_000}
    assert 'id="informativity"' in said(get())
    assert (computed, sent) == (["report"], [])


def test_without_a_worker_it_is_computed_in_the_request(get, answered, choices):
    assert not Worker.objects.alive().exists()
    assert get().context["report"] == build(answered, choices)


def test_without_a_broker_it_is_computed_in_the_request(get, worker, monkeypatch, computed):
    def away(**how):
        raise OperationalError

    monkeypatch.setattr(tasks.work_out_results, "apply_async", away)
    assert 'id="informativity"' in said(get())
    assert computed == ["report"]


def test_two_who_ask_at_once_cause_one_message_and_one_computation(get, sent, computed):
    get()
    get()
    assert len(sent) == 1
    work(sent)
    work(sent)
    assert computed == ["report"]


def test_what_somebody_else_works_on_is_left_to_them(get, sent, computed):
    get()
    cache.set(f"lease:{sent[0]}", True, 30)
    work(sent)
    assert computed == []


def test_without_a_worker_the_second_of_two_waits_for_the_first(get, sent, worker, computed):
    get()
    worker.delete()
    cache.delete(f"sent:{sent[0]}")
    cache.set(f"lease:{sent[0]}", True, 30)  # held by the request of the first
    assert "Working out the results" in said(get())
    assert computed == []


def test_a_worker_that_fails_says_so_and_can_be_asked_again(get, sent, reading, monkeypatch):
    get()
    with monkeypatch.context() as broken:
        broken.setitem(wanted.KINDS, "report", lambda wanted: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            work(sent)
    page = said(get())
    assert "The results could not be worked out:</strong> ZeroDivisionError." in page
    assert "Try again" in page
    assert len(sent) == 1  # nothing is asked for by itself
    response = reading.post(reverse("study_working", args=["tiny", sent[0]]), {"to": "/s/tiny/results/?asked=1"})
    assert response["Location"] == "/s/tiny/results/?asked=1"
    get()
    assert len(sent) == 2
    work(sent)
    assert 'id="informativity"' in said(get())


def test_trying_again_leads_to_no_other_host(get, sent, reading):
    get()
    response = reading.post(reverse("study_working", args=["tiny", sent[0]]), {"to": "https://elsewhere.example/"})
    assert response["Location"] == reverse("study_results", args=["tiny"])


def test_a_worker_that_ended_without_a_word_is_asked_for_again_and_not_for_ever(get, sent, answered):
    for _time in range(working.MOST_STARTS):
        get()
        ticket = working.ticket_at(answered, sent[-1])
        working.store(replace(ticket, starts=ticket.starts + 1))
        cache.delete(f"sent:{sent[-1]}")  # and no lease: both have run out
    assert len(sent) == working.MOST_STARTS
    assert "ended without a word" in said(get())
    assert len(sent) == working.MOST_STARTS


def test_after_new_answers_the_earlier_results_say_of_when_they_are(get, sent, answered, items, choices):
    get()
    work(sent)
    one_more(answered, items)
    response = get()
    assert "These results are as of" in said(response)
    assert "2 new answers have come since." in said(response)
    assert "The results are being worked out again." in said(response)
    assert response.context["report"].n_responses == build(answered, choices).n_responses - 2
    assert len(sent) == 2
    work(sent)
    response = get()
    assert "as of" not in said(response)
    assert response.context["report"] == build(answered, choices)


def test_what_has_changed_without_a_new_answer_is_said_too(get, sent, answered):
    get()
    work(sent)
    answered.annotators.filter(code="ada").update(purpose="pilot")
    assert "Answers, keys or people have changed since." in said(get())


def test_results_that_are_no_longer_young_are_not_shown(get, sent, answered, items, monkeypatch):
    get()
    work(sent)
    one_more(answered, items)
    monkeypatch.setattr(working, "YOUNG", timedelta(0))
    page = said(get())
    assert "Working out the results" in page
    assert 'id="informativity"' not in page


def test_the_figures_of_earlier_results_are_drawn_from_them_and_say_of_when(
    get, sent, answered, items, computed, monkeypatch, choices
):
    drawn = []
    monkeypatch.setitem(FORMS, "svg", lambda spec: drawn.append(spec) or b"<svg/>")
    get()
    work(sent)
    one_more(answered, items)
    assert figure_of(answered, choices, "dumbbell", "svg") == b"<svg/>"
    assert re.search(r"As of \d+:\d\d", str(drawn[0]["title"]))
    assert computed == ["report"]


def test_files_are_never_those_of_earlier_results(get, sent, answered, items):
    get()
    work(sent)
    one_more(answered, items)
    response = get("study_table", "informativity")
    assert (response.status_code, response["Content-Type"]) == (202, "text/html; charset=utf-8")
    work(sent)
    assert get("study_table", "informativity")["Content-Type"] == "text/csv; charset=utf-8"


def test_a_downloaded_figure_is_never_that_of_earlier_results(get, sent, answered, items, choices):
    get()
    work(sent)
    one_more(answered, items)
    with pytest.raises(working.BeingWorkedOut):
        figure_of(answered, choices, "dumbbell", "svg", only_current=True)


@pytest.mark.parametrize("name", PAGES)
def test_every_page_of_results_waits_and_then_shows_them(get, sent, name):
    assert "data-refresh" in said(get(name))
    work(sent)
    if name == "agreement_lab":  # first all questions at a glance, then one of them
        get(name)
        work(sent)
    response = get(name)
    assert response.status_code == 200
    assert "data-refresh" not in said(response)


@pytest.mark.parametrize("name", PAGES)
def test_who_may_not_see_the_study_is_refused_as_before(answered, as_user, stranger, sent, name):
    assert as_user(stranger).get(reverse(name, args=[answered.slug])).status_code == 404
    assert sent == []


def test_how_far_it_is_says_nothing_to_strangers_and_nothing_by_another_study(
    get, sent, answered, as_user, stranger, member
):
    get()
    address = reverse("study_working", args=[answered.slug, sent[0]])
    other = make_study(answered.project, "other", [answered.units.first().items.first()])
    client = as_user(member(Role.VIEWER))
    assert "Waiting for a worker." in said(client.get(address))
    assert "Waiting" not in said(client.get(reverse("study_working", args=[other.slug, sent[0]])))
    assert as_user(stranger).get(address).status_code == 404


def test_what_is_hidden_stays_hidden_on_the_way(get, sent, answered, items, owner, reading):
    Study.objects.filter(pk=answered.pk).update(state=StudyState.LIVE)
    answered.refresh_from_db()
    get()
    work(sent)  # before effects are hidden: what is kept holds all of them
    switch_effects(answered, owner, hidden=True)
    one_more(answered, items)
    now, how_far = get(), reading.get(reverse("study_working", args=["tiny", sent[-1]]))
    assert "as of" in said(now)
    work(sent)
    names = Generator.objects.filter(project=answered.project).values_list("name", flat=True)
    for response in (now, how_far, get()):
        page = re.sub(r'<section id="description">.*?</section>', "", said(response))  # names what was asked
        assert not [name for name in names if name in page]
    assert get("study_table", "informativity").status_code == 404


def test_each_reader_has_the_results_in_their_language(get, reading, sent):
    reading.cookies["django_language"] = "de"
    get()
    work(sent)
    assert "Informativität" in said(get())
    reading.cookies["django_language"] = "en"
    get()
    assert len(sent) == 2


@pytest.mark.parametrize(
    ("step", "words", "value"),
    [
        (Step(ANSWERS, 12), "Reading answers: 12 of", 'value="12"'),
        (Step(TABLES, 3, 9), "Making tables: 3 of 9.", 'max="9" value="3"'),
    ],
)
def test_the_panel_says_how_far_the_worker_is(get, sent, answered, step, words, value):
    get()
    working.Words(replace(working.ticket_at(answered, sent[0]), step=step)).say()
    page = said(get("study_working", sent[0]))
    assert words in page
    assert value in page


def test_a_report_tells_of_answers_read_and_of_each_table(answered, choices):
    heard = []
    with listening(heard.append):
        report_from(evidence_of(answered, choices))
    assert heard[0] == Step(ANSWERS, 32)
    assert heard[1:] == [Step(TABLES, number, 11) for number in range(1, 12)]


def test_a_message_about_nothing_does_nothing(db, computed):
    tasks.work_out_results(place="nothing")
    assert computed == []
