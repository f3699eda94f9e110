"""What a plan would give, as a table: power and widths of intervals for the study's own size and others."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.power import Outlook
from analysis.planning.forms import OutlookForm, Sizes
from analysis.reports.spread import Spread
from analysis.tables.spec import Row, Table, TableSpec

FACTORS = (0.5, 1, 1.5, 2, 3, 4)  # of the study's own size
STUDIES = 500
PEOPLE_TEXTS = "people_texts"  # the axis of texts with people where models do all


class TooLarge(ValueError):
    """The plan cannot be simulated while somebody waits; the message says what can."""


class AssumedPlan(ABC):
    """What is assumed about a study. `axes` are its sizes that are varied, each a column of its `table`."""

    axes: ClassVar[tuple[str, ...]]
    table: ClassVar[TableSpec]

    @abstractmethod
    def rows(self, seed: int) -> Iterator[dict[str, Any]]:
        """An `outlook_row` for each axis and size."""

    @abstractmethod
    def note(self) -> str:
        """What power and widths are of."""

    @abstractmethod
    def sentence(self, own: Row) -> str:
        """What the row of the study's own plan says."""


@dataclass(frozen=True)
class Planner:
    """How studies of a protocol are planned.

    form: its `assumptions()` are an `AssumedPlan`. spread: how far things differ in people's answers. components: the
    same with intervals, as rows of `spread_table`. assume: the values that the form begins with.
    """

    form: type[OutlookForm]
    spread: Callable[[Evidence], Spread]
    components: Callable[[Evidence], list[dict[str, Any]]]
    assume: Callable[[Sizes, Spread], dict[str, Any]]


def outlook(assumed: AssumedPlan, seed: int) -> Table:
    """One row per axis and size; `TooLarge` for what would take long."""
    rows = list(assumed.rows(seed))
    return assumed.table.build(rows, notes=notes(assumed, rows))


def sizes_around(own: int, least: int) -> list[int]:
    """The study's own size and others below and above it."""
    return sorted({max(least, round(own * factor)) for factor in FACTORS} | {own})


def outlook_row(axis: str, size: int, is_own: bool, about: dict[str, int], found: Outlook) -> dict[str, Any]:
    undefined = found.power != found.power
    reason = _("too few texts or people for an interval") if undefined else ""
    return {"axis": axis, "size": size, "own_plan": is_own, **about, **asdict(found), "reason": reason}


def notes(assumed: AssumedPlan, rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield assumed.note()
    studies = min((row["studies"] for row in rows), default=0)
    yield _("Intervals are over texts only (jackknife, t). Simulated studies: %(studies)s; the error is "
            "the simulation error.") % {"studies": studies}  # fmt: skip


def own_row(table: Table) -> dict[str, Any]:
    """The row of the study's own plan."""
    return dict(next(row for row in table.rows if row["own_plan"]))


def percent(share: float) -> str:
    return _("%(n)s %%") % {"n": round(100 * share)}
