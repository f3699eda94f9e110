"""How a run is going: counted when asked, kept nowhere."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

from django.db.models import Count, Min
from django.utils import timezone

from llm.failures import remedy
from llm.models import Call, CallState, Run, Worker
from llm.models.call import GOOD, MISSING
from llm.prices import money

WITHIN = timedelta(seconds=30)


@dataclass(frozen=True)
class FailureGroup:
    """Calls that failed in the same way, with one of them as an example and what to do."""

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
        """Without those that were rejected and replaced by another."""
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
        """(state, its word, how many), in the order of a call's life."""
        return [(state.value, str(state.label), self.counts[state]) for state in CallState if self.counts.get(state)]

    @cached_property
    def rate(self) -> float | None:
        """Calls a second over the last half minute; None where nothing was done in it or the run stands still."""
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
    def spent(self) -> str:
        """Empty where the endpoint has no price."""
        return money(self.run.spent_nanos, self.run.endpoint.currency) if self.run.endpoint.has_price else ""

    @property
    def budget(self) -> str:
        return money(self.run.budget_nanos, self.run.endpoint.currency)

    @property
    def nobody_listens(self) -> bool:
        return self.run.is_active and not Worker.objects.alive().exists() and not self.run.drainers.live().exists()

    @cached_property
    def failures(self) -> list[FailureGroup]:
        return list(self._failures())

    def _failures(self) -> Iterator[FailureGroup]:
        missing = self.run.calls.missing()
        groups = missing.order_by().values("error_class").annotate(n=Count("*"), example=Min("pk")).order_by("-n")
        examples = Call.objects.in_bulk([group["example"] for group in groups])
        for group in groups:
            failure = group["error_class"]
            yield FailureGroup(failure, group["n"], examples[group["example"]], remedy(failure))
