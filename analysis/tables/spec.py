"""A table is declared once, as a `TableSpec`, from which files, pages and drill-down are made.

The spec declares the columns in the order of files and pages, the keys of a row, the layout on a page and the answers
behind a number. `TableSpec.build` makes the `Table` of one study from rows of values.
"""

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2s
from math import isfinite
from operator import eq
from typing import TYPE_CHECKING, Any, Literal, overload

from django.utils.translation import gettext

from jobs.progress import report_table

if TYPE_CHECKING:
    import pandas as pd

    from analysis.frames.evidence import Evidence

Row = Mapping[str, Any]
PLAIN = frozenset((str, int, bool, type(None)))  # types that a table holds unchanged
Kind = Literal[
    "text", "text id", "item id", "evaluator", "stage", "quantity", "mark", "scope", "group", "label", "view",
    "optional",
    "truth", "check", "axis", "cue", "verdict", "coefficient", "weights", "preference", "unit", "method", "dataset",
    "question", "correlation", "bias", "about", "tag", "reply", "call", "count", "number", "p",
]  # fmt: skip
NUMBERS = ("count", "number", "p")


# Declaring ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Column:
    """One column. Pages and TeX show it if it has a title: the number, its interval in brackets, its n beneath."""

    name: str
    title: str = ""
    kind: Kind = "text"
    low: str = ""  # the columns with the bounds of its interval
    high: str = ""
    reason: str = ""  # the column that says why the value or its interval is undefined
    n: str = ""  # what the n beneath it counts: “texts”, or “judgments” for judgments and texts
    best: Literal["", "high", "low"] = ""  # whether high or low is best; marked if the row's "wins" has it
    about: str = ""  # what the number is and how it is computed, for its tooltip
    counts: Literal["judgments", "scores", "items"] = "judgments"  # what the n of its intervals counts
    leads: bool = True  # whether it has drill-down; a setting of the analysis has none
    cell: str = ""  # the column that names the cell of another table from which the number is copied
    in_files: bool = True  # whether the CSV has it; JSON has all columns

    @property
    def is_numeric(self) -> bool:
        """Whether its cells are numbers or missing."""
        return self.kind in NUMBERS or self.kind == "optional"

    def translate(self) -> "Column":
        """The column with its title and description in the active language."""
        return replace(self, title=translate(self.title), about=translate(self.about))


def translate(words: str) -> str:
    return gettext(words) if words else ""  # the empty message is the header of the catalog


def count(name: str, title: str, about: str = "", **more: Any) -> Column:
    """A column of counts."""
    return Column(name, title, "count", about=about, **more)


def number(name: str, title: str, about: str = "", **more: Any) -> Column:
    """A column of numbers."""
    return Column(name, title, "number", about=about, **more)


def estimate(name: str, title: str, about: str, **more: Any) -> Column:
    """A column of numbers whose interval and reason are in the columns low, high and reason."""
    return number(name, title, about, low="low", high="high", reason="reason", **more)


def prefixed_estimate(name: str, title: str, about: str, **more: Any) -> Column:
    """A column of numbers whose interval and reason are in columns named after it."""
    return number(name, title, about, low=f"{name}_low", high=f"{name}_high", reason=f"{name}_reason", **more)


def list_header(columns: Sequence[Column]) -> tuple[str, ...]:
    """The columns of files: the interval and reason of a number follow it, unless they are declared themselves."""
    declared = {column.name for column in columns}
    found: dict[str, None] = {}
    for column in columns:
        also = (name for name in (column.low, column.high, column.reason) if name and name not in declared)
        found |= dict.fromkeys([*([column.name] if column.in_files else []), *also])
    return tuple(found)


