"""What of the table `published` compares, and in a few words what does not and why."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from analysis.tables import Row, Table

NAMED = 4  # rows that are named, of those that do not compare for the same reason


@dataclass(frozen=True)
class Apart:
    """Numbers of one measure that only one side has, or that are undefined here: how many, some by name, and why."""

    measure: str
    n: int
    named: tuple[str, ...]
    reason: str

    @property
    def n_unnamed(self) -> int:
        return self.n - len(self.named)


def comparing(table: Table) -> Table:
    """Only the rows with both numbers."""
    return replace(table, rows=tuple(row for row in table.rows if compares(row)))


def compares(row: Row) -> bool:
    return row["published"] is not None and row["own"] is not None


def apart(table: Table) -> Iterator[Apart]:
    """What does not compare, by measure and reason, in the order of the table."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in table.rows:
        if not compares(row):
            found.setdefault((row["measure_said"], why(row)), []).append(named(row))
    for (measure, reason), names in found.items():
        yield Apart(measure, len(names), tuple(dict.fromkeys(names))[:NAMED], reason)


def why(row: Row) -> str:
    reason: str = row["reason"]
    return reason if row["published"] is not None else reason or _("not published")


def named(row: Row) -> str:
    """The row in words, with the published group where there are several."""
    return f"{row['row_said']} ({row['group']})" if row["group"] else str(row["row_said"])
