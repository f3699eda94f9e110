"""Workbooks and Parquet files in memory, for tests."""

import io

import fastparquet
import pandas as pd
from openpyxl import Workbook


def xlsx(*sheets: list[list[object]]) -> bytes:
    """A workbook with these sheets, each a list of rows."""
    book = Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets):
        sheet = book.create_sheet(f"S{number + 1}")
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def parquet(rows: list[list[object]], path) -> bytes:
    """A Parquet file whose first row names the columns."""
    frame = pd.DataFrame(rows[1:], columns=rows[0])
    fastparquet.write(str(path), frame)
    return path.read_bytes()
