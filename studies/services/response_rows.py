"""Reading a file of responses: CSV or JSONL, one row per judgment, every cell a checked value or a problem."""

import csv
import io
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_naive

from studies.models import AnnotatorKind, Purpose

COLUMNS = (
    "annotator", "annotator_kind", "group", "round", "stage", "text_id", "item_id", "option_id", "other_item_id",
    "question", "value", "probability", "unsure", "shown_left", "person", "purpose", "part", "submitted_at", "comment",
    "model", "reading",
)  # fmt: skip
READINGS = ("", "ticked", "label", "probability")
MAX_CELL = 100_000
MAX_NAME = 200


@dataclass(frozen=True)
class Problem:
    """What is wrong with a row of a file, so that it can be found and mended there."""

    line: int
    field: str
    reason: str

    def __str__(self) -> str:
        place = f"{self.field}: " if self.field else ""
        return f"line {self.line}: {place}{self.reason}"


@dataclass(frozen=True)
class Row:
    """One judgment as the file has it; ids are still the researcher's own."""

    line: int
    annotator: str
    kind: str
    group: str
    round: int
    stage: str
    text_id: str
    item_id: str
    option_id: str
    question: str
    value: str
    probability: float | None
    unsure: bool | None
    person: str
    purpose: str
    part: str
    submitted_at: datetime | None
    comment: str
    model: str
    reading: str


class BadCell(ValueError):
    """A cell that cannot be read; carries the column and the reason."""

    def __init__(self, column: str, reason: str):
        super().__init__(reason)
        self.column = column


@dataclass
class RowFile:
    rows: list[Row] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read_rows(content: bytes) -> RowFile:
    """All rows of a file, and what is wrong with those that cannot be read. CSV or JSONL is told by the first sign."""
    found = RowFile()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        found.problems.append(Problem(line, "", "This is not UTF-8. Save the file as UTF-8 and import it again."))
        return found
    try:
        for line, cells in cells_of(text):
            try:
                found.rows.append(row_from(line, cells))
            except BadCell as bad:
                found.problems.append(Problem(line, bad.column, str(bad)))
    except BadFile as bad:
        found.problems.append(bad.problem)
    if not found.rows and not found.problems:
        found.problems.append(Problem(1, "", "The file has no rows."))
    return found


class BadFile(ValueError):
    """Something that makes the rest of the file unreadable."""

    def __init__(self, line: int, reason: str):
        super().__init__(reason)
        self.problem = Problem(line, "", reason)


