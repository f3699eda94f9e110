"""A table as a file: CSV (RFC 4180), JSON, TeX (booktabs), Markdown, a workbook (XLSX) or Parquet, and code that reads
it. The same table always gives the same bytes."""

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from itertools import groupby, repeat
from typing import Any, Protocol

from django.utils.translation import gettext as _

from analysis.formatting import MINUS, UNDEFINED, choose_digits, format_as, format_interval
from analysis.tables.grids import (
    BESIDE,
    Grid,
    GridCell,
    build_grids,
    describe_beneath,
    find_column,
    find_heading,
    format_beneath,
)
from analysis.tables.spec import NUMBERS, Column, ColumnRows, Crossing, Row, Table, get_interval_bounds
from analysis.words import name_code
from items.formats.sheet_writing import find_kind, write_parquet, write_workbook
from items.plain import escape_formula

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
    if grids := build_grids(table):
        parts = [list(part) for _crossing, part in groupby(grids, key=lambda grid: grid.crossing)]
        return "\n".join(write_tex_grids(table, part, table.notes if part is parts[-1] else ()) for part in parts)
    shown = table.columns or tuple(Column(name, name) for name in table.header)
    align = "".join("r" if column.kind in NUMBERS else "l" for column in shown)
    head = join_tex_cells(escape_tex(column.title) for column in shown)
    text = cache(lambda kind, value: escape_tex(name_code(kind, value)))  # many rows share few different values
    printed = lru_cache(maxsize=None, typed=True)(print_with_interval)
    cells = (write_tex_column(table, column, text, printed) for column in shown)
    body = map(join_tex_cells, zip(*cells, strict=True))
    return write_tabular(align, head, body, table.notes)


# Symbols that TeX fonts lack, as mathematics; other such symbols need LuaLaTeX or XeLaTeX.
TEX_MATH = {
    "κ": r"\kappa", "α": r"\alpha", "β": r"\beta", "ε": r"\varepsilon", "ρ": r"\rho", "τ": r"\tau", "χ": r"\chi",
    "×": r"\times", "→": r"\rightarrow", "≥": r"\ge", "≤": r"\le", "−": "-", "±": r"\pm", "′": "'", "√": r"\surd",
    "γ": r"\gamma", "δ": r"\delta", "η": r"\eta", "θ": r"\theta", "λ": r"\lambda", "μ": r"\mu", "π": r"\pi",
    "σ": r"\sigma", "φ": r"\varphi", "ω": r"\omega", "Δ": r"\Delta", "Σ": r"\Sigma", "≈": r"\approx", "≠": r"\ne",
    "Φ": r"\Phi", "Ω": r"\Omega", "Θ": r"\Theta", "∞": r"\infty", "²": "^2", "ν": r"\nu", "ψ": r"\psi", "Π": r"\Pi",
}  # fmt: skip
LONG = 45 + 6  # lines, of which 6 belong to the frame; longer tables run over several pages
MOST_LETTERS = 32  # of a text in one line of a long table
FOLDED = r">{\raggedright\arraybackslash}p{4.6cm}"  # a column whose lines are broken
TABULAR = re.compile(r"\\begin\{tabular\}.*?\\end\{tabular\}\n", re.DOTALL)
PREAMBLE = r"""% Compiles as it is, with pdfLaTeX, XeLaTeX or LuaLaTeX. For a paper, copy the table between the marks.
\documentclass[a4paper,landscape]{article}
\usepackage[margin=1.5cm]{geometry}
\usepackage{iftex,booktabs,array,longtable,graphicx}
\ifPDFTeX\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\usepackage{textcomp}\else\usepackage{fontspec}\fi
\begin{document}
"""


