"""A table as CSV (RFC 4180), JSON and TeX (booktabs). The same table always gives the same bytes."""

import csv
import io
import json
from collections.abc import Callable
from typing import Protocol

from analysis.cells import cell
from analysis.tables import Table
from analysis.tex import as_tex


class Written(Protocol):
    """What takes text, such as a file."""

    def write(self, text: str, /) -> object: ...


def as_csv(table: Table) -> str:
    """Every column of the contract, unrounded; undefined is an empty cell beside its reason."""
    out = io.StringIO(newline="")
    write_csv(table, out)
    return out.getvalue()


def write_csv(table: Table, out: Written) -> None:
    writer = csv.writer(out)  # commas, quotes where needed, CRLF
    writer.writerow(map(cell, table.columns))
    writer.writerows([cell(row[column]) for column in table.columns] for row in table.rows)


def as_json(table: Table) -> str:
    """The rows with both conventions' intervals under `intervals`; undefined is null."""
    head = {"name": table.name, "title": table.title, "columns": table.columns, "notes": table.notes}
    said = json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}")
    rows = ",\n  ".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in table.rows)
    return f'{said},\n "rows": [\n  {rows}\n ]\n}}\n'


WRITERS: dict[str, Callable[[Table], str]] = {"csv": as_csv, "json": as_json, "tex": as_tex}
