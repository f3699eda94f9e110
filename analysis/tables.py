"""One table of a report: its columns by the contract, its rows unrounded, its notes, and how a page lays it out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, Literal

Row = Mapping[str, Any]
PLAIN = frozenset((str, int, bool, type(None)))  # what stands in a table as it is
Kind = Literal[
    "text", "text id", "item id", "evaluator", "stage", "quantity", "mark", "scope", "label", "view", "optional",
    "truth", "check", "axis", "cue", "verdict", "coefficient", "weights", "count", "number",
]  # fmt: skip


@dataclass(frozen=True)
class Shown:
    """One column as page and TeX show it: the number, its interval in brackets, its n beneath."""

    title: str
    value: str
    kind: Kind = "text"
    low: str = ""  # the columns of the ends of its interval
    high: str = ""
    reason: str = ""  # the column that says why the value or its interval is undefined
    n: str = ""  # what its n counts besides texts, shown beneath: judgments, ratings or texts only
    best: Literal["", "high", "low"] = ""  # which end is marked, among the rows of one evaluator


@dataclass(frozen=True)
class Table:
    """Rows are mappings from column to text, whole number, float, truth or None (undefined).

    A row may hold `intervals` besides its columns: {column: {convention: {low, high, …}}}, for JSON and pages.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    shown: tuple[Shown, ...] = field(default=(), repr=False)

    def noting(self, notes: Iterable[str]) -> "Table":
        """The same table with these notes after its own."""
        return replace(self, notes=(*self.notes, *notes))

    def marked(self, column: str, value: str) -> "Table":
        """The same table with one more column that has the same value in every row."""
        return replace(self, columns=(*self.columns, column), rows=tuple({**row, column: value} for row in self.rows))


def saying_included(table: Table, purposes: tuple[str, ...]) -> Table:
    """The same table, with a column that says whose answers are in where it is not simply everybody's main ones."""
    return table if purposes == ("main",) else table.marked("included", ", ".join(purposes))


def make_table(name: str, columns: Iterable[str], rows: Iterable[Row], **more: Any) -> Table:
    """A table whose values are plain Python: undefined is None, no number is numpy's, cells in the columns' order."""
    columns = tuple(columns)
    ordered = ({column: row[column] for column in columns} | dict(row) for row in rows)
    return Table(name, columns, tuple(plain(row) for row in ordered), **more)


def plain(value: Any) -> Any:
    """Numpy's numbers as Python's, NaN as None, in all depths."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, Mapping):  # most cells need no call: large tables have a million
        return {key: inner if type(inner) in PLAIN else plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not isfinite(value) else value
