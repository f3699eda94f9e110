"""The single answers behind a number of a report, so that anybody can count again.

A table whose rows have names (`Table.named_by`) stands in SOURCES with a function of evidence, row and column that
gives exactly what the number counts. Its notes say in sentences what the rows add up to.
"""

from collections.abc import Callable, Mapping

from analysis.agreement import stand_in_rows
from analysis.frames.evidence import Evidence
from analysis.plugins import find_plugin
from analysis.reports.behind import calls, description, variants
from analysis.tables.spec import Row, Table
from studies.models import Study

Source = Callable[[Evidence, Row, str], Table]

OF_EVERY_PROTOCOL: Mapping[str, Source] = {
    **description.SOURCES,
    **variants.SOURCES,
    **stand_in_rows.SOURCES,
    **calls.SOURCES,
}


def sources_of(protocol: str) -> Mapping[str, Source]:
    """By name of a table, the function that lists what its numbers count."""
    return {**OF_EVERY_PROTOCOL, **find_plugin(protocol).sources()}


def shared_by(study: Study, name: str, row: Row) -> dict[str, tuple[str]]:
    """By column of the frame, the one value of all answers that a number in this row of the table may count."""
    return {column: (row[column],) for column in find_plugin(study.protocol).shared.get(name, ())}


def behind(evidence: Evidence, name: str, row: Row, column: str) -> Table:
    """What the number in this column of a row of the table counts; `KeyError` for a table that leads nowhere."""
    return sources_of(evidence.study.protocol)[name](evidence, row, column)
