"""The progress of a computation. It reports to a listener; without a listener nothing happens."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Listener = Callable[[str, int, int], None]  # step, done, total

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def report_progress(step: str, done: int, total: int = 0) -> None:
    """Report progress within a step; `total` is 0 if unknown. A listener may end the work with an exception."""
    if on_progress := _listener.get():
        on_progress(step, done, total)


def count_done(step: str, rows: Iterable[T], total: int) -> Iterator[T]:
    """The rows; every 500th one reports how many of the total have been taken."""
    for number, row in enumerate(rows, 1):
        yield row
        if number % 500 == 0:
            report_progress(step, number, total)


def get_listener() -> Listener:
    """The listener for reports in this thread; without one, a function that does nothing."""
    return _listener.get() or (lambda step, done, total: None)


@contextmanager
def listen(on_progress: Listener) -> Iterator[None]:
    """Inside, each report of this thread calls `on_progress`."""
    before = _listener.set(on_progress)
    try:
        yield
    finally:
        _listener.reset(before)


ANSWERS, TABLES = "answers", "tables"  # steps of computing results

_expected: ContextVar[dict[str, bool] | None] = ContextVar("expected", default=None)  # table: whether it was made


@contextmanager
def expect_tables(names: Collection[str]) -> Iterator[None]:
    """Inside, `report_table` reports how many of the tables of these names have been made."""
    before = _expected.set(dict.fromkeys(names, False))
    report_progress(TABLES, 0, len(names))
    try:
        yield
    finally:
        _expected.reset(before)


def split_table(name: str, parts: Sequence[T]) -> Iterator[T]:
    """The parts of a table that takes long; each counts as a table once it is made, the last with the table itself."""
    expected = _expected.get()
    if expected is not None and name in expected:
        expected |= {f"{name} {number}": False for number in range(1, len(parts))}
    for number, part in enumerate(parts, 1):
        yield part
        report_table(f"{name} {number}")


def report_table(name: str) -> None:
    """Report that the table was made; nothing for one made before, or that nobody expects."""
    expected = _expected.get() or {}
    if expected.get(name) is False:
        expected[name] = True
        report_progress(TABLES, sum(expected.values()), len(expected))
