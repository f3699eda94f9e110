"""A run in numbers, computed on request: progress, failures, and the comparison of two runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any

from django.db.models import Count, Min, QuerySet
from django.utils import timezone

from jobs.workers import has_live_workers
from llm.failures import get_remedy
from llm.models import GOOD, MISSING, Call, CallState, Run
from llm.prices import format_money

WITHIN = timedelta(seconds=30)


@dataclass(frozen=True)
class FailureGroup:
    """Calls that failed in the same way, with an example and what to do."""

    failure: str
    n: int
    example: Call
    remedy: str


class Progress:
    """The numbers of one run at one moment."""

    def __init__(self, run: Run):
        self.run = run
        states = run.calls.order_by().values_list("state").annotate(n=Count("*"))
        self.counts: dict[str, int] = dict(states)

    def n_in(self, *states: str) -> int:
        return sum(self.counts.get(state, 0) for state in states)

    @property
    def n_calls(self) -> int:
        """The number of calls without those that were rejected and replaced."""
        return sum(self.counts.values()) - self.n_rejected

    @property
    def n_good(self) -> int:
        return self.n_in(*GOOD)

    @property
    def n_cached(self) -> int:
        return self.n_in(CallState.CACHED)

    @property
    def n_missing(self) -> int:
        return self.n_in(*MISSING)

    @property
    def n_failed(self) -> int:
        return self.n_in(CallState.FAILED)

    @property
    def n_held(self) -> int:
        return self.n_in(CallState.HELD)

    @property
    def n_rejected(self) -> int:
        return self.n_in(CallState.REJECTED)

    @property
    def n_done(self) -> int:
        return self.n_good + self.n_missing

    @property
    def n_open(self) -> int:
        return self.n_calls - self.n_done

    @property
    def by_state(self) -> list[tuple[str, str, int]]:
        """(state, its name, number of calls), in the order of a call's life."""
        return [(state.value, str(state.label), self.counts[state]) for state in CallState if self.counts.get(state)]

    @cached_property
    def rate(self) -> float | None:
        """Calls per second over the last half minute; None without calls in it, or while the run is paused."""
        if not self.run.is_active:
            return None
        now = timezone.now()
        recent = self.run.calls.filter(finished_at__gt=now - WITHIN).aggregate(n=Count("*"), first=Min("finished_at"))
        if not recent["n"]:
            return None
        started = max(self.run.started_at or recent["first"], now - WITHIN)
        return float(recent["n"] / max((now - started).total_seconds(), 1.0))

    @property
    def seconds_left(self) -> float | None:
        return self.n_open / self.rate if self.rate and self.run.is_planned else None

    @property
    def amount_spent(self) -> str:
        """The money spent; empty if the endpoint has no price."""
        return format_money(self.run.spent_nanos, self.run.endpoint.currency) if self.run.endpoint.has_price else ""

    @property
    def budget(self) -> str:
        return format_money(self.run.budget_nanos, self.run.endpoint.currency)

    @property
    def has_no_worker(self) -> bool:
        return self.run.is_active and not has_live_workers() and not self.run.drainers.live().exists()

    @cached_property
    def failures(self) -> list[FailureGroup]:
        return list(self._failures())

    def _failures(self) -> Iterator[FailureGroup]:
        missing = self.run.calls.missing()
        groups = missing.order_by().values("error_class").annotate(n=Count("*"), example=Min("pk")).order_by("-n")
        examples = Call.objects.in_bulk([group["example"] for group in groups])
        for group in groups:
            failure = group["error_class"]
            yield FailureGroup(failure, group["n"], examples[group["example"]], get_remedy(failure))


MOST_KEYS = 2000
KEYS_AT_ONCE = 500
Place = tuple[str, int]
"""The key of a call and the number of its answer among the accepted answers of that key, from 1."""


