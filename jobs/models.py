from datetime import timedelta
from typing import IO, Any, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from jobs import files
from projects.models import Project

SEEN_WITHIN = timedelta(seconds=45)
FORGET_AFTER = timedelta(days=1)  # a job that failed or was cancelled
MAX_KEPT = 2_000  # results: anybody who can choose seeds could fill the disk
RESEND_AFTER = timedelta(minutes=1)  # a message not taken by then is sent again


class WorkerQuerySet(models.QuerySet):
    def alive(self) -> Self:
        return self.filter(last_seen__gte=timezone.now() - SEEN_WITHIN)


class Worker(models.Model):
    """A worker process by name, and the time of its last heartbeat."""

    name = models.CharField(max_length=200, unique=True)
    started_at = models.DateTimeField()
    last_seen = models.DateTimeField()

    objects = WorkerQuerySet.as_manager()

    class Meta:
        db_table = "llm_worker"  # named when only model runs had workers

    def __str__(self):
        return self.name


class JobState(models.TextChoices):
    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")


OPEN = (JobState.QUEUED, JobState.RUNNING)


class JobQuerySet(models.QuerySet):
    def open(self) -> Self:
        return self.filter(state__in=OPEN)

    def dead(self) -> Self:
        """Running jobs whose lease has expired."""
        return self.filter(state=JobState.RUNNING, lease_until__lt=timezone.now())

    def unsent(self) -> Self:
        """Queued jobs without a message, or whose message was lost."""
        lost = Q(sent_at=None) | Q(sent_at__lt=timezone.now() - RESEND_AFTER)
        return self.filter(lost, state=JobState.QUEUED)

    def to_delete(self) -> Self:
        """Closed jobs to delete: without a result, with one that is too old, or beyond the maximum number."""
        closed, now = self.exclude(state__in=OPEN), timezone.now()
        too_many = closed.order_by(F("expires_at").desc(nulls_last=True)).values("pk")[MAX_KEPT:]
        old = Q(expires_at__lt=now) | Q(expires_at=None, queued_at__lt=now - FORGET_AFTER)
        return closed.filter(old | Q(pk__in=list(too_many.values_list("pk", flat=True))))


class Job(models.Model):
    """Work that outlasts a request: one row for a kind, a subject, parameters and a language.

    It is done again when a result for a newer version of its data is requested; until then the previous file is kept.
    """

    kind = models.CharField(max_length=40)  # a name of jobs.kinds
    subject = models.CharField(max_length=60)  # its subject, such as study:12
    parameters = models.JSONField(default=dict)
    language = models.CharField(max_length=10)
    key = models.CharField(max_length=64, unique=True)  # a hash of the four above
    project = models.ForeignKey(Project, models.CASCADE, null=True, related_name="jobs")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")

    state = models.CharField(max_length=10, choices=JobState, default=JobState.QUEUED)
    version = models.CharField(max_length=64, blank=True)  # of the data for which it was requested
    step = models.CharField(max_length=40, blank=True)  # a key of the kind's steps
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0)  # 0: unknown
    error = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    queued_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True)  # when a message was last sent to workers
    lease_until = models.DateTimeField(null=True)  # extended by each heartbeat of its worker

    # The result of the last successful attempt.
    file = models.CharField(max_length=64, blank=True)  # a name in the folder of jobs.files
    file_version = models.CharField(max_length=64, blank=True)
    about = models.JSONField(default=dict)  # the kind's description of the result
    finished_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["kind", "subject"]), models.Index(fields=["state"])]

    def __str__(self):
        return f"{self.kind} {self.subject}"

    def get_absolute_url(self):
        return reverse("job", args=[self.pk])

    @property
    def request_fields(self) -> dict[str, Any]:
        """The request (kind, subject, parameters, language) as fields of a row."""
        return {name: getattr(self, name) for name in ("kind", "subject", "parameters", "language", "project")}

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    @property
    def has_result(self) -> bool:
        """Whether it was done at least once and its file, if it has one, is there."""
        return self.finished_at is not None and (not self.file or files.make_path(self.file).exists())

    @property
    def is_done(self) -> bool:
        return self.state == JobState.DONE and self.has_result

    @property
    def errors(self) -> list[dict[str, Any]]:
        """The errors in the file of a failed job, by line, field and reason."""
        found: list[dict[str, Any]] = self.about.get("errors", []) if self.state == JobState.FAILED else []
        return found

    def open_file(self) -> IO[bytes]:
        """The file of the result, reloading the job if a newer result has replaced it."""
        try:
            return files.make_path(self.file).open("rb")
        except FileNotFoundError:
            self.refresh_from_db()
            return files.make_path(self.file).open("rb")

    def read_value(self, place: int = 0) -> Any:
        """The result, if it is a value; with a `place` above 0, a value stored after it."""
        return files.read_value(self.open_file(), place)

    def is_current(self, version: str) -> bool:
        """Whether it is done, with a result of this version."""
        return self.is_done and self.file_version == version
