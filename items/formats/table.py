"""Reads a table of texts with items: one row per text, or one row per item, with the rows of a text joined."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from items.formats.benchmarks import name_qgeval_item
from items.formats.rows import (
    ItemRow,
    Line,
    Location,
    Reading,
    TextRow,
    check_metadata,
    describe_location,
    validate_row,
)
from items.formats.table_cells import Table, TableRow, read_cells
from items.formats.table_columns import (
    ITEM_FIELDS,
    KEEP_AS_DETAIL,
    LEAVE_OUT,
    OPTION_FIELDS,
    TEXT_FIELDS,
    Columns,
    find_mistakes,
    find_unknown,
    list_known_columns,
    name_choices,
    parse_keys,
    quote_names,
    recognize_columns,
)
from items.plain import TAG_SIGNS, make_printable
from items.values import DETAILS

YES = {"true", "yes", "1", "ja", "wahr", "bai", "x"}
NO = {"false", "no", "0", "nein", "falsch", "ez"}
# Fields of a row without a question, because they apply to all items of the table.
ABOUT_ALL = {"generator", "reference", "tags"}


@dataclass
class _TextGroup:
    """A text, assembled from its rows."""

    line: int
    cells: dict[str, str] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    items: list[tuple[int, ItemRow]] = field(default_factory=list)


@dataclass(frozen=True)
class _Row:
    """The non-empty cells of one row by field. `kept`: columns kept as metadata."""

    line: int
    cells: dict[str, str]
    kept: dict[str, str]

    @property
    def has_item(self) -> bool:
        return any(name in self.cells for name in (*ITEM_FIELDS, *OPTION_FIELDS) if name not in ABOUT_ALL)


def read_table(content: bytes, columns: Columns | None = None) -> Reading:
    """The texts of the table, and its problems. `columns`: the chosen fields; others are recognized by name."""
    reading = Reading()
    table = read_known_cells(content, reading)
    if table is None:
        return reading
    mapping = name_choices(table.header, columns)
    fields = recognize_columns(table.header, mapping)
    reading.columns = dict(zip(table.header, fields, strict=True))
    if wrong := [*find_unknown(table.header, mapping)] or [("", reason) for reason in find_mistakes(fields)]:
        here = _("The columns here are {columns}.").format(columns=quote_names(table.header))
        for place, (name, reason) in enumerate(wrong):
            more = "" if place else f" {list_known_columns()} {here}"
            reading.problems.add(1, make_printable(name), reason + more)
        return reading
    _warn_of_unknown(table, mapping, reading)
    _TableReader(table.header, fields, reading).read(table)
    return reading


def read_known_cells(content: bytes, reading: Reading, n_rows: int | None = None) -> Table | None:
    """The table or its first rows, with a published data set in our columns; None and problems if it cannot be read."""
    table = read_cells(content, reading, n_rows)
    return table and convert_known(table)


def _warn_of_unknown(table: Table, mapping: Mapping[str, str], reading: Reading) -> None:
    for place, (name, read_as) in enumerate(reading.columns.items()):
        if read_as == KEEP_AS_DETAIL and name not in mapping and any(row.cells[place] for row in table.rows):
            reading.warnings.add(0, name, _("Unknown column; it is kept in the metadata, under “extra”."))


class _TableReader:
    """Collects the rows of each text and checks them; problems use the file's names of columns."""

    def __init__(self, header: Sequence[str], fields: Sequence[str], reading: Reading) -> None:
        self.header = header
        self.fields = fields
        self.reading = reading
        self.with_items = "question" in fields
        self.groups: list[_TextGroup] = []
        self.by_id: dict[str, _TextGroup] = {}
        self.by_text: dict[str, _TextGroup] = {}

    def read(self, table: Table) -> None:
        for cells in table.rows:
            self._add_row(self._build_row(cells))
        for group in self.groups:
            if text := self._build_text(group):
                lines, items = [line for line, _item in group.items], [item for _line, item in group.items]
                self.reading.lines.append(Line(group.line, text.model_copy(update={"items": items}), tuple(lines)))

    def _build_row(self, cells: TableRow) -> _Row:
        filled = [
            (name, chosen, cell)
            for name, chosen, cell in zip(self.header, self.fields, cells.cells, strict=True)
            if cell and chosen != LEAVE_OUT
        ]
        return _Row(
            cells.line,
            cells={chosen: cell for _name, chosen, cell in filled if chosen != KEEP_AS_DETAIL},
            kept={name: cell for name, chosen, cell in filled if chosen == KEEP_AS_DETAIL},
        )

    def _add_row(self, row: _Row) -> None:
        group = self._find_group(row)
        if group is None:
            return
        is_new = self._merge(group, row)
        if row.has_item:
            self._add_item(group, row)
        elif not is_new and group.line != row.line:
            self.reading.warnings.add(row.line, "", _("This row repeats what the rows above already contain."))

    def _find_group(self, row: _Row) -> _TextGroup | None:
        """The text of the row: the one with its text_id, else the one with the same words."""
        name, text = row.cells.get("text_id"), row.cells.get("text")
        if not name and not text:
            reason = _("The row does not say which text it belongs to. Add the text, or the text_id of another row.")
            self._add_problem(row.line, "text" if "text" in self.fields else "text_id", reason)
            return None
        group = self.by_id.get(name) if name else self.by_text.get(text or "")
        if group is None:
            group = _TextGroup(row.line)
            self.groups.append(group)
        if name:
            self.by_id[name] = group
        if text:
            self.by_text.setdefault(text, group)
        return group

    def _merge(self, group: _TextGroup, row: _Row) -> bool:
        """Add the row's fields to its text; returns whether any was new."""
        is_new = False
        for name in (name for name in TEXT_FIELDS if name in row.cells):
            is_new = self._store_cell(group.cells, name, row.cells[name], row.line, self._name_in_file(name)) or is_new
        for name, cell in row.kept.items() if not self.with_items else ():
            is_new = self._store_cell(group.kept, name, cell, row.line, name) or is_new
        return is_new

    def _store_cell(self, known: dict[str, str], name: str, cell: str, line: int, column: str) -> bool:
        """Store the cell; False if an earlier row has the same value."""
        new = name not in known
        if known.setdefault(name, cell) != cell:
            reason = _(
                "This contradicts an earlier row about the same text. Use the same value, leave the cell "
                "empty, or give the row another text_id."
            )
            self.reading.problems.add(line, column, reason)
            return True
        return new

    def _build_text(self, group: _TextGroup) -> TextRow | None:
        extra: dict[str, Any] = group.kept | {name: group.cells[name] for name in DETAILS if name in group.cells}
        if shareable := group.cells.get("shareable") or group.kept.get("shareable"):
            extra["shareable"] = self._parse_yes_or_no(group.line, "shareable", shareable)
        value: dict[str, Any] = {
            name: group.cells[name] for name in ("title", "text", "language") if name in group.cells
        }
        if "markup" in group.cells:
            value["markup"] = group.cells["markup"].casefold()
        if "text_id" in group.cells:
            value["id"] = group.cells["text_id"]
        row = validate_row(
            TextRow,
            value | ({"metadata": {"extra": extra}} if extra else {}),
            group.line,
            self.reading.problems,
            lambda loc: self._name_in_file("text_id" if loc == ("id",) else str(loc[0])),
        )
        return row if row and check_metadata(group.line, row, self.reading) else None

    def _add_item(self, group: _TextGroup, row: _Row) -> None:
        if "question" not in row.cells:
            reason = _(
                "The row describes an item, but its question is missing. Add the question, or clear the "
                "row's other item cells."
            )
            self._add_problem(row.line, "question", reason)
            return
        numbers = [number for number, name in enumerate(OPTION_FIELDS, start=1) if name in row.cells]
        value: dict[str, Any] = {
            name: row.cells[field]
            for name, field in {"id": "item_id", **{f: f for f in ("generator", "question", "answer")}}.items()
            if field in row.cells
        }
        if "reference" in row.cells:
            value["reference"] = self._parse_yes_or_no(row.line, "reference", row.cells["reference"])
        if "tags" in row.cells:
            value["tags"] = [each for each in TAG_SIGNS.split(row.cells["tags"]) if each.strip()]
        if row.kept:
            value["metadata"] = {"extra": row.kept}
        value |= self._build_answers(row, numbers)
        item = validate_row(
            ItemRow, value, row.line, self.reading.problems, lambda loc: self._name_in_file(_find_field(loc, numbers))
        )
        if item:
            group.items.append((row.line, item))

    def _build_answers(self, row: _Row, numbers: list[int]) -> dict[str, Any]:
        """The options with their keys; an item without options is an open question."""
        options = {number: row.cells[f"option_{number}"] for number in numbers}
        if not options:
            if "correct" in row.cells:
                self._add_problem(
                    row.line, "correct", _("The row has no options. Add options, or leave this cell empty.")
                )
            return {}
        try:
            keys = parse_keys(row.cells.get("correct", ""), options)
        except ValueError as error:
            self._add_problem(row.line, "correct", str(error))
            keys = set()
        return {"answers": [{"text": wording, "correct": number in keys} for number, wording in options.items()]}

    def _parse_yes_or_no(self, line: int, name: str, cell: str) -> bool | None:
        word = cell.casefold()
        if word not in YES | NO:
            self._add_problem(line, name, _("This must be yes or no."))
            return None
        return word in YES

    def _add_problem(self, line: int, name: str, reason: str) -> None:
        self.reading.problems.add(line, self._name_in_file(name), reason)

    def _name_in_file(self, name: str) -> str:
        """The column's name in the file."""
        return self.header[self.fields.index(name)] if name in self.fields else name


def _find_field(loc: Location, numbers: list[int]) -> str:
    """The column of a place in an item: its second answer may be the third option."""
    if loc[0] == "answers" and len(loc) > 1:
        return f"option_{numbers[int(loc[1])]}"
    return {"id": "item_id", "answers": "option_1"}.get(str(loc[0]), describe_location(loc))


# QGEval: one row per question, including the reference; other columns are scores of annotators or metrics.
QGEVAL = ("id", "reference", "passage", "answer", "prediction", "source")
NAMES = ("text_id", "item_id", "text", "question", "answer", "generator", "reference")  # our columns


def convert_known(table: Table) -> Table:
    """A published data set converted to our columns; any other table unchanged."""
    names = [name.strip().casefold() for name in table.header]
    if not set(QGEVAL) <= set(names):
        return table
    places = [names.index(name) for name in QGEVAL]
    return Table(list(NAMES), [convert_qgeval(row, places) for row in table.rows])


def convert_qgeval(row: TableRow, places: Sequence[int]) -> TableRow:
    number, _reference, passage, answer, question, source = (row.cells[place] for place in places)
    name, generator, is_reference = name_qgeval_item(number, source)
    return TableRow(row.line, [number, name, passage, question, answer, generator, "yes" if is_reference else "no"])
