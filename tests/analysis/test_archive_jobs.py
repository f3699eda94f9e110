"""Archives by page: asked for, written by a worker, taken, sent, and a project again."""

import io
from zipfile import ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from analysis.pack import archiving
from items.services.exporting import export_lines
from jobs.files import make_path
from jobs.models import Job, JobState
from projects.models import Project
from studies.models import Study
from tests.analysis import whole_studies

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def study(project):
    return whole_studies.make_guessing_study(project)


@pytest.fixture
def page(project, owner, as_user):
    client = as_user(owner)
    client.address = reverse("project_export", args=[project.slug])
    return client


def take(page, run_jobs, project) -> bytes:
    page.post(page.address)
    assert run_jobs() == ["archive"]
    job = archiving.find_archive(project)
    response = page.get(reverse("project_export_file", args=[project.slug, job.pk]))
    return b"".join(response)


def send(page, content: bytes, slug: str = ""):
    file = SimpleUploadedFile("project.zip", content)
    return page.post(reverse("project_import"), {"file": file, "slug": slug})


def test_a_project_goes_out_and_comes_in_by_page(study, project, page, run_jobs):
    bank = sorted(export_lines(project))
    archive = take(page, run_jobs, project)
    assert "manifest.json" in ZipFile(io.BytesIO(archive)).namelist()
    Study.objects.filter(pk=study.pk).update(slug="other")
    sent = send(page, archive, "again")
    assert run_jobs() == ["archive-import"]
    assert page.get(sent.url).url == reverse("project", args=["again"])
    again = Project.objects.get(slug="again")
    assert sorted(export_lines(again)) == bank
    assert again.memberships.get().role == "owner"
    assert again.studies.count() == 1
    job = Job.objects.get(kind="archive-import")
    assert not make_path(job.parameters["upload"]).exists()


@pytest.mark.parametrize("content", [b"PK\x03\x04", b"text", b""])
def test_what_is_no_archive_is_refused_with_a_sentence(content, page, run_jobs, project):
    n = Project.objects.count()
    sent = send(page, content)
    if not content:  # the form says so
        assert sent.context["form"].errors
        return
    run_jobs()
    job = Job.objects.get()
    assert job.state == JobState.FAILED
    assert job.error.startswith("Nothing was stored. ")
    assert job.error in page.get(sent.url).content.decode()
    assert Project.objects.count() == n


def test_a_short_name_that_is_taken_is_refused(study, project, page, run_jobs):
    archive = take(page, run_jobs, project)
    send(page, archive)
    run_jobs()
    assert "rivers" in Job.objects.get(kind="archive-import").error


def test_an_import_that_a_crash_interrupted_after_it_was_stored_is_not_done_twice(study, project, page, run_jobs):
    archive = take(page, run_jobs, project)
    Study.objects.filter(pk=study.pk).update(slug="other")
    send(page, archive, "again")
    run_jobs()
    Job.objects.filter(kind="archive-import").update(state=JobState.QUEUED)
    run_jobs()
    assert Job.objects.get(kind="archive-import").state == JobState.DONE


def test_an_archive_with_a_text_that_may_not_be_shared_any_more_is_not_given_out(study, project, page, run_jobs):
    take(page, run_jobs, project)
    project.texts.update(shareable=False)
    job = archiving.find_archive(project)
    assert page.get(reverse("project_export_file", args=[project.slug, job.pk])).status_code == 404
    assert not page.get(page.address).context["is_there"]


def test_only_owners_export_and_only_the_sender_sees_an_import(study, project, page, run_jobs, as_user, reviewer):
    archive = take(page, run_jobs, project)
    sent = send(page, archive)
    other = as_user(reviewer)
    job = archiving.find_archive(project)
    for address in (page.address, reverse("project_export_file", args=[project.slug, job.pk]), sent.url):
        assert other.get(address).status_code == 404


def test_hidden_effects_stay_hidden(study, project, page, monkeypatch):
    monkeypatch.setattr(archiving, "are_effects_hidden", lambda study: True)
    page.post(page.address)
    assert not Job.objects.exists()
    assert page.get(page.address).context["refusal"]
