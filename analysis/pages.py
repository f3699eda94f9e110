"""A table as a page shows it: numbers in words, n beneath, the other convention's interval, footnotes for reasons."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from string import ascii_lowercase
from typing import Any

from django.utils.translation import gettext as _

from analysis.about import about
from analysis.formatting import (
    UNDEFINED,
    figure,
    figure_of,
    interval,
    judgments_counted,
    mark_word,
    texts_counted,
    worded,
)
from analysis.tables import NUMBERS, Row, Shown, Table

MOST_ROWS = 100
Links = Mapping[str, Mapping[Any, str]]  # {kind of column: {id: address}}
BehindLink = Callable[[Row, Shown], str]  # the address of the answers behind a number
SIGNS = {"best": "▲", "highest": "▲", "worst": "▼", "lowest": "▼"}


@dataclass(frozen=True)
class Cell:
    """What stands in one cell, line by line; an undefined number or interval refers to a footnote."""

    text: str
    numeric: bool = False
    heading: bool = False
    href: str = ""
    interval: str = ""
    under: tuple[str, ...] = ()
    best: bool = False
    marked: str = ""  # the word of a row that its table marks, such as worst
    reason: str = ""
    mark: str = ""
    about: str = ""

    @property
    def sign(self) -> str:
        return "★" if self.best else SIGNS.get(self.marked, "")

    @property
    def sign_word(self) -> str:
        return _("best") if self.best else mark_word(self.marked)

    @property
    def strong(self) -> bool:
        return self.best or self.marked in ("best", "highest")

    @cached_property
    def hover(self) -> str:
        """Why it is undefined, if it is, and what it rests on."""
        return " · ".join(filter(None, (self.reason, self.about)))


@dataclass(frozen=True)
class PageTable:
    name: str
    title: str
    head: tuple[Shown, ...]
    rows: list[list[Cell]]
    notes: tuple[str, ...]
    footnotes: dict[str, str] = field(default_factory=dict)
    more: int = 0

    @property
    def has_best(self) -> bool:
        return any(cell.best for row in self.rows for cell in row)


def page_table(
    table: Table,
    convention: str,
    links: Links | None = None,
    behind: BehindLink | None = None,
    most: int = MOST_ROWS,
) -> PageTable:
    """The table for a page. Tables of more than `most` rows are cut, as their own page and the CSV have all.

    `links` leads from ids to pages, by the kind of the column; `behind` gives the address of what a number rests on.
    """
    footnotes: dict[str, str] = {}
    rows = [
        [cell_of(row, column, table, convention, footnotes, links or {}, behind) for column in table.shown]
        for row in table.rows[:most]
    ]
    marks = {mark: reason for reason, mark in footnotes.items()}
    more = max(0, len(table.rows) - most)
    return PageTable(table.name, table.title, table.shown, rows, table.notes, marks, more)


def cell_of(
    row: Row,
    column: Shown,
    table: Table,
    convention: str,
    footnotes: dict[str, str],
    links: Links,
    behind: BehindLink | None = None,
) -> Cell:
    value = row[column.value]
    if column.kind not in NUMBERS:
        copied = behind(row, column) if behind and column.cell and row[column.cell] else ""
        href = copied or links.get(column.kind, {}).get(value, "")
        numeric = column.kind == "optional"
        text = figure(value) if numeric and isinstance(value, int | float) else worded(column.kind, value)
        return Cell(text, numeric=numeric, heading=column is table.shown[0], href=href)
    reason = reason_of(row, column, value)
    return Cell(
        text=_(UNDEFINED) if value is None else figure_of(column.kind, value),
        numeric=True,
        href=behind(row, column) if behind and leads(table, column, value) else "",
        interval=ends(row, column, convention),
        under=beneath(row, column, convention),
        best=value is not None and value == best_of(table, row, column),
        reason=reason,
        mark=footnote(reason, footnotes),
        about=about(row, column, table, convention),
    )


def leads(table: Table, column: Shown, value: Any) -> bool:
    """Whether there are answers behind a number: not where nothing was counted, nor where it only names its row."""
    return table.leads(column) and value is not None and (isinstance(value, float) or value > 0)


def reason_of(row: Row, column: Shown, value: Any) -> str:
    """Why the number, or else its interval, is undefined."""
    missing = value is None or (column.low and row[column.low] is None)
    return row[column.reason] if missing and column.reason else ""


def footnote(reason: str, footnotes: dict[str, str]) -> str:
    """The letter under which the reason stands below the table."""
    if not reason:
        return ""
    return footnotes.setdefault(reason, ascii_lowercase[len(footnotes) % 26])


def ends(row: Row, column: Shown, convention: str) -> str:
    """The interval by the chosen convention, whatever the table's own columns hold."""
    if not column.low or row[column.value] is None or column.value not in row.get("intervals", {}):
        return ""
    chosen = row["intervals"][column.value][convention]
    return interval(chosen["low"], chosen["high"]) or _("interval undefined")


