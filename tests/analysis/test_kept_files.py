"""Files of large studies are written by a worker, and are the files that a small study gives at once."""

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from analysis import tasks
from analysis.exports.writing import FORMATS
from analysis.progress import ANSWERS, Step, listening
from analysis.services import kept_files, working
from jobs.models import Worker
from tests import reading


@pytest.fixture(autouse=True)
def large(db, settings, monkeypatch):
    """Every study is large, files have many parts, and whoever works says nothing on the way."""
    cache.clear()
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": 0}
    monkeypatch.setattr(working, "EVERY", 3600)
    monkeypatch.setattr(kept_files, "PART", 1000)


@pytest.fixture
def study(project):
    return reading.planted(project)


@pytest.fixture
def sent(monkeypatch):
    now, asked = timezone.now(), []
    Worker.objects.create(name="w@here", started_at=now, last_seen=now)
    monkeypatch.setattr(tasks.work_out_results, "apply_async", lambda kwargs, **how: asked.append(kwargs["place"]))
    return asked


@pytest.fixture
def take(study, as_user, reviewer):
    client = as_user(reviewer)
    return lambda format: client.get(reverse("study_export", args=[study.slug, format]))


def content(response) -> bytes:
    assert response.status_code == 200
    assert "attachment" in response["Content-Disposition"]
    return b"".join(response)


@pytest.mark.parametrize("format", FORMATS)
def test_a_worker_writes_the_file_that_is_written_at_once(format, take, sent, settings):
    waiting = take(format)
    assert waiting.status_code == 202
    assert b"Waiting for a worker." in waiting.content
    tasks.work_out_results(place=sent[-1])
    from_worker = content(take(format))
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": 1_000_000}
    assert content(take(format)) == from_worker
    assert len(sent) == 1


def test_without_a_worker_it_is_written_in_the_request(take):
    assert content(take("csv")).startswith(b"annotator,")


def test_a_file_that_lost_a_part_is_written_at_once_and_then_anew(take, sent, monkeypatch):
    take("csv")
    tasks.work_out_results(place=sent[-1])
    whole = content(take("csv"))
    lost = []
    monkeypatch.setattr(kept_files.KeptFile, "parts", lambda file: iter([b"", None]) if not lost.append(1) else None)
    assert content(take("csv")) == whole
    assert take("csv").status_code == 202
    assert len(sent) == 2


@pytest.mark.parametrize("format", ["csv", "wide"])
def test_writing_says_how_far_it_is(format, study, monkeypatch):
    monkeypatch.setattr("analysis.frames.export_rows.CHUNK", 10)
    heard = []
    with listening(heard.append):
        kept_files.export_responses(study, format, kept_files.Squeezed(kept_files.TemporaryFile()))
    assert Step(ANSWERS, 10) in heard or len(heard) > 1
    assert [step.done for step in heard] == sorted(step.done for step in heard)
