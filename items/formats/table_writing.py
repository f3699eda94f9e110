"""Export texts and items as a table that can be imported again (CSV, XLSX, Parquet): one row per item."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _

from items.formats.questions import LeftOut, Unfit, WrittenFile, list_item_fields, list_lost, list_text_fields
from items.formats.rows import ItemRow, TextRow
from items.formats.sheet_writing import MAX_WORDS, write_parquet, write_workbook
from items.formats.table_columns import ITEM_FIELDS, NO_KEY, OPTION_FIELDS, TEXT_FIELDS, parse_keys
from items.plain import escape_formula
from items.values import DETAILS

HELD = {"id", "title", "language", "generator", "answer", "reference", "tags"}
WriteTable = Callable[[Sequence[str], list[dict[str, str]]], bytes]


def write_csv_table(texts: Iterable[TextRow]) -> WrittenFile:
    return write_table(texts, format_csv)


def write_sheet_table(texts: Iterable[TextRow]) -> WrittenFile:
    return write_table(texts, format_sheet, MAX_WORDS - 1)


def write_parquet_table(texts: Iterable[TextRow]) -> WrittenFile:
    return write_table(texts, format_parquet)


def write_table(texts: Iterable[TextRow], write: WriteTable, max_cell: int = 0) -> WrittenFile:
    """The rows, and what they cannot hold; `max_cell`: maximum characters of a cell, if the format has a limit."""
    written, rows = WrittenFile(), list[dict[str, str]]()
    for text in texts:
        try:
            text_cells = check_cells(describe_text(text), max_cell)
        except Unfit as error:
            written.left_out.append(LeftOut(text.id or "", "", "", str(error)))
            continue
        written.left_out += list_lost(text, "", list_lost_text_fields(text))
        found = []
        for item in text.items:
            try:
                found.append(text_cells | check_cells(describe_item(item), max_cell))
            except Unfit as error:
                written.left_out.append(LeftOut(text.id or "", item.id or "", "", str(error)))
            else:
                lost = [name for name in list_item_fields(item) if name not in HELD]
                written.left_out += list_lost(text, item.id or "", lost)
        rows += found or [text_cells]
    written.content = write(choose_columns(rows), rows)
    return written


def describe_text(text: TextRow) -> dict[str, str]:
    """The cells of a text; `Unfit` if it may not be redistributed."""
    if text.body is None:
        raise Unfit(_("The text may not be redistributed, so its items are left out too."))
    extra = (text.metadata or {}).get("extra") or {}
    cells = {"text_id": text.id, "title": text.title, "text": text.body, "language": text.language}
    cells |= {name: extra[name] for name in DETAILS if isinstance(extra.get(name), str)}
    if isinstance(extra.get("shareable"), bool):
        cells["shareable"] = "yes" if extra["shareable"] else "no"
    return {name: cell for name, cell in cells.items() if cell}


def list_lost_text_fields(text: TextRow) -> Iterator[str]:
    for name in list_text_fields(text):
        if name == "metadata":
            extra = (text.metadata or {}).get("extra") or {}
            rest = any(value for key, value in (text.metadata or {}).items() if key != "extra")
            held = {"shareable", *(each for each in DETAILS if isinstance(extra.get(each), str))}
            if rest or extra.keys() - held:
                yield name
        elif name not in HELD:
            yield name


def describe_item(item: ItemRow) -> dict[str, str]:
    options = {number: option.text for number, option in enumerate(item.options or [], 1)}
    cells = {"item_id": item.id, "generator": item.generator, "question": item.stem, "answer": item.expected_answer}
    if item.reference is not None:
        cells["reference"] = "yes" if item.reference else "no"
    cells["tags"] = "; ".join(item.tags or ())
    if options:
        cells["correct"] = name_keys(options, {n for n, option in enumerate(item.options or [], 1) if option.correct})
        cells |= {f"option_{number}": wording for number, wording in options.items()}
    return {name: cell for name, cell in cells.items() if cell}


def name_keys(options: dict[int, str], keys: set[int]) -> str:
    """The cell from which `parse_keys` reads these keys: numbers, or names of columns if the options are numbers."""
    signs = ["; ".join(pattern.format(number) for number in sorted(keys)) for pattern in ("{}", "option_{}")]
    for cell in signs if keys else sorted(NO_KEY, reverse=True):
        try:
            if parse_keys(cell, options) == keys:
                return cell
        except ValueError:
            continue
    raise Unfit(_("The wording of an option could be taken for the number of another."))


def check_cells(cells: dict[str, str], max_cell: int) -> dict[str, str]:
    if max_cell and any(len(cell) > max_cell for cell in cells.values()):
        raise Unfit(_("It has more characters than a cell of a workbook can hold."))
    return cells


def choose_columns(rows: list[dict[str, str]]) -> list[str]:
    """The columns that some row fills, in the order of the documentation, followed by others."""
    filled = {name: None for row in rows for name in row}
    known = [name for name in (*TEXT_FIELDS, *ITEM_FIELDS, *OPTION_FIELDS) if name in filled]
    return [*known, *(name for name in filled if name not in known)] or ["text_id", "text"]


def format_csv(columns: Sequence[str], rows: list[dict[str, Any]]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(map(escape_formula, columns))
    writer.writerows([escape_formula(str(row.get(name, ""))) for name in columns] for row in rows)
    return out.getvalue().encode()


def format_sheet(columns: Sequence[str], rows: list[dict[str, Any]]) -> bytes:
    out = io.BytesIO()
    write_workbook(columns, ([row.get(name) for name in columns] for row in rows), out)
    return out.getvalue()


def format_parquet(columns: Sequence[str], rows: list[dict[str, Any]]) -> bytes:
    out = io.BytesIO()
    write_parquet(dict.fromkeys(columns, "text"), ([row.get(name) for name in columns] for row in rows), out)
    return out.getvalue()