@dataclass(frozen=True)
class Agreement:
    """One field of the read answers: over `n` calls, how many are equal; for numbers also the means of both runs."""

    name: str
    n: int
    n_same: int
    mean: float | None = None
    mean_other: float | None = None
    mean_distance: float | None = None

    @property
    def share(self) -> float:
        return self.n_same / self.n


@dataclass(frozen=True)
class Pair:
    """The same place in both runs, with different answers."""

    call: Call
    other: Call


@dataclass(frozen=True)
class Comparison:
    """Compares the first `n_here` answers of the run in the order of its plan; `is_part` if it has more."""

    n_here: int
    n_both: int
    is_part: bool
    fields: list[Agreement]
    different: list[Pair]


def find_comparable(run: Run) -> "QuerySet[Run]":
    """Runs of the same project and kind, newest first."""
    return Run.objects.filter(project=run.project, kind=run.kind).exclude(pk=run.pk).select_related("endpoint")


def compare_runs(run: Run, other: Run, most_pairs: int = 50) -> Comparison:
    """The answers of both runs field by field, and the first calls with different ones."""
    good = run.calls.good().order_by("position", "sample", "turn")
    found = list(_load_light(good)[: MOST_KEYS + 1])
    here = _index_by_place(found[:MOST_KEYS])
    there = _index_by_place(_load_calls(other, list(dict.fromkeys(key for key, _rank in here))))
    pairs = [Pair(call, there[place]) for place, call in here.items() if place in there]
    different = [pair for pair in pairs if _get_plain_fields(pair.call) != _get_plain_fields(pair.other)]
    return Comparison(
        len(here), len(pairs), len(found) > MOST_KEYS, list(_compare_fields(pairs)), different[:most_pairs]
    )


def _load_light(calls: "QuerySet[Call]") -> "QuerySet[Call]":
    return calls.only("run_id", "key", "sample", "turn", "parsed")


def _load_calls(run: Run, keys: list[str]) -> Iterator[Call]:
    for start in range(0, len(keys), KEYS_AT_ONCE):
        some = run.calls.good().filter(key__in=keys[start : start + KEYS_AT_ONCE])
        yield from _load_light(some.order_by("position", "sample", "turn"))


def _index_by_place(calls: "Iterator[Call] | list[Call]") -> dict[Place, Call]:
    n_of: dict[str, int] = {}
    places = {}
    for call in calls:
        n_of[call.key] = n_of.get(call.key, 0) + 1
        places[call.key, n_of[call.key]] = call
    return places


def _get_fields(call: Call) -> dict[str, Any]:
    return call.parsed if isinstance(call.parsed, dict) else {"": call.parsed}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _get_plain_fields(call: Call) -> dict[str, Any]:
    """The read answer without fractions: two probabilities are hardly ever equal."""
    return {name: value for name, value in _get_fields(call).items() if not isinstance(value, float)}


def _compare_fields(pairs: list[Pair]) -> Iterator[Agreement]:
    values: dict[str, list[tuple[Any, Any]]] = {}
    for pair in pairs:
        one, two = _get_fields(pair.call), _get_fields(pair.other)
        for name in one.keys() & two.keys():
            values.setdefault(name, []).append((one[name], two[name]))
    order = list(_get_fields(pairs[0].call)) if pairs else []
    for name in sorted(values, key=lambda name: (order.index(name) if name in order else len(order), name)):
        known = [(one, two) for one, two in values[name] if one is not None and two is not None]
        if known:
            yield _compare_values(name, known)


def _compare_values(name: str, values: list[tuple[Any, Any]]) -> Agreement:
    n, n_same = len(values), sum(one == two for one, two in values)
    if not all(_is_number(one) and _is_number(two) for one, two in values):
        return Agreement(name, n, n_same)
    mean, mean_other = sum(one for one, _two in values) / n, sum(two for _one, two in values) / n
    return Agreement(name, n, n_same, mean, mean_other, sum(abs(one - two) for one, two in values) / n)
