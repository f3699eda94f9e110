"""A table as a page shows it: formatted numbers with n and the other conventions' intervals, reasons as footnotes."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from string import ascii_lowercase
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.choices import ANNOTATORS, CONVENTIONS, DEFAULT_CONVENTION, READERS
from analysis.formatting import (
    UNDEFINED,
    choose_digits,
    count,
    format_as,
    format_figure,
    format_interval,
    make_natural_key,
    say_judgments,
    say_texts,
)
from analysis.tables.page_budget import MOST_ROWS, count_rows_on_page
from analysis.tables.provenance import describe_number
from analysis.tables.spec import NUMBERS, Column, Row, Table, get_interval_bounds
from analysis.words import name_code

Links = Mapping[str, Mapping[Any, str]]  # {kind of column: {id: address}}
MUCH_WIDER = 1.5  # an interval this many times as wide as another one is explained
STEM = 80  # characters of an item's stem in a cell
MOST_SENTENCES = 8  # in a figure's description; the table beneath has all numbers
DrillDownLink = Callable[[Row, Column], str]  # the address of the answers behind a number
ID_KINDS = ("text id", "item id")
ABOUT = ("texts", "items", "evaluators")  # the parts of the description
SIGNS = {"best": "▲", "highest": "▲", "worst": "▼", "lowest": "▼"}


@dataclass(frozen=True)
class Part:
    """A piece of the line beneath a number: another number, or a separator."""

    text: str
    href: str = ""


@dataclass(frozen=True)
class Cell:
    """The content of one cell, line by line; an undefined number or interval refers to a footnote."""

    text: str
    numeric: bool = False
    heading: bool = False
    href: str = ""
    interval: str = ""
    under: tuple[str, ...] = ()
    beneath: tuple[Part, ...] = ()  # one more line, with further numbers
    best: bool = False
    marked: str = ""  # the mark of the row, such as worst
    reason: str = ""
    mark: str = ""  # the letter of the footnote with the reason
    about: tuple[str, ...] = ()
    first_words: str = ""  # the first words of the item that the cell names
    name: str = ""  # the title of its column, if rows are blocks on a phone

    @property
    def sign(self) -> str:
        return "★" if self.best else SIGNS.get(self.marked, "")

    @property
    def sign_word(self) -> str:
        return _("best") if self.best else name_code("mark", self.marked)

    @property
    def has_beside(self) -> bool:
        """Whether anything else is on the same line as the number."""
        return bool(self.sign or self.interval or self.mark)

    @property
    def is_strong(self) -> bool:
        return self.best or self.marked in ("best", "highest")

    @property
    def remarks(self) -> tuple[str, ...]:
        """The tooltip: why the number is undefined, if it is, and what it is based on."""
        return (self.reason, *self.about) if self.reason else self.about


@dataclass(frozen=True)
class PageTable:
    name: str
    title: str
    head: tuple[Column, ...]
    rows: list[list[Cell]]
    notes: tuple[str, ...]
    footnotes: dict[str, str] = field(default_factory=dict)
    more: int = 0
    records: bool = False

    @property
    def is_by_certainty(self) -> bool:
        """Whether it is a list of items sorted by how certainly they belong in it."""
        return any(column.name == "certainty" for column in self.head)

    @property
    def has_best(self) -> bool:
        return any(cell.best for row in self.rows for cell in row)


def build_page_table(
    table: Table,
    convention: str,
    links: Links | None = None,
    behind: DrillDownLink | None = None,
    most: int = MOST_ROWS,
) -> PageTable:
    """The table for a page. Tables of more than `most` rows are cut; their own page and the CSV have all rows.

    `links`: by kind of column, from ids to pages; `behind` returns the address of the answers behind a number.
    """
    footnotes: dict[str, str] = {}
    rows = [
        [build_cell(row, column, table, convention, footnotes, links or {}, behind) for column in table.columns]
        for row in table.rows[:most]
    ]
    rows = hide_repeated_stems(rows)
    if table.records:
        rows = [name_cells(row, table.columns) for row in rows]
    marks = {mark: reason for reason, mark in footnotes.items()}
    more = max(0, len(table.rows) - most)
    return PageTable(table.name, table.title, table.columns, rows, table.notes, marks, more, table.records)


def name_cells(row: list[Cell], columns: Iterable[Column]) -> list[Cell]:
    """The cells with the titles of their columns, except headings and empty cells."""
    return [
        replace(cell, name=column.title) if cell.text and not cell.heading else cell
        for cell, column in zip(row, columns, strict=True)
    ]


def build_cell(
    row: Row,
    column: Column,
    table: Table,
    convention: str,
    footnotes: dict[str, str],
    links: Links,
    behind: DrillDownLink | None = None,
) -> Cell:
    value = row[column.name]
    if column.kind not in NUMBERS:
        copied = behind(row, column) if behind and column.cell and row[column.cell] else ""
        href = copied or links.get(column.kind, {}).get(value, "")
        numeric = column.kind == "optional"
        text = format_figure(value) if numeric and isinstance(value, int | float) else name_code(column.kind, value)
        first_words = shorten(links.get("item stem", {}).get(value, "")) if column.kind == "item id" else ""
        return Cell(text, numeric=numeric, heading=column is table.columns[0], href=href, first_words=first_words)
    reason = " ".join(filter(None, (find_reason(row, column, value), join_caveats(row, column, convention))))
    low, high = choose_bounds(row, column)
    return Cell(
        text=_(UNDEFINED) if value is None else format_as(column.kind, value, choose_digits(low, high)),
        numeric=True,
        href=behind(row, column) if behind and has_answers(table, column, value) else "",
        interval=format_interval(low, high) or explain_no_interval(row, column, convention),
        under=(*explain_wide_interval(row, column, convention), *list_lines_below(row, column, convention)),
        best=bool(column.best) and column.name in row.get("wins", ()),
        reason=reason,
        mark=find_footnote_letter(reason, footnotes),
        about=describe_number(row, column, table, convention),
    )


def explain_no_interval(row: Row, column: Column, convention: str) -> str:
    """“interval undefined”, or the one-sided bound of the number; empty for numbers that have no interval."""
    if not has_interval(row, column):
        return ""
    chosen = row["intervals"][column.name][convention]
    bound = chosen.get("bound")
    if bound is None:
        return _("interval undefined")
    sentence = _("at least %(bound)s") if bound <= row[column.name] else _("at most %(bound)s")
    return sentence % {"bound": format_figure(bound)}


def shorten(words: str) -> str:
    return Truncator(words).chars(STEM)


def hide_repeated_stems(rows: list[list[Cell]]) -> list[list[Cell]]:
    """The rows, without stems that the row above already shows."""
    above: list[list[Cell]] = [[], *rows][:-1] if rows else []
    return [
        [replace(cell, first_words="") if cell.first_words and cell in before else cell for cell in row]
        for before, row in zip(above, rows, strict=True)
    ]


def has_answers(table: Table, column: Column, value: Any) -> bool:
    """Whether a number has drill-down: not if nothing was counted, nor if it only names its row."""
    return table.has_drill_down(column) and value is not None and (isinstance(value, float) or value > 0)


def build_part_beneath(table: Table, row: Row, column: Column, text: str, behind: DrillDownLink | None) -> Part:
    """A number of the row that is printed beneath another one, with the address of the answers behind it."""
    return Part(text, behind(row, column) if behind and has_answers(table, column, row[column.name]) else "")


def join_parts(parts: Iterable[Part], between: str) -> tuple[Part, ...]:
    """One line of the parts, joined by the separator."""
    pieces = [piece for part in parts for piece in (Part(between), part)]
    return tuple(pieces[1:])


def find_reason(row: Row, column: Column, value: Any) -> str:
    """Why the number or its interval is undefined."""
    missing = value is None or (column.low and row[column.low] is None)
    return row[column.reason] if missing and column.reason else ""


def find_footnote_letter(reason: str, footnotes: dict[str, str]) -> str:
    """The letter of the footnote that states the reason."""
    if not reason:
        return ""
    return footnotes.setdefault(reason, ascii_lowercase[len(footnotes) % 26])


def has_interval(row: Row, column: Column) -> bool:
    """Whether the number has an interval, even an undefined one."""
    return bool(column.low) and row[column.name] is not None and column.name in row.get("intervals", {})


def choose_bounds(row: Row, column: Column) -> tuple[float | None, float | None]:
    """The interval of a number, as in the files; none if the number is undefined."""
    return (None, None) if row[column.name] is None else get_interval_bounds(row, column)


def list_other_intervals(row: Row, column: Column, convention: str) -> tuple[str, ...]:
    """The intervals of the other conventions with their names, one per line; without those that are the same."""
    if not column.low or row[column.name] is None:
        return ()
    mine = print_bounds(row["intervals"][column.name][convention])
    found = (
        (other, print_bounds(row["intervals"][column.name][other])) for other in CONVENTIONS if other != convention
    )
    return tuple(f"{name_code('convention', other)}: {each}" for other, each in found if each != mine)


def print_bounds(ends: Mapping[str, Any]) -> str:
    return format_interval(ends["low"], ends["high"]) or _(UNDEFINED)


def list_lines_below(row: Row, column: Column, convention: str) -> tuple[str, ...]:
    """The lines under a number: the other conventions' intervals, and the numbers of judgments and texts."""
    if not column.n:
        return ()
    about = row["intervals"][column.name][ANNOTATORS]
    texts = say_texts(about["n_units"])
    n = texts if column.n == "texts" else f"{say_judgments(about['n_responses'])}, {texts}"
    return (*list_other_intervals(row, column, convention), n)