def as_tex_document(table: Table) -> str:
    """A document that compiles as it is, with the table between two comments. Wide tables are scaled to the page, long
    tables run over several pages."""
    text, caption = as_tex(table), rf"\caption{{{escape_tex(table.title)}}}\label{{tab:{table.name}}}"
    if any(each.count("\n") > LONG for each in TABULAR.findall(text)):
        captions = iter([rf"{caption}\\" + "\n"])
        inner = TABULAR.sub(lambda found: run_over_pages(found[0], next(captions, "")), text)
    else:
        inner = f"\\begin{{table}}[ht]\n\\centering\n{caption}\n{TABULAR.sub(scale_to_line, text)}\\end{{table}}\n"
    for sign, code in TEX_MATH.items():
        inner = inner.replace(sign, rf"\ensuremath{{{code}}}")
    return f"{PREAMBLE}% ---- the table\n{inner}% ---- end of the table\n\\end{{document}}\n"


def scale_to_line(found: re.Match[str]) -> str:
    return r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%" + f"\n{found[0].rstrip()}}}\n"


def run_over_pages(tabular: str, caption: str) -> str:
    """The tabular as a longtable that repeats its head; columns of long texts break their lines."""
    align, lines = tabular[len(r"\begin{tabular}{") :].partition("}")[0], tabular.splitlines()
    rows = [cells for line in lines if len(cells := line.split(" & ")) == len(align)]
    longest = [max(map(len, column)) for column in zip(*rows, strict=True)]
    columns = "".join(
        FOLDED if each == "l" and n > MOST_LETTERS else each for each, n in zip(align, longest, strict=True)
    )
    body = tabular.replace(rf"{{tabular}}{{{align}}}", rf"{{longtable}}{{{columns}}}", 1)
    body = body.replace(r"\end{tabular}", r"\end{longtable}").replace(r"\toprule", caption + r"\toprule", 1)
    return "{\\small\n" + body.replace(r"\midrule", r"\midrule\endhead", 1) + "}\n"


def write_tabular(align: str, head: str, body: Iterable[str], notes: Iterable[str]) -> str:
    lines = [
        rf"\begin{{tabular}}{{{align}}}",
        r"\toprule",
        head,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\footnotesize {escape_tex(note)}" for note in notes),
    ]
    return "\n".join(lines) + "\n"


def join_tex_cells(cells: Iterable[str]) -> str:
    """The cells as a line. A [ or * at its start is put in braces: TeX would read it as an option of the line above."""
    line = " & ".join(cells) + r" \\"
    return f"{{{line[0]}}}{line[1:]}" if line[0] in "[*" else line


def write_tex_column(
    table: Table, column: Column, text: Callable[[str, Any], str], printed: Callable[..., str]
) -> Iterator[str]:
    """The cells of a column for a paper: `.53 [.41, .65]`, `undefined`, or the text itself."""
    values = table.list_values(column.name)
    if column.kind not in NUMBERS:
        return (text(column.kind, value) for value in values)
    ends = (table.list_values(name) if name else repeat(None) for name in (column.low, column.high))
    return (
        UNDEFINED if value is None else printed(column.kind, value, low, high)
        for value, low, high in zip(values, *ends, strict=False)
    )


def write_tex_cell(row: Row, column: Column, text: Callable[[str, Any], str]) -> str:
    """One cell of a column of names or numbers."""
    value = row[column.name]
    if column.kind not in NUMBERS:
        return text(column.kind, value)
    return UNDEFINED if value is None else print_with_interval(column.kind, value, *get_interval_bounds(row, column))


def print_with_interval(kind: str, value: int | float, low: float | None, high: float | None) -> str:
    return escape_tex(f"{print_number(kind, value, choose_digits(low, high))} {format_interval(low, high)}".rstrip())


def print_number(kind: str, value: int | float, digits: int = 2) -> str:
    """A count without a thousands separator, as in files; other numbers as elsewhere."""
    return str(value) if isinstance(value, int) else format_as(kind, value, digits)


