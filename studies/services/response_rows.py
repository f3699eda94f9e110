"""Rows of a file of responses, every cell a checked value or a problem. Ids are still the researcher's own."""

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from typing import NamedTuple

from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_naive
from django.utils.translation import gettext as _

from items.plain import has_control, printable
from studies.models import AnnotatorKind, Purpose
from studies.services.response_files import APPLICABLE, COLUMNS, NEEDED, SEQUENCE, Cells, Problem, rows_of

__all__ = ["COLUMNS", "Problem", "Row", "RowFile", "read_rows"]

KINDS, PURPOSES = tuple(AnnotatorKind.values), tuple(Purpose.values)  # made anew at each access
PARTS = ("main", "calibration")
READINGS = ("", "ticked", "label", "probability")
MAX_NAME = 200
LIMITS = {"group": 100, "comment": 10_000, "value": 2_000}
REPEATED = ("annotator", "group", "stage", "text_id", "item_id", "option_id", "other_item_id", "question", "value",
            "shown_left", "person", "model")  # fmt: skip
"""Columns whose cells stand in thousands of rows: memory holds each once."""
SEVERAL_LINES = ("comment", "value")


class Row(NamedTuple):
    """One judgment as the file has it; a tuple, as a large study has a million."""

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
    """All rows of a file, and what is wrong with those that cannot be read.

    An export stands by annotator: its rows come in the order in which they were stored, as who judged first matters.
    """
    found, places, known = RowFile(), list[str](), dict[str, str]()
    for line, cells in rows_of(content, found.problems):
        if not cells.get("value") and cells.get(APPLICABLE, "").lower() == "false":
            continue  # an export says so of questions that were not asked
        for name in REPEATED:
            if name in cells:
                cells[name] = known.setdefault(cells[name], cells[name])
        try:
            found.rows.append(row_from(line, cells))
            places.append(cells.get(SEQUENCE, ""))
        except BadCell as bad:
            found.problems.append(Problem(line, bad.column, str(bad)))
    found.rows = in_sequence(found.rows, places)
    if not found.rows and not found.problems:
        found.problems.append(Problem(1, "", _("The file has a header, but no rows.")))
    return found


def in_sequence(rows: list[Row], places: list[str]) -> list[Row]:
    """The rows by their places, if each has one of its own, as an export says; else in the order of the file."""
    if len(set(places)) < len(places) or not all(place.isascii() and place.isdecimal() for place in places):
        return rows
    return [row for _place, row in sorted(zip(map(int, places), rows, strict=True), key=lambda each: each[0])]


def row_from(line: int, cells: Cells) -> Row:
    """A row with each cell read; `BadCell` names the first that cannot be."""
    cell = {name: clean(name, cells.get(name, "")) for name in COLUMNS}
    for name in NEEDED:
        if not cell[name]:
            raise BadCell(name, _("This must not be empty."))
    if cell["annotator"].partition(":")[0] == "human":
        raise BadCell("annotator", _("“human” stands for all people in the tables; give this annotator another code."))
    return Row(
        line=line,
        annotator=cell["annotator"],
        kind=one_of("annotator_kind", cell["annotator_kind"] or "human", KINDS),
        group=cell["group"],
        round=whole("round", cell["round"] or "1"),
        stage=cell["stage"],
        text_id=cell["text_id"],
        item_id=cell["item_id"],
        option_id=cell["option_id"],
        other_item_id=cell["other_item_id"],
        question=cell["question"],
        value=cell["value"],
        probability=share("probability", cell["probability"]),
        unsure=truth("unsure", cell["unsure"]),
        shown_left=cell["shown_left"],
        person=cell["person"],
        purpose=one_of("purpose", cell["purpose"] or "main", PURPOSES),
        part=one_of("part", cell["part"] or "main", PARTS),
        submitted_at=moment("submitted_at", cell["submitted_at"]),
        comment=cell["comment"],
        model=cell["model"],
        reading=one_of("reading", cell["reading"], READINGS),
    )


def clean(name: str, written: str) -> str:
    """The cell, if it holds no control characters and is not too long. Free text may have several lines."""
    if not written:
        return written
    limit = LIMITS.get(name, MAX_NAME)
    if len(written) > limit:
        raise BadCell(name, _("This is longer than %(n)d characters.") % {"n": limit})
    if written.isprintable():  # nearly every cell, and much faster than looking at each character
        return written
    on_one_line = written.replace("\r", "").replace("\n", "").replace("\t", "") if name in SEVERAL_LINES else written
    if has_control(on_one_line):
        raise BadCell(name, _("This contains control characters."))
    return written


def one_of(name: str, written: str, allowed: Collection[str]) -> str:
    if written not in allowed:
        raise BadCell(
            name,
            _("“%(written)s” is not known; it is one of: %(allowed)s.")
            % {"written": printable(written), "allowed": ", ".join(filter(None, allowed))},
        )
    return written


def whole(name: str, written: str) -> int:
    if written.isascii() and written.isdecimal() and len(written) < 5 and 1 <= int(written) <= 1000:
        return int(written)
    raise BadCell(name, _("“%(written)s” is not a whole number from 1 to 1000.") % {"written": printable(written)})


def share(name: str, written: str) -> float | None:
    if not written:
        return None
    try:
        number = float(written) if written.isascii() and "_" not in written else math.nan
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise BadCell(name, _("“%(written)s” is not a number from 0 to 1.") % {"written": printable(written)})
    return number


def truth(name: str, written: str) -> bool | None:
    if not written:
        return None
    if written.lower() not in ("true", "false"):
        raise BadCell(name, _("“%(written)s” is neither true nor false.") % {"written": printable(written)})
    return written.lower() == "true"


def moment(name: str, written: str) -> datetime | None:
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
    raise BadCell(name, _("“%(written)s” is not a time like 2026-01-31T12:00:00Z.") % {"written": printable(written)})
