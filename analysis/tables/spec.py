"""A table is declared once, as a `TableSpec`; files, pages and drill-down all come from that.

The spec says which columns there are, in the order of files and pages, what names a row, how a page lays it out and
which answers are behind a number. `TableSpec.build` gives a `Table` of one study from rows of values.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2s
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, overload

from django.utils.translation import gettext

if TYPE_CHECKING:
    import pandas as pd

    from analysis.frames.evidence import Evidence

Row = Mapping[str, Any]
PLAIN = frozenset((str, int, bool, type(None)))  # what is in a table as it is
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
    low: str = ""  # the columns of the ends of its interval
    high: str = ""
    reason: str = ""  # the column that says why the value or its interval is undefined
    n: str = ""  # what its n counts besides texts, shown beneath: judgments, ratings or texts only
    best: Literal["", "high", "low"] = ""  # which end leads; marked where it differs from every other (row["wins"])
    about: str = ""  # what the number is and how it is computed, for whoever points at it
    counts: Literal["judgments", "scores", "items"] = "judgments"  # what the n of its intervals counts
    leads: bool = True  # whether answers are behind it; not behind a setting of the analysis
    cell: str = ""  # the column that names the other table's cell of which the number is a copy
    in_files: bool = True  # whether CSV has it; JSON has all that a row holds

    @property
    def is_numeric(self) -> bool:
        """Whether its cells are numbers, or numbers that may be missing."""
        return self.kind in NUMBERS or self.kind == "optional"

    def translate(self) -> "Column":
        """The column with its title and what it is in the language of now."""
        return replace(self, title=translate(self.title), about=translate(self.about))


def translate(words: str) -> str:
    return gettext(words) if words else ""  # the empty message is the catalogue's header


def count(name: str, title: str, about: str = "", **more: Any) -> Column:
    return Column(name, title, "count", about=about, **more)


def number(name: str, title: str, about: str = "", **more: Any) -> Column:
    return Column(name, title, "number", about=about, **more)


def estimate(name: str, title: str, about: str, **more: Any) -> Column:
    """A number whose interval and reason are the table's columns low, high and reason."""
    return number(name, title, about, low="low", high="high", reason="reason", **more)


def prefixed_estimate(name: str, title: str, about: str, **more: Any) -> Column:
    """A number whose interval and reason have columns named after it."""
    return number(name, title, about, low=f"{name}_low", high=f"{name}_high", reason=f"{name}_reason", **more)


def list_header(columns: Sequence[Column]) -> tuple[str, ...]:
    """The columns of files: the ends and the reason of a number follow it, if they are not declared themselves."""
    declared = {column.name for column in columns}
    found: dict[str, None] = {}
    for column in columns:
        also = (name for name in (column.low, column.high, column.reason) if name and name not in declared)
        found |= dict.fromkeys([*([column.name] if column.in_files else []), *also])
    return tuple(found)


@dataclass(frozen=True)
class Crossing:
    """How a long table reads best: one of its numbers in a grid, the values of one column down, of another across.

    Each combination of values of the columns `apart` has a grid of its own. `beneath` names what is under the
    number, in one line; `along` numbers that are the same in a whole line, at its end; `mark` the column that marks
    rows. A `mirrored` table says each pair once, and its grid twice; `back` is the number of a pair seen from its other
    side, where that is another, and `heading` what is over the names then. Only rows that have all values of
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

    def translate(self) -> "Crossing":
        return replace(self, heading=translate(self.heading), title=translate(self.title))


DrillDown = Callable[["Evidence", Row, str], "Table"]


@dataclass
class TableSpec:
    """A table of reports, before any study. Words are English, marked for translation where they are declared.

    columns: in the order of files and of pages; a name alone is a column of files only. keys: the columns that name a
    row, where numbers lead to the answers behind them. shared: those of the keys that are also columns of the frame of
    answers, with the same value in all answers behind a row. crossings: how page and TeX lay it out, where a list is
    not how it reads best; files of data are always lists. page_first: the columns before all others on pages. sort: the
    column that it comes sorted by, in an address.
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
    list_answers: DrillDown | None = field(default=None, repr=False)

    @property
    def header(self) -> tuple[str, ...]:
        """The columns of files."""
        return list_header(self.list_columns())

    def list_columns(self) -> list[Column]:
        return [Column(each) if isinstance(each, str) else each for each in self.columns]

    def drill_down(self, function: DrillDown) -> DrillDown:
        """Decorates the function that lists the answers behind a number, from the evidence, its row and its column."""
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
        """The table of these rows; notes of one study follow those declared.

        A value of a row may be an `Estimate`: the columns of its interval are filled in by the convention. `more`: by
        name of a column those that follow it in one study, in the words of now, such as one for each level of a scale.
        `hide`: columns that pages leave out in one study.
        """
        declared = (column.translate() for column in self.list_columns())
        columns = [each for column in declared for each in (column, *(more or {}).get(column.name, ()))]
        header = list_header(columns)
        if not isinstance(rows, FrameRows):  # they are made when they are looked at, and hold plain values
            rows = tuple(plain(fill_in(row, columns, header, convention)) for row in rows)
        return Table(
            self.name, header, rows, translate(self.title), (*map(translate, self.notes), *notes),
            self.arrange(column for column in columns if column.name not in hide), self.keys,
            tuple(crossing.translate() for crossing in self.crossings), self.sort,
        )  # fmt: skip

    def arrange(self, columns: Iterable[Column]) -> tuple[Column, ...]:
        """The columns of pages in their order."""
        places = {name: place for place, name in enumerate(self.page_first)}
        titled = (column for column in columns if column.title)
        return tuple(sorted(titled, key=lambda column: places.get(column.name, len(places))))


