from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _


class CallState(models.TextChoices):
    PLANNED = "planned", _("planned")
    LEASED = "leased", _("taken by a worker")
    SENT = "sent", _("on the wire")
    WAITING = "waiting", _("waiting for another try")
    HELD = "held", _("held, its outcome is unknown")
    REPLIED = "replied", _("replied, not yet read")
    ANSWERED = "answered", _("answered")
    CACHED = "cached", _("answered before")
    REJECTED = "rejected", _("rejected, asked again")
    REFUSED = "refused", _("refused by the model")
    FAILED = "failed", _("failed")


OPEN = [CallState.PLANNED, CallState.LEASED, CallState.SENT, CallState.WAITING, CallState.HELD, CallState.REPLIED]
GOOD = [CallState.ANSWERED, CallState.CACHED]
MISSING = [CallState.REFUSED, CallState.FAILED]


class CallQuerySet(models.QuerySet):
    def open(self) -> "CallQuerySet":
        return self.filter(state__in=OPEN)

    def good(self) -> "CallQuerySet":
        return self.filter(state__in=GOOD)

    def missing(self) -> "CallQuerySet":
        return self.filter(state__in=MISSING)

    def with_stored_answer(self) -> "CallQuerySet":
        """Those whose reply may stand for another call of the same content."""
        states = [CallState.REPLIED, CallState.ANSWERED, CallState.REFUSED]
        kept = ["parse", "cut", "unusable", "reading"]
        parsed_badly = Q(state__in=[CallState.FAILED, CallState.REJECTED], error_class__in=kept, text__isnull=False)
        return self.filter(Q(state__in=states) | parsed_badly, copied_from=None)


class Call(models.Model):
    """One question to a model: what was sent, what came back, what it cost. Written before it is sent and read."""

    run = models.ForeignKey("llm.Run", models.CASCADE, related_name="calls", db_index=False)  # other indexes begin so
    key = models.CharField(max_length=200)
    sample = models.PositiveIntegerField(default=0)
    turn = models.PositiveSmallIntegerField(default=0)
    """0 as planned; a follow-up (reprompt, longer limit) is a row of its own, so that no reply is overwritten."""
    follows = models.ForeignKey("self", models.SET_NULL, null=True, related_name="followed_by", db_index=False)
    position = models.PositiveIntegerField()
    prompt_hash = models.CharField(max_length=40, blank=True)
    content_key = models.CharField(max_length=40, blank=True)
    adjust = models.JSONField(default=dict)

    state = models.CharField(max_length=10, choices=CallState, default=CallState.PLANNED)
    lease_owner = models.CharField(max_length=40, blank=True)
    due_at = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)
    times_sent = models.PositiveSmallIntegerField(default=0)
    times_lost = models.PositiveSmallIntegerField(default=0)
    reserved_nanos = models.BigIntegerField(default=0)
    copied_from = models.ForeignKey("self", models.SET_NULL, null=True, related_name="copies", db_index=False)

    messages = models.JSONField(null=True)
    params = models.JSONField(null=True)
    raw_reply = models.TextField(null=True)
    status = models.PositiveSmallIntegerField(null=True)
    text = models.TextField(null=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    returned_model = models.CharField(max_length=200, blank=True)
    logprobs = models.JSONField(null=True)
    """Per token [token, log-probability, [[token, log-probability], …]]."""
    tokens_in = models.PositiveIntegerField(null=True)
    tokens_out = models.PositiveIntegerField(null=True)
    cost_nanos = models.BigIntegerField(default=0)
    """Billionths of the endpoint's currency; 0 where there is no price."""
    parsed = models.JSONField(null=True)
    """What the door made of the reply, for people to read; the answer itself is the door's."""
    error_class = models.CharField(max_length=20, blank=True)
    error = models.TextField(blank=True)
    sent_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    seconds = models.FloatField(null=True)

    objects = CallQuerySet.as_manager()

    class Meta:
        ordering = ["position", "sample", "turn"]
        constraints = [
            models.UniqueConstraint(fields=["run", "key", "sample", "turn"], name="one_call_per_run_key_sample_turn")
        ]
        indexes = [
            models.Index(fields=["run", "position"], name="calls_in_order"),
            models.Index(fields=["run", "state", "position"], name="calls_by_state"),
            models.Index(fields=["content_key"], name="calls_of_a_content"),  # SQLite would not use a partial one
            models.Index(fields=["follows"], name="calls_that_follow", condition=Q(follows__isnull=False)),
            models.Index(fields=["copied_from"], name="calls_copied", condition=Q(copied_from__isnull=False)),
            models.Index(fields=["run", "finished_at"], name="calls_just_done", condition=Q(finished_at__isnull=False)),
        ]

    def __str__(self):
        return f"{self.key} #{self.sample}" + (f".{self.turn}" if self.turn else "")

    def get_absolute_url(self):
        return reverse("call", args=[self.run_id, self.pk])

    @property
    def is_good(self) -> bool:
        return self.state in GOOD
