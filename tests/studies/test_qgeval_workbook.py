"""Workbooks with the columns of QGEval, by page and by API, left to a worker: as items, then as answers of annotators.

They are built here: 20 passages with questions of 15 sources each, and scores that follow a rule.
"""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from items.models import ImportFile, Item, Text
from jobs.models import Job, JobState
from jobs.working import run_job
from studies.models import Response, Study
from tests.api.conftest import make_caller
from tests.items.sheets import xlsx
from tests.items.test_sheets import QGEVAL
from tests.studies.world import draft_study

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
PASSAGES, SOURCES = 20, [f"SQuAD_model-{n}_finetune" for n in range(14)] + ["SQuAD_reference"]
ANNOTATORS = ("annotator1", "annotator2", "annotator3")
N_ITEMS = PASSAGES * len(SOURCES)
N_RESPONSES = N_ITEMS * len(ANNOTATORS) * 7


def build_workbook(annotator: int) -> bytes:
    rows: list[list[object]] = [QGEVAL]
    for passage in range(PASSAGES):
        about = [
            passage,
            f"What does ferry {passage} do?",
            f"Ferry {passage} sails at {passage % 24} o'clock.",
            "sails",
        ]
        for place, source in enumerate(SOURCES):
            scores = [1 + (passage + place + dimension * annotator) % 3 for dimension in range(7)]
            rows.append([*about, f"What does ferry {passage} do, {place}?", source, *scores])
    return xlsx(rows)


@pytest.fixture(scope="module")
def books() -> dict[str, bytes]:
    return {name: build_workbook(number) for number, name in enumerate(ANNOTATORS)}


@pytest.fixture(autouse=True)
def job_folder(settings, tmp_path, monkeypatch):
    settings.JOB_FOLDER = tmp_path
    monkeypatch.setattr("items.services.import_files.AT_ONCE", 0)  # every file is a large one
    monkeypatch.setattr("jobs.working.Heartbeat.act", lambda self: None)  # PostgreSQL shows it nothing of a test


def work() -> Job:
    for job in Job.objects.open():
        run_job(job.pk)
    done = Job.objects.latest("pk")
    assert done.state == JobState.DONE, done.error
    return done


def send_by_page(client, project, books) -> None:
    page = client.post(
        reverse("item_import", args=[project.slug]),
        {"file": SimpleUploadedFile("annotator1.xlsx", books["annotator1"]), "language": "en"},
    )
    columns = client.get(page.url).context["form"]
    preview = client.post(page.url, {name: field.initial for name, field in columns.fields.items()}).url
    assert client.get(preview).status_code == 202
    work()
    assert client.get(preview).context["counts"].new_items == N_ITEMS
    progress = client.post(preview).url
    work()
    assert client.get(progress).status_code == 302
    assert not ImportFile.objects.exists()
    draft_study(project, slug="qgeval", protocol="dimension-ratings", plan={"annotators": 3, "per_unit": "all"})
    files = [SimpleUploadedFile(f"{name}.xlsx", content) for name, content in books.items()]
    progress = client.post(reverse("study_import", args=["qgeval"]), {"file": files}).url
    work()
    assert client.get(progress).url == reverse("study_results", args=["qgeval"])


def send_by_api(api, project, books) -> None:
    file = SimpleUploadedFile("annotator1.xlsx", books["annotator1"])
    asked = api.post(f"projects/{project.slug}/imports/", files={"file": file, "language": "en"})
    work()
    assert api.get(f"jobs/{asked.json()['id']}/").json()["result"]["counts"]["new_items"] == N_ITEMS
    draft_study(project, slug="qgeval", protocol="dimension-ratings", plan={"annotators": 3, "per_unit": "all"})
    files = [SimpleUploadedFile(f"{name}.xlsx", content) for name, content in books.items()]
    asked = api.post("studies/qgeval/responses/import/", files={"file": files})
    work()
    assert api.get(f"jobs/{asked.json()['id']}/").json()["result"]["responses"] == N_RESPONSES


@pytest.mark.parametrize("way", ["page", "api"])
def test_workbooks_of_three_annotators_are_a_bank_and_a_study(way, project, researcher, client, books):
    if way == "page":
        client.force_login(researcher)
        send_by_page(client, project, books)
    else:
        send_by_api(make_caller(researcher), project, books)
    assert (Text.objects.count(), Item.objects.count()) == (PASSAGES, N_ITEMS)
    assert Item.objects.filter(reference=True).count() == PASSAGES
    study = Study.objects.get(slug="qgeval")
    stored = Response.objects.filter(assignment__annotator__study=study).count()
    assert (study.state, stored) == ("imported", N_RESPONSES)
    one = Response.objects.get(
        assignment__annotator__code="annotator2", question="clarity", item__external_id="7-SQuAD_model-3_finetune"
    )
    assert one.value == 1 + (7 + 3 + 1) % 3
