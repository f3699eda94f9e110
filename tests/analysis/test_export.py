"""The export holds what was answered, once each, with the contract's columns first."""

import codecs
import csv
import io
import json
from datetime import UTC, datetime

import pandas as pd
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from analysis.exports.writing import export_responses
from studies.models import Assignment, Response, Submission
from tests.api.conftest import make_caller
from tests.factory import answer, make_annotator, make_assignment, make_item, make_study, make_text

CONTRACT = [
    "annotator",
    "annotator_kind",
    "group",
    "round",
    "stage",
    "text_id",
    "item_id",
    "option_id",
    "other_item_id",
    "question",
    "value",
    "probability",
    "unsure",
    "shown_left",
    "person",
    "purpose",
    "part",
    "submitted_at",
    "comment",
    "model",
    "reading",
]
EXTRAS = [
    "study",
    "instrument_version",
    "unit",
    "item_version",
    "generator",
    "key",
    "correct",
    "applicable",
    "position_shown",
    "order_in_session",
    "opened_at",
    "first_answered_at",
    "last_changed_at",
    "n_changes",
    "raw_output",
    "parse_status",
    "prompt_version",
    "variant",
    "sequence",
    "active_seconds",
    "idle_seconds",
    "adjudication",
    "adjudicated_value",
    "adjudicated_by",
    "adjudicated_at",
    "reason",
    "text_version",
    "block",
    "block_added_at",
]


@pytest.fixture
def items(project):
    return [
        make_item(make_text(project, "t1"), "careful", "i1", "TF"),
        make_item(make_text(project, "t2"), "hurried", "i2", "FT"),
    ]


@pytest.fixture
def study(project, items):
    return make_study(project, "s", items, groups=["students"])


def export_rows(study, format="csv", **options):
    out = io.StringIO(newline="")
    export_responses(study, format, out, **options)
    return out.getvalue()


def rows(study, format="csv", **options):
    return list(csv.DictReader(io.StringIO(export_rows(study, format, **options), newline="")))


def test_the_columns_of_the_contract_come_first(study):
    header = next(csv.reader(io.StringIO(export_rows(study))))
    assert header == CONTRACT + EXTRAS


def test_every_answer_is_there_once_with_true_false_and_numbers(study, items):
    ada = make_annotator(study, "ada", group="students", person="p1")
    answer(ada, "guess", items[0], "FT")
    answer(ada, "read", items[0], "TF", rating=4, unsure="FT")
    found = rows(study)
    assert [(row["stage"], row["option_id"], row["question"], row["value"], row["unsure"]) for row in found] == [
        ("guess", "a", "answer", "false", ""),
        ("guess", "b", "answer", "true", ""),
        ("read", "a", "answer", "true", "false"),
        ("read", "b", "answer", "false", "true"),
        ("read", "", "rating", "4", ""),
    ]
    first = found[0]
    who = ("annotator", "annotator_kind", "group", "person", "round", "text_id", "item_id")
    assert [first[name] for name in who] == ["ada", "human", "students", "p1", "1", "t1", "i1"]
    assert [first[name] for name in ("key", "correct", "generator", "study", "instrument_version")] == [
        "true", "false", "careful", "s", "guess-then-read/en/1",
    ]  # fmt: skip
    assert (found[4]["key"], found[4]["correct"]) == ("", "")


def test_places_are_those_that_were_shown(study, items):
    ada = make_annotator(study, "ada")
    a, b = items[0].options.all()
    shown = [["h1", items[0].pk, [["h2", b.pk], ["h3", a.pk]]]]
    later = [["h4", items[1].pk, [["h5", option.pk] for option in items[1].options.all()]]]
    make_assignment(ada, items[0], position=2, shown={"guess": shown, "read": shown})
    make_assignment(ada, items[1], position=1, shown={"guess": later, "read": later})
    answer(ada, "read", items[0], "TF", rating=3)
    found = rows(study)
    assert [(row["option_id"], row["position_shown"], row["order_in_session"]) for row in found] == [
        ("a", "2", "4"),
        ("b", "1", "4"),
        ("", "", "4"),
    ]


def test_unknown_orders_of_imported_answers_are_empty(study, items):
    answer(make_annotator(study, "ada"), "guess", items[0], "TF")
    assert {(row["position_shown"], row["order_in_session"]) for row in rows(study)} == {("", "")}


