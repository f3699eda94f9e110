"""Importing finished answers by page: the same rules as the command, said on the page."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from jobs.models import Job, JobState
from jobs.progress import listen
from jobs.working import run_job
from studies.models import Response, Study, StudyState
from studies.services.responses.importing import import_responses
from tests.api.conftest import make_caller
from tests.studies.answer_files import as_csv, make_option_rows, whole
from tests.studies.world import bank, draft_study, make_live_study


@pytest.fixture
def send(client, researcher, project):
    """A function that uploads a file for the draft."""
    client.force_login(researcher)
    bank(project)
    draft_study(project)

    def upload(content: bytes, slug: str = "study", **fields):
        file = SimpleUploadedFile("answers.csv", content)
        return client.post(reverse("study_import", args=[slug]), {"file": file} | fields)

    return upload


def test_a_good_file_is_imported_and_leads_to_the_results(send):
    page = send(as_csv(whole()))
    assert (page.status_code, page.url) == (302, reverse("study_results", args=["study"]))
    assert Response.objects.count() == 11
    assert Study.objects.get().state == "imported"


def test_a_bad_file_lists_line_column_and_reason_and_stores_nothing(send):
    rows = whole()
    rows[0]["value"] = "<b>maybe</b>"
    page = send(as_csv(rows)).content.decode()
    assert "Nothing was stored: 1 problem." in page
    assert '<td class="num">2</td><td>value</td>' in page
    assert "&lt;b&gt;maybe&lt;/b&gt;" in page
    assert not Response.objects.exists()


def test_only_the_first_two_hundred_problems_are_listed(send):
    page = send(
        as_csv([row for _n in range(100) for row in make_option_rows("P01", "guess", "nothing")])
    ).content.decode()
    assert "Nothing was stored: 300 problems." in page
    assert page.count('<td class="num">') == 200
    assert "The first 200 problems are listed." in page


def test_guesses_without_a_read_are_taken_if_asked_for(send):
    assert send(as_csv(make_option_rows("P01", "guess", "t1-alder-1"))).status_code == 200
    assert send(as_csv(make_option_rows("P01", "guess", "t1-alder-1")), partial="on").status_code == 302


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"", "The submitted file is empty."), (b"\n", "The file is empty."), (b"\xff", "This is not UTF-8")],
)
def test_a_file_that_is_none_is_said(content, sentence, send):
    assert sentence in send(content).content.decode()


def test_a_file_above_the_bound_of_pages_is_refused_with_the_limit(send, settings):
    settings.LESART = settings.LESART | {"PAGE_UPLOAD_BYTES": 1_000}
    page = send(as_csv(whole() * 3))
    assert "import_responses" in page.content.decode()
    assert not Response.objects.exists()


def test_a_launched_study_takes_no_file(send, project):
    make_live_study(project, slug="running")
    page = send(as_csv(whole()), slug="running").content.decode()
    assert "Answers can only be imported into a draft" in page
    assert not Response.objects.exists()


def test_a_draft_with_nothing_to_ask_about_says_so(send, project):
    project.items.all().update(superseded_at="2026-01-01T00:00:00Z")
    assert "Nothing to annotate" in send(as_csv(whole())).content.decode()


def test_a_page_that_was_only_opened_complains_of_nothing(send, client):
    page = client.get(reverse("study_import", args=["study"])).content.decode()
    assert "errorlist" not in page
    assert "<code>item_id</code>" in page


@pytest.fixture
def work(monkeypatch, settings, tmp_path):
    """Every file is a large one; the function does the work of a worker."""
    monkeypatch.setattr("items.services.import_files.AT_ONCE", 0)
    monkeypatch.setattr("jobs.working.Heartbeat.act", lambda self: None)  # PostgreSQL shows it nothing of a test
    settings.JOB_FOLDER = tmp_path

    def run() -> Job:
        for job in Job.objects.open():
            run_job(job.pk)
        return Job.objects.latest("pk")

    return run


def test_a_large_file_is_imported_by_a_worker(send, client, work, tmp_path):
    progress = send(as_csv(whole())).url
    assert client.get(progress).status_code == 202
    assert not Response.objects.exists()
    work()
    assert client.get(progress).url == reverse("study_results", args=["study"])
    assert Response.objects.count() == 11
    assert not list(tmp_path.iterdir())


def test_a_worker_that_dies_after_the_answers_are_stored_has_imported_them(send, client, work, monkeypatch):
    progress = send(as_csv(whole())).url
    with monkeypatch.context() as patch:
        patch.setattr("jobs.working.finish", lambda job, path: None)
        work()
    assert Response.objects.count() == 11
    Job.objects.update(state=JobState.QUEUED)
    job = work()
    assert (job.state, job.about["result"]["responses"]) == (JobState.DONE, 11)
    assert client.get(progress).url == reverse("study_results", args=["study"])
    assert Response.objects.count() == 11


def test_nothing_is_stored_once_the_job_is_in_other_hands(send, work, monkeypatch):
    send(as_csv(whole()))
    monkeypatch.setattr("studies.services.responses.importing.filter_held", lambda job: Job.objects.none())
    work()
    assert not Response.objects.exists()
    assert Study.objects.get().state == StudyState.DRAFT


def test_what_is_wrong_with_a_large_file_is_listed_on_the_page_it_came_from(send, client, work, researcher):
    rows = whole()
    rows[0]["value"] = "maybe"
    progress = send(as_csv(rows)).url
    job = work()
    page = client.get(progress)
    assert (page.status_code, page.context["problems"][0]["line"], page.context["problems"][0]["field"]) == (
        200,
        2,
        "value",
    )
    reply = make_caller(researcher).get(f"jobs/{job.pk}/").json()
    assert (reply["state"], reply["errors"]) == ("failed", page.context["problems"])
    assert not Response.objects.exists()


def test_a_large_file_by_api_is_a_job_with_the_counts(send, work, researcher):
    api = make_caller(researcher)

    def post(**fields) -> dict:
        file = SimpleUploadedFile("answers.csv", as_csv(whole()))
        job = api.post("studies/study/responses/import/", files={"file": file, **fields})
        assert job.status_code == 202
        work()
        return api.get(f"jobs/{job.json()['id']}/").json()["result"]

    assert post(dry_run="true")["responses"] == 11
    assert not Response.objects.exists()
    assert post(mapping="annotator = annotator")["annotators"] == 1
    assert Response.objects.count() == 11


def test_an_import_reports_how_many_rows_it_has_checked_and_stored(send):
    heard = []
    rows = [row for number in range(50) for row in whole(f"P{number}")]
    with listen(lambda *told: heard.append(told)):
        import_responses(Study.objects.get(), as_csv(rows))
    assert heard == [("rows", 500, 550), ("answers", 500, 550)]