def write_tex_grids(table: Table, grids: list[Grid], notes: Iterable[str]) -> str:
    """The grids of one crossing in one table, each under its title, with intervals in smaller type under each line."""
    crossing = grids[0].crossing
    across = find_column(table, crossing.across)
    along = [find_column(table, name) for name in crossing.along]
    columns = (name_code(across.kind, value) for value in grids[0].across)
    words = [find_heading(table, crossing), *columns, *(each.title for each in along)]
    body: list[str] = []
    for grid in grids:
        if grid.title:
            body += [r"\midrule"] if body else []
            body.append(rf"\multicolumn{{{len(words)}}}{{l}}{{\emph{{{escape_tex(grid.title)}}}}} \\")
        for name in grid.down:
            body += iter_grid_lines(table, grid, name)
    head = join_tex_cells(map(escape_tex, words))
    return write_tabular("l" + "r" * (len(words) - 1), head, body, [*notes, *iter_grid_notes(table, crossing)])


def iter_grid_lines(table: Table, grid: Grid, name: Any) -> Iterator[str]:
    """One line of a grid, and the lines under it."""
    down = find_column(table, grid.crossing.down)
    cells = [write_grid_cell(place, table, grid.crossing) if place else ("", "", "") for place in grid.line(name)]
    ends = [write_tex_cell(grid.first(name), find_column(table, each), name_code) for each in grid.crossing.along]
    numbers, *under = zip(*cells, strict=True)
    yield join_tex_cells([escape_tex(name_code(down.kind, name)), *numbers, *ends])
    for line in under:
        if any(line):
            small = (rf"\footnotesize {part}" if part else "" for part in line)
            yield join_tex_cells(["", *small, *("" for _end in ends)])


def write_grid_cell(place: GridCell, table: Table, crossing: Crossing) -> tuple[str, str, str]:
    """The number with its mark, its interval, and what is printed beneath."""
    row, column = place.row, place.column
    value = row[column.name]
    if value is None:
        return UNDEFINED, "", ""
    ends = get_interval_bounds(row, column)
    number = escape_tex(print_number(column.kind, value, choose_digits(*ends)))
    texts = (text for _column, text in format_beneath(place, table, crossing, print_number))
    marked = MARKS.get(row[crossing.mark] if crossing.mark else "", "%s")
    return marked % number, escape_tex(format_interval(*ends)), escape_tex(BESIDE.join(texts))


def iter_grid_notes(table: Table, crossing: Crossing) -> Iterator[str]:
    """Notes on what bold and underlined mean, and on what is printed under the numbers."""
    marked = {row[crossing.mark] for row in table.rows} if crossing.mark else set()
    values = {BOLD: _("bold"), UNDERLINED: _("underlined")}
    if marked & MARKS.keys():
        yield ", ".join(f"{values[how]}: {name_code('mark', word)}" for word, how in MARKS.items() if word in marked)
    yield from describe_beneath(table, crossing)


def escape_tex(text: str) -> str:
    """The text with all TeX commands escaped."""
    return NOT_PRINTED.sub(" ", text).translate(TEX_SIGNS)


def write_cell(value: object) -> str:
    """A cell of a CSV: empty if undefined; numbers have all digits and no separator; formulas in texts are escaped."""
    if isinstance(value, str):  # tested first: most of the forty million cells of an export
        return escape_formula(value)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(float(value))  # numpy's own repr names its type
    if isinstance(value, int):
        return str(value)
    return escape_formula(str(value))


class TextWriter(Protocol):
    """Anything with a `write` method for text, such as a file."""

    def write(self, text: str, /) -> object: ...


def as_csv(table: Table) -> str:
    """The table as CSV: all columns of `header`, unrounded; an undefined value is an empty cell beside its reason."""
    out = io.StringIO(newline="")
    write_csv(table, out)
    return out.getvalue()


def write_csv(table: Table, out: TextWriter) -> None:
    writer = csv.writer(out)  # commas, quotes where needed, CRLF
    writer.writerow(map(write_cell, table.header))
    if isinstance(table.rows, ColumnRows):
        writer.writerows(
            zip(*(spell_column(table.rows.columns[name], write_cell) for name in table.header), strict=True)
        )
    else:
        writer.writerows([write_cell(row[column]) for column in table.header] for row in table.rows)


