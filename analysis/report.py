"""What a report module gives: tables, figures by name, and what the numbers say."""

from dataclasses import dataclass
from datetime import datetime

from analysis.tables import Table


@dataclass(frozen=True)
class Check:
    """Something that was looked at, in a sentence, and whether it is as it should be."""

    passed: bool
    said: str


@dataclass(frozen=True)
class Report:
    """All of one study under one set of choices. `said` is what holds for every table, such as who is included."""

    tables: tuple[Table, ...]
    sentences: tuple[str, ...]
    figures: tuple[str, ...]
    included: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    left_out: tuple[tuple[str, int], ...] = ()
    said: tuple[str, ...] = ()
    n_responses: int = 0
    checks: tuple[Check, ...] = ()
    template: str = "analysis/parts/listed.html"  # how the results page lays it out; by default in the order given
    as_of: datetime | None = None  # set where it is of an earlier moment, with how many answers more there are now
    n_since: int = 0

    def table(self, name: str) -> Table:
        """The table of that name; `KeyError` if the report has none."""
        return {table.name: table for table in self.tables}[name]