def explain_wide_interval(row: Row, column: Column, convention: str) -> tuple[str, ...]:
    """Why an interval over readers and texts is much wider than the one for these annotators only, if it is."""
    if convention != READERS or not has_interval(row, column):
        return ()
    wide, narrow = (row["intervals"][column.name][each] for each in (READERS, ANNOTATORS))
    share = wide.get("share_from_readers")
    if share is None or wide["low"] is None or narrow["low"] is None:
        return ()
    if wide["high"] - wide["low"] <= MUCH_WIDER * (narrow["high"] - narrow["low"]):
        return ()
    return (_("readers: %(share)s %% of the variance") % {"share": round(100 * share)},)


def join_caveats(row: Row, column: Column, convention: str) -> str:
    """The caveats of the interval by the chosen convention."""
    if not has_interval(row, column):
        return ""
    return " ".join(row["intervals"][column.name][convention].get("caveats", ()))


def describe_figure(table: Table) -> str:
    """The text alternative of a figure of the table: one sentence for each of its first rows."""
    sentences = [f"{describe_row(row, table)}." for row in table.rows[:MOST_SENTENCES]]
    if n := len(table.rows) - len(sentences):
        sentences.append(
            ngettext("The table has %(n)s more row.", "The table has %(n)s more rows.", n) % {"n": count(n)}
        )
    return " ".join(sentences)


