"""Workbooks (XLSX) and Parquet files as rows of words: bounded, without formulas, macros and entities being run."""

import io
import json
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, time
from typing import Any

from django.utils.translation import gettext as _

from items.files import MAX_FILE, BadZip, ZipReader
from items.plain import unescape_formula

WORKBOOK, PARQUET = b"PK\x03\x04", b"PAR1"
MAX_BYTES = 500_000_000  # of a Parquet file, unpacked, by what it says of itself
MAX_COLUMN = 16_384  # as many as a spreadsheet has
MAX_ROW = 1_048_576
# A cell or row in a place that no spreadsheet has: openpyxl would fill up everything before it.
IMPOSSIBLE_PLACE = re.compile(rb'\br="(?:[A-Za-z]{4,}\d*|[A-Za-z]*\d{8,})"')
SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
Rows = Iterator[tuple[int, list[str]]]  # number of the row, from 1, and its cells


class BadSheet(ValueError):
    """The file cannot be read as a table; the message says what it is and what to do."""


def is_sheet(content: bytes) -> bool:
    """Whether the file is a workbook or Parquet, whatever its name says."""
    return content.startswith((WORKBOOK, PARQUET))


def read_sheet(content: bytes, warn: Callable[[str], None]) -> Rows:
    """The rows of the first sheet that has any, or of the Parquet file; the first row holds the names."""
    return read_parquet(content) if content.startswith(PARQUET) else read_workbook(content, warn)


def read_workbook(content: bytes, warn: Callable[[str], None]) -> Rows:
    from openpyxl import load_workbook  # loads half a megabyte of code
    from openpyxl.utils.escape import unescape

    check_workbook(content, warn)
    try:
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
        found = [sheet for sheet in book.worksheets if has_cells(sheet)]
        if len(found) > 1:
            sentence = _("The workbook has several sheets; only the first one, “{name}”, was read.")
            warn(sentence.format(name=found[0].title[:40]))
        for number, cells in enumerate(found[0].iter_rows(values_only=True) if found else (), 1):
            words = (unescape_formula(unescape(cell)) if isinstance(cell, str) else cell for cell in cells)
            yield number, [write_cell(cell) for cell in words]
    except BadSheet:
        raise
    except Exception as error:  # openpyxl raises whatever a broken part makes it stumble over
        sentence = _("This workbook is damaged ({what}). Save it again as XLSX, or as CSV (UTF-8).")
        raise BadSheet(sentence.format(what=type(error).__name__)) from None


def check_workbook(content: bytes, warn: Callable[[str], None]) -> None:
    """`BadSheet` for what is no workbook of Excel, is too large unpacked, or has cells in impossible places."""
    try:
        archive = ZipReader(content)
        if "xl/workbook.xml" not in archive.names:
            raise BadSheet(_("This is a ZIP file without an Excel workbook. Save the table as XLSX or CSV (UTF-8)."))
        if any(info.file_size > MAX_FILE for info in archive.infos.values()):
            raise BadSheet(_("The workbook is too large unpacked. Split it, or save it as CSV."))
        if any(IMPOSSIBLE_PLACE.search(archive.read(name)) for name in archive.names if SHEET.fullmatch(name)):
            raise BadSheet(_("The workbook names a cell that no spreadsheet has. Save it again as XLSX or CSV."))
    except BadZip as bad:
        raise BadSheet(str(bad)) from None
    if any(name.endswith("vbaProject.bin") for name in archive.names):
        warn(_("The workbook contains macros. They were neither run nor kept."))


def has_cells(sheet: Any) -> bool:
    """What a sheet says of its own size may be wrong, so that openpyxl must not believe it."""
    sheet.reset_dimensions()
    return any(cell is not None for row in sheet.iter_rows(values_only=True) for cell in row)


def read_parquet(content: bytes) -> Rows:
    from fastparquet import ParquetFile  # loads pandas

    try:
        file = ParquetFile(io.BytesIO(content))
        names = [str(name) for name in file.columns]
        size = sum(max(group.total_byte_size or 0, 0) for group in file.row_groups)
        if file.count() > MAX_ROW or size > MAX_BYTES or len(names) > MAX_COLUMN:
            raise BadSheet(_("The Parquet file is too large unpacked. Split it."))
        yield 1, names
        number = 1
        for frame in file.iter_row_groups():
            for cells in frame[file.columns].itertuples(index=False, name=None):
                number += 1
                yield number, [write_cell(cell) for cell in cells]
    except BadSheet:
        raise
    except Exception as error:  # a broken file stumbles anywhere in its bytes
        sentence = _("This Parquet file is damaged or of an unknown kind ({what}). Write it again, or as CSV (UTF-8).")
        raise BadSheet(sentence.format(what=type(error).__name__)) from None


def write_cell(value: Any) -> str:
    """A cell as a CSV file would have it: whole numbers without a point, nothing for what is missing."""
    if value is None or value != value:  # NaN and NaT
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "true" if value else "false"
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, list | dict | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(float(value))
    return str(value)
