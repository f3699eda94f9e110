"""Long writes: short transactions add rows under a scratch row that nobody sees, and the last one moves them.

A launch writes under a scratch study, an import of items under a scratch project. Others can write in between, and
half-done work is in no list. A killed writer leaves a scratch row behind, which the next long write deletes.
"""

import gc
import os
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import islice
from secrets import token_hex
from time import monotonic, sleep
from typing import Any, Protocol, Self

from django.db import connection, models, transaction
from django.utils import timezone

from projects.sql import insert_objects, insert_rows

CHUNK = 500  # rows per transaction: about ten milliseconds under SQLite's lock
LONGEST_PAUSE = 0.5  # seconds
LEASE = timedelta(minutes=5)  # after which a writer on another machine counts as dead
_running: set[str] = set()  # writers of this process


class Save(Protocol):
    """Inserts rows: model objects, which get their primary keys, or with `columns` tuples of values."""

    def __call__(self, model: type[models.Model], rows: Iterable[Any], columns: Sequence[str] = ()) -> None: ...


class HiddenScratch(models.Manager):
    """Without scratch rows; `everything` includes them."""

    def get_queryset(self) -> Any:
        return super().get_queryset().filter(writer="")


class Scratchable(models.Model):
    """A study or project that may be a scratch one: `writer` then names its writer."""

    writer = models.CharField(max_length=300, blank=True, default="", editable=False)
    written_at = models.DateTimeField(null=True, editable=False)  # last heartbeat of the writer

    class Meta:
        abstract = True

    @property
    def is_abandoned(self) -> bool:
        """Whether this is a scratch row whose writer is dead."""
        if not self.writer:
            return False
        host, pid, _token = self.writer.rsplit(" ", 2)
        if host != socket.gethostname():
            return self.written_at is None or self.written_at < timezone.now() - LEASE
        if int(pid) == os.getpid():
            return self.writer not in _running
        return not _is_alive(int(pid)) or self.written_at is None or self.written_at < timezone.now() - LEASE


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


class Writer:
    """Writes rows under a scratch row in short transactions, each of which also records that the writer is alive."""

    def __init__(self) -> None:
        self.name = f"{socket.gethostname()[:200]} {os.getpid()} {token_hex(8)}"
        self.under: Scratchable | None = None

    def __enter__(self) -> Self:
        _running.add(self.name)
        return self

    def __exit__(self, *_error: object) -> None:
        _running.discard(self.name)

    def start(self, row: Scratchable) -> None:
        """Store the scratch row."""
        row.writer, row.written_at = self.name, timezone.now()
        row.save(force_insert=True)
        self.under = row

    def save(self, model: type[models.Model], rows: Iterable[Any], columns: Sequence[str] = ()) -> None:
        """See `Save`. The rows are created outside the transactions."""
        for chunk in split_into_chunks(rows):
            with write_briefly():
                self.show_life()
                insert_chunk(model, chunk, columns)

    def show_life(self) -> None:
        if self.under is not None:
            rows = type(self.under)._base_manager.filter(pk=self.under.pk)
            rows.update(written_at=timezone.now())


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Pause Python's garbage collection, which takes long among a million rows and finds little."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@contextmanager
def write_briefly() -> Iterator[None]:
    """A transaction without garbage collection, which can take ten times as long as the writing.

    On SQLite a pause follows, as long as others had to wait, so that they get their turn.
    """
    with pause_garbage_collection(), transaction.atomic():
        start = monotonic()
        yield
    held = monotonic() - start
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        sleep(min(held, LONGEST_PAUSE))


def save_at_once(model: type[models.Model], rows: Iterable[Any], columns: Sequence[str] = ()) -> None:
    """`Writer.save` inside the caller's transaction."""
    for chunk in split_into_chunks(rows):
        insert_chunk(model, chunk, columns)


def insert_chunk(model: type[models.Model], chunk: list[Any], columns: Sequence[str]) -> None:
    if columns:
        insert_rows(model, columns, chunk)
    else:
        insert_objects(model, chunk)


def split_into_chunks(rows: Iterable[Any]) -> Iterator[list[Any]]:
    rest = iter(rows)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk


def delete_in_chunks(rows: models.QuerySet[Any], tell: Callable[[int], None] = lambda n: None) -> None:
    """Delete the rows in short transactions, with what depends on them; `tell` gets the number of rows of each."""
    while pks := list(rows.order_by("pk").values_list("pk", flat=True)[:CHUNK]):
        tell(len(pks))
        with write_briefly():
            rows.model._base_manager.filter(pk__in=pks).delete()