def describe_row(row: Row, table: Table) -> str:
    named = [name_code(column.kind, row[column.name]) for column in table.columns if column.kind not in NUMBERS]
    numbers = [f"{column.title} {print_number(row, column)}" for column in table.columns if column.kind in NUMBERS]
    return f"{', '.join(filter(None, named))}: {'; '.join(numbers)}" if named else "; ".join(numbers)


def print_number(row: Row, column: Column) -> str:
    """A number with the interval in the table's own columns, or the word “undefined”."""
    value = row[column.name]
    if value is None:
        return _(UNDEFINED)
    own = get_interval_bounds(row, column)
    return f"{format_as(column.kind, value, choose_digits(*own))} {format_interval(*own)}".rstrip()


@dataclass(frozen=True)
class DescriptionPart:
    """One part of the description: names down, quantities across."""

    title: str
    quantities: list[str]
    rows: list[tuple[str, list[Cell]]]
    more: int = 0


def build_description(
    table: Table, behind: DrillDownLink | None = None, most: int = MOST_ROWS
) -> list[DescriptionPart]:
    """The texts, the items and the evaluators, each as a small table of at most `most` rows."""
    parts = {about: [row for row in table.rows if row["about"] == about] for about in ABOUT}
    return [build_facts(table, name_code("about", about), rows, behind, most) for about, rows in parts.items()]


