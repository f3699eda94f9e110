"""The corpus of hostile files, sent to each address that takes one: refused with its reasons, and nothing is stored.

Each file is sent as one of the formats of items in turn: tests/items/test_hostile_corpus.py reads it as every one.
"""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from items.models import BankImport, Benchmark, ImportFile, Text
from jobs.models import Job, JobState
from jobs.working import run_job
from projects.models import Project
from studies.models import Response
from studies.models.study import Study
from tests.factory import make_item, make_study, make_text
from tests.items.test_hostile_corpus import FILES

pytestmark = pytest.mark.slow
PLAIN = {"two marks", "huge cell", "UTF-32", "UTF-16 without mark", "Shift JIS"}  # perhaps words of a file all the same
FORMATS = ("lesart", "csv", "qti", "text")
ADDRESSES = {
    "answers": ("studies/draft/responses/import/", {}),
    "benchmark": ("projects/rivers/benchmarks/", {"name": "RACE", "format": "lesart"}),
    "project": ("project-imports/", {}),
}


@pytest.fixture
def draft(project) -> Study:
    return make_study(project, "draft", [make_item(make_text(project, "t"), "human", "i")], state="draft")


def count_stored() -> list[int]:
    return [model._base_manager.count() for model in (Text, BankImport, Benchmark, Response, Project)]


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_refused_by_every_address(name, draft, caller, researcher, settings, tmp_path, monkeypatch):
    settings.JOB_FOLDER = tmp_path
    monkeypatch.setattr("jobs.working.Heartbeat.act", lambda self: None)  # PostgreSQL shows it nothing of a test
    ask, before = caller(researcher).post, count_stored()
    format_name = FORMATS[list(FILES).index(name) % len(FORMATS)]
    items = {f"items as {format_name}": ("projects/rivers/imports/", {"format": format_name})}
    for about, (address, fields) in (items | ADDRESSES).items():
        sent = ask(address, files={"file": SimpleUploadedFile("file.bin", FILES[name]), **fields})
        if sent.status_code == 202:
            job = Job.objects.get(pk=sent.json()["id"])
            run_job(job.pk)
            job.refresh_from_db()
            assert job.state == JobState.FAILED or name in PLAIN, about
            assert 0 < len(job.error) < 2_000 or job.is_done, about
        elif sent.status_code == 201:  # to text files nearly everything is words
            assert name in PLAIN or about == "items as text", about
        else:
            assert sent.status_code in (400, 413, 422), about
            said = sent.json()
            assert said["detail"], about
            assert all(len(each["reason"]) < 2_000 for each in said.get("errors", ())), about
        if sent.status_code != 201 and name not in PLAIN and about != "items as text":
            assert count_stored() == before, about
        before = count_stored()
    ImportFile.objects.all().delete()
