"""Workers say every few seconds that they are there; pages that wait for work look for it."""

import logging
import threading
from datetime import datetime, timedelta

from django.db import Error, close_old_connections, connection
from django.utils import timezone

from llm.models import Worker

log = logging.getLogger(__name__)

EVERY_SECONDS = 10
FORGOTTEN_AFTER = timedelta(days=1)


def beat(name: str, started_at: datetime | None = None) -> None:
    """The worker of that name is alive now; `started_at` when it has just come."""
    now = timezone.now()
    news = {"last_seen": now} | ({"started_at": started_at} if started_at else {})
    Worker.objects.update_or_create(name=name, defaults=news, create_defaults={"started_at": now} | news)


def leave(name: str) -> None:
    Worker.objects.filter(name=name).delete()


def forget_old() -> None:
    """Rows of workers that ended without a word."""
    Worker.objects.filter(last_seen__lt=timezone.now() - FORGOTTEN_AFTER).delete()


class Heartbeat(threading.Thread):
    """Beats until it is stopped. A database that is away is logged and tried again: the worker itself goes on."""

    def __init__(self, name: str, every: float = EVERY_SECONDS):
        super().__init__(name="heartbeat", daemon=True)
        self.worker, self.every = name, every
        self.is_over = threading.Event()

    def run(self) -> None:
        self._write(forget_old)
        self._write(beat, self.worker, timezone.now())
        while not self.is_over.wait(self.every):
            self._write(beat, self.worker)
        self._write(leave, self.worker)
        connection.close()

    def stop(self) -> None:
        """Ends the thread and takes the worker's row away."""
        self.is_over.set()
        self.join(timeout=5)

    def _write(self, write, *arguments) -> None:
        close_old_connections()
        try:
            write(*arguments)
        except Error as error:
            log.warning("The heartbeat of %s could not be stored: %s", self.worker, error)
