"""A table as a page shows it: numbers in words, n beneath, the other convention's interval, footnotes for reasons."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.formatting import UNDEFINED, count, interval, number, worded
from analysis.tables import Row, Shown, Table

MOST_ROWS = 100
NUMBERS = ("count", "number")


@dataclass(frozen=True)
class Cell:
    """What stands in one cell, line by line; an undefined number or interval refers to a footnote."""

    text: str
    numeric: bool = False
    heading: bool = False
    href: str = ""
    interval: str = ""
    other: str = ""
    n: str = ""
    best: bool = False
    reason: str = ""
    mark: str = ""


@dataclass(frozen=True)
class PageTable:
    name: str
    title: str
    head: tuple[Shown, ...]
    rows: list[list[Cell]]
    notes: tuple[str, ...]
    footnotes: dict[str, str] = field(default_factory=dict)
    more: int = 0


def page_table(table: Table, convention: str, links: Mapping[str, str] | None = None) -> PageTable:
    """The table for a page; `links` leads from ids of texts to pages. Long tables are cut, as the CSV has all."""
    footnotes: dict[str, str] = {}
    rows = [
        [cell_of(row, column, table, convention, footnotes, links or {}) for column in table.shown]
        for row in table.rows[:MOST_ROWS]
    ]
    marks = {mark: reason for reason, mark in footnotes.items()}
    more = max(0, len(table.rows) - MOST_ROWS)
    return PageTable(table.name, table.title, table.shown, rows, table.notes, marks, more)


def cell_of(
    row: Row, column: Shown, table: Table, convention: str, footnotes: dict[str, str], links: Mapping[str, str]
) -> Cell:
    value = row[column.value]
    if column.kind not in NUMBERS:
        href = links.get(row["text_id"], "") if column.kind in ("text id", "item id") else ""
        return Cell(worded(column.kind, value), heading=column is table.shown[0], href=href)
    reason = reason_of(row, column, value)
    return Cell(
        text=_(UNDEFINED) if value is None else figure(value),
        numeric=True,
        interval=ends(row, column, convention),
        other=other_ends(row, column, convention),
        n=beneath(row, column),
        best=value is not None and value == best_of(table, row, column),
        reason=reason,
        mark=footnote(reason, footnotes),
    )


def figure(value: int | float) -> str:
    return count(value) if isinstance(value, int) else number(value)


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
    if not column.low or row[column.value] is None:
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


def beneath(row: Row, column: Shown) -> str:
    """How many judgments and texts the number rests on."""
    if not column.n:
        return ""
    about = row["intervals"][column.value]["clustered"]
    texts = ngettext("%(n)s text", "%(n)s texts", about["n_units"]) % {"n": count(about["n_units"])}
    if column.n == "texts":
        return texts
    n = about["n_responses"]
    return ngettext("%(n)s judgment", "%(n)s judgments", n) % {"n": count(n)} + ", " + texts


def best_of(table: Table, row: Row, column: Shown) -> Any:
    """The best number of the column among the rows of the same evaluator; None if there is nothing to compare."""
    if not column.best:
        return None
    same = [other[column.value] for other in table.rows if other["evaluator"] == row["evaluator"]]
    defined = [value for value in same if value is not None]
    if len(defined) < 2:
        return None
    return max(defined) if column.best == "high" else min(defined)


def alternative(table: Table) -> str:
    """What a figure of the table shows, in a sentence per row, for those who cannot see it."""
    return " ".join(f"{sentence_of(row, table)}." for row in table.rows[:MOST_ROWS])


def sentence_of(row: Row, table: Table) -> str:
    named = [worded(column.kind, row[column.value]) for column in table.shown if column.kind not in NUMBERS]
    numbers = [
        f"{column.title} {_(UNDEFINED) if row[column.value] is None else figure(row[column.value])} "
        f"{interval(row[column.low], row[column.high]) if column.low else ''}".strip()
        for column in table.shown
        if column.kind in NUMBERS
    ]
    return f"{', '.join(filter(None, named))}: {'; '.join(numbers)}" if named else "; ".join(numbers)


def description_lists(table: Table) -> list[tuple[str, list[tuple[str, list[tuple[str, str, str]]]]]]:
    """The description in groups: (about, [(name, [(quantity, value, reason)])])."""
    titles = {"texts": _("Texts"), "items": _("Items"), "evaluators": _("Who answered")}
    groups: dict[str, dict[str, list[tuple[str, str, str]]]] = {}
    for row in table.rows:
        name = worded("evaluator", row["name"]) if row["name"] != "all" else _("all")
        name = f"{name} · {row['source']}" if row["source"] else name
        value = _(UNDEFINED) if row["value"] is None else figure(row["value"])
        fact = (worded("quantity", row["quantity"]), value, row["reason"])
        groups.setdefault(titles[row["about"]], {}).setdefault(name, []).append(fact)
    return [(title, list(names.items())) for title, names in groups.items()]
