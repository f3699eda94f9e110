"""How fast calls leave: parallel calls per drainer, requests and tokens per minute for the whole endpoint.

The limits per minute are kept in the endpoint's row, so all workers on all hosts share them. Each request moves forward
the time until which the endpoint's minute is used up (the "generic cell rate algorithm" of ATM networks, ITU-T I.371).
More requests may leave while that time is at most BURST seconds ahead. A request moves it by (60 + BURST) / limit
seconds, so that no minute, wherever it begins, has more than the limit.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from llm.models import Endpoint
from llm.wire import Outcome

SLOWER = 0.8
AHEAD, MOST_AHEAD = 1 / 4, 16
AHEAD_FROM = 32  # parallel calls; with fewer, the ledger's time is negligible compared to a reply's


class Pace:
    """The number of parallel calls: +1 for each full round without a limit, × 0.8 for each episode of limits.

    An episode ends when all calls in flight at its beginning have returned: one burst is one step down.
    """

    def __init__(self, most: int, start: int | None = None):
        self.most = most
        self._limit = float(most if start is None else min(start, most))
        self._n_left_in_episode = 0

    @property
    def limit(self) -> int:
        return max(1, min(self.most, int(self._limit)))

    @property
    def most_ahead(self) -> int:
        """How many more calls may be recorded as sent and wait for a connection until the next reply."""
        return min(int(self.limit * AHEAD), MOST_AHEAD) if self.limit >= AHEAD_FROM else 0

    def observe(self, outcomes: Sequence[Outcome], n_out: int) -> None:
        """Adapt the limit. `n_out`: how many calls were in flight before these returned."""
        for outcome in outcomes:
            n_out -= 1
            if self._n_left_in_episode:
                self._n_left_in_episode -= 1
            elif outcome.problem is not None and outcome.problem.asks_to_wait:
                self._limit = max(1.0, min(self._limit, self.most) * SLOWER)
                self._n_left_in_episode = n_out
            if outcome.reply is not None:
                self._limit = min(float(self.most), self._limit + 1 / max(self._limit, 1.0))


def get_starting_limit(endpoint: Endpoint, n_drainers: int) -> int | None:
    """The initial value of a new drainer, from what the last ones found; None: its full share."""
    now = endpoint.concurrency_now
    return None if now is None else max(1, now // max(1, n_drainers))


def store_limit(endpoint: Endpoint, pace: Pace, n_drainers: int) -> None:
    """Store for later drainers how many parallel calls the server was found to accept."""
    found = None if pace.limit >= pace.most else pace.limit * n_drainers
    Endpoint.objects.filter(pk=endpoint.pk).exclude(concurrency_now=found).update(concurrency_now=found)


BURST = timedelta(seconds=2)
MINUTE = timedelta(seconds=60)


def is_limited(endpoint: Endpoint) -> bool:
    return endpoint.requests_per_minute is not None or endpoint.tokens_per_minute is not None


def admit(endpoint: Endpoint, tokens: Sequence[int], now: datetime) -> int:
    """How many of the requests may leave now, given the maximum tokens of each; changes the endpoint, unsaved.

    Tokens are counted as servers do, by the maximum that a request may use, and never given back.
    """
    requests_until, tokens_until = _get_used_until(endpoint, now)
    n = 0
    for size in tokens:
        if requests_until > now + BURST or tokens_until > now + BURST:
            break
        requests_until = _advance(requests_until, now, 1, endpoint.requests_per_minute)
        tokens_until = _advance(tokens_until, now, size, endpoint.tokens_per_minute)
        n += 1
    endpoint.requests_paid_until, endpoint.tokens_paid_until = requests_until, tokens_until
    return n


def get_next_free_time(endpoint: Endpoint, now: datetime) -> datetime:
    """When the next request may leave."""
    return max(*_get_used_until(endpoint, now), now + BURST) - BURST


def _get_used_until(endpoint: Endpoint, now: datetime) -> tuple[datetime, datetime]:
    """Until when requests and tokens are used up; now if there is no limit."""
    requests = endpoint.requests_paid_until if endpoint.requests_per_minute else None
    tokens = endpoint.tokens_paid_until if endpoint.tokens_per_minute else None
    return requests or now, tokens or now


def _advance(until: datetime, now: datetime, n: int, limit: int | None) -> datetime:
    return until if limit is None else max(until, now) + n * (MINUTE + BURST) / limit
