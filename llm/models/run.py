from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

NANOS = 1_000_000_000


class RunState(models.TextChoices):
    PLANNING = "planning", _("planning")
    RUNNING = "running", _("running")
    PAUSED = "paused", _("paused")
    DONE = "done", _("done")
    CANCELLED = "cancelled", _("cancelled")
    FAILED = "failed", _("stopped")


class Unknown(models.TextChoices):
    """What becomes of a call that was on the wire when its worker died."""

    REPEAT = "repeat", _("ask again and count the first as paid")
    HOLD = "hold", _("hold it until I decide")


class RunQuerySet(models.QuerySet):
    def active(self) -> "RunQuerySet":
        return self.filter(state__in=[RunState.PLANNING, RunState.RUNNING])


class Run(models.Model):
    """One execution of a plan of calls against an endpoint; what the calls are about is opaque here."""

    project = models.ForeignKey("projects.Project", models.CASCADE, related_name="runs")
    kind = models.CharField(max_length=40)
    label = models.CharField(max_length=200)
    endpoint = models.ForeignKey("llm.Endpoint", models.PROTECT, related_name="runs")
    model = models.CharField(max_length=200)
    """The endpoint's model when the run was started; a run never mixes two."""
    params = models.JSONField(default=dict)
    scope = models.CharField(max_length=200, blank=True)
    """Whose run it is, in the words of its door; opaque here."""

    state = models.CharField(max_length=12, choices=RunState, default=RunState.PLANNING)
    reason = models.TextField(blank=True)
    """The name of the reason for a pause or stop (see llm.failures), or a sentence of the door."""
    is_planned = models.BooleanField(default=False)
    on_unknown = models.CharField(max_length=10, choices=Unknown, default=Unknown.REPEAT)
    next_position = models.PositiveIntegerField(default=0)
    """Calls before it were leased at least once: the queue is read from here, not from the start."""

    budget_nanos = models.BigIntegerField(null=True)
    spent_nanos = models.BigIntegerField(default=0)
    """The sum over the calls, kept in the same transactions, because the budget is asked before every call."""

    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [models.Index(fields=["project", "kind", "scope"], name="runs_of_a_door")]

    def __str__(self):
        return self.label

    def get_absolute_url(self):
        return reverse("run", args=[self.pk])

    @property
    def is_active(self) -> bool:
        return self.state in (RunState.PLANNING, RunState.RUNNING)

    @property
    def is_over(self) -> bool:
        return self.state in (RunState.DONE, RunState.CANCELLED, RunState.FAILED)
