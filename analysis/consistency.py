"""One moment's truth: reads that belong together see the same rows, whatever is written meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

# Not `transaction.atomic()`: with SQLite's IMMEDIATE mode even a transaction that only reads takes the write lock.
BEGIN = {"sqlite": "BEGIN DEFERRED", "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"}


@contextmanager
def consistent_read() -> Iterator[None]:
    """Read in one snapshot without holding a lock. Inside a transaction that already runs it changes nothing.

    Nothing may be written inside, nor `atomic()` be used: both belong after it.
    """
    if connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(BEGIN[connection.vendor])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ROLLBACK")
