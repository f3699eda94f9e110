"""Django's SQLite with a fair queue of writers.

SQLite makes a second writer sleep and retry, up to 100 ms at a time, and others may go first meanwhile. Here the
writing transactions of all threads and processes wait for a lock on a file beside the database, and the kernel wakes
them in the order in which they came. Databases in memory have no queue.
"""

import fcntl
import os
from pathlib import Path

from django.db import OperationalError
from django.db.backends.sqlite3 import base


class WriterQueue:
    """The place of one connection in the queue. Not for network folders, which lack such locks."""

    def __init__(self) -> None:
        self.file: int | None = None

    def enter(self, database: str) -> None:
        """Wait until nobody else writes."""
        path = Path(f"{database}.writer")
        try:
            self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self.file, fcntl.LOCK_EX)
        except OSError as error:
            self.leave()
            raise OperationalError(f"{path} cannot be locked: {error.strerror}") from error

    def leave(self) -> None:
        if self.file is not None:
            os.close(self.file)  # releases the lock
            self.file = None


class DatabaseWrapper(base.DatabaseWrapper):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.queue = WriterQueue()

    prepared_cursor = base.DatabaseWrapper.cursor  # PostgreSQL has another one, whose statements it plans once

    def _start_transaction_under_autocommit(self):
        if not self.is_in_memory_db():
            self.queue.enter(str(self.settings_dict["NAME"]))
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self.queue.leave()
            raise

    def _commit(self):
        super()._commit()  # type: ignore[misc]
        self.queue.leave()  # after a failed commit, a rollback follows

    def _rollback(self):
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self.queue.leave()

    def _close(self):
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self.queue.leave()
