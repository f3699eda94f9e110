"""How far a computation is. It reports; whoever listens hears, and without a listener nothing happens."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")
Hear = Callable[[str, int, int], None]  # step, done, total

_hear: ContextVar[Hear | None] = ContextVar("hear", default=None)


def report_progress(step: str, done: int, total: int = 0) -> None:
    """So much of the step is done; `total` is 0 where nobody knows. A listener may end the work by an exception."""
    if hear := _hear.get():
        hear(step, done, total)


def count_done(step: str, rows: Iterable[T], total: int) -> Iterator[T]:
    """The rows; each 500th reports how many of the total have been taken."""
    for number, row in enumerate(rows, 1):
        yield row
        if number % 500 == 0:
            report_progress(step, number, total)


def get_listener() -> Hear:
    """Who hears what is reported here now."""
    return _hear.get() or (lambda step, done, total: None)


@contextmanager
def listen(hear: Hear) -> Iterator[None]:
    """Inside, `hear` is called with each report of this thread."""
    before = _hear.set(hear)
    try:
        yield
    finally:
        _hear.reset(before)


# The steps of computing results; `jobs.progress` carries them.

ANSWERS, TABLES = "answers", "tables"  # what is counted


def with_progress(given: Any, *makers: Callable[[Any], Any]) -> Iterator[Any]:
    """What each maker makes of what is given, one table after another."""
    for number, make in enumerate(makers, 1):
        report_progress(TABLES, number, len(makers))
        yield make(given)
