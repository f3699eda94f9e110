from datetime import timedelta

from django.db import models
from django.utils import timezone

SEEN_WITHIN = timedelta(seconds=45)


class WorkerQuerySet(models.QuerySet):
    def alive(self):
        return self.filter(last_seen__gte=timezone.now() - SEEN_WITHIN)


class Worker(models.Model):
    """A worker process, by name, and when it was last heard of."""

    name = models.CharField(max_length=200, unique=True)
    started_at = models.DateTimeField()
    last_seen = models.DateTimeField()

    objects = WorkerQuerySet.as_manager()

    def __str__(self):
        return self.name