@dataclass(frozen=True)
class Crossing:
    """The layout of a long table as a grid of one number: a line for each value of the column `down`, and a column for
    each value of `across`.

    apart: each combination of values of these columns gets a grid of its own. beneath: numbers printed under the
    number, in one line. along: numbers that are the same in a whole line, printed at its end. mark: the column that
    marks rows. mirrored: the table has one row for each pair, which the grid shows twice. back: the number of the pair
    in reverse, if it differs. heading: printed over the names on the left. where: values that a row must have to
    enter. title: distinguishes the grids from those of other crossings.
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

    def select_rows(self, table: "Table") -> list[Row]:
        """The rows of the table that enter the grids."""
        return [row for row in table.rows if all(row[column] == value for column, value in self.where)]

    def translate(self) -> "Crossing":
        return replace(self, heading=translate(self.heading), title=translate(self.title))


DrillDown = Callable[["Evidence", Row, str], "Table"]


@dataclass
class TableSpec:
    """A table of reports, independent of any study. Its words are English, marked for translation.

    columns: in the order of files and of pages; a mere name is a column of files only. keys: the columns that identify
    a row; a table without keys has no drill-down. shared: the keys that are also columns of the answers and have the
    same value in all answers behind a row. crossings: the grids of pages and TeX, if a list is hard to read; data files
    are always lists. page_first: the columns that pages show first. sort: the column by which pages sort it at first,
    as in an address (- for descending). records: whether a phone shows each row as a block.
    """

    name: str
    title: str
    columns: tuple[Column | str, ...]
    keys: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    shared: tuple[str, ...] = ()
    page_first: tuple[str, ...] = ()
    sort: str = ""
    records: bool = False
    list_answers: DrillDown | None = field(default=None, repr=False)

    @property
    def header(self) -> tuple[str, ...]:
        """The columns of files."""
        return list_header(self.list_columns())

    def list_columns(self) -> list[Column]:
        return [Column(each) if isinstance(each, str) else each for each in self.columns]

    def drill_down(self, function: DrillDown) -> DrillDown:
        """Decorates the function that lists the answers behind a number, given the evidence, the row and the column."""
        self.list_answers = function
        return function

    def build(
        self,
        rows: Iterable[Row],
        convention: str = "",
        notes: Iterable[str] = (),
        more: Mapping[str, Sequence[Column]] | None = None,
        hide: Container[str] = (),
    ) -> "Table":
        """The table with these rows; the notes of the study follow the declared ones.

        A value of a row may be an `Estimate`, which fills the columns of its interval by the convention. more: by
        column, further columns that follow it in this study, already translated, such as one for each level of a scale.
        hide: columns that pages leave out in this study.
        """
        declared = (column.translate() for column in self.list_columns())
        columns = [each for column in declared for each in (column, *(more or {}).get(column.name, ()))]
        header = list_header(columns)
        if isinstance(rows, ColumnRows):
            rows = rows.arrange(header)
        elif not isinstance(rows, RowsOnDemand):
            rows = tuple(convert_to_plain(fill_row(row, columns, header, convention)) for row in rows)
        report_table(self.name)
        return Table(
            self.name, header, rows, translate(self.title), (*map(translate, self.notes), *notes),
            self.arrange(column for column in columns if column.name not in hide), self.keys,
            tuple(crossing.translate() for crossing in self.crossings), self.sort, self.records,
        )  # fmt: skip

    def arrange(self, columns: Iterable[Column]) -> tuple[Column, ...]:
        """The columns in the order of pages."""
        places = {name: place for place, name in enumerate(self.page_first)}
        titled = (column for column in columns if column.title)
        return tuple(sorted(titled, key=lambda column: places.get(column.name, len(places))))


def fill_row(row: Row, columns: Sequence[Column], header: Sequence[str], convention: str) -> dict[str, Any]:
    """The row in the order of the header, with each `Estimate` replaced by its value, its interval by the convention
    and all its intervals; a reason that the row already has is kept."""
    found, intervals = dict(row), {}
    for column in columns:
        value: Any = row.get(column.name)
        if not hasattr(value, "as_json"):
            continue
        found[column.name], intervals[column.name] = value.value, value.as_json()
        if column.low:
            found[column.low], found[column.high], reason = value.ends(convention)
            found.setdefault(column.reason, reason)
    if intervals:
        found["intervals"] = intervals
    return {name: found[name] for name in header} | found


# Tables of studies ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """A table of one study. Rows map columns to str, int, float, bool or None (undefined).

    header: columns of files. columns: columns of pages. A row may also hold `intervals`: {column: {convention: {low,
    high, …}}}, for JSON and pages.
    """

    name: str
    header: tuple[str, ...]
    rows: Sequence[Row]
    title: str = ""
    notes: tuple[str, ...] = ()
    columns: tuple[Column, ...] = field(default=(), repr=False)
    keys: tuple[str, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    sort: str = ""
    records: bool = False

    def list_values(self, name: str) -> list[Any]:
        """The values of a column, row by row."""
        return self.rows.list_values(name) if isinstance(self.rows, RowsOnDemand) else [row[name] for row in self.rows]

    def names(self, row: Row) -> dict[str, str]:
        """The keys of the row with their values, as in an address; empty if the table has no drill-down."""
        return {column: "" if row[column] is None else str(row[column]) for column in self.keys}

    def make_row_key(self, row: Row) -> str:
        """A short substitute for the keys of the row, for the addresses of a page's many numbers."""
        return blake2s("\0".join(self.names(row).values()).encode(), digest_size=5).hexdigest()

    def find_row(self, names: Mapping[str, str]) -> Row:
        """The row with these keys, or with this short key as `row`; `KeyError` if there is none."""
        asked = dict(names)
        found = [row for row in self.rows if self.keys and asked in (self.names(row), {"row": self.make_row_key(row)})]
        if not found:
            raise KeyError(names)
        return found[0]

    def find_column(self, name: str) -> Column:
        """The column of a page; `KeyError` if there is none."""
        found = [column for column in self.columns if column.name == name]
        if not found:
            raise KeyError(name)
        return found[0]

    def find_number(self, name: str) -> Column:
        """The column of a page, if it has drill-down; `KeyError` otherwise."""
        if not self.has_drill_down(column := self.find_column(name)):
            raise KeyError(name)
        return column

    def has_drill_down(self, column: Column) -> bool:
        """Whether the numbers of the column have drill-down, rather than only naming their rows."""
        named = column.name in self.keys
        return bool(self.keys) and column.kind in NUMBERS and column.leads and not named

    def add_notes(self, notes: Iterable[str]) -> "Table":
        """The same table with these notes after its own."""
        return replace(self, notes=(*self.notes, *notes))

    def add_column(self, name: str, value: str) -> "Table":
        """The same table with one more column of files, with the same value in every row."""
        header = (*self.header, name)
        if isinstance(self.rows, RowsOnDemand):
            return replace(self, header=header, rows=self.rows.add_column(name, value))
        return replace(self, header=header, rows=tuple({**row, name: value} for row in self.rows))

    def add_included(self, purposes: tuple[str, ...]) -> "Table":
        """The same table, with a column that names the included purposes unless these are the main answers only."""
        return self if purposes == ("main",) else self.add_column("included", ", ".join(purposes))


