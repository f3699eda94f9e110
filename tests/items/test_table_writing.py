"""A bank as a table (CSV, XLSX, Parquet) comes back equal, and what a table cannot hold is listed."""

import csv
import io
import zipfile

import openpyxl
import pytest
from hypothesis import given

from items.formats import WRITERS
from items.formats.rows import TextRow
from items.formats.sheet_writing import TooLarge, write_workbook
from items.services.exporting import build_archive
from items.services.importing import read_bank_file
from tests.examples import MANY
from tests.items.files import load, text_row
from tests.items.test_question_formats import banks

TABLES = ["csv", "xlsx", "parquet"]
HARD = [
    {"question": "=1+1", "answers": [{"text": "2", "correct": True}, {"text": "1", "correct": True}], "id": "=q"},
    {"question": "'=a_x0041_", "answers": [{"text": text, "correct": False} for text in ("@b", "none")], "id": "r"},
    {"question": "Open,\n\"now\"?", "answer": "-5", "id": "s", "reference": True},
]  # fmt: skip


def show_item(item) -> tuple:
    options = [(option.text, option.correct) for option in item.options or []]
    return item.id, item.generator, item.stem, item.expected_answer, item.reference, options


def show(texts) -> list:
    return [(text.id, text.body, [show_item(item) for item in text.items]) for text in texts]


def write_and_read(format_name, texts):
    written = WRITERS[format_name].write(texts)
    reading = read_bank_file(written.content, "csv")
    assert not reading.problems.listed
    return written, [line.text for line in reading.lines]


@pytest.mark.parametrize("format_name", TABLES)
def test_a_table_comes_back_equal(format_name):
    extra = {"genre": "news", "licence": "+1", "shareable": True}
    row = text_row(HARD, id="t1", title="Ferry", language="de", metadata={"extra": extra})
    texts = [TextRow.model_validate(each) for each in (row, {"id": "t9", "text": "Without items", "language": "en"})]
    written, back = write_and_read(format_name, texts)
    assert show(back) == show(texts)
    assert back[0].metadata["extra"] == extra
    assert not written.left_out


@pytest.mark.slow
@MANY
@given(texts=banks())
def test_any_bank_comes_back_equal_but_for_what_is_listed(texts):
    written, back = write_and_read("csv", texts)
    assert show(back) == show(texts)
    lost = {
        (text.id, item.id, name)
        for text in texts
        for item in text.items
        for name, value in (
            ("explanation", any(option.explanation for option in item.options or [])),
            ("multiple", item.multiple is not None),
        )
        if value
    }
    assert {(each.text_id, each.item_id, each.field) for each in written.left_out} == lost


@pytest.mark.parametrize("format_name", TABLES)
def test_what_a_table_cannot_hold_is_left_out_and_listed(project, format_name):
    load(
        project,
        text_row(id="t1", text="A" * 40_000),
        text_row(id="t2", text="Secret", metadata={"extra": {"shareable": False}}),
        text_row(id="t3", text="Kept", metadata={"extra": {"shareable": True, "page": 3}}),
    )
    archive = zipfile.ZipFile(io.BytesIO(build_archive(project, format_name)))
    told = csv.DictReader(io.TextIOWrapper(archive.open("left-out.csv"), "utf-8"))
    left_out = {(row["text_id"], row["field"]) for row in told if not row["item_id"]}
    assert left_out == {("t2", ""), ("t3", "metadata")} | ({("t1", "")} if format_name == "xlsx" else set())
    (name,) = [name for name in archive.namelist() if name != "left-out.csv"]
    assert name.endswith(f".{format_name}")
    assert b"Secret" not in archive.read(name)


def test_no_cell_of_a_workbook_is_a_formula_and_types_are_kept():
    out = io.BytesIO()
    write_workbook(["a", "b"], [["=1+1", 1], ["\x07", True], [None, 0.5], ["", float("nan")]], out)
    sheet = openpyxl.load_workbook(io.BytesIO(out.getvalue())).active
    cells = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert cells[1:] == [["'=1+1", 1], ["_x0007_", True], [None, 0.5], [None, None]]
    again = io.BytesIO()
    write_workbook(["a", "b"], [["=1+1", 1], ["\x07", True], [None, 0.5], ["", float("nan")]], again)
    assert again.getvalue() == out.getvalue()


def test_a_cell_that_excel_cannot_open_is_refused():
    with pytest.raises(TooLarge, match="32,767"):
        write_workbook(["a"], [["x" * 32_768]], io.BytesIO())
