"""One moment's truth: reads that belong together see the same rows, whatever is written meanwhile."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

# Not `transaction.atomic()`: with SQLite's IMMEDIATE mode even a transaction that only reads takes the write lock.
BEGIN = {"sqlite": "BEGIN DEFERRED", "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"}


_state = threading.local()  # a connection belongs to a thread


def is_reading() -> bool:
    return getattr(_state, "is_reading", False)


@contextmanager
def consistent_read() -> Iterator[None]:
    """Read in one snapshot without holding a lock. Inside a transaction or a snapshot that is there already it changes
    nothing.

    Nothing may be written inside, nor `atomic()` be used: both belong after it.
    """
    if connection.in_atomic_block or is_reading():
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(BEGIN[connection.vendor])
    _state.is_reading = True
    try:
        yield
    finally:
        _state.is_reading = False
        with connection.cursor() as cursor:
            cursor.execute("ROLLBACK")
