"""Requests and tokens per minute of an endpoint, kept in its row, so that all workers on all hosts share them.

What is sent moves a moment on: the time until which the endpoint's minute is used up (the "generic cell rate
algorithm" of ATM networks, ITU-T I.371). More may leave as long as that moment is at most BURST seconds ahead. A
request moves it by (60 + BURST) / limit seconds, so that no minute, wherever it begins, holds more than the limit.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from llm.models import Endpoint

BURST = timedelta(seconds=2)
MINUTE = timedelta(seconds=60)


def is_limited(endpoint: Endpoint) -> bool:
    return endpoint.requests_per_minute is not None or endpoint.tokens_per_minute is not None


def admit(endpoint: Endpoint, tokens: Sequence[int], now: datetime) -> int:
    """How many of the requests may leave now, given how many tokens each may use; changes the endpoint, unsaved.

    Tokens are counted as the servers count them, by what a request may use at most, and never given back.
    """
    requests_until, tokens_until = _paid(endpoint, now)
    n = 0
    for size in tokens:
        if requests_until > now + BURST or tokens_until > now + BURST:
            break
        requests_until = _moved(requests_until, now, 1, endpoint.requests_per_minute)
        tokens_until = _moved(tokens_until, now, size, endpoint.tokens_per_minute)
        n += 1
    endpoint.requests_paid_until, endpoint.tokens_paid_until = requests_until, tokens_until
    return n


def free_at(endpoint: Endpoint, now: datetime) -> datetime:
    """When the next request may leave."""
    return max(*_paid(endpoint, now), now + BURST) - BURST


def _paid(endpoint: Endpoint, now: datetime) -> tuple[datetime, datetime]:
    """Until when requests and tokens are used up; now where there is no limit (any more)."""
    requests = endpoint.requests_paid_until if endpoint.requests_per_minute else None
    tokens = endpoint.tokens_paid_until if endpoint.tokens_per_minute else None
    return requests or now, tokens or now


def _moved(until: datetime, now: datetime, n: int, limit: int | None) -> datetime:
    return until if limit is None else max(until, now) + n * (MINUTE + BURST) / limit
