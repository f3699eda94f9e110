"""Deletions that are too large for a request: a job deletes step by step. Small ones are done immediately."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db import IntegrityError, models, transaction
from django.utils import timezone

from jobs import files
from jobs.models import Job
from jobs.progress import Listener
from jobs.scheduling import get_or_schedule, make_job
from jobs.working import get_or_run
from projects.deletion import collect_rows, count_rows, delete_collected, wipe_storage
from projects.models import Project, User
from projects.scratch import Scratchable

AT_ONCE = 5_000  # rows: about a second
MAX_TRIES = 5
KIND = "deletion"
HIDDEN_FOR = timedelta(days=36_500)  # so that cleaning up abandoned writes does not touch it
HIDDEN_NAME = "deletion 0 -"


def delete_rows(roots: Sequence[models.Model], owner: User | None = None, *, waits: bool = False) -> Job | None:
    """Delete rows with everything that depends on them: immediately if that is little or `waits`, else by the returned
    job.

    Projects and studies are hidden first, so that nothing half deleted is visible if the job stops.
    """
    if count_rows(collect_rows(roots)) <= AT_ONCE:
        collect_and_delete(roots, at_once=True)
        wipe_storage()
        return None
    for root in roots:
        if isinstance(root, Scratchable):
            hidden = {"writer": HIDDEN_NAME, "written_at": timezone.now() + HIDDEN_FOR}
            type(root)._base_manager.filter(pk=root.pk).update(**hidden)
    return (get_or_run if waits else schedule)(make_deletion(roots, owner), "")


def collect_and_delete(
    roots: Iterable[models.Model],
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    *,
    at_once: bool = False,
) -> None:
    """Delete the rows with everything that depends on them, in short transactions, or with `at_once` in a single one.

    Rows that others add meanwhile make the deletion fail; it is then repeated.
    """
    for tries_left in reversed(range(MAX_TRIES)):
        try:
            with transaction.atomic() if at_once else nullcontext():
                delete_collected(collect_rows(roots), on_progress)
        except IntegrityError:
            if not tries_left:
                raise
        else:
            return


def schedule(wanted: Job, version: str) -> Job:
    return get_or_schedule(wanted, version, wanted.owner)


def make_deletion(roots: Sequence[models.Model], owner: User | None) -> Job:
    first = roots[0]
    subject = f"{first._meta.model_name}:{first.pk}"
    job = make_job(KIND, subject, {"model": first._meta.label, "pks": [root.pk for root in roots]}, None)
    job.owner = owner
    return job


def work_off_deletion(job: Job, on_progress: Listener) -> Path | None:
    """Delete the job's rows; those deleted by an earlier attempt are gone already."""
    model: Any = apps.get_model(job.parameters["model"])
    roots = model._base_manager.filter(pk__in=job.parameters["pks"])
    collect_and_delete(roots, lambda done, total: on_progress("rows", done, total))
    wipe_storage()
    return None


def delete_job_files(pks: Sequence[int]) -> None:
    """Delete the files of jobs that are deleted."""
    for name in Job.objects.filter(pk__in=pks).exclude(file="").values_list("file", flat=True):
        files.delete_file(name)


def delete_results(project: Project) -> None:
    """Delete all jobs of a project except deletions, with their files: later results use only the remaining data.

    A worker that is computing one of them notices that its row is deleted, and discards its result.
    """
    mine = Job.objects.filter(project=project).exclude(kind=KIND)
    names = list(mine.exclude(file="").values_list("file", flat=True))
    mine.delete()
    for name in names:
        transaction.on_commit(partial(files.delete_file, name))
