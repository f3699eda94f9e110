"""Finding single rows in the tables of a report."""

from typing import Any

from analysis.report import Report


def found(report: Report, table: str, **wanted: Any):
    """The one row of the table that has these values."""
    rows = [row for row in report.table(table).rows if wanted.items() <= row.items()]
    assert len(rows) == 1, (table, wanted, len(rows))
    return rows[0]
