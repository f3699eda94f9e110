"""A file of responses as rows of cells: CSV or JSONL, told by the first sign. What is no row goes to the problems."""

import codecs
import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from items.formats.json_lines import BadLine, parse
from studies.cells import unmarked

COLUMNS = (
    "annotator", "annotator_kind", "group", "round", "stage", "text_id", "item_id", "option_id", "other_item_id",
    "question", "value", "probability", "unsure", "shown_left", "person", "purpose", "part", "submitted_at", "comment",
    "model", "reading",
)  # fmt: skip
NEEDED = ("annotator", "stage", "item_id", "question", "value")
LONGEST = 2**31 - 1  # characters of a cell for csv, whose own limit a model's reply may exceed; files are bounded
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

APPLICABLE = "applicable"  # of an export: false where a question was not asked; read beside the contract's columns
SEQUENCE = "sequence"  # of an export: the place of the row in the order in which answers were stored
READ = (*COLUMNS, APPLICABLE, SEQUENCE)
Cells = dict[str, str]


@dataclass(frozen=True)
class Problem:
    """What is wrong with a row of a file, so that it can be found and mended there."""

    line: int
    field: str
    reason: str

    def __str__(self) -> str:
        place = f"{self.field}: " if self.field else ""
        return f"line {self.line}: {place}{self.reason}"


class BadFile(ValueError):
    """Something that makes the rest of the file unreadable."""

    def __init__(self, line: int, reason: str):
        super().__init__(reason)
        self.problem = Problem(line, "", reason)


def rows_of(content: bytes, problems: list[Problem]) -> Iterator[tuple[int, Cells]]:
    """Each row with the line it starts on; columns that are not in the contract are left aside."""
    try:
        text = decoded(content)
        yield from jsonl_rows(text, problems) if text.lstrip()[:1] in ("{", "[") else csv_rows(text, problems)
    except BadFile as bad:
        problems.append(bad.problem)


def decoded(content: bytes) -> str:
    if content.startswith(UTF16):
        raise BadFile(1, _("The file is written in UTF-16. Save it as UTF-8 and import it again."))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise BadFile(line, _("This is not UTF-8. Save the file as UTF-8 and import it again.")) from None
    if not text.strip():
        raise BadFile(1, _("The file is empty."))
    return text


def csv_rows(text: str, problems: list[Problem]) -> Iterator[tuple[int, Cells]]:
    csv.field_size_limit(LONGEST)  # of the whole process, and never lowered again; tables of a bank have their own
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] = []
    start = 1
    try:
        for cells in reader:
            line, start = start, reader.line_num + 1
            if not cells:
                continue
            if not header:
                header = checked_header(line, cells)
            elif len(cells) == len(header):
                yield line, {name: unmarked(cell.strip()) for name, cell in zip(header, cells, strict=True)}
            else:
                reason = _(
                    "This row has %(cells)d cells, but the header has %(header)d. Text with commas needs quotes."
                )
                problems.append(Problem(line, "", reason % {"cells": len(cells), "header": len(header)}))
    except csv.Error as error:
        raise BadFile(start, _("This is not readable as CSV: %(what)s.") % {"what": error}) from None


def checked_header(line: int, cells: list[str]) -> list[str]:
    header = [cell.strip() for cell in cells]
    missing = [name for name in NEEDED if name not in header]
    if len(cells) == 1 and (";" in cells[0] or "\t" in cells[0]):
        raise BadFile(
            line, _("The cells are not separated by commas. Save the file as CSV with commas and import it again.")
        )
    if missing:
        reason = _("The first row must name the columns, and these are missing: %(names)s.")
        raise BadFile(line, reason % {"names": ", ".join(missing)})
    twice = [name for name in COLUMNS if header.count(name) > 1]
    if twice:
        raise BadFile(line, _("These columns stand twice: %(names)s. Keep one.") % {"names": ", ".join(twice)})
    return header


def jsonl_rows(text: str, problems: list[Problem]) -> Iterator[tuple[int, Cells]]:
    # Not splitlines(): it also cuts at U+2028, U+0085 and form feeds, which may stand inside a string.
    for line, content in enumerate(text.split("\n"), 1):
        if not content.strip():
            continue
        if not content.lstrip().startswith("{"):
            raise BadFile(line, _('Each line must be one JSON object, like {"annotator": "P01", …}.'))
        try:
            loaded = parse(content.encode())
            yield line, {name: as_cell(name, loaded[name]) for name in READ if name in loaded}
        except BadLine as error:
            problems.append(Problem(line, "", str(error)))


def as_cell(name: str, value: object) -> str:
    """A JSON value in the form that a CSV cell would have."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value).strip()
    raise BadLine(_("%(name)s must be a text, a number, true, false or null.") % {"name": name})
