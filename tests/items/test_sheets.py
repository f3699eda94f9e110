"""Workbooks and Parquet files as tables of items, with any column names, and the workbooks of QGEval."""

from datetime import date

import pytest

from items.formats import parquet_rows
from items.formats.sheets import BadSheet, read_parquet, take_rows
from items.models import Item, Text
from items.services.importing import read_bank_file
from tests.items.files import BODY, load_csv
from tests.items.sheets import parquet, xlsx

ROWS = [
    ["Passage", "Frage", "A", "B", "Richtig", "Jahr", "when"],
    [BODY, "Why?", "so", "no", "A", 1999.0, "monday"],
    [BODY, "When?", "then", "now", "B", 2000, None],
]


@pytest.fixture(params=["xlsx", "parquet"])
def content(request, tmp_path) -> bytes:
    return xlsx([], ROWS) if request.param == "xlsx" else parquet(ROWS, tmp_path / "f.parquet")


@pytest.mark.django_db
def test_columns_are_recognized_and_others_kept(project, content):
    columns = ["text", "question", "option_1", "option_2", "correct", "", ""]
    load_csv(project, content, columns=[name or "extra" for name in columns])
    items = Item.objects.order_by("pk")
    assert [[(o.text, o.correct) for o in item.options.all()] for item in items] == [
        [("so", True), ("no", False)],
        [("then", False), ("now", True)],
    ]
    assert Text.objects.get().body == BODY


@pytest.mark.django_db
def test_numbers_and_dates_are_words_as_a_csv_file_has_them(project):
    plan = load_csv(
        project, xlsx([["text", "year", "share", "day", "flag"], [BODY, 1999.0, 0.5, date(2020, 1, 2), True]])
    )
    extra = plan.new_texts[0].values.metadata["extra"]
    assert extra == {"year": "1999", "share": "0.5", "day": "2020-01-02T00:00:00", "flag": "true"}


def test_of_several_sheets_the_first_is_read_and_that_is_said():
    reading = read_bank_file(xlsx([["text"], [BODY]], [["text"], ["other"]]), "csv")
    assert [line.text.body for line in reading.lines] == [BODY]
    assert "S1" in reading.warnings.listed[0].reason


CRASH = """import os; os.write(1, b'["text"]\\n'); os.kill(os.getpid(), 11)"""


def test_a_parquet_file_that_crashes_its_reader_is_refused(tmp_path, monkeypatch):
    (tmp_path / "crash.py").write_text(CRASH)
    monkeypatch.setattr(parquet_rows, "__file__", str(tmp_path / "crash.py"))
    rows = read_parquet(b"PAR1")
    assert next(rows) == (1, ["text"])
    with pytest.raises(BadSheet, match="damaged"):
        next(rows)


@pytest.mark.parametrize(
    ("lines", "reason"), [([b'"too large"\n'], "Split it"), ([], "damaged"), ([b'["a"]\n', b'["b'], "damaged")]
)
def test_what_was_not_read_to_its_end_is_refused(lines, reason):
    with pytest.raises(BadSheet, match=reason):
        list(take_rows(lines))


QGEVAL = ["id", "reference", "passage", "answer", "prediction", "source", "fluency", "clarity", "conciseness",
          "relevance", "consistency", "answerability", "answer_consistency"]  # fmt: skip


@pytest.mark.django_db
def test_a_workbook_with_the_columns_of_qgeval_gives_items_by_their_ids(project):
    row = [7, "What sings?", BODY, "the master"]
    rows = [QGEVAL, [*row, "Who sings?", "SQuAD_BART-base_finetune", *[3] * 7],
            [*row, "What sings?", "SQuAD_reference", *[2] * 7]]  # fmt: skip
    load_csv(project, xlsx(rows))
    found = Item.objects.order_by("pk").values_list("external_id", "generator__name", "reference", "expected_answer")
    assert list(found) == [
        ("7-SQuAD_BART-base_finetune", "BART-base_finetune", False, "the master"),
        ("7-SQuAD_reference", "reference", True, "the master"),
    ]
    assert Text.objects.get().external_id == "7"
