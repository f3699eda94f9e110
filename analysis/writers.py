"""A table as CSV (RFC 4180), JSON and TeX (booktabs). The same table always gives the same bytes."""

import csv
import io
import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from analysis.cells import cell
from analysis.formatting import MINUS, UNDEFINED, figure, interval, worded
from analysis.tables import Row, Shown, Table

TEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    MINUS: "$-$",
}
TEX_SIGNS = str.maketrans(TEX_SPECIAL)
NOT_PRINTED = re.compile(r"[\x00-\x1f\x7f]+")


def as_csv(table: Table) -> str:
    """Every column of the contract, unrounded; undefined is an empty cell beside its reason."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)  # commas, quotes where needed, CRLF
    writer.writerow(map(cell, table.columns))
    writer.writerows([cell(row[column]) for column in table.columns] for row in table.rows)
    return out.getvalue()


def as_json(table: Table) -> str:
    """The rows with both conventions' intervals under `intervals`; undefined is null."""
    head = {"name": table.name, "title": table.title, "columns": table.columns, "notes": table.notes}
    said = json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}")
    rows = ",\n  ".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in table.rows)
    return f'{said},\n "rows": [\n  {rows}\n ]\n}}\n'


def as_tex(table: Table) -> str:
    """A table for a paper: rounded, with intervals in brackets and the notes beneath. Needs booktabs."""
    shown = table.shown or tuple(Shown(column, column) for column in table.columns)
    align = "".join("r" if column.kind in ("count", "number") else "l" for column in shown)
    head = " & ".join(escape(column.title) for column in shown)
    text = cache(lambda kind, value: escape(worded(kind, value)))  # few words, many rows
    body = [" & ".join(tex_cell(row, column, text) for column in shown) + r" \\" for row in table.rows]
    notes = [rf"\par\footnotesize {escape(note)}" for note in table.notes]
    lines = [
        rf"\begin{{tabular}}{{{align}}}",
        r"\toprule",
        rf"{head} \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        *notes,
    ]
    return "\n".join(lines) + "\n"


def tex_cell(row: Row, column: Shown, text: Callable[[str, Any], str]) -> str:
    """One cell as a paper has it: `.53 [.41, .65]`, `undefined`, or the text itself."""
    value = row[column.value]
    if column.kind not in ("count", "number"):
        return text(column.kind, value)
    if value is None:
        return UNDEFINED
    ends = interval(row[column.low], row[column.high]) if column.low else ""
    said = str(value) if isinstance(value, int) else figure(value)
    return f"{said} {ends}".rstrip().replace(MINUS, TEX_SPECIAL[MINUS])


def escape(text: str) -> str:
    """The text so that TeX prints it and runs nothing of it."""
    return NOT_PRINTED.sub(" ", text).translate(TEX_SIGNS)


WRITERS: dict[str, Callable[[Table], str]] = {"csv": as_csv, "json": as_json, "tex": as_tex}
