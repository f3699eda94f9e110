"""A table as CSV (RFC 4180), JSON and TeX (booktabs). The same table always gives the same bytes."""

import csv
import io
import json
import re
from collections.abc import Callable

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
    content = {
        "name": table.name,
        "title": table.title,
        "columns": table.columns,
        "rows": table.rows,
        "notes": table.notes,
    }
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def as_tex(table: Table) -> str:
    """A table for a paper: rounded, with intervals in brackets and the notes beneath. Needs booktabs."""
    shown = table.shown or tuple(Shown(column, column) for column in table.columns)
    align = "".join("r" if column.kind in ("count", "number") else "l" for column in shown)
    head = " & ".join(escape(column.title) for column in shown)
    body = [" & ".join(escape(printed(row, column)) for column in shown) + r" \\" for row in table.rows]
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


def printed(row: Row, column: Shown) -> str:
    """One cell as a paper has it: `.53 [.41, .65]`, `undefined`, or the text itself."""
    value = row[column.value]
    if column.kind not in ("count", "number"):
        return worded(column.kind, value)
    if value is None:
        return UNDEFINED
    ends = interval(row[column.low], row[column.high]) if column.low else ""
    return f"{figure(value)} {ends}".rstrip()


def escape(text: str) -> str:
    """The text so that TeX prints it and runs nothing of it."""
    return "".join(TEX_SPECIAL.get(sign, sign) for sign in NOT_PRINTED.sub(" ", text))


WRITERS: dict[str, Callable[[Table], str]] = {"csv": as_csv, "json": as_json, "tex": as_tex}
