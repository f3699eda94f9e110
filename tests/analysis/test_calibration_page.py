"""The agreement of a large study's calibration is worked out by a worker, while the study's page stands."""

import pytest
from django.urls import reverse

from studies.services.responses.importing import import_responses
from tests.pairs import draft_study, make_bank
from tests.studies.answer_files import as_csv


@pytest.fixture(autouse=True)
def large(settings):
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": 0}


@pytest.fixture
def page(project, as_user, researcher):
    """A function that opens the study's page; two people agree about one pair and differ about another."""
    make_bank(project)
    study = draft_study(project, slug="imported")
    alder, birch = "p1-gen-alder-0", "p1-gen-birch-0"
    values = [("a", birch, alder), ("b", birch, alder), ("a", "p1-gen-cedar-0", alder), ("b", "tie", alder)]
    rows = [
        {"annotator": code, "stage": "compare", "question": "better", "value": value, "part": "calibration"}
        | {"item_id": birch if place < 2 else "p1-gen-cedar-0", "other_item_id": other}
        for place, (code, value, other) in enumerate(values)
    ]
    import_responses(study, as_csv(rows))
    client = as_user(researcher)
    return lambda: client.get(reverse("study_design", args=["imported"])).content.decode()


def test_the_page_says_how_far_the_agreement_is_and_then_shows_it(page, run_jobs):
    waiting = page()
    assert "Waiting for a worker." in waiting
    assert "with ties" not in waiting
    assert "No calibration pair has been answered" not in waiting
    assert run_jobs() == ["calibration"]
    there = page()
    assert "with ties" in there
    assert "Waiting for a worker." not in there
    assert run_jobs() == []


def test_the_page_of_a_small_study_shows_it_at_once(page, run_jobs, settings):
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": 1_000}
    assert "with ties" in page()
    assert run_jobs() == []
