"""Read a file of responses (CSV or JSONL): each row's cells as checked values, or as problems.

Ids stay as the researcher wrote them.
"""

import codecs
import csv
import io
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from functools import lru_cache, partial
from typing import Any, NamedTuple

from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_naive
from django.utils.translation import gettext as _

from items.files import explain_kind
from items.formats.jsonl import BadLine, parse_object
from items.plain import has_control, make_printable, unescape_formula
from studies.models import AnnotatorKind, Purpose, Study
from studies.protocols import PROTOCOLS
from studies.protocols.base import UnitKind

COLUMNS = (
    "annotator", "annotator_kind", "group", "round", "stage", "text_id", "item_id", "option_id", "other_item_id",
    "question", "value", "probability", "unsure", "shown_left", "person", "purpose", "part", "submitted_at", "comment",
    "model", "reading",
)  # fmt: skip
REQUIRED_COLUMNS = ("annotator", "stage", "question", "value")
KEPT = 50_000  # different cells per column in the cache: most occur in thousands of rows
MAX_CELL = 2**31 - 1  # characters of a cell: a model's reply may exceed csv's own limit; the size of files is limited
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

TEXT_VERSION = "text_version"  # in studies of text versions: the version that was read
UNIT_ITEMS = "unit_item_ids"  # of tuples only: the ids of the unit's items in stored order, separated by blanks
APPLICABLE = "applicable"  # in an export: false if the question was not asked; read besides the documented columns
SEQUENCE = "sequence"  # in an export: the row's place in the order in which answers were stored
READ_COLUMNS = (*COLUMNS, UNIT_ITEMS, APPLICABLE, SEQUENCE, TEXT_VERSION)
Cells = dict[str, str]


def add_unit_items(study: Study, columns: tuple[str, ...]) -> tuple[str, ...]:
    """The columns of a file, with `UNIT_ITEMS` last if answers are about tuples."""
    return (*columns, UNIT_ITEMS) if PROTOCOLS[study.protocol].unit == "tuple" else columns


@dataclass(frozen=True)
class RowProblem:
    """An error in a row of a file, with its line and column."""

    line: int
    field: str
    reason: str

    def __str__(self) -> str:
        place = f"{self.field}: " if self.field else ""
        return f"{f'line {self.line}' if self.line else 'the file'}: {place}{self.reason}"


class BadFile(ValueError):
    """An error that makes the rest of the file unreadable."""

    def __init__(self, line: int, reason: str):
        super().__init__(reason)
        self.problem = RowProblem(line, "", reason)


def read_cells(
    content: bytes, problems: list[RowProblem], columns: Sequence[str] = READ_COLUMNS
) -> Iterator[tuple[int, Cells]]:
    """Each row with the line it starts on; other columns than these are ignored."""
    try:
        text = decode_file(content)
        read = read_jsonl_rows if text.lstrip()[:1] in ("{", "[") else read_csv_rows
        yield from read(text, problems, columns)
    except BadFile as bad:
        problems.append(bad.problem)


def decode_file(content: bytes) -> str:
    if reason := explain_kind(content):
        raise BadFile(1, reason)
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


def read_csv_rows(text: str, problems: list[RowProblem], columns: Sequence[str]) -> Iterator[tuple[int, Cells]]:
    csv.field_size_limit(MAX_CELL)  # applies to the whole process
    reader, clean = csv.reader(io.StringIO(text, newline=""), strict=True), lru_cache(KEPT)(clean_cell)
    header: list[str] = []
    places: list[tuple[str, int]] = []
    start = 1
    try:
        for cells in reader:
            line, start = start, reader.line_num + 1
            if not cells:
                continue
            if not header:
                header = check_header(line, cells)
                places = [(name, header.index(name)) for name in columns if name in header]
            elif len(cells) == len(header):
                yield line, {name: clean(cells[place]) for name, place in places}
            else:
                reason = _(
                    "This row has %(cells)d cells, but the header has %(header)d. Text with commas needs quotes."
                )
                problems.append(RowProblem(line, "", reason % {"cells": len(cells), "header": len(header)}))
    except csv.Error as error:
        raise BadFile(start, _("This is not readable as CSV: %(what)s.") % {"what": error}) from None


def clean_cell(written: str) -> str:
    return unescape_formula(written.strip())


