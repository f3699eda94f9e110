"""Exports of large studies are written by a worker, and are the files that a small study gives at once."""

from io import StringIO

import pytest
from django.urls import reverse

from analysis.exports.writing import FORMATS, export_responses
from jobs.files import make_path
from jobs.models import Job
from jobs.progress import ANSWERS, listen
from tests import reading

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def large(db, settings):
    """Every study is large."""
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": 0}


@pytest.fixture
def study(project):
    return reading.plant_three_texts(project)


@pytest.fixture
def take(study, as_user, reviewer):
    client = as_user(reviewer)
    return lambda format: client.get(reverse("study_export", args=[study.slug, format]))


def content(response) -> bytes:
    assert response.status_code == 200
    assert "attachment" in response["Content-Disposition"]
    return b"".join(response)


@pytest.mark.parametrize("format", FORMATS)
def test_a_worker_writes_the_file_that_is_written_at_once(format, take, run_jobs, settings):
    waiting = take(format)
    assert waiting.status_code == 202
    assert b"Waiting for a worker." in waiting.content
    assert run_jobs() == ["export"]
    from_worker = content(take(format))
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": 1_000_000}
    assert content(take(format)) == from_worker
    assert run_jobs() == []


def test_a_file_that_is_lost_is_written_anew(take, run_jobs):
    take("csv")
    run_jobs()
    make_path(Job.objects.get().file).unlink()
    assert take("csv").status_code == 202
    assert run_jobs() == ["export"]
    assert content(take("csv")).startswith(b"annotator,")


@pytest.mark.parametrize("format", ["csv", "wide"])
def test_writing_says_how_far_it_is(format, study, monkeypatch):
    monkeypatch.setattr("analysis.frames.export_rows.CHUNK", 10)
    heard = []
    with listen(lambda *step: heard.append(step)):
        export_responses(study, format, StringIO())
    assert (ANSWERS, 10, 0) in heard or len(heard) > 1
    assert [done for _step, done, _total in heard] == sorted(done for _step, done, _total in heard)
