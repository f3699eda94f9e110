"""A table as a file: CSV, JSON, LaTeX, Markdown, a workbook (XLSX) or Parquet, and code that reads it."""

import io
import re
from collections.abc import Callable, Iterable

from analysis.formatting import UNDEFINED, digits_of, interval
from analysis.tables.spec import NUMBERS, Column, Row, Table, interval_bounds
from analysis.tables.writers import as_csv, as_json, as_tex_document, print_number
from analysis.words import name_code
from items.formats.sheet_writing import find_kind, write_parquet, write_workbook

MARKDOWN_SIGNS = re.compile(r"[\\`*_{}\[\]<>#|~$!&]")
NEW_LINES = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")


def as_markdown(table: Table) -> str:
    """The columns for a paper, rounded, with intervals in brackets and the notes beneath."""
    shown = table.columns or tuple(Column(name, name) for name in table.header)
    lines = [
        join_cells(escape_markdown(column.title) for column in shown),
        join_cells("---:" if column.kind in NUMBERS else "---" for column in shown),
        *(join_cells(markdown_cell(row, column) for column in shown) for row in table.rows),
    ]
    notes = "".join(f"\n{escape_markdown(note)}\n" for note in table.notes)
    return "\n".join(lines) + "\n" + notes


def escape_markdown(words: str) -> str:
    """The words escaped so that Markdown shows them unchanged, in one line."""
    return MARKDOWN_SIGNS.sub(r"\\\g<0>", NEW_LINES.sub(" ", words))


def join_cells(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def markdown_cell(row: Row, column: Column) -> str:
    value = row[column.name]
    if column.kind not in NUMBERS:
        return escape_markdown(name_code(column.kind, value))
    if value is None:
        return UNDEFINED
    ends = interval_bounds(row, column)
    return escape_markdown(f"{print_number(column.kind, value, digits_of(*ends))} {interval(*ends)}".rstrip())


def as_workbook(table: Table) -> bytes:
    """Every column of the CSV, unrounded, as numbers and texts; formulas in texts are escaped as in CSV."""
    out = io.BytesIO()
    write_workbook(table.header, ([row[name] for name in table.header] for row in table.rows), out)
    return out.getvalue()


def as_parquet(table: Table) -> bytes:
    """Every column of the CSV, unrounded and typed; undefined values are missing."""
    out = io.BytesIO()
    kinds = {name: find_kind(row[name] for row in table.rows) for name in table.header}
    write_parquet(kinds, ([row[name] for name in table.header] for row in table.rows), out)
    return out.getvalue()


def encode(write: Callable[[Table], str]) -> Callable[[Table], bytes]:
    return lambda table: write(table).encode()


TABLE_FILES: dict[str, Callable[[Table], bytes]] = {
    "csv": encode(as_csv),
    "tex": encode(as_tex_document),
    "json": encode(as_json),
    "md": encode(as_markdown),
    "xlsx": as_workbook,
    "parquet": as_parquet,
}
# Code that reads a file: Python with pandas, and R. Words such as NA are kept as words.
READERS = {
    "csv": (
        'pd.read_csv("{name}", keep_default_na=False, na_values=[""])',
        'readr::read_csv("{name}", na = "")',
    ),
    "jsonl": ('pd.read_json("{name}", lines=True)', 'jsonlite::stream_in(file("{name}"))'),
    "xlsx": (
        'pd.read_excel("{name}", keep_default_na=False, na_values=[""])',
        'readxl::read_excel("{name}", na = "")',
    ),
    "parquet": ('pd.read_parquet("{name}")', 'arrow::read_parquet("{name}")'),
}  # fmt: skip


def write_snippet(name: str) -> str:
    """Code for pandas and R that reads the file of that name; empty for a file that people read."""
    pandas, r = READERS.get(name.rpartition(".")[2], ("", ""))
    return f"import pandas as pd\nframe = {pandas}\n\n# R\nframe <- {r}\n".replace("{name}", name) if r else ""