def as_json(table: Table) -> str:
    """The table as JSON, with the intervals of all conventions under `intervals`; undefined is null."""
    head = {"name": table.name, "title": table.title, "columns": table.header, "notes": table.notes}
    text = json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}")
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    objects = encode_columns(table.rows, encode) if isinstance(table.rows, ColumnRows) else map(encode, table.rows)
    rows = ",\n  ".join(objects)
    return f'{text},\n "rows": [\n  {rows}\n ]\n}}\n'


def encode_columns(rows: ColumnRows, encode: Callable[[Any], str]) -> Iterator[str]:
    """Each row as a JSON object."""
    columns = (spell_column(values, encode) for values in rows.columns.values())
    names = [encode(name).replace("%", "%%") for name in rows.columns]
    return map(("{" + ", ".join(f"{name}: %s" for name in names) + "}").__mod__, zip(*columns, strict=True))


def spell_column(values: Iterable[Any], spell: Callable[[Any], str]) -> list[str]:
    """The values as text; each distinct text and integer is converted once."""
    known = lru_cache(maxsize=None, typed=True)(spell)
    return [repr(value) if type(value) is float else known(value) for value in values]


WRITERS: dict[str, Callable[[Table], str]] = {"csv": as_csv, "json": as_json, "tex": as_tex}


MARKDOWN_SIGNS = re.compile(r"[\\`*_{}\[\]<>#|~$!&]")
NEW_LINES = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")


def as_markdown(table: Table) -> str:
    """The table as Markdown: the columns for a paper, rounded, with intervals in brackets and the notes beneath."""
    shown = table.columns or tuple(Column(name, name) for name in table.header)
    lines = [
        join_cells(escape_markdown(column.title) for column in shown),
        join_cells("---:" if column.kind in NUMBERS else "---" for column in shown),
        *(join_cells(write_markdown_cell(row, column) for column in shown) for row in table.rows),
    ]
    notes = "".join(f"\n{escape_markdown(note)}\n" for note in table.notes)
    return "\n".join(lines) + "\n" + notes


def escape_markdown(words: str) -> str:
    """The words escaped so that Markdown shows them unchanged, in one line."""
    return MARKDOWN_SIGNS.sub(r"\\\g<0>", NEW_LINES.sub(" ", words))


def join_cells(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def write_markdown_cell(row: Row, column: Column) -> str:
    value = row[column.name]
    if column.kind not in NUMBERS:
        return escape_markdown(name_code(column.kind, value))
    if value is None:
        return UNDEFINED
    ends = get_interval_bounds(row, column)
    return escape_markdown(
        f"{print_number(column.kind, value, choose_digits(*ends))} {format_interval(*ends)}".rstrip()
    )


def as_workbook(table: Table) -> bytes:
    """The table as XLSX: the columns of the CSV, unrounded, as numbers and texts; formulas in texts are escaped."""
    out = io.BytesIO()
    write_workbook(table.header, ([row[name] for name in table.header] for row in table.rows), out)
    return out.getvalue()


def as_parquet(table: Table) -> bytes:
    """The table as Parquet: the columns of the CSV, unrounded and typed; undefined values are missing."""
    out = io.BytesIO()
    kinds = {name: find_kind(row[name] for row in table.rows) for name in table.header}
    write_parquet(kinds, ([row[name] for name in table.header] for row in table.rows), out)
    return out.getvalue()


def encode_text(write: Callable[[Table], str]) -> Callable[[Table], bytes]:
    return lambda table: write(table).encode()


TABLE_FILES: dict[str, Callable[[Table], bytes]] = {
    "csv": encode_text(as_csv),
    "tex": encode_text(as_tex_document),
    "json": encode_text(as_json),
    "md": encode_text(as_markdown),
    "xlsx": as_workbook,
    "parquet": as_parquet,
}
# Code that reads a file with pandas and R. Texts such as NA are kept as text.
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
