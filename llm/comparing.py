"""Two runs of one kind side by side: the same keys asked of two models, or in two ways."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from llm.models import Call, Run

MOST_KEYS = 2000
AT_ONCE = 500
Place = tuple[str, int]
"""A key and the how-manieth of its answers: where one was rejected, the next counts in its place."""


@dataclass(frozen=True)
class Agreement:
    """One field of what the door read: over `n` calls, how many are the same; for numbers also means of both runs."""

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
    """The same place in both runs, read differently."""

    call: Call
    other: Call


@dataclass(frozen=True)
class Comparison:
    """Of the first `n_here` answers of the run in the order of its plan; `is_part` if it has more."""

    n_here: int
    n_both: int
    is_part: bool
    fields: list[Agreement]
    different: list[Pair]

    @property
    def n_only_here(self) -> int:
        return self.n_here - self.n_both


def comparable(run: Run) -> "QuerySet[Run]":
    """Runs of the same project and kind, newest first."""
    return Run.objects.filter(project=run.project, kind=run.kind).exclude(pk=run.pk).select_related("endpoint")


def compare(run: Run, other: Run, most_pairs: int = 50) -> Comparison:
    """What both runs answered, field by field, and the first calls that were not read alike."""
    good = run.calls.good().order_by("position", "sample", "turn")
    found = list(_light(good)[: MOST_KEYS + 1])
    here = _by_place(found[:MOST_KEYS])
    there = _by_place(_calls_of(other, list(dict.fromkeys(key for key, _rank in here))))
    pairs = [Pair(call, there[place]) for place, call in here.items() if place in there]
    different = [pair for pair in pairs if _plain(pair.call) != _plain(pair.other)]
    return Comparison(len(here), len(pairs), len(found) > MOST_KEYS, list(_agreements(pairs)), different[:most_pairs])


def _light(calls: "QuerySet[Call]") -> "QuerySet[Call]":
    return calls.only("run_id", "key", "sample", "turn", "parsed")


def _calls_of(run: Run, keys: list[str]) -> Iterator[Call]:
    for start in range(0, len(keys), AT_ONCE):
        some = run.calls.good().filter(key__in=keys[start : start + AT_ONCE])
        yield from _light(some.order_by("position", "sample", "turn"))


def _by_place(calls: "Iterator[Call] | list[Call]") -> dict[Place, Call]:
    n_of: dict[str, int] = {}
    places = {}
    for call in calls:
        n_of[call.key] = n_of.get(call.key, 0) + 1
        places[call.key, n_of[call.key]] = call
    return places


def _fields(call: Call) -> dict[str, Any]:
    return call.parsed if isinstance(call.parsed, dict) else {"": call.parsed}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _plain(call: Call) -> dict[str, Any]:
    """What was read, without fractions: two probabilities are never quite the same."""
    return {name: value for name, value in _fields(call).items() if not isinstance(value, float)}


def _agreements(pairs: list[Pair]) -> Iterator[Agreement]:
    values: dict[str, list[tuple[Any, Any]]] = {}
    for pair in pairs:
        one, two = _fields(pair.call), _fields(pair.other)
        for name in one.keys() & two.keys():
            values.setdefault(name, []).append((one[name], two[name]))
    order = list(_fields(pairs[0].call)) if pairs else []
    for name in sorted(values, key=lambda name: (order.index(name) if name in order else len(order), name)):
        known = [(one, two) for one, two in values[name] if one is not None and two is not None]
        if known:
            yield _agreement(name, known)


def _agreement(name: str, values: list[tuple[Any, Any]]) -> Agreement:
    n, n_same = len(values), sum(one == two for one, two in values)
    if not all(_is_number(one) and _is_number(two) for one, two in values):
        return Agreement(name, n, n_same)
    mean, mean_other = sum(one for one, _two in values) / n, sum(two for _one, two in values) / n
    return Agreement(name, n, n_same, mean, mean_other, sum(abs(one - two) for one, two in values) / n)