def check_header(line: int, cells: list[str]) -> list[str]:
    header = [cell.strip() for cell in cells]
    missing = [name for name in REQUIRED_COLUMNS if name not in header]
    missing += [] if {"item_id", UNIT_ITEMS} & set(header) else ["item_id"]
    if len(cells) == 1 and (";" in cells[0] or "\t" in cells[0]):
        raise BadFile(
            line, _("The cells are not separated by commas. Save the file as CSV with commas and import it again.")
        )
    if missing:
        reason = _("The first row must name the columns, and these are missing: %(names)s.")
        raise BadFile(line, reason % {"names": ", ".join(missing)})
    twice = [name for name in COLUMNS if header.count(name) > 1]
    if twice:
        raise BadFile(line, _("These columns occur twice: %(names)s. Keep one of each.") % {"names": ", ".join(twice)})
    return header


def read_jsonl_rows(text: str, problems: list[RowProblem], columns: Sequence[str]) -> Iterator[tuple[int, Cells]]:
    # Not splitlines(): it also cuts at U+2028, U+0085 and form feeds, which a string may contain.
    for line, content in enumerate(text.split("\n"), 1):
        if not content.strip():
            continue
        if not content.lstrip().startswith("{"):
            raise BadFile(line, _('Each line must be one JSON object, like {"annotator": "P01", …}.'))
        try:
            loaded = parse_object(content.encode())
            yield line, {name: convert_json_value(name, loaded[name]) for name in columns if name in loaded}
        except BadLine as error:
            problems.append(RowProblem(line, "", str(error)))


