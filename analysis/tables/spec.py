"""One table of a report: its columns by the contract, its rows unrounded, its notes, and how a page lays it out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2s
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, overload

Row = Mapping[str, Any]
PLAIN = frozenset((str, int, bool, type(None)))  # what stands in a table as it is
Kind = Literal[
    "text", "text id", "item id", "evaluator", "stage", "quantity", "mark", "scope", "group", "label", "view",
    "optional",
    "truth", "check", "axis", "cue", "verdict", "coefficient", "weights", "preference", "unit", "method", "dataset",
    "question", "correlation", "bias", "about", "tag", "reply", "call", "count", "number", "p",
]  # fmt: skip
NUMBERS = ("count", "number", "p")


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
    best: Literal["", "high", "low"] = ""  # which end leads; marked where it differs from every other (row["wins"])
    about: str = ""  # what the number is and how it is computed, for whoever points at it
    counts: Literal["judgments", "scores", "items"] = "judgments"  # what the n of its intervals counts
    leads: bool = True  # whether answers stand behind it; not behind a setting of the analysis
    cell: str = ""  # the column that says of which other table's cell the number is a copy

    @property
    def is_numeric(self) -> bool:
        """Whether its cells are numbers, or numbers that may be missing."""
        return self.kind in NUMBERS or self.kind == "optional"


@dataclass(frozen=True)
class Crossing:
    """How a long table reads best: one of its numbers in a grid, the values of one column down, of another across.

    Each combination of values of the columns `apart` has a grid of its own. `beneath` names what stands under the
    number, in one line; `along` numbers that are the same in a whole line, at its end; `mark` the column that marks
    rows. A `mirrored` table says each pair once, and its grid twice; `back` is the number of a pair seen from its other
    side, where that is another, and `heading` what stands over the names then. Only rows that have all values of
    `where` enter; `title` tells the grids from those of other crossings.
    """

    number: str
    down: str
    across: str
    apart: tuple[str, ...] = ()
    beneath: tuple[str, ...] = ()
    along: tuple[str, ...] = ()
    mark: str = ""
    mirrored: bool = False
    back: str = ""
    heading: str = ""
    where: tuple[tuple[str, str], ...] = ()
    title: str = ""

    def rows_of(self, table: "Table") -> list[Row]:
        """The rows of the table that enter."""
        return [row for row in table.rows if all(row[column] == value for column, value in self.where)]


@dataclass(frozen=True)
class Table:
    """Rows are mappings from column to text, whole number, float, truth or None (undefined).

    A row may hold `intervals` besides its columns: {column: {convention: {low, high, …}}}, for JSON and pages.
    `named_by` are the columns that name a row, where its numbers lead to the answers behind them (see
    `analysis.reports.behind`); none where they do not. `crossings` are how page and TeX lay it out, where a list is not
    how it reads best; files of data are always lists.
    """

    name: str
    columns: tuple[str, ...]
    rows: Sequence[Row]
    title: str = ""
    notes: tuple[str, ...] = ()
    shown: tuple[Shown, ...] = field(default=(), repr=False)
    named_by: tuple[str, ...] = ()
    crossings: tuple[Crossing, ...] = ()

    def names(self, row: Row) -> dict[str, str]:
        """What names the row, as an address holds it; nothing where its numbers lead nowhere."""
        return {column: "" if row[column] is None else str(row[column]) for column in self.named_by}

    def key(self, row: Row) -> str:
        """What stands for the names of the row where they would be long, as in the addresses of a page's numbers."""
        return blake2s("\0".join(self.names(row).values()).encode(), digest_size=5).hexdigest()

    def row_named(self, names: Mapping[str, str]) -> Row:
        """The row of these names, or of this `row` as its key; `KeyError` if there is none, or no row has names."""
        asked = dict(names)
        found = [row for row in self.rows if self.named_by and asked in (self.names(row), {"row": self.key(row)})]
        if not found:
            raise KeyError(names)
        return found[0]

    def column_shown(self, value: str) -> Shown:
        """The number that stands in this column of a page; `KeyError` if there is none."""
        found = [column for column in self.shown if column.value == value and self.leads(column)]
        if not found:
            raise KeyError(value)
        return found[0]

    def leads(self, column: Shown) -> bool:
        """Whether the column has numbers with answers behind them, and does not only name its row."""
        named = column.value in self.named_by
        return bool(self.named_by) and column.kind in NUMBERS and column.leads and not named

    def noting(self, notes: Iterable[str]) -> "Table":
        """The same table with these notes after its own."""
        return replace(self, notes=(*self.notes, *notes))

    def marked(self, column: str, value: str) -> "Table":
        """The same table with one more column that has the same value in every row."""
        columns = (*self.columns, column)
        if isinstance(self.rows, FrameRows):
            return replace(self, columns=columns, rows=self.rows.marked(column, value))
        return replace(self, columns=columns, rows=tuple({**row, column: value} for row in self.rows))


def own_ends(row: Row, column: Shown) -> tuple[float | None, float | None]:
    """The interval of a number by the table's own columns, where it has one."""
    return (row[column.low], row[column.high]) if column.low else (None, None)


def saying_included(table: Table, purposes: tuple[str, ...]) -> Table:
    """The same table, with a column that says whose answers are in where it is not simply everybody's main ones."""
    return table if purposes == ("main",) else table.marked("included", ", ".join(purposes))


def make_table(name: str, columns: Iterable[str], rows: Iterable[Row], **more: Any) -> Table:
    """A table whose values are plain Python: undefined is None, no number is numpy's, cells in the columns' order."""
    columns = tuple(columns)
    if isinstance(rows, FrameRows):  # they do the same when they are looked at
        return Table(name, columns, rows, **more)
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


if TYPE_CHECKING:
    import pandas as pd

AT_ONCE = 10_000  # rows made at a time


class FrameRows(Sequence[Mapping[str, Any]]):
    """One mapping per row of the frame, with these columns and the values in `more`, made when it is looked at."""

    def __init__(self, frame: "pd.DataFrame", columns: Sequence[str], more: Mapping[str, Any] | None = None):
        self.frame, self.columns, self.more = frame[list(columns)], tuple(columns), dict(more or {})

    def __len__(self) -> int:
        return len(self.frame)

    @overload
    def __getitem__(self, at: int) -> Mapping[str, Any]: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Mapping[str, Any], ...]: ...

    def __getitem__(self, at: int | slice) -> Mapping[str, Any] | tuple[Mapping[str, Any], ...]:
        if isinstance(at, slice):
            return tuple(self.made(at))
        place = range(len(self))[at]
        return self.made(slice(place, place + 1))[0]

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        for first in range(0, len(self), AT_ONCE):
            yield from self.made(slice(first, first + AT_ONCE))

    def marked(self, column: str, value: Any) -> "FrameRows":
        """The same rows with one more column that has the same value in each."""
        return FrameRows(self.frame, self.columns, self.more | {column: value})

    def made(self, some: slice) -> list[dict[str, Any]]:
        """Values as a table has them: numbers are Python's, what is missing or undefined is None."""

        values = self.frame.iloc[some].astype(object)
        rows = values.where(values.notna(), None).to_numpy()
        return [plain(dict(zip(self.columns, row, strict=True)) | self.more) for row in rows]
