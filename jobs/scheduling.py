"""Requesting jobs: `get_or_schedule` finds the result or queues the work; crashed jobs are queued again or given up."""

import hashlib
import json
import logging
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.module_loading import import_string
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from jobs import files
from jobs.models import Job, JobState
from jobs.working import MAX_ATTEMPTS, release
from projects.models import Project, User

log = logging.getLogger(__name__)
Parameters = dict[str, Any]


def make_job(kind: str, subject: str, parameters: Parameters, project: Project | None, language: str = "") -> Job:
    """An unsaved job for this request; by default in the reader's language."""
    language = language or get_language() or settings.LANGUAGE_CODE
    text = json.dumps([kind, subject, parameters, language], sort_keys=True)
    key = hashlib.sha256(text.encode()).hexdigest()
    return Job(kind=kind, subject=subject, parameters=parameters, language=language, key=key, project=project)


def get_or_schedule(wanted: Job, version: str = "", owner: User | None = None) -> Job:
    """The stored job: done with a result of this version, or pending, possibly with an earlier result.

    A job that failed or was cancelled for this version stays that way until it is requested with `retry`.
    """
    fields = wanted.request_fields | {"version": version, "owner": owner}
    job, is_new = Job.objects.get_or_create(key=wanted.key, defaults=fields)
    if not is_new and not job.is_open and not job.is_current(version):
        is_done = job.state == JobState.DONE
        if is_done or job.version != version:
            has_lost_file = is_done and job.file_version == version
            queue(job, version, owner, job.attempts if has_lost_file else 0)
    wake(job)
    job.refresh_from_db()
    return job


def queue(job: Job, version: str, owner: User | None, attempts: int) -> None:
    """Queue a closed job; if several do so at once, only the first succeeds. `attempts`: how many were made so far."""
    closed = Job.objects.filter(pk=job.pk, state=job.state)
    if attempts >= MAX_ATTEMPTS:
        error = _("Its file is missing. Web server and workers must share one data folder (LESART_DATA).")
        closed.update(state=JobState.FAILED, error=error)
        return
    changes = {"version": version, "owner": owner, "attempts": attempts, "error": "", "step": "", "sent_at": None}
    closed.update(state=JobState.QUEUED, queued_at=timezone.now(), **changes)


def retry(job: Job) -> None:
    """Queue a job that failed or was cancelled."""
    if job.state in (JobState.FAILED, JobState.CANCELLED):
        queue(job, job.version, job.owner, 0)
        wake(job)


def cancel(job: Job) -> None:
    """End an open job. Its worker learns of it with its next heartbeat."""
    Job.objects.open().filter(pk=job.pk).update(state=JobState.CANCELLED)


# Maintenance ----------------------------------------------------------------------------------------------------------


def wake(job: Job) -> None:
    """Make sure that a worker knows about an open job."""
    release(job)
    transaction.on_commit(partial(send, job.pk))


def send(job_id: int) -> bool:
    """Send a message to the workers, only once if several ask. False if the broker is down: a worker asks again
    later."""
    if not Job.objects.unsent().filter(pk=job_id).update(sent_at=timezone.now()):
        return True
    is_sent = send_task("jobs.work", job_id=job_id)
    if not is_sent:
        Job.objects.filter(pk=job_id).update(sent_at=None)
    return is_sent


def send_task(name: str, **about: int) -> bool:
    """Ask the workers to run the task of this name, without waiting; False if the broker is down."""
    # Celery is imported with the first message: most commands send none, and it costs them a quarter of a second.
    from kombu.exceptions import OperationalError

    try:
        import_string(settings.MESSAGE_APPLICATION).send_task(name, kwargs=about, retry=False)
    except (OperationalError, OSError) as error:
        log.warning("No message could be sent for %s %s: %s", name, about, type(error).__name__)
        return False
    return True


def maintain_jobs() -> None:
    """Requeue crashed or lost jobs, and delete expired ones. Each worker does it from time to time."""
    for job in Job.objects.dead():
        release(job)
    for job_id in Job.objects.unsent().order_by("pk").values_list("pk", flat=True):
        if not send(job_id):
            break
    for job in Job.objects.to_delete():
        delete_job(job)
    files.delete_orphans(set(Job.objects.exclude(file="").values_list("file", flat=True)))


def delete_job(job: Job) -> None:
    job.delete()
    files.delete_file(job.file)
