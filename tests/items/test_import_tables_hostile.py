"""Tables that nobody vouches for: a sentence for each, and nothing stored."""

from csv import field_size_limit

import pytest

from items.formats import table_cells
from items.formats.table_cells import MAX_COLUMNS
from items.models import Text
from items.services.importing import ImportRefused, read_bank_file
from tests.items.files import BODY, csv, load_csv, problems_of

HEADER = "text_id;text;question;option_1;option_2;correct"
FILES = {
    "empty": (b"", 0, "The file is empty"),
    "blank": (b"\xef\xbb\xbf\r\n \r\n", 0, "The file is empty"),
    "only a header": (csv(HEADER), 0, "no rows below"),
    "only empty rows": (csv(HEADER, ";;;;;", ""), 0, "no rows below"),
    "header of separators": (csv(";;;", "a;b;c;d"), 1, "contains no column"),
    "NUL": (csv("text", "a\0b"), 0, "NUL"),
    "UTF-16 without a mark": ("text\nA ferry".encode("utf-16-be"), 0, "encoded as UTF-16"),
    "a spreadsheet": (b"PK\x03\x04...", 0, "damaged"),
    "unknown letters": ("text\nрека".encode("cp1251"), 0, "UTF-8"),
    "a column twice": (csv("text;Text;question", "a;b;c"), 1, "“text” occurs twice"),
    "a header of two lines": (csv('"te\nxt";b', "a;b"), 1, "one line, up to 100 characters"),
    "a header that is a text": (csv("x" * 101, "a"), 1, "one line, up to 100 characters"),
    "many columns": (csv(";".join(f"c{n}" for n in range(MAX_COLUMNS + 1)), "a"), 1, "the limit is 100"),
    "a short row": (csv("text;question", BODY), 2, "The row has 1 cells, the first line 2"),
    "a long row": (csv("text;question", f"{BODY};a;b"), 2, "The row has 3 cells, the first line 2"),
    "a row of separators": (csv("text;question", ";" * 20_000), 2, "more than 16,384 cells"),
    "a header of 20,000 columns": (csv(";".join(f"c{n}" for n in range(20_000)), "a"), 1, "more than 16,384 cells"),
    "the page of an error": (b"\r\n<!DOCTYPE html><html><title>502 Bad Gateway</title></html>", 0, "web page (HTML)"),
    "an open quotation mark": (csv("text;question", '"a;b', "c;d"), 2, "never closed"),
    "words after a quotation mark": (csv("text;question", '"a" b;c'), 2, "after a closing quotation mark"),
    "an endless cell": (csv("text;question", '"' + "x\n" * 70_000), 2, "longer than 131,072 characters"),
}


@pytest.mark.parametrize(("content", "line", "words"), FILES.values(), ids=FILES)
def test_a_bad_table_is_refused_with_the_reason(content, line, words):
    problems = problems_of(content)
    assert problems[0][0] == line
    assert words in problems[0][2]


@pytest.mark.parametrize("limit", [131_072, 2**31 - 1])
@pytest.mark.parametrize("cell", ['"' + "x\n" * 70_000, '"' + "x" * 131_073 + '"', "x" * 131_073])
def test_a_cell_has_the_same_bound_whatever_the_process_has_set_for_others(limit, cell):
    before = field_size_limit(limit)
    try:
        assert "longer than 131,072 characters" in problems_of(csv("text;question", f"{BODY};Why?", cell))[0][2]
    finally:
        field_size_limit(before)


def test_a_table_has_a_bound_of_rows(monkeypatch):
    monkeypatch.setattr(table_cells, "MAX_ROWS", 3)
    assert not problems_of(csv("text", "a", "b"))
    assert "more than 3 rows" in problems_of(csv("text", "a", "", "b"))[0][2]


@pytest.mark.django_db
def test_21_options_are_more_than_the_columns_can_say(project):
    names = ";".join(f"option_{n}" for n in range(1, 22))
    plan = load_csv(
        project, csv(f"text;question;{names};correct", f"{BODY};Why?;{';'.join('abcdefghijklmnopqrstu')};1")
    )
    assert len(plan.new_items[0].values.options) == 20
    assert [warning.field for warning in plan.warnings.listed] == ["option_21"]


@pytest.mark.django_db
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_any_usual_separator_and_line_end_is_read(project, ending, separator):
    rows = [["text_id", "text", "question"], ["t1", f'"{BODY}"', "Why?"], ["t1", "", "When?"]]
    plan = load_csv(project, csv(*[separator.join(row) for row in rows], ending=ending))
    assert len(plan.new_items) == 2


@pytest.mark.django_db
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_encodings_of_spreadsheets_are_read(project, encoding):
    content = "Text;Titel\r\nDie Fähre fährt am Sonntag um zehn.;Fähre\r\n".encode(encoding)
    load_csv(project, content)
    assert Text.objects.get().title == "Fähre"


@pytest.mark.django_db
def test_the_line_by_which_excel_names_its_separator_is_understood(project):
    plan = load_csv(project, csv("sep=;", "title;text", f"a, b, c;{BODY}", ";"))
    assert plan.new_texts[0].values.title == "a, b, c"
    assert problems_of(csv("sep=;", "title;text", "a"))[0][0] == 3


@pytest.mark.django_db
def test_empty_columns_at_the_end_and_empty_rows_are_no_matter(project):
    plan = load_csv(project, csv("text;title;;", f"{BODY};Ferry;;", ";;;", ""))
    assert len(plan.new_texts) == 1
    assert not plan.warnings


@pytest.mark.django_db
def test_a_column_without_a_name_is_called_by_its_place(project):
    plan = load_csv(project, csv("text;;title", f"{BODY};1999;Ferry"))
    assert plan.new_texts[0].values.metadata == {"extra": {"column 2": "1999"}}


def test_all_bad_rows_are_told():
    content = csv("text;question;A;B;correct", "a", f"{BODY};Why?;x;y;", f"{BODY};;x;y;1", "a;b;c;d;e;f")
    assert sorted(line for line, _field, _reason in problems_of(content)) == [2, 3, 4, 5]


def test_texts_keep_separators_line_breaks_and_quotation_marks():
    content = csv("text;title", '"One; two, ""three""\r\n\r\nfour";a')
    (line,) = read_bank_file(content, "csv").lines
    assert line.text.body == 'One; two, "three"\n\nfour'


@pytest.mark.django_db
def test_a_refused_table_stores_nothing(project):
    with pytest.raises(ImportRefused):
        load_csv(project, csv("text;title", f"{BODY};Ferry", "x"))
    assert not Text.objects.exists()
