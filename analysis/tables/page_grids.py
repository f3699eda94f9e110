"""Long tables as grids for a page: informativity with evaluators side by side, and the crossings of other tables."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from analysis.formatting import UNDEFINED, format_figure
from analysis.tables.grids import (
    BESIDE,
    Grid,
    GridCell,
    build_grids,
    describe_beneath,
    find_column,
    find_heading,
    format_beneath,
)
from analysis.tables.page import (
    SIGNS,
    Cell,
    DrillDownLink,
    PageTable,
    Part,
    build_cell,
    build_part_beneath,
    explain_wide_interval,
    find_footnote_letter,
    find_reason,
    join_parts,
)
from analysis.tables.spec import NUMBERS, Column, Row, Table
from analysis.words import name_code

MEASURE = "informativity"


def place_side_by_side(table: Table, convention: str, behind: DrillDownLink | None = None) -> PageTable:
    """A grid of informativity by generator and evaluator, with the two accuracies beneath each number."""
    column = next(column for column in table.columns if column.name == MEASURE)
    reasons: dict[str, str] = {}
    cells = {
        (row["generator"], row["evaluator"]): replace(
            build_cell(row, column, table, convention, reasons, {}, behind),
            under=explain_wide_interval(row, column, convention),
            beneath=join_accuracies(table, row, behind),
        )
        for row in table.rows
    }
    generators = list(dict.fromkeys(row["generator"] for row in table.rows))
    answered = [row["evaluator"] for row in table.rows if row["n_guess"] or row["n_read"]]
    evaluators = list(dict.fromkeys(answered or [row["evaluator"] for row in table.rows]))
    head = (
        Column("generator", _("Generators")),
        *(Column(one, name_code("evaluator", one), "number") for one in evaluators),
    )
    rows = [[Cell(generator, heading=True), *(cells[generator, one] for one in evaluators)] for generator in generators]
    notes = (
        _("In brackets: 95 %% intervals, %(convention)s.") % {"convention": name_code("convention", convention)},
        _("Below each number: the share judged correctly without the text → with it."),
    )
    return PageTable(
        f"{table.name}_beside", table.title, head, rows, notes, {mark: reason for reason, mark in reasons.items()}
    )


def join_accuracies(table: Table, row: Row, behind: DrillDownLink | None) -> tuple[Part, ...]:
    """The two accuracies: without the text → with it."""
    ends = (find_column(table, name) for name in ("guessability", "answerability"))
    numbers = ((each, _(UNDEFINED) if row[each.name] is None else format_figure(row[each.name])) for each in ends)
    return join_parts((build_part_beneath(table, row, *each, behind) for each in numbers), " → ")


def pivot(
    table: Table, convention: str, behind: DrillDownLink | None = None, grids: Iterable[Grid] | None = None
) -> list[PageTable]:
    """The grids of a table with crossings (see `Crossing`), or only `grids`, with the same cells as the long table."""
    return [
        build_page_grid(table, grid, convention, behind) for grid in (build_grids(table) if grids is None else grids)
    ]


def build_page_grid(table: Table, grid: Grid, convention: str, behind: DrillDownLink | None) -> PageTable:
    reasons: dict[str, str] = {}
    heading = replace(find_column(table, grid.crossing.down), title=find_heading(table, grid.crossing))
    along = [find_column(table, name) for name in grid.crossing.along]

    def number(place: GridCell | None) -> Cell:
        return build_pivot_cell(place, table, grid, convention, reasons, behind) if place else Cell("", numeric=True)

    rows = [
        [
            Cell(name_code(heading.kind, down), heading=True),
            *(number(place) for place in grid.line(down)),
            *(build_cell(grid.first(down), column, table, convention, reasons, {}, behind) for column in along),
        ]
        for down in grid.down
    ]
    marks = {mark: reason for reason, mark in reasons.items()}
    head, notes = (heading, *list_header_columns(table, grid), *along), tuple(list_grid_notes(table, grid, rows))
    return PageTable(table.name, grid.title or table.title, head, rows, notes, marks, grid.n_cut)


def list_header_columns(table: Table, grid: Grid) -> list[Column]:
    """A column for each value across; numbers, such as rounds, follow the title of their column."""
    column = find_column(table, grid.crossing.across)

    def name_across(across: Any) -> str:
        words = name_code(column.kind, across)
        return f"{column.title} {words}" if words.isdecimal() else words

    return [Column(str(across), name_across(across), "number") for across in grid.across]


def build_pivot_cell(
    place: GridCell, table: Table, grid: Grid, convention: str, reasons: dict[str, str], behind: DrillDownLink | None
) -> Cell:
    """A cell with the number, its interval on a line of its own, as columns are narrow, and further numbers beneath."""
    row, crossing = place.row, grid.crossing
    cell = build_cell(row, place.column, table, convention, reasons, {}, behind)
    beneath = (build_part_beneath(table, row, *part, behind) for part in format_beneath(place, table, crossing))
    reason = cell.reason or explain_beneath(row, table, grid)
    marked = row[crossing.mark] if crossing.mark else ""
    return replace(
        cell,
        interval="",
        under=(*([cell.interval] if cell.interval else []), *explain_wide_interval(row, place.column, convention)),
        beneath=join_parts(beneath, BESIDE),
        marked=marked,
        reason=reason,
        mark=find_footnote_letter(reason, reasons),
    )


def explain_beneath(row: Row, table: Table, grid: Grid) -> str:
    """Why one of several numbers beneath a number is undefined."""
    columns = [find_column(table, name) for name in grid.crossing.beneath]
    found = [find_reason(row, column, row[column.name]) for column in columns if column.kind in NUMBERS]
    return next(filter(None, found), "") if len(columns) > 1 else ""


def list_grid_notes(table: Table, grid: Grid, rows: list[list[Cell]]) -> Iterator[str]:
    """Notes on what the marks mean, and on what is printed under the numbers."""
    marked = {cell.marked for row in rows for cell in row} - {""}
    if marked:
        yield ", ".join(f"{SIGNS[word]} {name_code('mark', word)}" for word in SIGNS if word in marked)
    yield from describe_beneath(table, grid.crossing)
