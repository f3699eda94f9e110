"""The progress of a computation. It reports to a listener; without a listener nothing happens."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")
Hear = Callable[[str, int, int], None]  # step, done, total

_hear: ContextVar[Hear | None] = ContextVar("hear", default=None)


def report_progress(step: str, done: int, total: int = 0) -> None:
    """Report progress within a step; `total` is 0 if unknown. A listener may end the work with an exception."""
    if hear := _hear.get():
        hear(step, done, total)


def count_done(step: str, rows: Iterable[T], total: int) -> Iterator[T]:
    """The rows; every 500th one reports how many of the total have been taken."""
    for number, row in enumerate(rows, 1):
        yield row
        if number % 500 == 0:
            report_progress(step, number, total)


def get_listener() -> Hear:
    """The listener for reports in this thread, if any."""
    return _hear.get() or (lambda step, done, total: None)


@contextmanager
def listen(hear: Hear) -> Iterator[None]:
    """Inside, each report of this thread calls `hear`."""
    before = _hear.set(hear)
    try:
        yield
    finally:
        _hear.reset(before)


# The steps of computing results, whose progress is reported.

ANSWERS, TABLES = "answers", "tables"  # what the progress counts


def with_progress(given: Any, *makers: Callable[[Any], Any]) -> Iterator[Any]:
    """The result of each function, with a progress report after each."""
    for number, make in enumerate(makers, 1):
        report_progress(TABLES, number, len(makers))
        yield make(given)