def build_facts(table: Table, title: str, rows: list[Row], behind: DrillDownLink | None, most: int) -> DescriptionPart:
    column = next(column for column in table.columns if column.name == "value")
    quantities = list(dict.fromkeys(row["quantity"] for row in rows))
    cells: dict[str, dict[str, Cell]] = {}
    for row in rows:
        cell = build_cell(row, column, table, DEFAULT_CONVENTION, {}, {}, behind)
        under = (cell.reason,) if cell.reason else ()
        cells.setdefault(name_fact(row), {})[row["quantity"]] = replace(cell, mark="", under=under)
    found = [
        (name, [mine.get(quantity, Cell("", numeric=True)) for quantity in quantities]) for name, mine in cells.items()
    ]
    names = [name_code("quantity", quantity) for quantity in quantities]
    shown = found if len(found) == most + 1 else found[:most]  # a line that says “1 more” takes as much space
    return DescriptionPart(title, names, shown, len(found) - len(shown))


def name_fact(row: Row) -> str:
    return f"{row['name_said']}, {row['source']}" if row["source"] else row["name_said"]


def name_row(table: Table, row: Row) -> list[tuple[str, str]]:
    """The title of each key column of a row with its value in words."""
    titled = {column.name.removesuffix("_said"): column for column in table.columns}  # such as category_said
    return [(titled[name].title, name_code(titled[name].kind, row[titled[name].name])) for name in table.keys]


@dataclass(frozen=True)
class TablePage:
    """The rows of one page of a table; `parameter` is the page number in the address, `query` the rest of it."""

    table: PageTable
    page: Page
    parameter: str
    query: str


def sort_naturally(table: Table) -> Table:
    """The table in natural order (t2 before t10), if it is sorted by ids; files keep their own order."""
    names = [column.name for column in table.columns if column.kind not in ID_KINDS or column.name == table.sort]
    if table.sort not in names or table.find_column(table.sort).kind not in ID_KINDS:
        return table
    before = names[: names.index(table.sort)]
    parts = groupby(table.rows, lambda row: [row[name] for name in before])
    ordered = (sorted(rows, key=lambda row: make_natural_key(row[table.sort])) for _same, rows in parts)
    return replace(table, rows=tuple(chain.from_iterable(ordered)))


def paginate(
    table: Table, asked: QueryDict, convention: str, behind: DrillDownLink | None = None, of: int = 1
) -> TablePage:
    """The page that the address asks for, by default the first; `of`: the number of tables that share the page."""
    parameter, rest = f"page-{table.name}", asked.copy()
    rest.pop(parameter, None)
    page = Paginator(table.rows, count_rows_on_page(table, of)).get_page(asked.get(parameter))
    shown = build_page_table(replace(table, rows=tuple(page.object_list)), convention, behind=behind)
    return TablePage(shown, page, parameter, rest.urlencode())


class Footnotes:
    """The remarks on one page, in the order in which its cells first refer to them."""

    def __init__(self) -> None:
        self.ids: dict[str, str] = {}

    def refer(self, sentences: Iterable[str]) -> str:
        """The ids of these remarks, for `aria-describedby`."""
        return " ".join([self.ids.setdefault(words, f"r{len(self.ids) + 1}") for words in sentences])

    def __len__(self) -> int:
        return len(self.ids)
