"""The page of a replication pack: who may ask for it, how far it is, and that it can be taken."""

import io
from zipfile import ZipFile

import pytest
from django.urls import reverse

from items.models import Text
from jobs.files import make_path
from jobs.models import Job, JobState
from studies.models import StudyState

pytestmark = pytest.mark.slow


@pytest.fixture
def page(as_user, two_annotators, reviewer):
    return Page(as_user(reviewer), reverse("study_pack", args=[two_annotators.slug]))


class Page:
    def __init__(self, client, address):
        self.client, self.address = client, address

    def read(self, **asked):
        return self.client.get(self.address, asked).content.decode()

    def ask(self, query=""):
        return self.client.post(self.address + query)


def test_a_pack_is_asked_for_built_by_a_worker_and_taken(page, two_annotators, run_jobs, reviewer):
    assert "Build pack" in page.read()
    page.ask()
    job = Job.objects.get()
    assert job.owner == reviewer
    assert "data-refresh" in page.read()
    assert "No worker is running." in page.read()
    assert run_jobs() == ["pack"]
    assert "Download pack" in page.read()
    assert "data-refresh" not in page.read()
    response = page.client.get(reverse("study_pack_file", args=[two_annotators.slug, job.pk]))
    content = response.getvalue()
    assert len(content) == int(response["Content-Length"])
    assert "manifest.json" in ZipFile(io.BytesIO(content)).namelist()


def test_a_second_click_asks_for_no_second_pack(page):
    page.ask()
    page.ask()
    assert Job.objects.count() == 1


@pytest.mark.parametrize("query", ["", "?include=pilot"])
def test_a_new_pack_takes_the_place_of_the_last_one(page, run_jobs, query):
    page.ask()
    run_jobs()
    earlier = make_path(Job.objects.get().file)
    page.ask(query)
    assert run_jobs() == ["pack"]
    job = Job.objects.get()
    assert (earlier.exists(), make_path(job.file).exists()) == (False, True)


def test_how_far_it_is_stands_on_the_page(page, worker):
    page.ask()
    Job.objects.update(state=JobState.RUNNING, step="figures", done=3, total=5)
    text = page.read()
    assert 'max="5" value="3"' in text
    assert "figures" in text
    assert "No worker is running." not in text


def test_what_stops_a_pack_is_said(page, run_jobs, monkeypatch):
    page.ask()

    def fill(*arguments):
        raise OSError("no space left")

    monkeypatch.setattr("analysis.pack.building.write_pack", fill)
    with pytest.raises(OSError, match="no space"):
        run_jobs()
    text = page.read()
    assert "OSError." in text
    assert "Build again" in text


def test_a_pack_is_not_given_out_once_a_text_of_it_may_not_be_shared(page, two_annotators, run_jobs):
    page.ask()
    run_jobs()
    Text.objects.filter(units__study=two_annotators).update(shareable=False)
    text = page.read()
    assert "as not redistributable. Build the pack again" in text
    assert "Download pack" not in text
    file = reverse("study_pack_file", args=[two_annotators.slug, Job.objects.get().pk])
    assert page.client.get(file).status_code == 302
    page.ask()
    run_jobs()
    assert "Download pack" in page.read()


def test_a_pack_whose_file_is_gone_can_only_be_built_again(page, two_annotators, run_jobs):
    page.ask()
    run_jobs()
    job = Job.objects.get()
    make_path(job.file).unlink()
    assert "Download pack" not in page.read()
    assert "Build again" in page.read()
    assert page.client.get(reverse("study_pack_file", args=[two_annotators.slug, job.pk])).status_code == 404


def test_a_draft_has_no_pack(as_user, two_annotators, reviewer, page):
    two_annotators.state = StudyState.DRAFT
    two_annotators.save()
    assert as_user(reviewer).get(page.address).status_code == 404
