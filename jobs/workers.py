"""Workers report that they are alive, and maintain the jobs meanwhile."""

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.module_loading import import_string

from jobs.models import Worker
from jobs.scheduling import maintain_jobs
from jobs.working import RepeatingThread

BEAT_SECONDS = 10
_chores: list[str] = []
DELETED_AFTER = timedelta(days=1)


def has_live_workers() -> bool:
    return Worker.objects.alive().exists()


def record_heartbeat(name: str, started_at: datetime | None = None) -> None:
    """Record that the worker of that name is alive; `started_at` if it has just started."""
    now = timezone.now()
    news = {"last_seen": now} | ({"started_at": started_at} if started_at else {})
    Worker.objects.update_or_create(name=name, defaults=news, create_defaults={"started_at": now} | news)


def remove_worker(name: str) -> None:
    Worker.objects.filter(name=name).delete()


def delete_old_workers() -> None:
    """Rows of workers that crashed."""
    Worker.objects.filter(last_seen__lt=timezone.now() - DELETED_AFTER).delete()


def add_chore(function: str) -> None:
    """Call the function at this dotted path with each heartbeat of a worker, for apps' own maintenance."""
    if function not in _chores:
        _chores.append(function)


class WorkerHeartbeat(RepeatingThread):
    """What a worker does besides its tasks, from its start until it is stopped."""

    def __init__(self, worker: str):
        super().__init__("heartbeat of the worker", BEAT_SECONDS)
        self.worker, self.started_at = worker, timezone.now()

    def act(self) -> None:
        record_heartbeat(self.worker, self.started_at)
        delete_old_workers()
        maintain_jobs()
        for function in _chores:
            import_string(function)()

    def stop(self) -> None:
        """End the thread and delete the worker's row."""
        super().stop()
        remove_worker(self.worker)
