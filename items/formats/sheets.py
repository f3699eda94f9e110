"""Workbooks (XLSX) and Parquet files as rows of words: within limits, without running formulas, macros or entities."""

import io
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.utils.translation import gettext as _

from items.files import MAX_FILE, BadZip, ZipReader
from items.formats import parquet_rows
from items.formats.parquet_rows import TOO_LARGE, write_cell
from items.plain import unescape_formula

WORKBOOK, PARQUET = b"PK\x03\x04", b"PAR1"
# A cell or row in a place that no spreadsheet has: openpyxl would fill up everything before it.
IMPOSSIBLE_PLACE = re.compile(rb'\br="(?:[A-Za-z]{4,}\d*|[A-Za-z]*\d{8,})"')
SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
Rows = Iterator[tuple[int, list[str]]]  # number of the row, from 1, and its cells


class BadSheet(ValueError):
    """The file cannot be read as a table; the message says what it is, and what to do."""


def is_sheet(content: bytes) -> bool:
    """Whether the file is a workbook or Parquet, whatever its name."""
    return content.startswith((WORKBOOK, PARQUET))


def read_sheet(content: bytes, warn: Callable[[str], None]) -> Rows:
    """The rows of the first sheet that has any, or of the Parquet file; the first row has the names."""
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
    except Exception as error:  # openpyxl raises any kind of error for broken parts
        sentence = _("This workbook is damaged ({what}). Save it again as XLSX, or as CSV (UTF-8).")
        raise BadSheet(sentence.format(what=type(error).__name__)) from None


def check_workbook(content: bytes, warn: Callable[[str], None]) -> None:
    """Raises `BadSheet` for a file that is no Excel workbook, is too large unpacked, or has cells in impossible
    places."""
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
    """Whether the sheet has cells; the size stated in a sheet may be wrong, so openpyxl must not use it."""
    sheet.reset_dimensions()
    return any(cell is not None for row in sheet.iter_rows(values_only=True) for cell in row)


def read_parquet(content: bytes) -> Rows:
    """The rows as another process reads them, so that a damaged file cannot crash this one."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        command = [sys.executable, "-P", parquet_rows.__file__]
        with subprocess.Popen(command, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            try:
                yield from enumerate(take_rows(process.stdout or ()), 1)
            finally:
                process.kill()


def take_rows(lines: Iterable[bytes]) -> Iterator[list[str]]:
    """The rows that parquet_rows.py wrote; `BadSheet` where it ended before the last."""
    row: Any = ""
    for line in lines:
        row = json.loads(line) if line.endswith(b"\n") else ""
        if not isinstance(row, list):
            break
        yield row
    if row == TOO_LARGE:
        raise BadSheet(_("The Parquet file is too large unpacked. Split it."))
    if row is not None:
        raise BadSheet(_("This Parquet file is damaged or of an unknown kind. Write it again, or as CSV (UTF-8)."))
