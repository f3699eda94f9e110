"""Finding single rows in the tables of a report, and counting a number again from the rows behind it."""

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

from analysis.frames.evidence import Evidence
from analysis.reports.report import Report
from analysis.services.reporting import drill_down
from analysis.tables.page import Cell, has_answers
from analysis.tables.spec import Column, FrameRows, Row, Table, convert_to_plain
from analysis.tables.writers import as_csv


def make_table(name: str, header: Iterable[str], rows: Iterable[Row], **more: Any) -> Table:
    """A table that no spec declares, of rows as they are."""
    header = tuple(header)
    if not isinstance(rows, FrameRows):
        rows = tuple(convert_to_plain({column: row[column] for column in header} | dict(row)) for row in rows)
    return Table(name, header, rows, **more)


def find_row(report: Report, table: str, **wanted: Any):
    """The one row of the table that has these values."""
    rows = [row for row in report.table(table).rows if wanted.items() <= row.items()]
    assert len(rows) == 1, (table, wanted, len(rows))
    return rows[0]


def numbers_in(table: Table, most: int = 10) -> Iterator[tuple[Row, Column]]:
    """The numbers that lead to the answers behind them, row and column, in so many rows spread over the table."""
    step = max(1, len(table.rows) // most)
    for row in table.rows[::step]:
        for column in table.columns:
            if has_answers(table, column, row[column.name]):
                yield row, column


def covering(rows: Iterable[Row], columns: Iterable[str]) -> Iterator[Row]:
    """Rows in which all values of any two of the columns stand together that do so in some row."""
    seen: set[Any] = set()
    for row in rows:
        two = set(combinations(((column, row[column]) for column in columns), 2))
        if two - seen:
            yield row
        seen |= two


def lines_under(cell: Cell) -> tuple[str, ...]:
    """What stands under a number, line by line."""
    return (*cell.under, *filter(None, ["".join(part.text for part in cell.beneath)]))


def rows_behind(evidence: Evidence, table: Table, row: Row, column: Column) -> list[dict[str, str]]:
    """The rows of the CSV file behind a number."""
    content = as_csv(drill_down(evidence, table.name, row, column.name))
    return list(csv.DictReader(io.StringIO(content, newline="")))