def fill_in(row: Row, columns: Sequence[Column], header: Sequence[str], convention: str) -> dict[str, Any]:
    """The row in the order of the header, each estimate as its value, its interval by the convention, and all of its
    intervals beside the columns; a reason that the row has itself stays."""
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


# What is built --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """A table of one study. Rows are mappings from column to text, whole number, float, truth or None (undefined).

    header: the columns of files. columns: those of pages. A row may hold `intervals` besides:
    {column: {convention: {low, high, …}}}, for JSON and pages.
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

    def names(self, row: Row) -> dict[str, str]:
        """What names the row, as an address holds it; nothing where its numbers lead nowhere."""
        return {column: "" if row[column] is None else str(row[column]) for column in self.keys}

    def row_key(self, row: Row) -> str:
        """What stands for the names of the row where they would be long, as in the addresses of a page's numbers."""
        return blake2s("\0".join(self.names(row).values()).encode(), digest_size=5).hexdigest()

    def find_row(self, names: Mapping[str, str]) -> Row:
        """The row of these names, or of this `row` as its key; `KeyError` if there is none, or no row has names."""
        asked = dict(names)
        found = [row for row in self.rows if self.keys and asked in (self.names(row), {"row": self.row_key(row)})]
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
        """The same of a column that leads to answers."""
        if not self.leads(column := self.find_column(name)):
            raise KeyError(name)
        return column

    def leads(self, column: Column) -> bool:
        """Whether the column has numbers with answers behind them, and does not only name its row."""
        named = column.name in self.keys
        return bool(self.keys) and column.kind in NUMBERS and column.leads and not named

    def add_notes(self, notes: Iterable[str]) -> "Table":
        """The same table with these notes after its own."""
        return replace(self, notes=(*self.notes, *notes))

    def add_column(self, name: str, value: str) -> "Table":
        """The same table with one more column of files that has the same value in every row."""
        header = (*self.header, name)
        if isinstance(self.rows, FrameRows):
            return replace(self, header=header, rows=self.rows.add_column(name, value))
        return replace(self, header=header, rows=tuple({**row, name: value} for row in self.rows))

    def add_included(self, purposes: tuple[str, ...]) -> "Table":
        """The same table, with a column that says whose answers are in where it is not only everybody's main ones."""
        return self if purposes == ("main",) else self.add_column("included", ", ".join(purposes))


def interval_bounds(row: Row, column: Column) -> tuple[float | None, float | None]:
    """The interval of a number by the table's own columns, where it has one."""
    return (row[column.low], row[column.high]) if column.low else (None, None)


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
            return tuple(self.make(at))
        place = range(len(self))[at]
        return self.make(slice(place, place + 1))[0]

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        for first in range(0, len(self), AT_ONCE):
            yield from self.make(slice(first, first + AT_ONCE))

    def add_column(self, column: str, value: Any) -> "FrameRows":
        """The same rows with one more column that has the same value in each."""
        return FrameRows(self.frame, self.columns, self.more | {column: value})

    def make(self, some: slice) -> list[dict[str, Any]]:
        """Values as a table has them: numbers are Python's, what is missing or undefined is None."""

        values = self.frame.iloc[some].astype(object)
        rows = values.where(values.notna(), None).to_numpy()
        return [plain(dict(zip(self.columns, row, strict=True)) | self.more) for row in rows]
