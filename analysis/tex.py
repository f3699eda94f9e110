"""A table as TeX (booktabs): a list of rows, or the grids as which it reads best."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, cast

from django.utils.translation import gettext as _

from analysis.formatting import MINUS, UNDEFINED, figure, interval, mark_word, worded
from analysis.grids import Grid, beneath_said, column_of, grids_of
from analysis.tables import Crossing, Row, Shown, Table

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
BOLD, UNDERLINED = r"\textbf{%s}", r"\underline{%s}"
MARKS = {"best": BOLD, "highest": BOLD, "worst": UNDERLINED, "lowest": UNDERLINED}


def as_tex(table: Table) -> str:
    """A table for a paper: rounded, with intervals in brackets and the notes beneath. Needs booktabs."""
    if grids := grids_of(table):
        return tex_grids(table, grids)
    shown = table.shown or tuple(Shown(column, column) for column in table.columns)
    align = "".join("r" if column.kind in ("count", "number") else "l" for column in shown)
    head = line_of(escape(column.title) for column in shown)
    text = cache(lambda kind, value: escape(worded(kind, value)))  # few words, many rows
    body = [line_of(tex_cell(row, column, text) for column in shown) for row in table.rows]
    return tabular(align, head, body, table.notes)


def tabular(align: str, head: str, body: Iterable[str], notes: Iterable[str]) -> str:
    lines = [
        rf"\begin{{tabular}}{{{align}}}",
        r"\toprule",
        head,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\footnotesize {escape(note)}" for note in notes),
    ]
    return "\n".join(lines) + "\n"


def line_of(cells: Iterable[str]) -> str:
    """Cells as a line. A [ or * at its start is held together: TeX would read it as an option of the line above."""
    line = " & ".join(cells) + r" \\"
    return f"{{{line[0]}}}{line[1:]}" if line[0] in "[*" else line


def tex_cell(row: Row, column: Shown, text: Callable[[str, Any], str]) -> str:
    """One cell as a paper has it: `.53 [.41, .65]`, `undefined`, or the text itself."""
    value = row[column.value]
    if column.kind not in ("count", "number"):
        return text(column.kind, value)
    if value is None:
        return UNDEFINED
    ends = interval(row[column.low], row[column.high]) if column.low else ""
    return signed(f"{printed(value)} {ends}".rstrip())


def printed(value: int | float) -> str:
    """A count with its digits together, as files have it; other numbers as everywhere."""
    return str(value) if isinstance(value, int) else figure(value)


def tex_grids(table: Table, grids: list[Grid]) -> str:
    """Grids in one table, each under its title; under each line of numbers their intervals, smaller."""
    crossing = cast("Crossing", table.crossing)
    down, across = column_of(table, crossing.down), column_of(table, crossing.across)
    along = [column_of(table, name) for name in crossing.along]
    words = [down.title, *(worded(across.kind, value) for value in grids[0].across), *(each.title for each in along)]
    body: list[str] = []
    for grid in grids:
        if grid.title:
            body += [r"\midrule"] if body else []
            body.append(rf"\multicolumn{{{len(words)}}}{{l}}{{\emph{{{escape(grid.title)}}}}} \\")
        for name in grid.down:
            body += grid_lines(table, crossing, grid, name)
    head = line_of(map(escape, words))
    return tabular("l" + "r" * (len(words) - 1), head, body, [*table.notes, *grid_notes(table, crossing)])


def grid_lines(table: Table, crossing: Crossing, grid: Grid, name: Any) -> Iterator[str]:
    """One line of a grid, and the lines under it."""
    down, number = column_of(table, crossing.down), column_of(table, crossing.number)
    cells = [grid_cell(row, number, crossing) if row else ("", "", "") for row in grid.line(name)]
    ends = [tex_cell(grid.first(name), column_of(table, each), worded) for each in crossing.along]
    numbers, *under = zip(*cells, strict=True)
    yield line_of([escape(worded(down.kind, name)), *numbers, *ends])
    for line in under:
        if any(line):
            small = (rf"\footnotesize {part}" if part else "" for part in line)
            yield line_of(["", *small, *("" for _end in ends)])


def grid_cell(row: Row, column: Shown, crossing: Crossing) -> tuple[str, str, str]:
    """The number as it is marked, its interval, and the second number."""
    value = row[column.value]
    if value is None:
        return UNDEFINED, "", ""
    ends = interval(row[column.low], row[column.high]) if column.low else ""
    second = row[crossing.beneath] if crossing.beneath else None
    marked = MARKS.get(row[crossing.mark] if crossing.mark else "", "%s")
    return marked % signed(printed(value)), signed(ends), "" if second is None else signed(printed(second))


def grid_notes(table: Table, crossing: Crossing) -> Iterator[str]:
    """What bold and underlined mean, and what stands under the numbers."""
    marked = {row[crossing.mark] for row in table.rows} if crossing.mark else set()
    said = {BOLD: _("bold"), UNDERLINED: _("underlined")}
    if marked & MARKS.keys():
        yield ", ".join(f"{said[how]}: {mark_word(word)}" for word, how in MARKS.items() if word in marked)
    yield from beneath_said(table)


def signed(text: str) -> str:
    """A number with a minus that TeX knows."""
    return text.replace(MINUS, TEX_SPECIAL[MINUS])


def escape(text: str) -> str:
    """The text so that TeX prints it and runs nothing of it."""
    return NOT_PRINTED.sub(" ", text).translate(TEX_SIGNS)
