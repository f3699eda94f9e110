"""What a spreadsheet would run is made harmless, and comes back as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.tables.writers import write_cell
from items.plain import escape_formula, unescape_formula


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "-", '=HYPERLINK("x")']
)
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(text):
    assert escape_formula(text) == "'" + text


@pytest.mark.parametrize("text", ["", "a=b", "1-2", "'quoted'", "don't", "NA", " ", "a\t=1", "_x"])
def test_other_texts_stay_as_they_are(text):
    assert escape_formula(text) == text


@given(st.text(alphabet="'=+-@\t\r\nab＝ ") | st.text())
def test_marking_can_be_undone(text):
    assert unescape_formula(escape_formula(text)) == text


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, ""),
        (float("nan"), ""),
        (True, "true"),
        (False, "false"),
        (-0.11, "-0.11"),
        (-3, "-3"),
        (1 / 3, repr(1 / 3)),
    ],
)
def test_numbers_are_numbers_and_undefined_is_nothing(value, written):
    assert write_cell(value) == written


def test_a_text_that_looks_like_a_negative_number_is_a_text():
    assert write_cell("-3") == "'-3"
