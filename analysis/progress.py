"""How far a computation is. It tells; whoever listens hears, and without a listener nothing happens."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

ANSWERS, TABLES = "answers", "tables"  # what is counted


@dataclass(frozen=True)
class Step:
    """So many answers read, or the table of that number is being made; `of` is 0 where nobody knows how many."""

    name: str
    done: int
    of: int = 0


_hear: ContextVar[Callable[[Step], None] | None] = ContextVar("hear", default=None)


def tell(step: Step) -> None:
    if hear := _hear.get():
        hear(step)


@contextmanager
def listening(hear: Callable[[Step], None]) -> Iterator[None]:
    """Inside, `hear` is called with each step of this thread."""
    before = _hear.set(hear)
    try:
        yield
    finally:
        _hear.reset(before)


def in_turn(given: Any, *makers: Callable[[Any], Any]) -> Iterator[Any]:
    """What each maker makes of what is given, one table after another."""
    for number, make in enumerate(makers, 1):
        tell(Step(TABLES, number, len(makers)))
        yield make(given)
