"""From bytes to the cells of a table: text separated by comma, semicolon, tab or bar, a workbook, or Parquet.

One row has the names of the columns.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from django.utils.translation import gettext as _

from items.files import explain_web_page
from items.formats.rows import Reading
from items.formats.sheets import BadSheet, is_sheet, read_sheet
from items.formats.table_columns import count_recognized
from items.formats.text_files import decode_or_report
from items.plain import has_control, make_printable, strip_text, unescape_formula

DELIMITERS = ",;\t|"
MAX_COLUMNS = 100
MAX_NAME = 100
MAX_ROWS = 300_000
MAX_CELL = 131_072  # characters; longer cells usually have lost a quotation mark
# As many columns as a spreadsheet has; those beyond MAX_COLUMNS must be empty.
MAX_CELLS = 16_384
# Excel's own first line, such as “sep=;”.
SEPARATOR_LINE = re.compile(r"\A\"?sep=([,;\t|])\"?(\r\n|\r|\n)", re.IGNORECASE)


@dataclass(frozen=True)
class TableRow:
    """One row: the line on which it begins, and its cells."""

    line: int
    cells: list[str]


@dataclass(frozen=True)
class Table:
    header: list[str]
    rows: list[TableRow]


class BadTable(ValueError):
    """The file cannot be read as a table from this line on; the message says why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class TooManyCells(BadTable):
    """A row has more cells than a spreadsheet."""


def read_cells(content: bytes, reading: Reading, n_rows: int | None = None) -> Table | None:
    """The table, with a problem for each row with another number of cells; None if it cannot be read.

    With `n_rows`, only the first rows are read.
    """
    try:
        if reason := explain_web_page(content):
            raise BadTable(0, reason)
        records = _read_sheet_records(content, reading) if is_sheet(content) else _read_text_records(content, reading)
        if records is None:
            return None
        first = next(records, None)
        if first is None:
            raise BadTable(0, _("The file is empty. Put the column names into its first line."))
        rows = list(islice((row for row in _name_rows(records, reading) if any(row.cells)), n_rows))
        header = _read_header(first, rows)
        if not rows:
            raise BadTable(0, _("The table has no rows below the column names."))
    except BadTable as error:
        reading.problems.add(error.line, "", str(error))
        return None
    except BadSheet as error:
        reading.problems.add(0, "", str(error))
        return None
    return Table(header, [row for row in (_fit_to_header(row, header, reading) for row in rows) if row])


def _read_text_records(content: bytes, reading: Reading) -> Iterator[tuple[int, TableRow]] | None:
    text = decode_or_report(content, 0, reading)
    return None if text is None else _read_records(text)


def _read_sheet_records(content: bytes, reading: Reading) -> Iterator[tuple[int, TableRow]]:
    """The records of a workbook or Parquet file, without empty rows. Here a line is a row."""
    n, width = 0, 0
    for number, cells in read_sheet(content, lambda message: reading.warnings.add(0, "", message)):
        kept = cells[: _count_cells(cells)]
        if not kept:
            continue
        n, width = n + 1, width or len(kept)
        kept += [""] * (width - len(kept))
        yield number, TableRow(number, [strip_text(cell) for cell in _check_cells(kept, number, n)])


def _check_cells(cells: list[str], line: int, n_rows: int) -> list[str]:
    """The cells of a row; `BadTable` if limits are exceeded."""
    if any(len(cell) > MAX_CELL for cell in cells):
        raise BadTable(line, _("A cell here is longer than {limit:,} characters. Shorten it.").format(limit=MAX_CELL))
    if any("\0" in cell for cell in cells):
        raise BadTable(line, _("A cell here contains a NUL character, which cannot be stored. Remove it."))
    if n_rows > MAX_ROWS:
        raise BadTable(line, _("The table has more than {limit:,} rows. Split it.").format(limit=MAX_ROWS))
    return cells


def _name_rows(records: Iterator[tuple[int, TableRow]], reading: Reading) -> Iterator[TableRow]:
    """The rows; if cells span several lines, rows are named by row and line number."""
    for number, row in records:
        if number != row.line:
            reading.names[row.line] = _("line {line} (row {row})").format(line=row.line, row=number)
        yield row