def get_interval_bounds(row: Row, column: Column) -> tuple[float | None, float | None]:
    """The interval of a number in the table's own columns, if it has one."""
    return (row[column.low], row[column.high]) if column.low else (None, None)


def convert_to_plain(value: Any) -> Any:
    """The value with Python numbers in place of numpy's and None in place of NaN, at all depths."""
    if type(value) in PLAIN:
        return value
    if type(value) is float:
        return value if isfinite(value) else None
    if isinstance(value, Mapping):  # most cells need no call: large tables have a million
        return {key: inner if type(inner) in PLAIN else convert_to_plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [convert_to_plain(inner) for inner in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not isfinite(value) else value


AT_ONCE = 10_000  # rows made at once


class RowsOnDemand(Sequence[Mapping[str, Any]]):
    """Rows of plain values; a mapping is made of a row when it is read."""

    columns: Collection[str]

    def make(self, some: slice) -> list[dict[str, Any]]:
        raise NotImplementedError

    def list_values(self, name: str) -> list[Any]:
        raise NotImplementedError

    def add_column(self, name: str, value: Any) -> "RowsOnDemand":
        """The same rows with one more column that has the same value in each."""
        raise NotImplementedError

    @overload
    def __getitem__(self, at: int) -> Mapping[str, Any]: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Mapping[str, Any], ...]: ...

    def __getitem__(self, at: int | slice) -> Mapping[str, Any] | tuple[Mapping[str, Any], ...]:
        if isinstance(at, slice):
            return tuple(self.make(at))
        place = range(len(self))[at]
        return self.make(slice(place, place + 1))[0]

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        for first in range(0, len(self), AT_ONCE):
            yield from self.make(slice(first, first + AT_ONCE))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]


class ColumnRows(RowsOnDemand):
    """Rows held by columns, each a list of plain values: a tenth of the memory of mappings, and quick to write."""

    columns: dict[str, list[Any]]

    def __init__(self, columns: Mapping[str, list[Any]]):
        self.columns = dict(columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def arrange(self, header: Iterable[str]) -> "ColumnRows":
        """The same rows with their columns in this order, then the others."""
        return ColumnRows({name: self.columns[name] for name in header} | self.columns)

    def list_values(self, name: str) -> list[Any]:
        return self.columns[name]

    def add_column(self, name: str, value: Any) -> "ColumnRows":
        return ColumnRows(self.columns | {name: [value] * len(self)})

    def make(self, some: slice) -> list[dict[str, Any]]:
        parts = zip(*(column[some] for column in self.columns.values()), strict=True)
        return [dict(zip(self.columns, values, strict=True)) for values in parts]


class FrameRows(RowsOnDemand):
    """Rows of a frame with these columns and the values in `more`."""

    columns: tuple[str, ...]

    def __init__(self, frame: "pd.DataFrame", columns: Sequence[str], more: Mapping[str, Any] | None = None):
        self.frame, self.columns, self.more = frame[list(columns)], tuple(columns), dict(more or {})

    def __len__(self) -> int:
        return len(self.frame)

    def list_values(self, name: str) -> list[Any]:
        if name in self.more:
            return [self.more[name]] * len(self)
        values = self.frame[name].astype(object)
        return [convert_to_plain(value) for value in values.where(values.notna(), None)]

    def add_column(self, name: str, value: Any) -> "FrameRows":
        return FrameRows(self.frame, self.columns, self.more | {name: value})

    def make(self, some: slice) -> list[dict[str, Any]]:
        """The rows with plain values: Python numbers, None for missing or undefined."""
        values = self.frame.iloc[some].astype(object)
        rows = values.where(values.notna(), None).to_numpy()
        return [convert_to_plain(dict(zip(self.columns, row, strict=True)) | self.more) for row in rows]
