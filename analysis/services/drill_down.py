"""The rows behind a number: looked up in the request for a small study, by a worker for a large one.

Rows of a large study are cached one sheet at a time, so that turning a page does not look up all of them again.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, Self, overload

from analysis.choices import Choices
from analysis.services.cached_results import (
    CurrentState,
    ResultKey,
    compute_result,
    count_state,
    get_result,
    is_large,
    open_file,
    work_on_file,
    work_on_value,
)
from analysis.services.results import LABEL_MASS, find_table
from analysis.tables.spec import Column, Row, Table
from analysis.tables.writers import write_csv
from jobs.files import create_file
from jobs.models import Job
from studies.models import Study

SHEET = 10_000  # rows
OF_CALLS = (LABEL_MASS, "position_bias")  # tables whose numbers count calls

ResultOf = Callable[[ResultKey], Any]


@dataclass(frozen=True)
class Number:
    """The position of a number in the results: its table, its column, and the names of its row.

    `kind`: of people, for the tables about models that replace them (see `results.get_stand_in`).
    """

    table: str
    column: str
    names: tuple[tuple[str, str], ...]
    kind: str = "skilled"

    def key(self, kind: str, study: Study, choices: Choices, sheet: int = 0) -> ResultKey:
        """The key of its rows, as a kind of cached result."""
        more = (self.table, self.column, self.kind, json.dumps(sorted(self.names)), str(sheet))
        return ResultKey(kind, study, choices, more)

    @classmethod
    def of(cls, key: ResultKey) -> tuple[Self, int]:
        """The number, and which sheet of its rows, that a key was made for."""
        table, column, kind, names, sheet = key.more
        return cls(table, column, tuple((name, value) for name, value in json.loads(names)), kind), int(sheet)


@dataclass(frozen=True)
class DrillDown:
    """A number of a report and the rows that it counts."""

    table: Table  # possibly reduced to the row of the number
    row: Row
    column: Column
    rows: Table


@dataclass(frozen=True)
class Sheet:
    """The rows behind a number that are cached together, and the total number `n`."""

    found: DrillDown
    n: int


class LazyRows(Sequence[Row]):
    """All rows behind a number. The first sheet is loaded; `more` loads another by its number."""

    def __init__(self, first: Sheet, more: Callable[[int], Sequence[Row]]):
        self.first, self.n, self.more = first.found.rows.rows, first.n, more

    def __len__(self) -> int:
        return self.n

    @overload
    def __getitem__(self, at: int) -> Row: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Row]: ...

    def __getitem__(self, at: int | slice) -> Row | Sequence[Row]:
        places = range(self.n)[at]
        if isinstance(places, int):
            return self.row(places)
        sheets = {number: self.sheet(number) for number in sorted({place // SHEET for place in places})}
        return tuple(sheets[place // SHEET][place % SHEET] for place in places)

    def row(self, place: int) -> Row:
        return self.sheet(place // SHEET)[place % SHEET]

    def sheet(self, number: int) -> Sequence[Row]:
        return self.more(number) if number else self.first


# Asking for rows -----------------------------------------------------------------------------------------------------


def drill_down(study: Study, choices: Choices, number: Number) -> DrillDown:
    """The number with its current rows; `KeyError` if there is no such number, `ResultPending` while a worker looks."""
    now = count_state(study, choices)
    if not is_cached(number, now):
        return find_rows(study, choices, number, partial(get_result, now=now))
    if not is_requested(number.key("rows", study, choices), now):
        check_number(study, choices, number, now)
    first: Sheet = get_result(number.key("rows", study, choices), now)

    def load_sheet(place: int) -> Sequence[Row]:
        sheet: Sheet = get_result(number.key("rows", study, choices, place), now)
        return sheet.found.rows.rows

    return replace(first.found, rows=replace(first.found.rows, rows=LazyRows(first, load_sheet)))


def open_rows_file(study: Study, choices: Choices, number: Number) -> IO[bytes] | None:
    """The rows of a large study as CSV, with the same errors. None: the caller writes them itself."""
    now = count_state(study, choices)
    if not is_cached(number, now):
        return None
    key = number.key("rows-file", study, choices)
    if not is_requested(key, now):
        check_number(study, choices, number, now)
    return open_file(key, now)


def is_cached(number: Number, now: CurrentState) -> bool:
    """Whether its rows are cached by a worker. Rows of calls are not: they can change while the answers stay."""
    return is_large(now[1]) and number.table not in OF_CALLS


def is_requested(key: ResultKey, now: CurrentState) -> bool:
    """Whether somebody asked for it before, with the same answers."""
    return Job.objects.filter(key=key.make_job().key, version=now[0]).exists()


def check_number(study: Study, choices: Choices, number: Number, now: CurrentState) -> None:
    """Raises `KeyError` for an unknown number, so that no worker is asked for it."""
    locate_number(find_table(study, choices, number.table, number.kind, partial(get_result, now=now)), number)


# Looking up ----------------------------------------------------------------------------------------------------------


def find_rows(study: Study, choices: Choices, number: Number, result_of: ResultOf = get_result) -> DrillDown:
    """The number with its rows, looked up immediately; `result_of` loads the results that contain it."""
    from analysis.services.cached_evidence import load_evidence
    from analysis.services.reporting import drill_down, find_shared

    table = find_table(study, choices, number.table, number.kind, result_of)
    row, column = locate_number(table, number)
    evidence = load_evidence(study, choices, find_shared(study, table.name, row))
    rows = drill_down(evidence, table.name, row, column.name)
    return DrillDown(table, row, column, rows.add_included(choices.purposes))


def locate_number(table: Table, number: Number) -> tuple[Row, Column]:
    """Its row and its column; `KeyError` if the table lacks them."""
    return table.find_row(dict(number.names)), table.find_number(number.column)


# What workers do -----------------------------------------------------------------------------------------------------


@work_on_value
def compute_sheet(key: ResultKey) -> Sheet:
    number, place = Number.of(key)
    found = find_rows(key.study, key.choices, number, compute_result)
    rows = found.rows.rows
    some = replace(found.rows, rows=tuple(rows[place * SHEET : (place + 1) * SHEET]))
    return Sheet(replace(found, table=replace(found.table, rows=(found.row,)), rows=some), len(rows))


@work_on_file
def write_rows(key: ResultKey) -> Path:
    """All rows as CSV."""
    number, _sheet = Number.of(key)
    rows = find_rows(key.study, key.choices, number, compute_result).rows
    with create_file() as file, TextIOWrapper(file, encoding="utf-8", newline="") as text:
        write_csv(rows, text)
    return Path(file.name)