def convert_json_value(name: str, value: object) -> str:
    """A JSON value in the form that a CSV cell would have."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value).strip()
    raise BadLine(_("%(name)s must be a text, a number, true, false or null.") % {"name": name})


KINDS, PURPOSES = tuple(AnnotatorKind.values), tuple(Purpose.values)  # Django builds these anew at each access
PARTS = ("main", "calibration")
READINGS = ("", "ticked", "label", "probability")
MAX_NAME = 200
MAX_LENGTHS = {"group": 100, "comment": 10_000, "value": 2_000, UNIT_ITEMS: 10_000}
MULTILINE_COLUMNS = ("comment", "value")


class Row(NamedTuple):
    """One judgment in the file; a tuple, to save memory, as a large study has a million."""

    line: int
    annotator: str
    kind: str
    group: str
    round: int
    stage: str
    text_id: str
    item_id: str
    option_id: str
    other_item_id: str
    question: str
    value: str
    probability: float | None
    unsure: bool | None
    shown_left: str
    person: str
    purpose: str
    part: str
    submitted_at: datetime | None
    comment: str
    model: str
    reading: str
    text_version: str = ""
    unit_items: tuple[str, ...] = ()  # for a tuple, whose `item_id` is empty

    @property
    def item_label(self) -> str:
        """The item, or the items of a tuple, as the file names them."""
        return self.item_id or " ".join(self.unit_items)

    def get_item_ids(self, kind: UnitKind) -> tuple[str, ...]:
        """The ids of the items that the row is about, for this kind of unit."""
        return self.unit_items if kind == "tuple" else (self.item_id, self.other_item_id)[: 2 if kind == "pair" else 1]


class BadCell(ValueError):
    """A cell that cannot be read, with its column and the reason."""

    def __init__(self, column: str, reason: str):
        super().__init__(reason)
        self.column = column


@dataclass
class RowFile:
    rows: list[Row] = field(default_factory=list)
    problems: list[RowProblem] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def read_rows(content: bytes) -> RowFile:
    """All rows of a file with the columns of an export, and the errors in those that cannot be read."""
    found = RowFile()
    return parse_rows(read_cells(content, found.problems), found)


def parse_rows(read: Iterable[tuple[int, Cells]], found: RowFile) -> RowFile:
    """Add the rows to the file, with the errors in those that cannot be read.

    An export is sorted by annotator; its rows are put into the order in which they were stored, as it matters who
    judged first.
    """
    places, parse_row = list[str](), RowParser()
    for line, cells in read:
        if not cells.get("value") and cells.get(APPLICABLE, "").lower() == "false":
            continue  # an export says so of questions that were not asked
        try:
            found.rows.append(parse_row(line, cells))
            places.append(cells.get(SEQUENCE, ""))
        except BadCell as bad:
            found.problems.append(RowProblem(line, bad.column, str(bad)))
    found.rows = sort_by_sequence(found.rows, places)
    if not found.rows and not found.problems:
        found.problems.append(RowProblem(1, "", _("The file has a header, but no rows.")))
    return found


def sort_by_sequence(rows: list[Row], places: list[str]) -> list[Row]:
    """The rows sorted by these places if all have a distinct one, as in an export; else in the order of the file."""
    if len(set(places)) < len(places) or not all(place.isascii() and place.isdecimal() for place in places):
        return rows
    return [row for _place, row in sorted(zip(map(int, places), rows, strict=True), key=lambda each: each[0])]


class RowParser:
    """Reads the rows of a file. Equal cells of a column are parsed, and stored, only once."""

    def __init__(self) -> None:
        parsers = [lru_cache(KEPT)(partial(parse_cell, name)) for name in ROW_COLUMNS]
        self.columns = {name: (place, parsers[place]) for place, name in enumerate(ROW_COLUMNS)}
        self.empty = [parse("") for parse in parsers]

    def __call__(self, line: int, cells: Cells) -> Row:
        """A row with each cell read; `BadCell` names the first that cannot be."""
        values = self.empty.copy()
        for name, written in cells.items():
            if written and name in self.columns:
                place, parse = self.columns[name]
                values[place] = parse(written)
        row = Row(line, *values)
        if not (row.annotator and row.stage and row.question and row.value and (row.item_id or row.unit_items)):
            missing = next((name for name in REQUIRED_COLUMNS if not getattr(row, name)), "item_id")
            raise BadCell(missing, _("This must not be empty."))
        return row


def parse_cell(name: str, written: str) -> Any:
    """The value of a cell of this column; `BadCell` if it is invalid."""
    checked = check_cell(name, written)
    return PARSERS[name](name, checked) if name in PARSERS else checked


def check_cell(name: str, written: str) -> str:
    """The cell, if it has no control characters and is not too long. Free text may have several lines."""
    limit = MAX_LENGTHS.get(name, MAX_NAME)
    if len(written) > limit:
        raise BadCell(name, _("This is longer than %(n)d characters.") % {"n": limit})
    if written.isprintable():  # true for nearly every cell, and much faster than a check of each character
        return written
    on_one_line = (
        written.replace("\r", "").replace("\n", "").replace("\t", "") if name in MULTILINE_COLUMNS else written
    )
    if has_control(on_one_line):
        raise BadCell(name, _("This contains control characters."))
    return written


def parse_annotator(name: str, written: str) -> str:
    if written.partition(":")[0] == "human":
        raise BadCell(name, _("“human” means all people in the tables; give this annotator another code."))
    return written


def parse_choice(allowed: Collection[str], default: str, name: str, written: str) -> str:
    if (written or default) not in allowed:
        raise BadCell(
            name,
            _("Unknown value “%(written)s”. Allowed values: %(allowed)s.")
            % {"written": make_printable(written), "allowed": ", ".join(filter(None, allowed))},
        )
    return written or default


def parse_round(name: str, written: str) -> int:
    if not written:
        return 1
    if written.isascii() and written.isdecimal() and len(written) < 5 and 1 <= int(written) <= 1000:
        return int(written)
    raise BadCell(name, _("“%(written)s” is not a whole number from 1 to 1000.") % {"written": make_printable(written)})


def parse_probability(name: str, written: str) -> float | None:
    if not written:
        return None
    try:
        number = float(written) if written.isascii() and "_" not in written else math.nan
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise BadCell(name, _("“%(written)s” is not a number from 0 to 1.") % {"written": make_printable(written)})
    return number


def parse_bool(name: str, written: str) -> bool | None:
    if not written:
        return None
    if written.lower() not in ("true", "false"):
        raise BadCell(name, _("“%(written)s” is neither true nor false.") % {"written": make_printable(written)})
    return written.lower() == "true"


def parse_time(name: str, written: str) -> datetime | None:
    """A time in UTC; without a zone it is taken as UTC."""
    if not written:
        return None
    try:
        parsed = parse_datetime(written)
        if parsed is not None:
            parsed = parsed.replace(tzinfo=UTC) if is_naive(parsed) else parsed.astimezone(UTC)
            if MINYEAR < parsed.year < MAXYEAR:  # so that every zone of a page can show it
                return parsed
    except (ValueError, OverflowError):
        pass
    raise BadCell(
        name, _("“%(written)s” is not a time like 2026-01-31T12:00:00Z.") % {"written": make_printable(written)}
    )


def parse_names(_name: str, written: str) -> tuple[str, ...]:
    return tuple(written.split())


# The columns of the fields of `Row`, and the parsers of those that are not plain text.
ROW_COLUMNS = (*COLUMNS, TEXT_VERSION, UNIT_ITEMS)
PARSERS: dict[str, Callable[[str, str], Any]] = {
    "annotator": parse_annotator,
    "annotator_kind": partial(parse_choice, KINDS, "human"),
    "round": parse_round,
    "probability": parse_probability,
    "unsure": parse_bool,
    "purpose": partial(parse_choice, PURPOSES, "main"),
    "part": partial(parse_choice, PARTS, "main"),
    "submitted_at": parse_time,
    "reading": partial(parse_choice, READINGS, ""),
    UNIT_ITEMS: parse_names,
}
