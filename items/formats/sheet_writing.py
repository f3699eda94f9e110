"""Writing rows to a workbook (XLSX) or a Parquet file. The same rows give the same bytes; no cell is a formula."""

import io
import re
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from math import isfinite
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import IO, Any, Literal
from xml.sax.saxutils import escape

from django.utils.translation import gettext as _

from items.formats.parquet_rows import MAX_COLUMN, MAX_ROW
from items.plain import escape_formula

MAX_WORDS = 32_767  # characters of a cell in Excel
MAX_NUMBER = 10**15  # whole numbers that a spreadsheet holds exactly
EMPTY = "<c/>"
ROW_GROUP = 20_000
Kind = Literal["text", "integer", "number", "truth"]
# Characters that XML cannot hold, and what a spreadsheet would read as an escaped one.
UNWRITTEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\r\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
PARTS = {
    "[Content_Types].xml": f'{HEAD}<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{SHEET_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{SHEET_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'{HEAD}<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
    '<sheet name="Lesart" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}


class TooLarge(ValueError):
    """More than the format can hold; the message says what, and which format holds it."""


def write_workbook(columns: Collection[str], rows: Iterable[Sequence[Any]], out: IO[bytes]) -> int:
    """Write a workbook with one sheet and a header; returns the number of rows. Memory does not grow with them.

    `TooLarge` beyond Excel's limits; the file is then incomplete.
    """
    if len(columns) > MAX_COLUMN:
        raise TooLarge(_("A workbook holds at most {n:,} columns. Take CSV.").format(n=MAX_COLUMN))
    number = 0
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in PARTS.items():
            archive.writestr(zipfile.ZipInfo(name), content)
        sheet = zipfile.ZipInfo("xl/worksheets/sheet1.xml")  # dated 1980, so that bytes do not depend on the time
        sheet.compress_type = zipfile.ZIP_DEFLATED
        with archive.open(sheet, "w", force_zip64=True) as file, io.TextIOWrapper(file, "utf-8", newline="") as text:
            text.write(f'{HEAD}<worksheet xmlns="{MAIN}"><sheetViews><sheetView workbookViewId="0">')
            text.write('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>')
            text.write("</sheetView></sheetViews><sheetData>")
            text.write(format_row(columns))
            for number, row in enumerate(rows, 1):
                if number >= MAX_ROW:
                    raise TooLarge(_("A workbook holds at most {n:,} rows. Take CSV or Parquet.").format(n=MAX_ROW))
                text.write(format_row(row))
            text.write("</sheetData></worksheet>")
    return number


def format_row(cells: Iterable[Any]) -> str:
    return f"<row>{''.join(map(format_cell, cells))}</row>"


def format_cell(value: Any) -> str:
    """Numbers and truth values as such, nothing for undefined values, everything else as text."""
    if value.__class__ is str:
        return format_words(value)
    if value is None or value != value:
        return EMPTY
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int) and abs(value) < MAX_NUMBER:
        return f"<c><v>{value}</v></c>"
    if isinstance(value, float) and isfinite(value):
        return f"<c><v>{float(value)!r}</v></c>"  # numpy's own repr names its type
    return format_words(str(value))


@lru_cache(maxsize=20_000)  # ids, stages and questions repeat in most rows
def format_words(words: str) -> str:
    if not words:
        return EMPTY
    words = escape_formula(words)
    if len(words) > MAX_WORDS:
        raise TooLarge(_("A cell has more than the {n:,} characters of a workbook. Take CSV.").format(n=MAX_WORDS))
    words = escape(UNWRITTEN.sub(lambda found: f"_x{ord(found[0]):04X}_", words))
    return f'<c t="inlineStr"><is><t xml:space="preserve">{words}</t></is></c>'


DTYPES = {"integer": "Int64", "number": "Float64", "truth": "boolean"}
READERS: dict[str, Callable[[Any], Any]] = {"integer": int, "number": float, "truth": bool}


def write_parquet(kinds: dict[str, Kind], rows: Iterable[Sequence[Any]], out: IO[bytes]) -> int:
    """Write a Parquet file with columns of these kinds, undefined values missing; returns the number of rows.

    Formulas in texts are not marked, as no spreadsheet opens it.
    """
    from fastparquet import write  # loads pandas

    number = 0
    text = {name: "utf8" for name, kind in kinds.items() if kind == "text"}
    with TemporaryDirectory() as folder:
        file = Path(folder, "rows.parquet")  # row groups can only be added to a named file
        for chunk in chunk_rows(rows):
            write(
                str(file), build_frame(kinds, chunk), append=number > 0, compression="ZSTD",
                object_encoding=text or "utf8", write_index=False, stats=False,
            )  # fmt: skip
            number += len(chunk)
        with file.open("rb") as written:
            copyfileobj(written, out)
    return number


def chunk_rows(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Sequence[Any]]]:
    """The rows in row groups, at least one."""
    left = iter(rows)
    yield list(islice(left, ROW_GROUP))
    while chunk := list(islice(left, ROW_GROUP)):
        yield chunk


def build_frame(kinds: dict[str, Kind], rows: Sequence[Sequence[Any]]) -> Any:
    import pandas as pd

    columns = zip(*rows, strict=True) if rows else [()] * len(kinds)
    return pd.DataFrame(
        {
            name: pd.Series([convert_cell(cell, kind) for cell in cells], dtype=DTYPES.get(kind, "object"))
            for (name, kind), cells in zip(kinds.items(), columns, strict=True)
        }
    )


def convert_cell(cell: Any, kind: Kind) -> Any:
    """The cell in the type of its column; in a text column truth values are the words of CSV."""
    if cell is None or cell != cell:
        return None
    if kind != "text":
        return READERS[kind](cell)
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def find_kind(values: Iterable[Any]) -> Kind:
    """The kind of a column from its values: text if their kinds differ."""
    found = {type(value) for value in values if value is not None and value == value}
    if found == {bool}:
        return "truth"
    if found and found <= {int, float}:
        return "integer" if found == {int} else "number"
    return "text"