def other_ends(row: Row, column: Shown, convention: str) -> str:
    """The interval by the other convention, with its name."""
    if not column.low or row[column.value] is None:
        return ""
    other = "published" if convention == "clustered" else "clustered"
    chosen = row["intervals"][column.value][other]
    shown = interval(chosen["low"], chosen["high"])
    words = {"published": _("by judgments: %(interval)s"), "clustered": _("by texts: %(interval)s")}
    return words[other] % {"interval": shown or _(UNDEFINED)}


def beneath(row: Row, column: Shown, convention: str) -> tuple[str, ...]:
    """The lines under a number: the other convention's interval, and how many judgments and texts it rests on."""
    if not column.n:
        return ()
    other, about = other_ends(row, column, convention), row["intervals"][column.value]["clustered"]
    texts = texts_counted(about["n_units"])
    if column.n == "texts":
        return (f"{other} · {texts}" if other else texts,)
    n = f"{judgments_counted(about['n_responses'])}, {texts}"
    return (other, n) if other else (n,)


def best_of(table: Table, row: Row, column: Shown) -> Any:
    """The best number of the column among the rows of the same evaluator; None if there is nothing to compare."""
    if not column.best:
        return None
    same = [other[column.value] for other in table.rows if other["evaluator"] == row["evaluator"]]
    defined = [value for value in same if value is not None]
    if len(set(defined)) < 2:
        return None
    return max(defined) if column.best == "high" else min(defined)


def alternative(table: Table) -> str:
    """What a figure of the table shows, in a sentence per row, for those who cannot see it."""
    return " ".join(f"{sentence_of(row, table)}." for row in table.rows[:MOST_ROWS])


def sentence_of(row: Row, table: Table) -> str:
    named = [worded(column.kind, row[column.value]) for column in table.shown if column.kind not in NUMBERS]
    numbers = [
        f"{column.title} {_(UNDEFINED) if row[column.value] is None else figure_of(column.kind, row[column.value])} "
        f"{interval(row[column.low], row[column.high]) if column.low else ''}".strip()
        for column in table.shown
        if column.kind in NUMBERS
    ]
    return f"{', '.join(filter(None, named))}: {'; '.join(numbers)}" if named else "; ".join(numbers)


@dataclass(frozen=True)
class Facts:
    """One part of the description: names down, quantities across."""

    title: str
    quantities: list[str]
    rows: list[tuple[str, list[Cell]]]


def description(table: Table, behind: BehindLink | None = None) -> list[Facts]:
    """Texts, items and who answered, each as a small table."""
    titles = {"texts": _("Texts"), "items": _("Items"), "evaluators": _("Who answered")}
    parts = {about: [row for row in table.rows if row["about"] == about] for about in titles}
    return [facts(table, title, parts[about], behind) for about, title in titles.items()]


def facts(table: Table, title: str, rows: list[Row], behind: BehindLink | None) -> Facts:
    column = next(column for column in table.shown if column.value == "value")
    quantities = list(dict.fromkeys(row["quantity"] for row in rows))
    cells: dict[str, dict[str, Cell]] = {}
    for row in rows:
        cell = cell_of(row, column, table, "clustered", {}, {}, behind)
        under = (cell.reason,) if cell.reason else ()
        cells.setdefault(name_of(row), {})[row["quantity"]] = replace(cell, mark="", under=under)
    found = [
        (name, [mine.get(quantity, Cell("", numeric=True)) for quantity in quantities]) for name, mine in cells.items()
    ]
    return Facts(title, [worded("quantity", quantity) for quantity in quantities], found)


def name_of(row: Row) -> str:
    return f"{row['name_said']}, {row['source']}" if row["source"] else row["name_said"]


def naming(table: Table, row: Row) -> list[tuple[str, str]]:
    """What names a row, as a page says it: the title of each naming column and its value in words."""
    titled = {column.value.removesuffix("_said"): column for column in table.shown}  # such as category_said
    return [
        (titled[name].title, worded(titled[name].kind, row[titled[name].value]))
        if name in titled
        else (name, str(row[name] or ""))
        for name in table.named_by
    ]
