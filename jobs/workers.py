"""Workers say that they are alive, and look after the jobs meanwhile."""

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db import Error, close_old_connections, connection
from django.utils import timezone

from jobs.models import Worker
from jobs.scheduling import look_after_jobs

log = logging.getLogger(__name__)

BEAT_SECONDS = 10
DELETED_AFTER = timedelta(days=1)


def has_live_workers() -> bool:
    return Worker.objects.alive().exists()


def record_heartbeat(name: str, started_at: datetime | None = None) -> None:
    """The worker of that name is alive now; `started_at` when it has just come."""
    now = timezone.now()
    news = {"last_seen": now} | ({"started_at": started_at} if started_at else {})
    Worker.objects.update_or_create(name=name, defaults=news, create_defaults={"started_at": now} | news)


def remove_worker(name: str) -> None:
    Worker.objects.filter(name=name).delete()


def delete_old_workers() -> None:
    """Rows of workers that crashed."""
    Worker.objects.filter(last_seen__lt=timezone.now() - DELETED_AFTER).delete()


class WorkerHeartbeat(threading.Thread):
    """Beats until it is stopped. A database that is away is logged and tried again: the worker itself goes on."""

    def __init__(self, name: str, every: float = BEAT_SECONDS):
        super().__init__(name="heartbeat", daemon=True)
        self.worker, self.every = name, every
        self.is_over = threading.Event()

    def run(self) -> None:
        self._do(delete_old_workers)
        self._do(record_heartbeat, self.worker, timezone.now())
        while True:
            self._do(look_after_jobs)
            if self.is_over.wait(self.every):
                break
            self._do(record_heartbeat, self.worker)
        self._do(remove_worker, self.worker)
        connection.close()

    def stop(self) -> None:
        """Ends the thread and takes the worker's row away."""
        self.is_over.set()
        self.join(timeout=5)

    def _do(self, act: Callable[..., None], *arguments: Any) -> None:
        close_old_connections()
        try:
            act(*arguments)
        except Error as error:
            log.warning("The heartbeat of %s could not be stored: %s", self.worker, error)
        except Exception:
            log.exception("Looking after the jobs met an error.")  # the next time may go well; a dead timer never
