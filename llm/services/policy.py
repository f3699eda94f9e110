"""What becomes of a call after a problem: the failure table, without a database."""

import random
from dataclasses import dataclass
from datetime import timedelta

from llm.failures import PAUSES, TRIES, Failure, Problem
from llm.models import CallState

FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0
LIMIT_DELAY = 5.0
LEAST_LIMIT_DELAY = 1.0  # a server that says 0 seconds, or a date in the past, is not asked without a pause
LIMITED_FOR = timedelta(minutes=15)


@dataclass(frozen=True)
class Verdict:
    """The next state of the call, when it may be tried again, and whether the run has to stand still."""

    state: CallState
    delay: timedelta = timedelta(0)
    uses_try: bool = True
    pauses_run: bool = False
    blocks_endpoint: timedelta | None = None
    counts_as_paid: bool = False


def judge(problem: Problem, tries: int, *, was_lowered: bool = False) -> Verdict:
    """`tries` counts this one. A limit, a pause and a lowered parameter use up no try: the call did nothing wrong."""
    failure = problem.failure
    if problem.asks_to_wait:
        told = LIMIT_DELAY if problem.retry_after is None else problem.retry_after
        wait = min(timedelta(seconds=max(told, LEAST_LIMIT_DELAY)), LIMITED_FOR)
        return Verdict(CallState.WAITING, wait, uses_try=False, blocks_endpoint=wait)
    if failure in PAUSES:
        return Verdict(CallState.WAITING, uses_try=False, pauses_run=True)
    if failure == Failure.CONTENT:
        return Verdict(CallState.REFUSED)
    if was_lowered:
        return Verdict(CallState.WAITING, uses_try=False)
    paid = failure == Failure.UNKNOWN
    if tries < TRIES.get(failure, 1):
        return Verdict(CallState.WAITING, jitter(tries), counts_as_paid=paid)
    return Verdict(CallState.FAILED, counts_as_paid=paid)


def jitter(tries: int) -> timedelta:
    """Anywhere between now and 0.5 s × 2ⁿ, at most 30 s: callers that failed together do not come back together."""
    return timedelta(seconds=random.uniform(0, min(FIRST_DELAY * 2**tries, LONGEST_DELAY)))
