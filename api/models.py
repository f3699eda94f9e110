"""Access tokens of people, and stored replies for idempotency keys."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from jobs.kinds import EVENT_LABELS
from jobs.models import Job
from projects.models import Project

MAX_KEY = 200


class Scope(models.TextChoices):
    """What a token may be used for. It never allows more than the role of its person."""

    READ = "read", _("Read projects, texts, items, studies, progress and results")
    WRITE = "write", _("Add and change projects, texts, items, instruments and studies")
    PEOPLE = "people", _("Add annotators and read their personal links")
    ANSWERS = "answers", _("Read, export and import single answers, and build replication packs")
    MODELS = "models", _("Let models and baselines answer or write items; this can cost money")
    ADMIN = "admin", _("Manage model endpoints (only for admins of the server)")


class AccessTokenQuerySet(models.QuerySet):
    def usable(self) -> "AccessTokenQuerySet":
        return self.filter(revoked_at=None, expires_at__gt=timezone.now(), user__is_active=True)


class AccessToken(models.Model):
    """A key with which a program acts for a person; only its hash is stored."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="access_tokens")
    name = models.CharField(_("name"), max_length=100)
    hint = models.CharField(max_length=20)  # its first characters, so that people can tell their tokens apart
    token_hash = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    # The minute of the last use, and the number of uses in it, for the rate limit.
    last_used_at = models.DateTimeField(null=True)
    n_used = models.PositiveIntegerField(default=0)

    objects = AccessTokenQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self):
        return self.name

    @property
    def is_expired(self) -> bool:
        return self.expires_at <= timezone.now()

    @property
    def scope_labels(self) -> list[str]:
        return [str(scope.label) for scope in Scope if scope in self.scopes]


class Webhook(models.Model):
    """An address that is notified when jobs, runs or studies of a project have ended."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="webhooks")
    url = models.CharField(_("address"), max_length=500)
    events = models.JSONField(default=list)  # of jobs.kinds.EVENTS
    encrypted_secret = models.TextField()  # signs the requests
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self):
        return self.url

    @property
    def event_labels(self) -> list[str]:
        return [str(EVENT_LABELS[event]) for event in self.events if event in EVENT_LABELS]

    @property
    def last_delivery(self) -> Job | None:
        """The job of the newest delivery, while jobs are kept."""
        return Job.objects.filter(kind="webhook", subject=f"webhook:{self.pk}").order_by("-queued_at").first()


class StoredReply(models.Model):
    """The reply to a request with an idempotency key: a repeated request gets it again and does nothing."""

    token = models.ForeignKey(AccessToken, models.CASCADE, related_name="stored_replies")
    key = models.CharField(max_length=MAX_KEY)
    fingerprint = models.CharField(max_length=64)  # of method, address and body
    status = models.PositiveSmallIntegerField(null=True)  # null while the first request is running
    body = models.TextField(blank=True)  # encrypted: some replies contain links or secrets
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["token", "key"], name="one_reply_per_key")]

    def __str__(self):
        return self.key
