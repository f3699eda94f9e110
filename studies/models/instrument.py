from django.db import models
from django.utils.translation import gettext_lazy as _

from projects.models import Project, User


class Instrument(models.Model):
    """A named wording in one language; without a project it ships with Lesart, or belongs to the whole server."""

    project = models.ForeignKey(Project, models.CASCADE, null=True, blank=True, related_name="instruments")
    name = models.SlugField(_("name"), max_length=100)
    language = models.CharField(_("language"), max_length=20)

    class Meta:
        ordering = ["name", "language", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["name", "language"], condition=models.Q(project=None), name="one_shipped_instrument"
            ),
            models.UniqueConstraint(
                fields=["project", "name", "language"],
                condition=models.Q(project__isnull=False),
                name="one_instrument_per_project",
            ),
        ]

    def __str__(self):
        return f"{self.name}/{self.language}"


class InstrumentVersion(models.Model):
    """One wording, never changed: a study freezes the version that it used."""

    instrument = models.ForeignKey(Instrument, models.PROTECT, related_name="versions")
    version = models.PositiveIntegerField()
    content = models.JSONField()
    content_hash = models.CharField(max_length=64)
    source = models.TextField(blank=True)  # the YAML as it was written, with its comments; empty: made from the content
    note = models.CharField(_("note"), max_length=200, blank=True)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-version"]
        constraints = [
            models.UniqueConstraint(fields=["instrument", "version"], name="one_instrument_version"),
        ]

    def __str__(self):
        return f"{self.instrument} version {self.version}"
