import secrets
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from projects.scratch import HiddenScratch, Scratchable


def new_token() -> str:
    """192 random bits, URL-safe, for a secret link."""
    return secrets.token_urlsafe(24)


def in_two_weeks():
    return timezone.now() + timedelta(days=14)


class User(AbstractUser):
    """Somebody who signs in: a researcher or an admin. Annotators need no account."""


class Role(models.TextChoices):
    """What a member may do; each role includes those before it."""

    VIEWER = "viewer", _("Viewer: reads dashboards and texts")
    REVIEWER = "reviewer", _("Reviewer: also reads single answers and exports them")
    RESEARCHER = "researcher", _("Researcher: also edits texts, items and studies")
    OWNER = "owner", _("Owner: also manages members")

    @property
    def rank(self) -> int:
        return list(Role).index(self)

    @property
    def word(self) -> str:
        return str(self.label).split(":")[0]


class ProjectQuerySet(models.QuerySet):
    def visible_to(self, user):
        """All for admins of the server, else those where the user is a member."""
        if user.is_superuser:
            return self
        return self.filter(memberships__user=user)

    def with_counts(self):
        """Each with n_texts, n_items (newest versions) and n_studies."""
        return self.annotate(
            n_texts=_count_related("texts", superseded_at=None),
            n_items=_count_related("items", superseded_at=None),
            n_studies=_count_related("studies"),
        )


def _count_related(relation: str, **conditions):
    """The number of rows of a relation of a project, as a subquery: a join would multiply rows. The relation is given
    by its name, because this module must not import models of higher layers."""
    model: Any = Project._meta.get_field(relation).related_model
    rows = model.objects.filter(project=OuterRef("pk"), **conditions).order_by().values("project")
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n")), 0)


class Project(Scratchable):
    """Texts, items and studies that belong together, and the people who work on them."""

    slug = models.SlugField(_("short name"), max_length=60, unique=True)
    title = models.CharField(_("title"), max_length=200)
    description = models.TextField(_("description"), blank=True)
    is_sample = models.BooleanField(default=False, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, editable=False)
    bank_version = models.PositiveBigIntegerField(default=0, editable=False)  # grows with each change of the bank

    objects = HiddenScratch.from_queryset(ProjectQuerySet)()
    everything = models.Manager()

    my_role: Role  # of the current user; set by projects.access

    class Meta:
        ordering = ["title", "pk"]

    def __str__(self):
        return self.title

    def get_absolute_url(self):
        return reverse("project", args=[self.slug])


class Membership(models.Model):
    project = models.ForeignKey(Project, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(_("role"), max_length=20, choices=Role)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["user__username"]
        constraints = [models.UniqueConstraint(fields=["project", "user"], name="one_membership_per_project")]

    def __str__(self):
        return f"{self.user} ({self.role})"


class InvitationQuerySet(models.QuerySet):
    def open(self) -> "InvitationQuerySet":
        return self.filter(revoked_at=None, accepted_at=None, expires_at__gt=timezone.now())


class Invitation(models.Model):
    """A link that makes the person who accepts it (by POST) a member; works once."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="invitations")
    role = models.CharField(_("role"), max_length=20, choices=Role, default=Role.RESEARCHER)
    note = models.CharField(_("for whom"), max_length=200, blank=True)
    token = models.CharField(max_length=64, unique=True, default=new_token, editable=False)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(default=in_two_weeks)
    revoked_at = models.DateTimeField(null=True)
    accepted_at = models.DateTimeField(null=True)
    accepted_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self):
        return f"{self.project}: {self.role}"

    def get_absolute_url(self):
        return reverse("invitation", args=[self.token])

    @property
    def role_word(self) -> str:
        return Role(self.role).word


class SignInLinkQuerySet(models.QuerySet):
    def open(self) -> "SignInLinkQuerySet":
        return self.filter(used_at=None, expires_at__gt=timezone.now())


class SignInLink(models.Model):
    """A one-time sign-in without a password, printed by `lesart up`; only its hash is stored."""

    user = models.ForeignKey(User, models.CASCADE, related_name="sign_in_links")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    objects = SignInLinkQuerySet.as_manager()

    def __str__(self):
        return f"{self.user} {self.created_at:%Y-%m-%d %H:%M}"


class AuditEntry(models.Model):
    """Who did what in a project, when: only ids and times, so that it may stay when its subject is deleted."""

    project_id = models.BigIntegerField(db_index=True)
    act = models.CharField(max_length=40)  # a name in projects.audit.ACTS
    subject = models.CharField(max_length=40, blank=True)  # the model of the row that it is about
    subject_id = models.BigIntegerField(null=True)
    number = models.PositiveIntegerField(null=True)  # number of rows, if there are several
    user_id = models.BigIntegerField(null=True)  # null: a participant, or a command
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "audit entries"

    def __str__(self):
        return f"{self.act} {self.subject} {self.subject_id}"
