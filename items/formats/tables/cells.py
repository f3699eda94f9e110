"""Bytes to the cells of a table: comma, semicolon, tab or bar; one row is the names of the columns."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from items.formats.encoding import characters
from items.formats.problems import Reading
from items.formats.tables.columns import recognised_count
from items.plain import has_control, printable, tidy

DELIMITERS = ",;\t|"
MAX_COLUMNS = 100
MAX_NAME = 100
MAX_ROWS = 300_000
MAX_CELL = 131_072  # characters; what is longer has most often lost a quotation mark
# As many as a spreadsheet has; beyond MAX_COLUMNS they must be empty.
MAX_CELLS = 16_384
# Excel's own first line, such as “sep=;”.
SEPARATOR_LINE = re.compile(r"\A\"?sep=([,;\t|])\"?(\r\n|\r|\n)", re.IGNORECASE)


@dataclass(frozen=True)
class Cells:
    """One row: the line on which it begins, and what stands in each column."""

    line: int
    cells: list[str]


@dataclass(frozen=True)
class Table:
    header: list[str]
    rows: list[Cells]


class BadTable(ValueError):
    """The file cannot be read as a table from this line on; says why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def read_table(content: bytes, reading: Reading) -> Table | None:
    """The table, with a problem for each row that has another number of cells; None if it cannot be read as one."""
    text = characters(content, 0, reading)
    if text is None:
        return None
    try:
        records = _records(text)
        first = next(records, None)
        if first is None:
            raise BadTable(0, _("The file is empty. Write the names of the columns into its first line."))
        rows = [row for row in _named(records, reading) if any(row.cells)]
        header = _header(first, rows)
        if not rows:
            raise BadTable(0, _("The table has no rows below the names of its columns."))
    except BadTable as error:
        reading.problems.add(error.line, "", str(error))
        return None
    return Table(header, [row for row in (_fitted(row, header, reading) for row in rows) if row])


def _named(records: Iterator[tuple[int, Cells]], reading: Reading) -> Iterator[Cells]:
    """The rows; where cells of several lines part lines from rows, both numbers are told."""
    for number, row in records:
        if number != row.line:
            reading.names[row.line] = _("line {line} (row {row})").format(line=row.line, row=number)
        yield row


def _records(text: str) -> Iterator[tuple[int, Cells]]:
    """Number and cells of each row; blank lines are counted and left out."""
    skipped = 0
    if told := SEPARATOR_LINE.match(text):
        delimiter, text, skipped = told[1], text[told.end() :], 1
    else:
        delimiter = _delimiter(text)
    for number, row in _parsed(text, delimiter, skipped):
        if row.cells not in ([], [""]):
            yield number, row


def _parsed(text: str, delimiter: str, skipped: int = 0) -> Iterator[tuple[int, Cells]]:
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=True)
    number, line = skipped, 1 + skipped
    while True:
        start = lines.tell()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            # How long a cell may be for csv is the process's; answers raise it. An open quotation mark runs to the end.
            is_long = "field limit" in str(error) or ("end of data" in str(error) and lines.tell() - start > MAX_CELL)
            raise BadTable(line, _too_long() if is_long else _reason(str(error))) from None
        if any(len(cell) > MAX_CELL for cell in cells):
            raise BadTable(line, _too_long())
        if len(cells) > MAX_CELLS:
            raise BadTable(line, _("The row has more than {limit:,} cells. Split it.").format(limit=MAX_CELLS))
        number += 1
        if number > MAX_ROWS:
            raise BadTable(line, _("The table has more than {limit:,} rows. Split it.").format(limit=MAX_ROWS))
        yield number, Cells(line, [tidy(cell) for cell in cells])
        line = reader.line_num + 1 + skipped


def _too_long() -> str:
    return _("A cell here is longer than {limit:,} characters. Perhaps a closing quotation mark is missing.").format(
        limit=MAX_CELL
    )


def _reason(error: str) -> str:
    if "end of data" in error:
        return _("A quotation mark that opens here is never closed. Close it.")
    if "expected after" in error:
        return _(
            "After a closing quotation mark stands something else than the next cell. "
            "Write a quotation mark inside a cell twice."
        )
    return _("The line is not CSV: {reason}.").format(reason=printable(error))


def _delimiter(text: str) -> str:
    """The one by which most columns are recognised; among equals the one that makes most columns."""
    return max(DELIMITERS, key=lambda delimiter: _merit(text, delimiter))


def _merit(text: str, delimiter: str) -> tuple[int, int]:
    try:
        cells = next((row.cells for _number, row in _parsed(text, delimiter) if row.cells), [])
    except BadTable:
        return (-1, 0)
    return (recognised_count(cells[:MAX_COLUMNS]), len(cells))


def _header(first: tuple[int, Cells], rows: list[Cells]) -> list[str]:
    """The names of the columns. A column without a name goes if it is empty, else it is called by its place."""
    line, names = first[1].line, first[1].cells
    names = names[: max([_width(names), *(_width(row.cells) for row in rows)])]
    if not any(names):
        raise BadTable(line, _("The first line names no columns. Write a name such as “text” above each."))
    if len(names) > MAX_COLUMNS:
        raise BadTable(
            line, _("The table has {n} columns; the limit is {limit}.").format(n=len(names), limit=MAX_COLUMNS)
        )
    names = [name or f"column {place}" for place, name in enumerate(names, start=1)]
    if bad := next((name for name in names if has_control(name) or len(name) > MAX_NAME), None):
        reason = _(
            "The name of a column is one line of up to {limit} characters, but one is “{name}”. "
            "Write the names of the columns into the first line."
        )
        raise BadTable(line, reason.format(limit=MAX_NAME, name=printable(bad, 40)))
    if twice := [name for name, count in Counter(name.casefold() for name in names).items() if count > 1]:
        raise BadTable(
            line, _("The column “{name}” stands twice. Rename one of them.").format(name=printable(twice[0]))
        )
    return names


def _width(cells: list[str]) -> int:
    """How many cells there are, without the empty ones at the end."""
    return next((place for place in range(len(cells), 0, -1) if cells[place - 1]), 0)


def _fitted(row: Cells, header: list[str], reading: Reading) -> Cells | None:
    """The row with as many cells as there are columns; empty ones may be too many."""
    if len(row.cells) < len(header) or any(row.cells[len(header) :]):
        reason = _(
            "The row has {n} cells, the first line {wanted}. "
            "Put a cell that holds a separator or a line break into quotation marks."
        )
        reading.problems.add(row.line, "", reason.format(n=len(row.cells), wanted=len(header)))
        return None
    return Cells(row.line, row.cells[: len(header)])
