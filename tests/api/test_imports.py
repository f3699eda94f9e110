"""Files of items by API: which columns of a table hold what."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from items.files import zip_files
from items.models import Item, Text
from jobs.models import Job
from jobs.working import run_job
from tests.items.files import BODY, csv, jsonl, text_row
from tests.items.sheets import parquet, xlsx

ROWS = [["Zeile", "Passus", "Was", "eins", "zwei", "wahr"], ["7", BODY, "Why?", "x", "y", "B"]]
MAPPING = {"Passus": "text", "Was": "question", "eins": "option_1", "zwei": "option_2", "wahr": "correct"}
FIELDS = [["Zeile", "extra"], ["Passus", "text"], ["Was", "question"], ["eins", "option_1"], ["zwei", "option_2"],
          ["wahr", "correct"]]  # fmt: skip


def write_table(ending: str, folder) -> bytes:
    match ending:
        case "xlsx":
            return xlsx([], ROWS)
        case "parquet":
            return parquet(ROWS, folder / "f.parquet")
        case "tsv":
            return "\n".join("\t".join(row) for row in ROWS).encode("utf-16")
        case "zip":
            return zip_files({"bank.csv": write_table("csv", folder), "boat.png": b""})
    return csv(*(";".join(row) for row in ROWS))


@pytest.fixture
def send(project, researcher, caller):
    """A function that imports a file with a mapping."""

    def send(content=None, name="bank.csv", mapping=MAPPING, **fields):
        content = write_table("csv", None) if content is None else content
        given = {} if mapping is None else {"mapping": mapping if isinstance(mapping, str) else json.dumps(mapping)}
        files = {"file": SimpleUploadedFile(name, content), **given, **fields}
        return caller(researcher).post(f"projects/{project.slug}/imports/", files=files)

    return send


def list_columns(document) -> list[list[str]]:
    return [[each["name"], each["field"]] for each in document["columns"]]


@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx", "parquet", "zip"])
def test_a_table_with_any_names_comes_in_by_its_mapping(ending, send, tmp_path):
    content = write_table(ending, tmp_path)
    tried = send(content, f"bank.{ending}", dry_run=True)
    assert (tried.status_code, list_columns(tried.json())) == (201, FIELDS)
    assert not Text.objects.exists()
    assert send(content, f"bank.{ending}").json()["counts"]["new_items"] == 1
    item = Item.objects.get()
    assert (item.stem, item.metadata["extra"]) == ("Why?", {"Zeile": "7"})
    assert [option.correct for option in item.options.all()] == [False, True]


def test_a_refused_table_says_which_columns_it_has(send):
    refused = send(mapping=None)
    assert (refused.status_code, refused.json()["type"]) == (422, "urn:lesart:problem:refused")
    assert list_columns(refused.json()) == [[name, "extra"] for name, _field in FIELDS]
    assert "No column is assigned to the text" in refused.json()["errors"][0]["reason"]


@pytest.mark.parametrize(
    ("mapping", "field", "words"),
    [
        (MAPPING | {"Fremd": "title"}, "Fremd", "no column “Fremd”"),
        (MAPPING | {"Zeile": "heading"}, "Zeile", "“heading” is no field"),
        (MAPPING | {"Zeile": ""}, "Zeile", "“” is no field"),
        (MAPPING | {"Zeile": "text"}, "", "2 columns are assigned to “text”"),
        ({"Passus": "text", "Was": "correct"}, "", "to the question"),
        ({f"c{n}": "text" for n in range(5_000)}, "c0", "no column “c0”"),
    ],
)
def test_a_mapping_that_cannot_be_is_refused(mapping, field, words, send):
    refused = send(mapping=mapping)
    assert refused.status_code == 422
    assert refused.json()["errors"][0] | {"reason": ""} == {"field": field, "line": 1, "reason": ""}
    assert words in refused.json()["errors"][0]["reason"]
    assert len(refused.json()["errors"]) <= 200
    assert not Text.objects.exists()


@pytest.mark.parametrize(
    "mapping",
    [
        "text = Passus",
        "[]",
        '"text"',
        "null",
        '{"Passus": 1}',
        '{"Passus": ["text"]}',
        '{"Passus": null}',
        '{"Passus": "text", "Passus": "title"}',
        '{"Pass\\u0000us": "text"}',
        '{"Pass\\ud800us": "text"}',
        "[" * 100_000,
        '{"a": ' * 50_000,
        '{"Passus": NaN}',
    ],
)
def test_what_is_no_mapping_is_refused(mapping, send):
    refused = send(mapping=mapping)
    assert refused.status_code == 400
    (error,) = refused.json()["errors"]
    assert error["field"] == "mapping"
    assert "Write a JSON object" in error["reason"]
    assert not Text.objects.exists()


@pytest.mark.parametrize(("name", "content"), [("bank.jsonl", jsonl(text_row())), ("ferry.txt", BODY.encode())])
def test_a_file_without_columns_takes_no_mapping(name, content, send):
    refused = send(content, name)
    assert refused.status_code == 422
    assert "no columns to map" in refused.json()["errors"][0]["reason"]
    assert not Text.objects.exists()


def test_a_large_table_is_read_by_its_mapping_too(send, settings, tmp_path, monkeypatch):
    settings.JOB_FOLDER = tmp_path
    monkeypatch.setattr("jobs.working.Heartbeat.act", lambda self: None)  # PostgreSQL shows it nothing of a test
    monkeypatch.setattr("items.services.import_files.AT_ONCE", 10)
    job = Job.objects.get(pk=send().json()["id"])
    run_job(job.pk)
    job.refresh_from_db()
    assert list_columns(job.about["result"]) == FIELDS
    assert Item.objects.get().stem == "Why?"
