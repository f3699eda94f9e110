"""Files as they come: what can be read is read, and what cannot is refused with its line."""

import json

import pytest

from studies.models import Response
from studies.services.responses.importing import ImportRefused, import_responses
from tests.studies.answer_files import COLUMNS, as_csv, as_jsonl, make_option_rows, whole
from tests.studies.world import bank, counts, draft_study


@pytest.fixture
def study(project):
    bank(project)
    return draft_study(project)


def list_refusals(study, content: bytes) -> list[tuple[int, str]]:
    before = counts()
    with pytest.raises(ImportRefused) as error:
        import_responses(study, content)
    assert counts() == before
    return [(problem.line, problem.reason) for problem in error.value.problems]


def line_of(row: dict) -> bytes:
    return json.dumps(row).encode()


GOOD = as_csv(whole())


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + GOOD,
        GOOD.replace(b"\r\n", b"\n"),
        GOOD.replace(b"\r\n", b"\r"),
        GOOD.rstrip(b"\r\n"),
        b"\r\n" + GOOD,
        GOOD.replace(b"\r\n", b"\r\n\r\n"),
        b"\xef\xbb\xbf" + as_jsonl(whole()),
        as_jsonl(whole()).replace(b"\n", b"\r\n"),
        b"\n\n" + as_jsonl(whole()).replace(b"\n", b"\n\n"),
    ],
    ids=["BOM", "LF", "CR", "no end", "blank first", "blank lines", "BOM JSONL", "CRLF JSONL", "blank lines JSONL"],
)  # fmt: skip
def test_line_ends_blank_lines_and_a_byte_order_mark_do_not_matter(content, study):
    assert import_responses(study, content).responses == 11


def test_columns_in_any_order_and_others_besides_are_taken(study):
    rows = [row | {"key": "true", "correct": "false", "my notes": "=x\x07", "generator": "other"} for row in whole()]
    columns = ("my notes", "generator", "correct", "key", *reversed(COLUMNS))
    assert import_responses(study, as_csv(rows, columns)).responses == 11


def test_fields_besides_are_taken_in_jsonl_too(study):
    rows = [row | {"extra": {"deep": [1, [2]]}, "note": None} for row in whole()]
    assert import_responses(study, as_jsonl(rows)).responses == 11


def test_a_comment_may_have_lines_and_separators_of_its_own(study):
    rows = [row | {"comment": "one\ntwo\u2028three, “four”"} for row in whole()]
    refusals = list_refusals(study, as_jsonl(rows))
    assert refusals[0] == (1, "This contains control characters.")
    rows = [row | {"comment": "one\ntwo\tthree, “four”"} for row in whole()]
    import_responses(study, as_jsonl(rows))
    assert set(Response.objects.values_list("comment", flat=True)) == {"one\ntwo\tthree, “four”"}


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085", "\x0c"])
def test_separators_inside_a_string_do_not_cut_a_line(separator, study):
    rows = [row | {"note": f"a{separator}b"} for row in whole()]
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).replace("\\f", "\\u000c")
    assert import_responses(study, content.encode()).responses == 11


@pytest.mark.parametrize("separator", ["\u2028", "\u0085"])
def test_separators_inside_a_csv_cell_do_not_cut_a_row(separator, study):
    rows = [row | {"note": f"a{separator}b"} for row in whole()]
    assert import_responses(study, as_csv(rows)).responses == 11


def test_lines_are_counted_as_an_editor_counts_them(study):
    rows = [row | {"comment": "two\nlines"} for row in whole()]
    rows[2]["value"] = "maybe"
    assert list_refusals(study, as_csv(rows))[0][0] == 6  # a header line, two rows of two lines, then this one


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(content, study):
    assert list_refusals(study, content) == [(1, "The file is empty.")]


def test_a_header_alone_is_refused(study):
    assert list_refusals(study, GOOD.split(b"\r\n")[0] + b"\r\n") == [(1, "The file has a header, but no rows.")]


def test_a_missing_header_is_said(study):
    found = list_refusals(study, GOOD.split(b"\r\n", 1)[1])
    assert found == [(1, found[0][1])]
    assert "The first row must name the columns" in found[0][1]


def test_missing_columns_are_named(study):
    columns = tuple(name for name in COLUMNS if name not in ("value", "stage"))
    assert "these are missing: stage, value." in list_refusals(study, as_csv(whole(), columns))[0][1]


