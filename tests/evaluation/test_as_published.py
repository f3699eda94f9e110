"""The switch *as published*: what it asks, how it reads, and how many answers differ from the default reading."""

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.reports.description import build_description
from evaluation.services.asking import ModelSpec, start
from evaluation.services.describing import compare_readings
from evaluation.services.progress import get_row
from llm.models import Run
from llm.services.draining import drain_here
from studies.models import Response
from tests.mock_server import Planned

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("quick_models")]


def run_model(study, endpoint, **about):
    evaluator = start(study, ModelSpec(endpoint, **about))
    drain_here(Run.objects.latest("pk"))
    return evaluator


def is_sea(request) -> bool:
    return "das Meer" in str(request.body["messages"])


def unclear_at_first(request) -> str:
    return "Unklar." if is_sea(request) and len(request.body["messages"]) == 1 else "R"


# Summed, F has .45 beside .4 of R; the larger of its variants has .25.
SPLIT = Planned("R", [("R", 0.4, {"R": 0.4, "F": 0.2, " F": 0.25})])
FAINT = Planned("Die", [("Die", 0.99, {"Die": 0.99, "R": 0.004, "F": 0.002})])


def test_it_is_asked_once_with_ten_tokens_and_what_is_unclear_is_missing(study, serve_model, endpoint):
    server = serve_model(unclear_at_first)
    evaluator = run_model(study, endpoint(server), as_published=True)
    assert {request.body["max_tokens"] for request in server.requests} == {10}
    assert {len(request.body["messages"]) for request in server.requests} == {1}
    assert len(server.requests) == 16
    assert (get_row(evaluator).n_missing, get_row(evaluator).n_unparsed) == (2, 2)


def test_an_empty_reply_is_not_repeated(study, serve_model, endpoint):
    server = serve_model("")
    run_model(study, endpoint(server), as_published=True)
    assert len(server.requests) == 16


def test_the_larger_variant_counts_and_not_the_sum(study, serve_model, endpoint):
    mock = endpoint(serve_model(lambda request: SPLIT))
    run_model(study, mock, reading="probability", as_published=True, label="published")
    run_model(study, mock, reading="probability", label="ours")
    found = dict(Response.objects.values_list("assignment__annotator__code", "probability"))
    assert found == {"published": pytest.approx(0.4 / 0.65), "ours": pytest.approx(0.4 / 0.85)}


def test_labels_with_hardly_any_probability_still_have_a_ratio(study, serve_model, endpoint):
    mock = endpoint(serve_model(lambda request: FAINT))
    run_model(study, mock, reading="probability", as_published=True, label="published")
    run_model(study, mock, reading="probability", label="ours")
    assert dict(Response.objects.values_list("assignment__annotator__code", "probability")) == {
        "published": pytest.approx(2 / 3)
    }


def test_answers_that_differ_from_the_default_are_counted_from_stored_replies(study, serve_model, endpoint):
    server = serve_model(lambda request: FAINT if is_sea(request) else SPLIT)
    evaluator = run_model(study, endpoint(server), reading="probability", as_published=True)
    n = len(server.requests)
    found = compare_readings(evaluator)
    # All 14 others: p .62 as published, .47 summed. The sea: a ratio as published, missing by default.
    assert (found.n, found.n_differ, found.n_unknown, found.is_whole) == (16, 16, 0, True)
    assert len(server.requests) == n


def test_a_default_reading_is_held_against_the_published_one(study, serve_model, endpoint):
    evaluator = run_model(study, endpoint(serve_model(unclear_at_first)))
    assert not get_row(evaluator).n_missing
    found = compare_readings(evaluator)
    assert (found.n, found.n_differ, found.n_unknown) == (16, 2, 0)


def test_where_the_default_would_have_asked_again_it_cannot_be_said(study, serve_model, endpoint):
    found = compare_readings(run_model(study, endpoint(serve_model(unclear_at_first)), as_published=True))
    assert (found.n, found.n_differ, found.n_unknown) == (16, 0, 2)


def page_of(client, evaluator) -> str:
    page = client.get(reverse("evaluator", args=["rivers-1", evaluator.pk]))
    return " ".join(BeautifulSoup(page.content, "html.parser").main.get_text(" ").split())


def test_the_page_says_how_it_was_read_what_differs_and_what_is_missing(
    as_user, reviewer, study, serve_model, endpoint
):
    evaluator = run_model(study, endpoint(serve_model(unclear_at_first)), as_published=True)
    words = page_of(as_user(reviewer), evaluator)
    assert "asked and parsed as in the publication" in words
    assert "0 of 16 answers differ." in words
    assert "2 answers cannot be compared without new calls, because" in words
    assert "river r1 b no answer in the reply" in words
    assert "Unklar." in words


def test_single_replies_are_not_shown_to_viewers(as_user, viewer, study, serve_model, endpoint):
    evaluator = run_model(study, endpoint(serve_model(unclear_at_first)), as_published=True)
    words = page_of(as_user(viewer), evaluator)
    assert "Unklar." not in words
    assert "Reviewers of the project" in words


def test_the_reports_description_says_so(study, serve_model, endpoint):
    run_model(study, endpoint(serve_model("R")), as_published=True, label="paper")
    notes = build_description(collect_evidence(study, Choices(seed=1))).notes
    assert any("“paper” was asked and parsed as in the publication" in note for note in notes)
