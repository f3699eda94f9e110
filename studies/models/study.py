from django.db import models
from django.utils.translation import gettext_lazy as _

from items.models import Item, Text
from projects.models import Project
from studies.models.instrument import InstrumentVersion
from studies.protocols import protocol_choices


class StudyState(models.TextChoices):
    DRAFT = "draft", _("draft")
    LIVE = "live", _("live")
    PAUSED = "paused", _("paused")
    CLOSED = "closed", _("closed")
    IMPORTED = "imported", _("imported")


class StudyQuerySet(models.QuerySet):
    def visible_to(self, user):
        if user.is_superuser:
            return self
        return self.filter(project__memberships__user=user)


class Study(models.Model):
    """Items, a protocol, a plan and annotators. Frozen on launch, but for its state."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="studies")
    slug = models.SlugField(_("short name"), max_length=60, unique=True)
    title = models.CharField(_("title"), max_length=200)
    protocol = models.CharField(_("protocol"), max_length=60, choices=protocol_choices)
    language = models.CharField(_("language"), max_length=20)
    instrument_version = models.ForeignKey(InstrumentVersion, models.PROTECT, related_name="studies")
    params = models.JSONField(default=dict, blank=True)
    # {"texts": "all" | [external ids], "generators": "all" | [names]}
    selection = models.JSONField(default=dict, blank=True)
    # {"annotators": N | "open", "per_unit": k | "all", "shared_texts": n, "own_texts": n}
    plan = models.JSONField(default=dict, blank=True)
    groups = models.JSONField(default=list, blank=True)
    seed = models.BigIntegerField(_("seed"))
    state = models.CharField(max_length=20, choices=StudyState, default=StudyState.DRAFT)
    created_at = models.DateTimeField(auto_now_add=True)
    launched_at = models.DateTimeField(null=True, editable=False)
    # Where shared texts come first as a calibration: when a researcher let the annotators go on to the main part.
    main_opened_at = models.DateTimeField(null=True, editable=False)
    closed_at = models.DateTimeField(null=True, editable=False)

    objects = StudyQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        verbose_name_plural = "studies"

    def __str__(self):
        return self.title

    @property
    def is_draft(self) -> bool:
        return self.state == StudyState.DRAFT

    @property
    def takes_answers(self) -> bool:
        return self.state == StudyState.LIVE


class Variant(models.Model):
    """One of several instruments of a study: each annotator is drawn to one, and is asked by it alone."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="variants")
    name = models.CharField(_("name"), max_length=60)
    position = models.PositiveSmallIntegerField()
    instrument_version = models.ForeignKey(InstrumentVersion, models.PROTECT, related_name="variants")
    params = models.JSONField(default=dict, blank=True)  # all of the protocol's, like those of the study

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["study", "name"], name="one_variant_per_name")]

    def __str__(self):
        return self.name


class Unit(models.Model):
    """What one assignment is about: a text with its items, an item, or a pair of items, as they were at launch."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="units")
    text = models.ForeignKey(Text, models.PROTECT, related_name="units")
    position = models.PositiveIntegerField()
    part = models.CharField(max_length=20, default="main")  # or "calibration"
    items = models.ManyToManyField(Item, through="UnitItem", related_name="units")

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["study", "position"], name="one_unit_per_position")]

    def __str__(self):
        return f"{self.study.slug} {self.position}"


class UnitItem(models.Model):
    unit = models.ForeignKey(Unit, models.CASCADE, related_name="unit_items")
    item = models.ForeignKey(Item, models.PROTECT, related_name="unit_items")
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["unit", "item"], name="one_item_per_unit"),
            models.UniqueConstraint(fields=["unit", "position"], name="one_unit_item_per_position"),
        ]

    def __str__(self):
        return f"{self.unit} {self.item_id}"