def test_times_are_iso_in_utc(study, items):
    answer(make_annotator(study, "ada"), "guess", items[0], "TF")
    Response.objects.update(submitted_at=datetime(2026, 1, 31, 12, 0, tzinfo=UTC))
    assert {row["submitted_at"] for row in rows(study)} == {"2026-01-31T12:00:00+00:00"}


def test_a_stage_says_when_it_was_opened_if_that_is_known(study, items):
    ada = make_annotator(study, "ada")
    answer(ada, "guess", items[0], "TF")
    answer(ada, "read", items[0], "TF")
    Submission.objects.filter(stage="read").update(opened_at=datetime(2026, 1, 31, 12, 0, tzinfo=UTC))
    found = {(row["stage"], row["opened_at"]) for row in rows(study)}
    assert found == {("guess", ""), ("read", "2026-01-31T12:00:00+00:00")}


def test_only_main_answers_unless_named(study, items):
    for purpose in ("main", "simulated", "preview"):
        answer(make_annotator(study, purpose, purpose=purpose), "guess", items[0], "TF")
    assert {row["purpose"] for row in rows(study)} == {"main"}
    assert {row["purpose"] for row in rows(study, purposes=("main", "simulated"))} == {"main", "simulated"}


def test_all_rounds_are_exported(study, items):
    ada = make_annotator(study, "ada")
    answer(ada, "read", items[0], "FF", round=1)
    answer(ada, "read", items[0], "TF", round=2)
    assert [row["round"] for row in rows(study)] == ["1", "1", "2", "2"]


def test_formulas_in_ids_and_codes_are_harmless(project):
    item = make_item(make_text(project, "=t"), "@gen", "+i", "TF")
    study = make_study(project, "s", [item])
    answer(make_annotator(study, "-ada", person="'=p"), "guess", item, "TF")
    row = rows(study)[0]
    assert [row[name] for name in ("text_id", "generator", "item_id", "annotator", "person")] == [
        "'=t", "'@gen", "'+i", "'-ada", "''=p",
    ]  # fmt: skip


def test_real_words_stay_words(project):
    item = make_item(make_text(project, "NA"), "None", "null", "TF")
    study = make_study(project, "s", [item])
    answer(make_annotator(study, "NaN"), "guess", item, "TF")
    row = rows(study)[0]
    assert [row[name] for name in ("text_id", "generator", "item_id", "annotator")] == ["NA", "None", "null", "NaN"]


def test_wide_has_one_column_per_annotator(study, items):
    ada, ben = make_annotator(study, "ada"), make_annotator(study, "unit")
    answer(ada, "guess", items[0], "TF")
    answer(ada, "read", items[0], "TT", rating=2)
    answer(ben, "read", items[0], "FF", rating=5)
    found = rows(study, "wide")
    assert list(found[0])[-2:] == ["ada", "annotator:unit"]
    assert [(row["stage"], row["question"], row["option_id"], row["ada"], row["annotator:unit"]) for row in found] == [
        ("guess", "answer", "a", "true", ""),
        ("guess", "answer", "b", "false", ""),
        ("read", "answer", "a", "true", "false"),
        ("read", "answer", "b", "true", "false"),
        ("read", "rating", "", "2", "5"),
    ]


def test_wide_takes_the_latest_round(study, items):
    ada = make_annotator(study, "ada")
    answer(ada, "read", items[0], "FF", round=1)
    answer(ada, "read", items[0], "TT", round=2)
    assert [row["ada"] for row in rows(study, "wide")] == ["true", "true"]


def test_json_lines_have_types(study, items):
    answer(make_annotator(study, "gpt", kind="model"), "read", items[0], "TF", probabilities=[0.75, 0.25])
    first = json.loads(export_rows(study, "jsonl").split("\n")[0])
    assert list(first) == CONTRACT + EXTRAS
    assert (first["value"], first["probability"], first["unsure"], first["round"]) == (True, 0.75, None, 1)


def test_the_same_answers_give_the_same_bytes(study, items):
    answer(make_annotator(study, "ada"), "read", items[0], "TF", rating=3)
    assert export_rows(study) == export_rows(study)
    assert export_rows(study, "wide") == export_rows(study, "wide")


