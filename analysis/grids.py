"""A long table as grids: a number for each pair of values of two columns, as `tables.Crossing` says."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from analysis.formatting import worded
from analysis.tables import Crossing, Row, Shown, Table


@dataclass(frozen=True)
class Grid:
    """The rows of the table by their values down and across; `title` says which part of the table it is, if not all."""

    title: str
    down: tuple[Any, ...]
    across: tuple[Any, ...]
    rows: Mapping[tuple[Any, Any], Row]

    def line(self, down: Any) -> list[Row | None]:
        """The row of each column; None where the table has none."""
        return [self.rows.get((down, across)) for across in self.across]

    def first(self, down: Any) -> Row:
        """Any row of the line, for what is the same all along it."""
        return next(row for row in self.line(down) if row is not None)


def grids_of(table: Table) -> list[Grid]:
    """The grids of a table that has a crossing, in the order of its rows; none where it would be a single column."""
    crossing = table.crossing
    if crossing is None or len(names(table.rows, crossing)[1]) < 2:
        return []
    parts: dict[tuple[Any, ...], list[Row]] = {}
    for row in table.rows:
        parts.setdefault(tuple(row[column] for column in crossing.apart), []).append(row)
    return [grid_of(table, crossing, title_of(table, crossing, key, list(parts)), rows) for key, rows in parts.items()]


def grid_of(table: Table, crossing: Crossing, title: str, rows: list[Row]) -> Grid:
    """The columns are those of the whole table, so that grids stand beneath each other."""
    cells = {(row[crossing.down], row[crossing.across]): row for row in rows}
    if crossing.mirrored:
        cells |= {(across, down): row for (down, across), row in cells.items()}
    return Grid(title, names(rows, crossing)[0], names(table.rows, crossing)[1], cells)


def names(rows: Iterable[Row], crossing: Crossing) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The values down and across, in the order in which they occur; of a mirrored table all of both."""
    rows = list(rows)
    down, across = ([row[column] for row in rows] for column in (crossing.down, crossing.across))
    if crossing.mirrored:
        down = across = [*down, *across]
    return tuple(dict.fromkeys(down)), tuple(dict.fromkeys(across))


def title_of(table: Table, crossing: Crossing, key: tuple[Any, ...], keys: list[tuple[Any, ...]]) -> str:
    """The values that tell this grid from the others."""
    return ", ".join(
        f"{column.title}: {worded(column.kind, value)}"
        for place, value in enumerate(key)
        for column in [column_of(table, crossing.apart[place])]
        if len({other[place] for other in keys}) > 1
    )


def beneath_said(table: Table) -> list[str]:
    """What stands under the numbers, if anything does."""
    if table.crossing is None or not table.crossing.beneath:
        return []
    return [_("Under each number: %(title)s.") % {"title": column_of(table, table.crossing.beneath).title}]


def column_of(table: Table, name: str) -> Shown:
    return next(column for column in table.shown if column.value == name)
