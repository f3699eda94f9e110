"""What a plan would give, as a table: power and interval widths for the study's own size and others."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from django.utils.translation import gettext as _

from analysis.choices import CONVENTIONS
from analysis.formatting import number
from analysis.frames.evidence import Evidence
from analysis.measures.components import ANNOTATOR
from analysis.measures.intervals import Interval
from analysis.measures.power import Outlook
from analysis.planning.forms import OutlookForm, Sizes
from analysis.planning.tables import COMPONENTS
from analysis.reports.estimates import repeat_interval
from analysis.reports.spread import Spread
from analysis.tables.spec import Row, Table, TableSpec

# The spreads in a study's own answers, with intervals, which the planner uses in place of assumptions.


def build_spread_table(rows: list[dict[str, Any]]) -> Table:
    """The table of `build_component_row`s: standard deviations in logits, as fitted to answers and as assumed."""
    return COMPONENTS.build(rows)


def build_component_row(name: str, said: str, value: float, assumed: float, found: Interval) -> dict[str, Any]:
    units = {"text": _("texts"), ANNOTATOR: _("annotators")}
    return {
        "component": name,
        "sd": value,
        "low": found.low,
        "high": found.high,
        "assumed": assumed,
        "unit": found.unit,
        "n_units": found.n_units,
        "n_judgments": found.n_responses,
        "reason": _(found.reason) if found.reason else "",
        "component_said": said,
        "unit_said": units[found.unit],
        "intervals": {"sd": repeat_interval(found)},
    }


def make_unfitted_row(name: str, said: str, assumed: float) -> dict[str, Any]:
    empty = {"low": None, "high": None, "unit": "", "n_units": 0, "n_judgments": 0}
    reason = _("no answers of people yet")
    return {"component": name, "sd": None, "assumed": assumed, "component_said": said, "unit_said": "", **empty,
            "reason": reason, "intervals": {"sd": dict.fromkeys(CONVENTIONS, empty)}}  # fmt: skip


FACTORS = (0.5, 1, 1.5, 2, 3, 4)  # sizes, as multiples of the study's own
STUDIES = 500
PEOPLE_TEXTS = "people_texts"  # the axis of people's texts, if models answer all texts


class TooLarge(ValueError):
    """The plan takes too long to simulate in a request; the message says what is possible."""


class AssumedPlan(ABC):
    """The assumptions about a study. `axes`: the sizes that are varied, each a column of its `table`."""

    axes: ClassVar[tuple[str, ...]]
    table: ClassVar[TableSpec]

    @abstractmethod
    def rows(self, seed: int) -> Iterator[dict[str, Any]]:
        """A `build_outlook_row` for each axis and size."""

    @abstractmethod
    def note(self) -> str:
        """What the powers and widths are about."""

    @abstractmethod
    def sentence(self, own: Row) -> str:
        """A sentence on the row of the study's own plan."""


@dataclass(frozen=True)
class Planner:
    """How studies of a protocol are planned.

    form: its `assumptions()` are an `AssumedPlan`. spread: how much texts, items, options and people differ in people's
    answers. components: the same with intervals, as rows of `build_spread_table`. assume: initial values of the form.
    """

    form: type[OutlookForm]
    spread: Callable[[Evidence], Spread]
    components: Callable[[Evidence], list[dict[str, Any]]]
    assume: Callable[[Sizes, Spread], dict[str, Any]]


def build_outlook(assumed: AssumedPlan, seed: int) -> Table:
    """One row per axis and size; `TooLarge` if it would take too long."""
    rows = list(assumed.rows(seed))
    return assumed.table.build(rows, notes=iter_notes(assumed, rows))


def list_sizes_around(own: int, least: int) -> list[int]:
    """The study's own size and some below and above it."""
    return sorted({max(least, round(own * factor)) for factor in FACTORS} | {own})


def build_outlook_row(axis: str, size: int, is_own: bool, about: dict[str, int], found: Outlook) -> dict[str, Any]:
    undefined = found.power != found.power
    reason = _("too few texts or people for an interval") if undefined else ""
    return {"axis": axis, "size": size, "own_plan": is_own, **about, **asdict(found), "reason": reason}


def iter_notes(assumed: AssumedPlan, rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield assumed.note()
    studies = min((row["studies"] for row in rows), default=0)
    yield _("Intervals are over texts only (jackknife, t). Simulated studies: %(studies)s; the error is "
            "the simulation error.") % {"studies": studies}  # fmt: skip


def find_own_row(table: Table) -> dict[str, Any]:
    """The row of the study's own plan."""
    return dict(next(row for row in table.rows if row["own_plan"]))


def format_percent(share: float) -> str:
    return _("%(n)s %%") % {"n": round(100 * share)}


# What a plan would give, in words: first the study's own size, then what more texts or annotators would gain.


def list_sentences(assumed: AssumedPlan, table: Table) -> list[str]:
    own = find_own_row(table)
    if own["power"] is None:
        return [_("A plan of this size gives no interval: it needs at least two texts that are guessed and read.")]
    return [assumed.sentence(own), *(sentence for axis in assumed.axes if (sentence := describe_doubling(table, axis)))]


def describe_doubling(table: Table, axis: str) -> str:
    """The gain from twice as many of something; for people's texts, the gain from models on all texts."""
    own = find_own_row(table)
    size = own["texts"] if axis == PEOPLE_TEXTS else 2 * own[axis]
    row = next((row for row in table.rows if row["axis"] == axis and row["size"] == size), None)
    if row is None or row["power"] is None:
        return ""
    words = {
        "texts": _("With twice the texts: %(power)s of the studies, an interval %(width)s wide."),
        PEOPLE_TEXTS: _(
            "With models on all texts that agree with people by r = %(r)s: %(power)s of the studies, an interval "
            "%(width)s wide."
        ),
        "annotators": _("With twice the annotators: %(power)s of the studies, an interval %(width)s wide."),
        "items": _("With twice the items: %(power)s of the studies, an interval %(width)s wide."),
        "judgments": _(
            "With twice the judgments on the same texts: %(power)s of the studies, an interval %(width)s wide."
        ),
    }
    values = {"power": format_percent(row["power"]), "width": number(row["width"]), "r": number(row.get("r") or 0)}
    return words[axis] % values
