"""A long table as grids: one number for each pair of values of two columns, as its `Crossing` declares."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from analysis.formatting import UNDEFINED, format_as
from analysis.tables.spec import NUMBERS, Column, Crossing, Row, Table
from analysis.words import name_code

BESIDE = " · "  # separates parts that are side by side
Printed = Callable[[str, int | float], str]  # formats a number of a column of this kind


@dataclass(frozen=True)
class GridCell:
    """The content of one cell: this column of this row."""

    row: Row
    column: Column


@dataclass(frozen=True)
class Grid:
    """Numbers of a table, placed by the values of two columns, one down the side and one across the top.

    title: which part of the table it shows; empty if it shows all of it.
    """

    crossing: Crossing
    title: str
    down: tuple[Any, ...]
    across: tuple[Any, ...]
    cells: Mapping[tuple[Any, Any], GridCell]
    n_cut: int = 0  # number of rows cut off at the end

    def line(self, down: Any) -> list[GridCell | None]:
        """The cell of each column; None if the table has no number there."""
        return [self.cells.get((down, across)) for across in self.across]

    def first(self, down: Any) -> Row:
        """The first row of the table on this line, for values that are the same on the whole line."""
        return next(cell.row for cell in self.line(down) if cell is not None)


def build_grids(table: Table) -> list[Grid]:
    """The grids of a table for each of its crossings, in the order of its rows; none if they would have one column."""
    return [grid for crossing in table.crossings for grid in build_crossing_grids(table, crossing)]


def build_crossing_grids(table: Table, crossing: Crossing) -> list[Grid]:
    entering = crossing.select_rows(table)
    across = list_axis_values(entering, crossing)[1]
    if len(across) < 2:
        return []
    parts: dict[tuple[Any, ...], list[Row]] = {}
    for row in entering:
        parts.setdefault(tuple(row[column] for column in crossing.apart), []).append(row)
    return [
        build_grid(table, crossing, build_title(table, crossing, key, list(parts)), rows, across)
        for key, rows in parts.items()
    ]


def build_grid(table: Table, crossing: Crossing, title: str, rows: list[Row], across: tuple[Any, ...]) -> Grid:
    """The grid of these rows. `across` is the same for all grids of a crossing, so that their columns line up."""
    number = find_column(table, crossing.number)
    cells = {(row[crossing.down], row[crossing.across]): GridCell(row, number) for row in rows}
    if crossing.mirrored:
        back = find_column(table, crossing.back or crossing.number)
        cells |= {(row[crossing.across], row[crossing.down]): GridCell(row, back) for row in rows}
    return Grid(crossing, title, list_axis_values(rows, crossing)[0], across, cells)


def list_axis_values(rows: Iterable[Row], crossing: Crossing) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The values down and across, in order of occurrence; for a mirrored table all values in both directions."""
    rows = list(rows)
    down, across = ([row[column] for row in rows] for column in (crossing.down, crossing.across))
    if crossing.mirrored:
        down = across = [*down, *across]
    return tuple(dict.fromkeys(down)), tuple(dict.fromkeys(across))


def build_title(table: Table, crossing: Crossing, key: tuple[Any, ...], keys: list[tuple[Any, ...]]) -> str:
    """The title of the crossing, then the values that distinguish this grid from the others."""
    values = [
        f"{column.title}: {name_code(column.kind, value)}"
        for place, value in enumerate(key)
        for column in [find_column(table, crossing.apart[place])]
        if len({other[place] for other in keys}) > 1
    ]
    return BESIDE.join(filter(None, [crossing.title, ", ".join(values)]))


def format_beneath(
    cell: GridCell, table: Table, crossing: Crossing, printed: Printed = format_as
) -> list[tuple[Column, str]]:
    """The values printed under a number, by column.

    A single value is left out if it is missing; several values are left out if the number itself is undefined.
    """
    values = [(find_column(table, name), cell.row[name]) for name in crossing.beneath]
    is_empty = cell.row[cell.column.name] is None if len(values) > 1 else all(value is None for _, value in values)
    return [] if is_empty else [(column, format_part(column, value, printed)) for column, value in values]


def format_part(column: Column, value: Any, printed: Printed) -> str:
    if column.kind not in NUMBERS:
        return name_code(column.kind, value)
    return _(UNDEFINED) if value is None else printed(column.kind, value)


def describe_beneath(table: Table, crossing: Crossing) -> list[str]:
    """A sentence on what the numbers are and what is printed under them; empty if nothing is printed under them.

    If a crossing has two numbers, its title says what they are, and the sentence names only what is under them.
    """
    under = BESIDE.join(find_column(table, name).title for name in crossing.beneath)
    if not under:
        return []
    if crossing.back:
        return [_("Below each number: %(title)s.") % {"title": under}]
    number = find_column(table, crossing.number).title
    return [_("In each cell: %(number)s; below it: %(under)s.") % {"number": number, "under": under}]


def find_heading(table: Table, crossing: Crossing) -> str:
    """The heading over the names on the left."""
    return crossing.heading or find_column(table, crossing.down).title


def find_column(table: Table, name: str) -> Column:
    return next(column for column in table.columns if column.name == name)