def _read_records(text: str) -> Iterator[tuple[int, TableRow]]:
    """Number and cells of each row; blank lines are counted and skipped."""
    skipped = 0
    if separator := SEPARATOR_LINE.match(text):
        delimiter, text, skipped = separator[1], text[separator.end() :], 1
    else:
        delimiter = _guess_delimiter(text)
    for number, row in _parse_csv(text, delimiter, skipped):
        if row.cells not in ([], [""]):
            yield number, row


def _parse_csv(text: str, delimiter: str, skipped: int = 0) -> Iterator[tuple[int, TableRow]]:
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
            # csv's limit on cells is process-wide; imports of answers raise it. An open quotation mark runs to the end.
            is_long = "field limit" in str(error) or ("end of data" in str(error) and lines.tell() - start > MAX_CELL)
            raise BadTable(line, _explain_long_cell() if is_long else _explain_csv_error(str(error))) from None
        if any(len(cell) > MAX_CELL for cell in cells):
            raise BadTable(line, _explain_long_cell())
        if len(cells) > MAX_CELLS:
            raise TooManyCells(line, _("The row has more than {limit:,} cells. Split it.").format(limit=MAX_CELLS))
        number += 1
        if number > MAX_ROWS:
            raise BadTable(line, _("The table has more than {limit:,} rows. Split it.").format(limit=MAX_ROWS))
        yield number, TableRow(line, [strip_text(unescape_formula(cell)) for cell in cells])
        line = reader.line_num + 1 + skipped


def _explain_long_cell() -> str:
    return _("A cell here is longer than {limit:,} characters. Perhaps a closing quotation mark is missing.").format(
        limit=MAX_CELL
    )


def _explain_csv_error(error: str) -> str:
    if "end of data" in error:
        return _("A quotation mark opened here is never closed. Close it.")
    if "expected after" in error:
        return _(
            "Unexpected characters after a closing quotation mark. Double quotation marks that belong to the text."
        )
    return _("The line is not valid CSV: {reason}.").format(reason=make_printable(error))


def _guess_delimiter(text: str) -> str:
    """The delimiter with which most columns are recognized; if equal, the one with the most columns."""
    return max(DELIMITERS, key=lambda delimiter: _score_delimiter(text, delimiter))


def _score_delimiter(text: str, delimiter: str) -> tuple[int, int]:
    try:
        cells = next((row.cells for _number, row in _parse_csv(text, delimiter) if row.cells), [])
    except TooManyCells:
        return (0, MAX_CELLS)
    except BadTable:
        return (-1, 0)
    return (count_recognized(cells[:MAX_COLUMNS]), len(cells))


def _read_header(first: tuple[int, TableRow], rows: list[TableRow]) -> list[str]:
    """The names of the columns. An unnamed column is dropped if it is empty, else named by its position."""
    line, names = first[1].line, first[1].cells
    names = names[: max([_count_cells(names), *(_count_cells(row.cells) for row in rows)])]
    if not any(names):
        raise BadTable(
            line, _("The first line contains no column names. Write a name such as “text” above each column.")
        )
    if len(names) > MAX_COLUMNS:
        raise BadTable(
            line, _("The table has {n} columns; the limit is {limit}.").format(n=len(names), limit=MAX_COLUMNS)
        )
    names = [name or f"column {place}" for place, name in enumerate(names, start=1)]
    if bad := next((name for name in names if has_control(name) or len(name) > MAX_NAME), None):
        reason = _(
            "“{name}” is not a valid column name (one line, up to {limit} characters). Put the column "
            "names into the first line."
        )
        raise BadTable(line, reason.format(limit=MAX_NAME, name=make_printable(bad, 40)))
    if twice := [name for name, count in Counter(name.casefold() for name in names).items() if count > 1]:
        raise BadTable(
            line, _("The column “{name}” occurs twice. Rename one of them.").format(name=make_printable(twice[0]))
        )
    return names


def _count_cells(cells: list[str]) -> int:
    """The number of cells, without empty ones at the end."""
    return next((place for place in range(len(cells), 0, -1) if cells[place - 1]), 0)


def _fit_to_header(row: TableRow, header: list[str], reading: Reading) -> TableRow | None:
    """The row with as many cells as columns; extra empty cells are dropped."""
    if len(row.cells) < len(header) or any(row.cells[len(header) :]):
        reason = _(
            "The row has {n} cells, the first line {wanted}. "
            "Put a cell that holds a separator or a line break into quotation marks."
        )
        reading.problems.add(row.line, "", reason.format(n=len(row.cells), wanted=len(header)))
        return None
    return TableRow(row.line, row.cells[: len(header)])
