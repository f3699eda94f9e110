"""Read judgments from any table, with one row per judgment or a column per question, by a mapping of its columns."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from django.utils.translation import gettext as _

from items.formats.parquet_rows import MAX_COLUMN
from items.formats.sheets import BadSheet, is_sheet, read_sheet
from items.plain import unescape_formula
from studies.services.responses.rows import MAX_CELL, READ_COLUMNS, BadFile, Cells, decode_file

SLOT = re.compile(r"\{([^{}]+)\}")
LINE = re.compile(r"\s*(question\s+)?([\w-]+)\s*(=|:)\s*(.+?)\s*")
DELIMITERS = ",;\t|"


class BadMapping(ValueError):
    """An unusable mapping; the message is a sentence."""


@dataclass(frozen=True)
class TableMapping:
    """Which column of a table holds what.

    columns: by our name of a column, the table's column, or a template of several such as “{id}-{source}”. values: what
    is the same in all rows. questions: by question the column with its answers; each row of the table then gives one
    judgment per question, and the columns `question` and `value` are not mapped.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    questions: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.columns or self.values or self.questions)

    def check(self, header: Sequence[str]) -> None:
        """Raises `BadMapping` for a column that Lesart or the table does not have."""
        for ours in [*self.columns, *self.values]:
            if ours not in READ_COLUMNS:
                values = {"name": ours, "known": ", ".join(READ_COLUMNS)}
                raise BadMapping(_("There is no column “%(name)s”; there are: %(known)s.") % values)
        for theirs in [*self.columns.values(), *self.questions.values()]:
            for name in [theirs] if theirs in header else SLOT.findall(theirs) or [theirs]:
                if name not in header:
                    sentence = _("The table has no column “%(name)s”; it has: %(known)s.")
                    raise BadMapping(sentence % {"name": name, "known": ", ".join(header)})

    def apply(self, row: Mapping[str, str]) -> Iterator[Cells]:
        """The judgments in a row of the table."""
        named = {ours: fill(theirs, row) for ours, theirs in self.columns.items()}
        own = {name: cell for name, cell in row.items() if name in READ_COLUMNS} | dict(self.values) | named
        if not self.questions:
            yield dict(own)
        for question, theirs in self.questions.items():
            if answer := fill(theirs, row):
                yield own | {"question": question, "value": answer}


def fill(theirs: str, row: Mapping[str, str]) -> str:
    """The cell of that column, or of several in a template."""
    return row[theirs] if theirs in row else SLOT.sub(lambda slot: row[slot[1]], theirs)


# The annotators' workbooks published with QGEval: one row per item, one column per dimension, one file per person.
QGEVAL_MARKS = frozenset({"id", "passage", "prediction", "source"})
QGEVAL_QUESTIONS = (
    "fluency", "clarity", "conciseness", "relevance", "consistency", "answerability", "answer_consistency",
)  # fmt: skip


def find_known(header: Sequence[str], name: str) -> TableMapping | None:
    """The mapping for a published kind of table; the file's `name` says who judged."""
    if not {*QGEVAL_MARKS, *QGEVAL_QUESTIONS} <= set(header):
        return None
    return TableMapping(
        columns={"text_id": "{id}", "item_id": "{id}-{source}"},
        values={"annotator": PurePath(name).stem or "annotator", "stage": "rate"},
        questions={name: name for name in QGEVAL_QUESTIONS},
    )


def is_known(content: bytes) -> bool:
    """Whether the first line of a CSV names the columns of a published kind of table."""
    names = content.partition(b"\n")[0].decode("utf-8-sig", "replace")
    return find_known(re.findall(r"[\w-]+", names), "") is not None


def parse_mapping(lines: str) -> TableMapping:
    """From lines such as “annotator = Rater”, “stage: rate” (the same in all rows) and “question clarity = Clear?”."""
    columns, values, questions = dict[str, str](), dict[str, str](), dict[str, str]()
    for line in filter(str.strip, lines.splitlines()):
        found = LINE.fullmatch(line)
        if found is None or (found[1] and found[3] == ":"):
            sentence = _("“%(line)s” is not of the form “our column = column of the table” or “our column: value”.")
            raise BadMapping(sentence % {"line": line.strip()[:80]})
        kind = questions if found[1] else columns if found[3] == "=" else values
        kind[found[2]] = found[4]
    return TableMapping(columns, values, questions)


def map_table(content: bytes, name: str, mapping: TableMapping | None) -> Iterator[tuple[int, Cells]]:
    """The judgments in a table, each with its line or row; `BadFile` if it cannot be read."""
    rows = read_table_rows(content)
    first = next(rows, None)
    if first is None:
        raise BadFile(1, _("The file is empty."))
    header = [cell.strip() for cell in first[1]]
    while header and not header[-1]:
        header.pop()
    if len(header) > MAX_COLUMN:
        raise BadFile(1, _("The table has more than %(n)d columns. Split it.") % {"n": MAX_COLUMN})
    if twice := [each for each, n in Counter(header).items() if each and n > 1]:
        raise BadFile(1, _("These columns occur twice: %(names)s. Keep one of each.") % {"names": twice[0]})
    chosen = find_known(header, name) or TableMapping()
    if mapping:
        known, own = chosen, mapping
        chosen = TableMapping(
            {**known.columns, **own.columns}, {**known.values, **own.values}, own.questions or known.questions
        )
    try:
        chosen.check(header)
    except BadMapping as bad:
        raise BadFile(1, str(bad)) from None
    for line, cells in rows:
        padded = [*cells, *[""] * (len(header) - len(cells))]
        if any(padded[len(header) :]):
            reason = _("This row has %(cells)d cells, but the header has %(header)d. Text with commas needs quotes.")
            raise BadFile(line, reason % {"cells": len(cells), "header": len(header)})
        row = {each: cell.strip() for each, cell in zip(header, padded, strict=False) if each}
        if any(row.values()):
            yield from ((line, judged) for judged in chosen.apply(row))


def read_table_rows(content: bytes) -> Iterator[tuple[int, list[str]]]:
    try:
        yield from read_sheet(content, lambda _message: None) if is_sheet(content) else read_delimited(content)
    except BadSheet as bad:
        raise BadFile(0, str(bad)) from None


def read_delimited(content: bytes) -> Iterator[tuple[int, list[str]]]:
    text = decode_file(content)
    first = text.partition("\n")[0]
    csv.field_size_limit(MAX_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(DELIMITERS, key=first.count), strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cells):
                yield line, [unescape_formula(cell) for cell in cells]
            line = reader.line_num + 1
    except csv.Error as error:
        raise BadFile(line, _("This is not readable as CSV: %(what)s.") % {"what": error}) from None