def cells_of(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    return jsonl_cells(text) if text.lstrip()[:1] in ("{", "[") else csv_cells(text)


def csv_cells(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows of a CSV file as dictionaries; columns that are not in the contract are left aside."""
    csv.field_size_limit(MAX_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] = []
    start = 1
    try:
        for cells in reader:
            line, start = start, reader.line_num + 1
            if not header:
                header = checked_header(cells)
            elif cells and len(cells) != len(header):
                raise BadFile(line, f"This row has {len(cells)} cells, the header has {len(header)}.")
            elif cells:
                yield line, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise BadFile(reader.line_num, f"This is not readable as CSV: {error}.") from None


def checked_header(cells: list[str]) -> list[str]:
    header = [cell.strip() for cell in cells]
    missing = [name for name in ("annotator", "stage", "item_id", "question", "value") if name not in header]
    if missing:
        raise BadFile(1, f"The columns {', '.join(missing)} are missing. The first row must name the columns.")
    if len(set(header)) < len(header):
        raise BadFile(1, "Two columns have the same name.")
    return header


def jsonl_cells(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    # Not splitlines(): it also cuts at U+2028, U+0085 and form feeds, which may stand inside a string.
    for line, content in enumerate(text.split("\n"), 1):
        if not content.strip():
            continue
        try:
            loaded = json.loads(content, parse_constant=refuse_constant)
        except (ValueError, RecursionError):
            raise BadFile(line, "This is not a JSON object on one line.") from None
        if not isinstance(loaded, dict):
            raise BadFile(line, 'This is not a JSON object: each line must be one, like {"annotator": …}.')
        yield line, {str(key): as_cell(key, value, line) for key, value in loaded.items()}


def refuse_constant(name: str) -> Any:
    raise ValueError(name)


def as_cell(key: str, value: object, line: int) -> str:
    """A JSON value in the form a CSV cell would have."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        raise BadFile(line, f"{key} is not a finite number.")
    if isinstance(value, str | int | float):
        return str(value)
    if key in COLUMNS:
        raise BadFile(line, f"{key} must be a text, a number, true, false or null.")
    return ""


def row_from(line: int, cells: dict[str, str]) -> Row:
    """A row with each cell read; `BadCell` names the first that cannot be."""
    cell = {name: clean(name, cells.get(name, "")) for name in COLUMNS}
    for name in ("annotator", "stage", "item_id", "question", "value"):
        if not cell[name]:
            raise BadCell(name, "This must not be empty.")
    for name in ("other_item_id", "shown_left"):
        if cell[name]:
            raise BadCell(name, "Only pairwise studies have this.")
    return Row(
        line=line,
        annotator=cell["annotator"],
        kind=one_of("annotator_kind", cell["annotator_kind"] or "human", AnnotatorKind.values),
        group=cell["group"],
        round=whole("round", cell["round"] or "1"),
        stage=cell["stage"],
        text_id=cell["text_id"],
        item_id=cell["item_id"],
        option_id=cell["option_id"],
        question=cell["question"],
        value=cell["value"],
        probability=share("probability", cell["probability"]),
        unsure=truth("unsure", cell["unsure"]),
        person=cell["person"],
        purpose=one_of("purpose", cell["purpose"] or "main", Purpose.values),
        part=one_of("part", cell["part"] or "main", ["main"]),
        submitted_at=moment("submitted_at", cell["submitted_at"]),
        comment=cells.get("comment", "").strip(),
        model=cell["model"],
        reading=one_of("reading", cell["reading"], READINGS),
    )


def clean(name: str, written: str) -> str:
    """The cell without blanks around it; control characters and what is too long are refused."""
    plain = written.strip()
    if name == "comment":
        return plain.replace("\x00", "")
    if any(ord(sign) < 32 or 0x7F <= ord(sign) < 0xA0 or 0xD800 <= ord(sign) < 0xE000 for sign in plain):
        raise BadCell(name, "This contains control characters.")
    if len(plain) > MAX_NAME:
        raise BadCell(name, f"This is longer than {MAX_NAME} characters.")
    return plain


def one_of(name: str, written: str, allowed: Any) -> str:
    if written not in allowed:
        raise BadCell(name, f"“{written}” is not known; it is one of: {', '.join(filter(None, allowed))}.")
    return written


def whole(name: str, written: str) -> int:
    if written.isascii() and written.isdecimal() and 1 <= int(written[:6]) <= 1000 and len(written) < 5:
        return int(written)
    raise BadCell(name, f"“{written}” is not a whole number from 1.")


def share(name: str, written: str) -> float | None:
    if not written:
        return None
    try:
        number = float(written) if written.isascii() and "_" not in written else math.nan
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise BadCell(name, f"“{written}” is not a number from 0 to 1.")
    return number


def truth(name: str, written: str) -> bool | None:
    if not written:
        return None
    if written.lower() not in ("true", "false"):
        raise BadCell(name, f"“{written}” is neither true nor false.")
    return written.lower() == "true"


def moment(name: str, written: str) -> datetime | None:
    if not written:
        return None
    try:
        parsed = parse_datetime(written)
    except ValueError:
        parsed = None
    if parsed is None:
        raise BadCell(name, f"“{written}” is not a time like 2026-01-31T12:00:00Z.")
    return parsed.replace(tzinfo=UTC) if is_naive(parsed) else parsed
