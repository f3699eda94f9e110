"""Tables as CSV, JSON and TeX."""

import csv
import io
import json

import pandas as pd
import pytest

from analysis.tables.spec import Column
from analysis.tables.writers import TABLE_FILES, as_csv, as_json, as_markdown, as_tex, write_snippet
from tests.analysis.rows import make_table

SHOWN = (
    Column("name", "Who"),
    Column("share", "Share_%", "number", "low", "high", "reason"),
    Column("n", "n", "count"),
)


def one(**values):
    row = {"name": "a", "share": 0.5, "low": 0.25, "high": 0.75, "n": 4, "reason": ""} | values
    return make_table(
        "t", ("name", "share", "low", "high", "n", "reason"), [row], notes=("50 % of all_",), columns=SHOWN
    )


def cells(table):
    return list(csv.reader(io.StringIO(as_csv(table), newline="")))


def test_csv_keeps_every_digit():
    assert float(cells(one(share=1 / 3))[1][1]) == 1 / 3


def test_csv_lines_end_as_rfc_4180_says_and_hard_cells_are_quoted():
    assert as_csv(one(name='a "b", c\nd')).startswith(
        'name,share,low,high,n,reason\r\n"a ""b"", c\nd",0.5,0.25,0.75,4,\r\n'
    )


def test_undefined_is_an_empty_cell_beside_its_reason():
    assert cells(one(share=float("nan"), low=None, reason="no answers"))[1] == ["a", "", "", "0.75", "4", "no answers"]


def test_what_a_spreadsheet_would_run_is_harmless_and_negative_numbers_are_numbers():
    assert cells(one(name="=1+1", share=-0.5))[1][:2] == ["'=1+1", "-0.5"]


def test_words_that_mean_missing_elsewhere_stay():
    assert [cells(one(name=word))[1][0] for word in ("NA", "null", "None", "nan")] == ["NA", "null", "None", "nan"]


def test_json_has_null_for_undefined_and_all_of_a_row():
    loaded = json.loads(as_json(one(share=float("nan"), intervals={"share": {"annotators": {"low": float("nan")}}})))
    assert loaded["rows"][0]["share"] is None
    assert loaded["rows"][0]["intervals"] == {"share": {"annotators": {"low": None}}}
    assert (loaded["name"], loaded["columns"][0], loaded["notes"]) == ("t", "name", ["50 % of all_"])


def test_tex_is_rounded_with_intervals_and_notes():
    assert as_tex(one()).splitlines() == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"Who & Share\_\% & n \\",
        r"\midrule",
        r"a & .50 [.25, .75] & 4 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\par\footnotesize 50 \% of all\_",
    ]


@pytest.mark.parametrize(("name", "printed"), [("[a] b", "{[}a] b & "), ("*a", "{*}a & "), ("a [b]", "a [b] & ")])
def test_a_name_is_never_an_option_of_the_line_above(name, printed):
    assert as_tex(one(name=name)).splitlines()[4].startswith(printed)


def test_tex_says_undefined_and_has_a_real_minus():
    assert "& undefined &" in as_tex(one(share=None))
    assert "$-$.50" in as_tex(one(share=-0.5))


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("a&b_c%d$e#f", r"a\&b\_c\%d\$e\#f"),
        ("a~b^c", r"a\textasciitilde{}b\textasciicircum{}c"),
        ("two\nlines\x1b[0m", "two lines [0m"),
    ],
)
def test_tex_runs_nothing_of_a_text(text, printed):
    assert f"{printed} &" in as_tex(one(name=text))


def test_a_mark_is_one_more_column_with_the_same_value():
    assert cells(one().add_column("included", "main, simulated"))[0][-1] == "included"
    assert cells(one().add_column("included", "main, simulated"))[1][-1] == "main, simulated"


def test_markdown_is_rounded_and_shows_words_as_they_are():
    head, line, row, _blank, note = as_markdown(one(name="a|*b*\n<i>")).splitlines()
    assert (head, line) == (r"| Who | Share\_% | n |", "| --- | ---: | ---: |")
    assert row == r"| a\|\*b\* \<i\> | .50 \[.25, .75\] | 4 |"
    assert note == r"50 % of all\_"


@pytest.mark.parametrize(("ending", "read"), [("xlsx", pd.read_excel), ("parquet", pd.read_parquet)])
def test_workbooks_and_parquet_have_every_digit_and_the_types(ending, read):
    content = TABLE_FILES[ending](one(name="-a", share=1 / 3, low=None))
    (row,) = read(io.BytesIO(content), **({"engine": "fastparquet"} if ending == "parquet" else {})).to_dict("records")
    assert row["name"] == ("'-a" if ending == "xlsx" else "-a")
    assert (row["share"], row["n"], pd.isna(row["low"])) == (1 / 3, 4, True)


@pytest.mark.parametrize("name", ["s.csv", "s.jsonl", "s.xlsx", "s.parquet"])
def test_a_snippet_names_the_file_for_pandas_and_r(name):
    assert write_snippet(name).count(f'"{name}"') == 2
    assert write_snippet("s.tex") == ""
