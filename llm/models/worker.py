from datetime import timedelta

from django.db import models
from django.utils import timezone

SEEN_WITHIN = timedelta(seconds=45)


class WorkerQuerySet(models.QuerySet):
    def alive(self) -> "WorkerQuerySet":
        return self.filter(last_seen__gte=timezone.now() - SEEN_WITHIN)


class Worker(models.Model):
    """A worker process, by name, and when it was last heard of."""

    name = models.CharField(max_length=200, unique=True)
    started_at = models.DateTimeField()
    last_seen = models.DateTimeField()

    objects = WorkerQuerySet.as_manager()

    def __str__(self):
        return self.name


class DrainerQuerySet(models.QuerySet):
    def live(self) -> "DrainerQuerySet":
        return self.filter(expires_at__gt=timezone.now())

    def dead(self) -> "DrainerQuerySet":
        return self.filter(expires_at__lte=timezone.now())


class Drainer(models.Model):
    """Somebody who works on a run now. Its calls are leased as long as it says so: one row to renew, not a thousand."""

    name = models.CharField(max_length=40, unique=True)
    run = models.ForeignKey("llm.Run", models.CASCADE, related_name="drainers")
    started_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()

    objects = DrainerQuerySet.as_manager()

    def __str__(self):
        return self.name


class Sweep(models.Model):
    """When the runs were last looked after; whoever moves the time on does the work."""

    swept_at = models.DateTimeField()

    def __str__(self):
        return f"{self.swept_at:%Y-%m-%d %H:%M:%S}"
