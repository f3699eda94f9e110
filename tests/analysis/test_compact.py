"""Frames in little room come back as they were, and rows of tables are made when they are looked at."""

import math

import numpy as np
import pandas as pd
import pytest

from analysis.services.cached_evidence import compact
from analysis.tables import spec
from analysis.tables.spec import Column, ColumnRows, FrameRows, TableSpec, count, estimate
from analysis.tables.writers import WRITERS, as_csv
from tests.analysis.rows import make_table


@pytest.fixture
def frame():
    value = pd.Series([True, 1, 1.0, "1", None, float("nan"), ["x"]], dtype=object)
    return pd.DataFrame({
        "value": value,
        "item": pd.Series(["i1", "i1", "i2", "i2", "i3", "i3", "i1"], dtype=object),
        "round": np.array([1, 2, 1, 1, 1, 1, 3]),
        "p": [0.1, -0.0, 0.0, math.nan, 0.1, 1 / 3, math.nan],
        "key": pd.array([True, None, False, True, None, False, True], dtype="boolean"),
    })  # fmt: skip


def test_a_compact_frame_comes_back_with_its_types(frame):
    found = compact(frame).frame()
    pd.testing.assert_frame_equal(found, frame)
    assert list(map(type, found["value"])) == list(map(type, frame["value"]))
    assert np.signbit(found["p"]).tolist() == np.signbit(frame["p"]).tolist()


def test_an_empty_frame_keeps_its_columns(frame):
    pd.testing.assert_frame_equal(compact(frame.iloc[:0]).frame(), frame.iloc[:0])


def test_of_some_values_only_their_rows_come_back_in_their_order(frame):
    found = compact(frame).frame({"item": ("i1", "i3"), "round": (1, 3)})
    pd.testing.assert_frame_equal(found, frame.iloc[[0, 4, 5, 6]].reset_index(drop=True))
    assert compact(frame).frame({"item": ("i4",)}).empty


def test_rows_are_those_of_a_table_made_at_once(frame, monkeypatch):
    monkeypatch.setattr(spec, "AT_ONCE", 2)
    columns = ("item", "p", "key", "round")
    lazy = make_table("t", columns, FrameRows(frame, columns))
    made = make_table("t", columns, [dict(zip(columns, row, strict=True)) for row in frame[list(columns)].to_numpy()])
    assert list(lazy.rows)[:1] == [{"item": "i1", "p": 0.1, "key": True, "round": 1}]
    assert [row["p"] for row in lazy.rows] == [row["p"] for row in made.rows]
    assert [row["key"] for row in lazy.rows] == [True, None, False, True, None, False, True]
    assert lazy.rows[2:4] == tuple(list(lazy.rows)[2:4])
    assert lazy.rows[-1] == list(lazy.rows)[-1]
    assert len(lazy.rows) == 7
    with pytest.raises(IndexError):
        lazy.rows[7]


def test_rows_that_are_made_late_say_who_is_included(frame):
    table = make_table("t", ("item",), FrameRows(frame, ("item",))).add_included(("main", "pilot"))
    assert as_csv(table).splitlines()[:2] == ["item,included", 'i1,"main, pilot"']


ODD = TableSpec(
    "odd", "Odd", (
        Column("name", "Name"), estimate("value", "100 %s", "", n="texts"), "low", "high", count("n", "n"), "reason",
    ), keys=("name",),
)  # fmt: skip
NAMES = ["plain", "=1+1", 'a "b"', "50 %s & more", "[a", "", "plain"]
NUMBERS = [0.5, -0.0, 0.0, None, 1e-9, 123456.789, 0.1 + 0.2]
COLUMNS = {
    "name": NAMES,
    "value": NUMBERS,
    "low": [None if value is None else value - 0.1 for value in NUMBERS],
    "high": [None if value is None else value + 0.1 for value in NUMBERS],
    "n": [1, True, 0, False, None, 10_000, 1],
    "reason": ["", "why", "", "why", "", "", ""],
    "100 %": ["not in the header", 1, 1.0, True, None, "", "ü"],
}


@pytest.mark.parametrize("kind", WRITERS)
def test_rows_held_by_columns_are_written_like_mappings(kind):
    by_rows = ODD.build([dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)])
    by_columns = ODD.build(ColumnRows(COLUMNS))
    purposes = ("main", "pilot")
    assert WRITERS[kind](by_columns) == WRITERS[kind](by_rows)
    assert WRITERS[kind](by_columns.add_included(purposes)) == WRITERS[kind](by_rows.add_included(purposes))


def test_rows_held_by_columns_are_mappings_to_whoever_looks(monkeypatch):
    monkeypatch.setattr(spec, "AT_ONCE", 2)
    rows = ODD.build(ColumnRows(COLUMNS)).rows
    assert list(rows)[1] == rows[1] == rows[1:2][0] == {name: values[1] for name, values in COLUMNS.items()}
    assert list(rows[0]) == [*ODD.header, "100 %"]
    assert (len(rows), len(list(rows)), len(ODD.build(ColumnRows({name: [] for name in COLUMNS})).rows)) == (7, 7, 0)
