"""The progress of a job on a page: for members of its project, with cancel and try again."""

import pytest
from django.http import HttpResponse
from django.urls import reverse

from config.middleware import RequestMiddleware
from jobs.kinds import KINDS, Kind
from jobs.models import Job, JobState
from jobs.views import ResultPending
from projects.models import User


@pytest.fixture
def job(project, monkeypatch):
    kind = Kind("count", "", "Counting", {"counting": "Counted %(done)s of %(total)s."})
    monkeypatch.setitem(KINDS, "count", kind)
    return Job.objects.create(kind="count", key="1", project=project, language="en", state=JobState.RUNNING)


@pytest.fixture
def address(job):
    return reverse("job", args=[job.pk])


def read(response) -> str:
    return " ".join(response.content.decode().split())


def test_how_far_it_is(job, address, as_user, viewer, worker):
    client = as_user(viewer)
    assert "A worker has started." in read(client.get(address))
    Job.objects.update(step="counting", done=12, total=12_000)
    page = read(client.get(address, {"to": "/p/rivers/"}))
    assert "Counted 12 of 12,000." in page
    assert 'max="12000" value="12"' in page
    assert f'data-refresh="{address}?to=%2Fp%2Frivers%2F"' in page
    assert "No worker is running." not in page


def test_without_a_worker_the_page_says_so(job, address, as_user, viewer):
    Job.objects.update(state=JobState.QUEUED)
    page = read(as_user(viewer).get(address))
    assert "Waiting for a worker." in page
    assert "No worker is running." in page


def test_a_finished_job_leads_to_its_page_unless_something_is_shown(job, address, as_user, viewer):
    Job.objects.update(state=JobState.DONE)
    client = as_user(viewer)
    assert 'data-again="/p/rivers/"' in read(client.get(address, {"to": "/p/rivers/"}))
    assert "data-again" not in read(client.get(address, {"to": "/p/rivers/", "shows": "1"}))


@pytest.mark.parametrize("to", ["https://elsewhere.example/", "javascript:alert(1)", ""])
def test_it_leads_to_no_other_host(job, address, as_user, researcher, to):
    assert as_user(researcher).post(address, {"to": to, "cancel": ""})["Location"] == "/"


def test_researchers_and_who_asked_may_cancel(job, address, as_user, viewer, researcher):
    page = as_user(viewer).get(address)
    as_user(viewer).post(address, {"cancel": ""})
    assert (Job.objects.get().state, 'name="cancel"' in read(page)) == ("running", False)
    Job.objects.update(owner=viewer)
    assert 'name="cancel"' in read(as_user(viewer).get(address))
    as_user(researcher).post(address, {"cancel": ""})
    assert Job.objects.get().state == JobState.CANCELLED


@pytest.mark.parametrize("state", [JobState.FAILED, JobState.CANCELLED])
def test_what_failed_or_was_cancelled_can_be_tried_again(job, address, as_user, viewer, state):
    Job.objects.update(state=state, error="No.")
    client = as_user(viewer)
    assert 'name="retry"' in read(client.get(address))
    assert client.post(address, {"retry": "", "to": "/p/rivers/"})["Location"] == "/p/rivers/"
    assert Job.objects.get().state == JobState.QUEUED


def test_an_open_job_cannot_be_tried_again(job, address, as_user, viewer):
    as_user(viewer).post(address, {"retry": ""})
    assert Job.objects.get().state == JobState.RUNNING


def test_a_stranger_finds_nothing(job, address, as_user, stranger, client):
    assert client.get(address).status_code == 302
    assert as_user(stranger).get(address).status_code == 404
    assert as_user(stranger).post(address, {"cancel": ""}).status_code == 404
    Job.objects.update(project=None, owner=stranger)
    assert as_user(stranger).get(address).status_code == 200


def test_in_place_of_a_page_that_waits(job, rf):
    request = rf.get("/some/page/?a=1")
    request.user = User.objects.create_user("ada", is_superuser=True)
    middleware = RequestMiddleware(lambda request: HttpResponse())
    response = middleware.process_exception(request, ResultPending(job))
    assert response.status_code == 202
    assert "to=/some/page/%3Fa%3D1".replace("/", "%2F") in response.content.decode()
    assert middleware.process_exception(request, ValueError()) is None