def test_the_command_writes_the_file_and_the_code_book(study, items, tmp_path, capsys):
    answer(make_annotator(study, "ada"), "read", items[0], "TF", rating=3)
    call_command("export_responses", "s", "--out", str(tmp_path / "answers.csv"))
    assert (tmp_path / "answers.csv").read_bytes() == export_rows(study).encode()
    book = list(csv.DictReader((tmp_path / "codebook.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["column"] for row in book[: len(CONTRACT + EXTRAS)]] == CONTRACT + EXTRAS
    assert all(row["meaning"] and row["values"] for row in book)
    names = ["answers.csv", "codebook.csv", "metrics.csv", "unanswered.csv"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names


def test_csv_may_begin_with_a_byte_order_mark(study, items, tmp_path, as_user, researcher):
    answer(make_annotator(study, "ada"), "read", items[0], "TF", rating=3)
    content = export_rows(study).encode()
    call_command("export_responses", "s", "--bom", "--out", str(tmp_path / "answers.csv"))
    assert (tmp_path / "answers.csv").read_bytes() == codecs.BOM_UTF8 + content
    pages = as_user(researcher)
    for address in (reverse("study_export", args=["s", "csv"]), reverse("api_responses", args=["s", "csv"])):
        client = pages if "api" not in address else make_caller(researcher)
        assert b"".join(client.get(f"{address}?bom=1")) == codecs.BOM_UTF8 + content
        assert b"".join(client.get(address)) == content
    assert b"".join(pages.get(reverse("study_export", args=["s", "jsonl"]) + "?bom=1"))[:1] == b"{"
    with pytest.raises(CommandError):
        call_command("export_responses", "s", "--bom", "--format", "jsonl")


def test_on_standard_output_there_is_only_the_data(study, items):
    answer(make_annotator(study, "ada"), "read", items[0], "TF", rating=3)
    out = io.StringIO()
    call_command("export_responses", "s", stdout=out)
    assert out.getvalue() == export_rows(study)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "There is no study “nowhere”"),
        (["s", "--include", "preview"], "“preview” cannot be included"),
        (["s", "--out", "/nowhere/answers.csv"], "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(study, arguments, words):
    with pytest.raises(CommandError, match=words):
        call_command("export_responses", *arguments)


def test_no_half_file_stays_behind(study, tmp_path, monkeypatch):
    monkeypatch.setattr("analysis.frames.export_rows.query_submitted", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        call_command("export_responses", "s", "--out", str(tmp_path / "answers.csv"))
    assert list(tmp_path.iterdir()) == []


def test_returned_units_are_left_out(study, items):
    answer(make_annotator(study, "ada"), "guess", items[0], "TF")
    Assignment.objects.update(returned_at=datetime(2026, 1, 1, tzinfo=UTC))
    assert rows(study) == []


@pytest.mark.parametrize(("format", "read"), [("xlsx", pd.read_excel), ("parquet", pd.read_parquet)])
def test_workbook_and_parquet_say_what_the_long_file_says(study, items, tmp_path, format, read):
    answer(make_annotator(study, "-ada"), "read", items[0], "TF", rating=4, unsure="FT")
    file = tmp_path / f"s.{format}"
    call_command("export_responses", "s", format=format, out=str(file), stderr=io.StringIO())
    frame = read(file, **({"engine": "fastparquet"} if format == "parquet" else {}))
    assert list(frame.columns) == CONTRACT + EXTRAS
    assert frame["annotator"].tolist() == ["'-ada" if format == "xlsx" else "-ada"] * 3
    assert frame["option_id"].fillna("").tolist() == ["a", "b", ""]
    assert frame["value"].astype(str).str.lower().tolist() == ["true", "false", "4"]
    assert frame["unsure"].tolist()[:2] == [False, True]
    with pytest.raises(CommandError):
        call_command("export_responses", "s", format=format, stdout=io.StringIO())


def test_items_come_with_their_statistics_in_columns_of_the_import(study, items):
    for code, ticked in (("ada", "TF"), ("ben", "FT")):
        annotator = make_annotator(study, code)
        for item in items:
            answer(annotator, "read", item, ticked)
    found = {row["item_id"]: row for row in rows(study, "items")}
    assert set(found) == {"i1", "i2"}
    assert (found["i1"]["correct"], found["i2"]["correct"]) == ("1", "2")
    assert found["i1"]["question"] == items[0].stem
    assert found["i1"]["text"] == items[0].text.body
    assert {name: found["i1"][name] for name in found["i1"] if "answerability" in name} == {
        "answerability": "0.5", "n_answerability": "4",
    }  # fmt: skip