def test_a_column_that_stands_twice_is_named(study):
    assert "These columns occur twice: value." in list_refusals(study, GOOD.replace(b"unsure", b"value", 1))[0][1]


def test_semicolons_are_no_commas_and_it_says_what_to_do(study):
    found = list_refusals(study, GOOD.replace(b",", b";"))
    assert found == [
        (1, "The cells are not separated by commas. Save the file as CSV with commas and import it again.")
    ]


def test_a_row_with_too_few_or_too_many_cells_is_refused_and_the_others_are_looked_at(study):
    lines = GOOD.split(b"\r\n")
    lines[2] += b",more"
    lines[4] = b"P01"
    found = list_refusals(study, b"\r\n".join(lines))
    assert [line for line, reason in found if "cells" in reason] == [3, 5]


def test_an_open_quote_is_refused(study):
    lines = GOOD.split(b"\r\n")
    lines[3] = b'"' + lines[3]
    found = list_refusals(study, b"\r\n".join(lines))
    assert any("This is not readable as CSV" in reason for _line, reason in found)


@pytest.mark.parametrize("length", [131_072, 131_073, 1_000_000])
def test_a_cell_of_any_length_is_refused(length, study):
    rows = whole()
    rows[1]["note"] = "x" * length
    found = list_refusals(study, as_csv([rows[0], rows[1] | {"value": "x" * length}]))
    assert found[-1] == (3, "This is longer than 2000 characters.")


def test_a_column_that_is_not_read_may_be_of_any_length(study):
    rows = whole()
    rows[1]["raw_output"] = "a very long reply " * 20_000
    import_responses(study, as_csv(rows))
    assert Response.objects.count() == len(rows)


def test_broken_utf_8_is_refused_with_its_line(study):
    lines = GOOD.split(b"\r\n")
    lines[4] = lines[4].replace(b"P01", b"P\xe401")
    assert list_refusals(study, b"\r\n".join(lines)) == [
        (5, "This is not UTF-8. Save the file as UTF-8 and import it again.")
    ]


def test_utf_16_is_named(study):
    assert "UTF-16" in list_refusals(study, GOOD.decode().encode("utf-16"))[0][1]


def test_nul_bytes_are_refused(study):
    assert list_refusals(study, GOOD.replace(b"P01", b"P\x0001", 1))[0] == (2, "This contains control characters.")


def test_a_json_array_is_refused(study):
    assert "Each line must be one JSON object" in list_refusals(study, json.dumps(whole()).encode())[0][1]


def test_json_over_several_lines_is_refused(study):
    assert list_refusals(study, json.dumps(whole()[0], indent=1).encode())[0][0] == 1


BAD_LINES = {
    "not JSON": b"{annotator: P01}",
    "NaN": line_of({"annotator": "P01", "value": float("nan")}),
    "Infinity": line_of({"annotator": "P01", "value": float("inf")}),
    "a number beyond all numbers": b'{"annotator": "P01", "value": 1e999}',
    "a number of any length": b'{"annotator": "P01", "value": ' + b"9" * 10_000 + b"}",
    "deep nesting": b'{"annotator": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "half a character": b'{"annotator": "\\ud800"}',
    "NUL": b'{"annotator": "P\\u000001"}',
    "a name that stands twice": b'{"annotator": "P01", "annotator": "P02"}',
    "two objects": b'{"annotator": "P01"} {"annotator": "P02"}',
}


@pytest.mark.parametrize("case", BAD_LINES)
def test_a_bad_line_is_refused_with_its_number_and_the_others_are_looked_at(case, study):
    content = as_jsonl(whole()) + BAD_LINES[case] + b"\n" + as_jsonl(make_option_rows("P02", "guess", "nothing"))
    lines = [line for line, _reason in list_refusals(study, content)]
    assert 12 in lines
    assert 13 in lines


def test_a_line_that_is_no_object_is_refused(study):
    assert (12, 'Each line must be one JSON object, like {"annotator": "P01", …}.') in list_refusals(
        study, as_jsonl(whole()) + b'"P01"\n'
    )


def test_hostile_cells_are_quoted_short_and_made_visible(study):
    rows = whole()
    rows[0]["annotator_kind"] = "x" * 199
    reason = next(reason for line, reason in list_refusals(study, as_csv(rows)) if line == 2)
    assert len(reason) < 200
