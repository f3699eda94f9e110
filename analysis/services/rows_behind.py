"""The rows behind a number: of a small study looked up in the request, of a large one by a worker.

Those of a large study are kept a sheet at a time, so that whoever turns a page does not look up all of them anew.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import IO, Any, Self, overload

from django.conf import settings

from analysis.choices import Choices
from analysis.services.kept_files import KeptFile, filed
from analysis.services.results import LABEL_MASS, table_called
from analysis.services.squeezing import released, squeezed
from analysis.services.state import counted_state
from analysis.services.wanted import Wanted, forget, kept
from analysis.services.working import Now, result_here, result_now
from analysis.tables.spec import Row, Shown, Table, saying_included
from analysis.tables.writers import write_csv
from studies.models import Study

SHEET = 10_000  # rows
OF_CALLS = (LABEL_MASS, "position_bias")  # tables behind which stand calls

ResultOf = Callable[[Wanted], Any]


@dataclass(frozen=True)
class Number:
    """Where a number stands in the results: its table, its column, what names its row.

    `kind`: of people, for the tables about models in their place (see `results.stand_in_of`).
    """

    table: str
    column: str
    names: tuple[tuple[str, str], ...]
    kind: str = "skilled"

    def wanted(self, kind: str, study: Study, choices: Choices, sheet: int = 0) -> Wanted:
        """What is behind it as a kind of `wanted.KINDS`."""
        more = (self.table, self.column, self.kind, json.dumps(sorted(self.names)), str(sheet))
        return Wanted(kind, study, choices, more)

    @classmethod
    def of(cls, wanted: Wanted) -> tuple[Self, int]:
        """The number and the sheet of what is wanted."""
        table, column, kind, names, sheet = wanted.more
        return cls(table, column, tuple((name, value) for name, value in json.loads(names)), kind), int(sheet)


@dataclass(frozen=True)
class Behind:
    """A number of a report and the rows that it counts."""

    table: Table  # perhaps only with the row of the number
    row: Row
    column: Shown
    rows: Table


@dataclass(frozen=True)
class Sheet:
    """Of all `n` rows behind a number so many as are kept together."""

    behind: Behind
    n: int


class Sheets(Sequence[Row]):
    """All rows behind a number, of which the first sheet is at hand; `more` gives the rows of another by its number."""

    def __init__(self, first: Sheet, more: Callable[[int], Sequence[Row]]):
        self.first, self.n, self.more = first.behind.rows.rows, first.n, more

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


# Asking --------------------------------------------------------------------------------------------------------------


def behind_of(study: Study, choices: Choices, number: Number) -> Behind:
    """The number with its rows as they are now; `KeyError` if there is none, `BeingWorkedOut` while a worker looks."""
    now = counted_state(study, choices)
    if not is_kept(number, now):
        return behind_here(study, choices, number, partial(result_now, now=now))
    first: Sheet = released(found(number.wanted("behind", study, choices), number, now))

    def more(place: int) -> Sequence[Row]:
        sheet: Sheet = released(result_now(number.wanted("behind", study, choices, place), now))
        return sheet.behind.rows.rows

    return replace(first.behind, rows=replace(first.behind.rows, rows=Sheets(first, more)))


def file_behind(study: Study, choices: Choices, number: Number) -> IO[bytes] | None:
    """The rows of a large study as CSV; the same errors. None: write them here and now, as with `export_soon`."""
    now = counted_state(study, choices)
    if not is_kept(number, now):
        return None
    wanted = number.wanted("behind-file", study, choices)
    kept_file: KeptFile = found(wanted, number, now)
    if not (file := kept_file.whole()):
        forget(wanted)
    return file


def is_kept(number: Number, now: Now) -> bool:
    """Whether a worker looks its rows up. The state of the answers does not tell of calls: their rows are not kept."""
    return now[1] > settings.LESART["RESULTS_AT_ONCE"] and number.table not in OF_CALLS


def found(wanted: Wanted, number: Number, now: Now) -> Any:
    """The result; a worker is only asked about a number that is there."""
    last = kept(wanted)
    if last and last.state == now[0]:
        return last.result
    result_of = partial(result_now, now=now)
    place_in(table_called(wanted.study, wanted.choices, number.table, number.kind, result_of), number)
    return result_now(wanted, now)


# Looking up ----------------------------------------------------------------------------------------------------------


def behind_here(study: Study, choices: Choices, number: Number, result_of: ResultOf = result_now) -> Behind:
    """The number with its rows, looked up here and now; `result_of` gives the results that it stands in."""
    from analysis.reports.behind.registry import behind, shared_by
    from analysis.services.kept_evidence import evidence_now

    table = table_called(study, choices, number.table, number.kind, result_of)
    row, column = place_in(table, number)
    rows = behind(evidence_now(study, choices, shared_by(study, table.name, row)), table.name, row, column.value)
    return Behind(table, row, column, saying_included(rows, choices.purposes))


def place_in(table: Table, number: Number) -> tuple[Row, Shown]:
    """Its row and its column; `KeyError` if there is none."""
    return table.row_named(dict(number.names)), table.column_shown(number.column)


# What workers do -----------------------------------------------------------------------------------------------------


def sheet_behind(wanted: Wanted) -> bytes:
    """A `Sheet`, squeezed."""
    number, place = Number.of(wanted)
    behind = behind_here(wanted.study, wanted.choices, number, result_here)
    rows = behind.rows.rows
    some = replace(behind.rows, rows=tuple(rows[place * SHEET : (place + 1) * SHEET]))
    return squeezed(Sheet(replace(behind, table=replace(behind.table, rows=(behind.row,)), rows=some), len(rows)))


def written_behind(wanted: Wanted) -> KeptFile:
    """All rows as CSV."""
    number, _sheet = Number.of(wanted)
    rows = behind_here(wanted.study, wanted.choices, number, result_here).rows
    return filed(lambda out: write_csv(rows, out))
