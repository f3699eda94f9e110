"""What a plan would give, as a table: power and widths of intervals for the study's own size and others."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import gettext as _

from analysis.measures.power import Components, Outlook, Plan, guess_then_read_curve, pairwise_outlook
from analysis.tables import Shown, Table, make_table

NAME = "outlook"
FACTORS = (0.5, 1, 1.5, 2, 3, 4)  # of the study's own size
STUDIES = 500
JUDGMENTS = 8_000_000  # drawn for one curve: at most half a second
FEWEST = 50  # studies, below which a power says nothing
MEASURED = ("power", "power_error", "width", "difference_width", "studies", "seed", "reason")


class TooLarge(ValueError):
    """The plan cannot be simulated while somebody waits; the message says what can."""


@dataclass(frozen=True)
class GuessPlan:
    """What is assumed about a guess-then-read study: its size, the shares right, and how far things differ."""

    plan: Plan
    guess: float
    read: float
    difference: float
    components: Components


@dataclass(frozen=True)
class PairPlan:
    """What is assumed about a pairwise study: texts, untied judgments of a pair of generators on each, and the share
    of them that prefer the first."""

    texts: int
    judgments: int
    share: float
    text_spread: float


def outlook(assumed: GuessPlan | PairPlan, seed: int) -> Table:
    """One row per axis and size; `TooLarge` for what would take long."""
    if isinstance(assumed, PairPlan):
        rows = list(pair_rows(assumed, seed))
        columns: tuple[str, ...] = ("axis", "size", "own_plan", "texts", "judgments", *MEASURED)
    else:
        rows = list(guess_rows(assumed, seed))
        columns = ("axis", "size", "own_plan", "texts", "annotators", "items", *MEASURED)
    title = _("Power and widths of intervals, by simulation")
    return make_table(NAME, columns, rows, title=title, notes=tuple(notes(assumed, rows)), shown=shown(assumed))


def sizes_around(own: int, least: int) -> list[int]:
    """The study's own size and others below and above it."""
    return sorted({max(least, round(own * factor)) for factor in FACTORS} | {own})


def guess_rows(assumed: GuessPlan, seed: int) -> Iterator[dict[str, Any]]:
    plan = assumed.plan
    read = (assumed.read, assumed.read - assumed.difference)
    for axis, least in (("texts", 2), ("annotators", 1), ("items", 1)):
        sizes = sizes_around(getattr(plan, axis), least)
        found = guess_then_read_curve(
            plan, (axis, sizes), assumed.guess, read,  # type: ignore[arg-type]
            seed=seed, components=assumed.components, studies=affordable(plan, max(sizes) / getattr(plan, axis)),
        )  # fmt: skip
        for size, each in zip(sizes, found, strict=True):
            about = {name: getattr(plan, name) for name in ("texts", "annotators", "items")} | {axis: size}
            yield row_of(axis, size, size == getattr(plan, axis), about, each)


def affordable(plan: Plan, factor: float) -> int:
    """How many studies can be drawn at the largest size."""
    studies = min(STUDIES, int(JUDGMENTS / (plan.judgments * factor)))
    if studies < FEWEST:
        raise TooLarge(
            _("This plan is too large to simulate while you wait. Take fewer texts, annotators, items or options: the "
              "shape of the curves stays the same.")
        )  # fmt: skip
    return studies


def pair_rows(assumed: PairPlan, seed: int) -> Iterator[dict[str, Any]]:
    for axis, least in (("texts", 2), ("judgments", 1)):
        own = getattr(assumed, axis)
        for size in sizes_around(own, least):
            about = {"texts": assumed.texts, "judgments": assumed.judgments} | {axis: size}
            found = pairwise_outlook(
                about["texts"], about["judgments"], assumed.share, text_spread=assumed.text_spread, seed=seed,
                studies=STUDIES,
            )  # fmt: skip
            yield row_of(axis, size, size == own, about, found)


def row_of(axis: str, size: int, is_own: bool, about: dict[str, int], found: Outlook) -> dict[str, Any]:
    undefined = found.power != found.power
    reason = _("with so few texts or people no simulated study has an interval") if undefined else ""
    return {"axis": axis, "size": size, "own_plan": is_own, **about, **asdict(found), "reason": reason}


def notes(assumed: GuessPlan | PairPlan, rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    if isinstance(assumed, PairPlan):
        yield _("Power: in what share of simulated studies the interval of the share preferred leaves out one half. "
                "Width: of that interval. Judgments: of one pair of generators on a text, ties left out.")  # fmt: skip
    else:
        yield _("Power: in what share of simulated studies the interval of the difference of two generators' "
                "informativity leaves out 0. Widths: of the interval of one generator's informativity, and of the "
                "difference. Annotators are those who do a text.")  # fmt: skip
    yield _("Intervals are text-clustered jackknifes. Simulated studies: %(studies)s; the error is that of the "
            "simulation.") % {"studies": min((row["studies"] for row in rows), default=0)}  # fmt: skip


def shown(assumed: GuessPlan | PairPlan) -> tuple[Shown, ...]:
    pairs = isinstance(assumed, PairPlan)
    sizes = (
        [Shown(_("Judgments"), "judgments", "count")]
        if pairs
        else [Shown(_("Annotators"), "annotators", "count"), Shown(_("Items"), "items", "count")]
    )
    widths = (
        [Shown(_("Width, share"), "width", "number", reason="reason")]
        if pairs
        else [
            Shown(_("Width, informativity"), "width", "number", reason="reason"),
            Shown(_("Width, difference"), "difference_width", "number", reason="reason"),
        ]
    )
    return (
        Shown(_("Varied"), "axis", "axis"),
        Shown(_("Own plan"), "own_plan", "truth"),
        Shown(_("Texts"), "texts", "count"),
        *sizes,
        Shown(_("Power"), "power", "number", reason="reason"),
        Shown(_("Error"), "power_error", "number", reason="reason"),
        *widths,
    )


def own_row(table: Table) -> dict[str, Any]:
    """The row of the study's own plan."""
    return dict(next(row for row in table.rows if row["own_plan"]))
