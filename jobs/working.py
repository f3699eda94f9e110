"""Doing a job: a worker holds it by a lease that its heartbeat renews, and reports progress."""

import logging
import threading
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Self

from django.db import Error, close_old_connections, connection
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from jobs import files
from jobs.kinds import JOB_ENDED, KINDS, JobFailed, announce
from jobs.models import Job, JobState
from jobs.progress import get_listener, listen

log = logging.getLogger(__name__)


class RepeatingThread(threading.Thread):
    """Calls `act` immediately and then every so many seconds, on its own database connection, until it is stopped.

    Errors are logged, and it is called again the next time.
    """

    def __init__(self, name: str, every: float):
        super().__init__(name=name, daemon=True)
        self.every, self.is_over = every, threading.Event()

    def act(self) -> None:
        raise NotImplementedError

    def run(self) -> None:
        while True:
            close_old_connections()
            try:
                self.act()
            except Error as error:
                log.warning("The %s was kept from its work: %s", self.name, error)
            except Exception:
                log.exception("The %s met an error.", self.name)  # the next call may succeed; a dead timer never would
            if self.is_over.wait(self.every):
                break
        connection.close()

    def stop(self) -> None:
        self.is_over.set()
        self.join(timeout=5)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()


LEASE = timedelta(seconds=30)  # without a heartbeat, after which another worker may start
MAX_ATTEMPTS = 3  # a worker that crashes so often is probably out of memory
EVERY = 1.0  # seconds between two heartbeats


class JobCancelled(Exception):
    """Somebody canceled the job, or another worker has it now."""


def run_job(job_id: int) -> None:
    """Do the job, unless it was deleted, is done or belongs to another worker."""
    job = claim(job_id)
    if job is None:
        return
    try:
        with Heartbeat(job) as heartbeat, listen(heartbeat.on_progress), override(job.language):
            path = KINDS[job.kind].load()(job, heartbeat.on_progress)
    except JobCancelled:
        return
    except JobFailed as failed:
        fail(job, str(failed), failed.errors)
    except Exception as error:
        with override(job.language):
            fail(job, advise(f"{type(error).__name__}."))
        raise
    else:
        finish(job, path)


def get_or_run(wanted: Job, version: str) -> Job:
    """The job with a result of this version, computed here if needed, even if another worker is doing it.

    Exceptions of its work are raised here.
    """
    earlier = Job.objects.filter(key=wanted.key).first()
    if earlier and earlier.is_current(version):
        return earlier
    wanted.version = version
    result = read_result(wanted, KINDS[wanted.kind].load()(wanted, get_listener()))
    job, _is_new = Job.objects.update_or_create(key=wanted.key, defaults=wanted.request_fields | result)
    if earlier:
        files.delete_file(earlier.file)
    return job


def claim(job_id: int) -> Job | None:
    """Claim the job for this worker; None if another worker was faster."""
    for dead in Job.objects.dead().filter(pk=job_id):
        release(dead)
    now = timezone.now()
    lease = {"state": JobState.RUNNING, "lease_until": now + LEASE, "attempts": F("attempts") + 1}
    fresh = {"step": "", "done": 0, "total": 0}
    if not Job.objects.filter(pk=job_id, state=JobState.QUEUED).update(**lease, **fresh):
        return None
    job: Job = Job.objects.select_related("project").get(pk=job_id)
    job.about = {}
    return job


def filter_held(job: Job) -> QuerySet[Job]:
    """The row, while the job belongs to this worker: each attempt has its own number."""
    return Job.objects.filter(pk=job.pk, state=JobState.RUNNING, attempts=job.attempts)


def finish(job: Job, path: Path | None) -> None:
    """Store the result in place of the earlier one; not if the job was canceled, or taken over by another worker."""
    if filter_held(job).update(**read_result(job, path)):
        files.delete_file(job.file)
        announce(JOB_ENDED, job.project_id, job.pk)
    elif path:
        files.delete_file(path.name)


def fail(job: Job, error: str, errors: Sequence[Mapping[str, Any]] = ()) -> None:
    """Store why it failed; the facts about an earlier result stay, unless a file's errors replace them."""
    changes = {"about": {"errors": list(errors)}} if errors else {}
    if filter_held(job).update(state=JobState.FAILED, error=error, **changes):
        announce(JOB_ENDED, job.project_id, job.pk)


def read_result(job: Job, path: Path | None) -> dict[str, Any]:
    now = timezone.now()
    return {
        "state": JobState.DONE,
        "file": path.name if path else "",
        "version": job.version,
        "file_version": job.version,
        "about": job.about,
        "error": "",
        "finished_at": now,
        "expires_at": now + KINDS[job.kind].keep,
    }


class Heartbeat(RepeatingThread):
    """Renews the lease of a job and stores its progress, outside the transaction in which the work may be reading."""

    def __init__(self, job: Job):
        super().__init__("heartbeat of the job", EVERY)
        self.job, self.is_lost = job, False
        self.progress = {"step": "", "done": 0, "total": 0}

    def on_progress(self, step: str, done: int, total: int) -> None:
        """Store the reported progress; raises `JobCancelled` if the work should stop."""
        if self.is_lost:
            raise JobCancelled
        self.progress = {"step": step, "done": done, "total": total}

    def act(self) -> None:
        self.is_lost = not filter_held(self.job).update(lease_until=timezone.now() + LEASE, **self.progress)


def release(job: Job) -> None:
    """Requeue a job whose worker crashed, or give it up after `MAX_ATTEMPTS`."""
    dead = Job.objects.dead().filter(pk=job.pk)
    if job.attempts < MAX_ATTEMPTS:
        dead.update(state=JobState.QUEUED, sent_at=None)
        return
    with override(job.language):
        dead.update(state=JobState.FAILED, error=advise(_("The worker crashed, probably out of memory.")))


def advise(crash: str) -> str:
    """The crash, and what to do. Not for `JobFailed`, whose sentence says what to do."""
    return f"{crash} " + _("Try again; if it fails again, the log of the worker says more.")
