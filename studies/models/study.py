"""A study, its variants, units and switches."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from items.models import Item, Text
from projects.models import Project, User
from projects.scratch import HiddenScratch, Scratchable
from studies.protocols import list_protocol_choices


class Instrument(models.Model):
    """A named wording in one language; without a project it is shipped with Lesart or belongs to the whole server."""

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
    """One wording, which never changes: a study freezes the version that it uses."""

    instrument = models.ForeignKey(Instrument, models.PROTECT, related_name="versions")
    version = models.PositiveIntegerField()
    content = models.JSONField()
    content_hash = models.CharField(max_length=64)
    source = models.TextField(blank=True)  # the original YAML with its comments; empty: generate it from the content
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


class Study(Scratchable):
    """Items, a protocol, a plan and annotators. Everything but its state is frozen at launch."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="studies")
    slug = models.SlugField(_("short name"), max_length=60, unique=True)
    title = models.CharField(_("title"), max_length=200)
    protocol = models.CharField(_("protocol"), max_length=60, choices=list_protocol_choices)
    language = models.CharField(_("language"), max_length=20)
    instrument_version = models.ForeignKey(InstrumentVersion, models.PROTECT, related_name="studies")
    params = models.JSONField(default=dict, blank=True)
    # {"texts": "all" | [external ids], "generators": "all" | [names]}
    selection = models.JSONField(default=dict, blank=True)
    # {"annotators": N | "open" | {group: N}, "per_unit": k | "all" | {group: k | "all"}, "shared_texts": n,
    # "own_texts": n}, groups in the order of `groups`; if people do only some texts also "people_texts": n,
    # "people_texts_by": "equal chance" | "doubt", "predictors": [names of models] if the plan names them; of a study of
    # text versions "text_versions": [names]
    plan = models.JSONField(default=dict, blank=True)
    groups = models.JSONField(default=list, blank=True)
    # What people go through besides the units, in order (studies.phases); empty: the instrument's consent and
    # instructions.
    phases = models.JSONField(default=list, blank=True)
    # How people join and what they get back (studies.recruitment); only the values that were set.
    recruitment = models.JSONField(default=dict, blank=True)
    seed = models.BigIntegerField(_("seed"))
    state = models.CharField(max_length=20, choices=StudyState, default=StudyState.DRAFT)
    created_at = models.DateTimeField(auto_now_add=True)
    launched_at = models.DateTimeField(null=True, editable=False)
    # If shared texts come first as a calibration: when a researcher opened the main part.
    main_opened_at = models.DateTimeField(null=True, editable=False)
    closed_at = models.DateTimeField(null=True, editable=False)
    # Wordings that people read before a phase was worded anew after the launch, the newest last:
    # [{"phase": as in `phases`, "version", "until"}, …]
    earlier_phases = models.JSONField(default=list, blank=True)
    phases_changed_at = models.DateTimeField(null=True, editable=False)
    # Texts added after the launch; the units of the launch are block 1: [{"number": 2, …, "added_at", "made_by" (user
    # id), "texts", "units", "finished_too": whether those who had finished got them}, …]
    blocks = models.JSONField(default=list, blank=True)
    archived_at = models.DateTimeField(null=True, editable=False)
    # It closes automatically at the deadline, or when that many people have finished.
    deadline = models.DateTimeField(_("deadline"), null=True, blank=True)
    max_finished = models.PositiveIntegerField(_("people who finish"), null=True, blank=True)
    # The open link: anybody who opens it takes part, while the plan has a place.
    open_token = models.CharField(max_length=64, unique=True, null=True, editable=False)
    # For a scratch study: the draft whose rows are written under it.
    scratch_of = models.ForeignKey("self", models.CASCADE, null=True, editable=False, related_name="+")

    objects = HiddenScratch.from_queryset(StudyQuerySet)()
    everything = models.Manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        verbose_name_plural = "studies"

    def __str__(self):
        return self.title

    @property
    def job_subject(self) -> str:
        """The subject of jobs about the study (see `jobs.models.Job.subject`)."""
        return f"study:{self.pk}"

    @property
    def is_draft(self) -> bool:
        return self.state == StudyState.DRAFT

    @property
    def takes_answers(self) -> bool:
        return self.state == StudyState.LIVE

    @property
    def block_dates(self) -> dict[int, datetime | None]:
        """By number of a block, when its texts were added to the study."""
        later = {block["number"]: datetime.fromisoformat(block["added_at"]) for block in self.blocks}
        return {1: self.launched_at, **later}


class Variant(models.Model):
    """One of several instruments of a study: each annotator is assigned one at random, and asked only with it."""

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


PRACTICE = "practice"


class WithoutPractice(models.Manager):
    """All units except those for practice; `everything` includes these."""

    def get_queryset(self) -> Any:
        return super().get_queryset().exclude(part=PRACTICE)


class Unit(models.Model):
    """The subject of one assignment: a text with its items, an item, or a pair of items, as they were at launch."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="units")
    text = models.ForeignKey(Text, models.PROTECT, related_name="units")
    position = models.PositiveIntegerField()
    part = models.CharField(max_length=20, default="main")  # or "calibration", or "practice"
    block = models.PositiveSmallIntegerField(default=1)  # above 1: added after the launch, see `Study.blocks`
    items = models.ManyToManyField(Item, through="UnitItem", related_name="units")

    objects = WithoutPractice()
    everything = models.Manager()  # noqa: DJ012 - a second manager is no field

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


class EffectsSwitch(models.Model):
    """An owner hid effects by generator, or showed them again. The newest row is valid; rows are never changed.

    The rows are also a log: readers of the results can see later what was visible when.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="effects_switches")
    hidden = models.BooleanField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "effects switches"

    def __str__(self):
        return f"{self.study.slug}: {'hidden' if self.hidden else 'shown'}"


class PeopleTexts(models.Model):
    """The random sample of texts for the people of a study whose models do all texts. Drawn at launch; a further round
    adds texts and removes none."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="people_texts")
    n = models.PositiveIntegerField()
    by = models.CharField(max_length=20)  # equal chance or doubt
    rests_on = models.CharField(max_length=20, blank=True)  # for a draw by doubt: probability or disagreement
    seed = models.BigIntegerField()
    # All texts in the random order of the draw: [{"text_id", "probability", "doubt" (null without), "drawn", and
    # where a further round drew it "round"}, …]; the probability is that of all rounds together
    texts = models.JSONField()
    # Further rounds, by equal chance: [{"n", "order" of the texts that were left, "made_at", "made_by" (user id)}, …]
    later = models.JSONField(default=list, blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "people texts"

    def __str__(self):
        return f"{self.study.slug}: {self.n} of {len(self.texts)} texts"

    @property
    def drawn_ids(self) -> frozenset[str]:
        """External ids of the texts for people."""
        return frozenset(each["text_id"] for each in self.texts if each["drawn"])


class StudyTemplate(models.Model):
    """The contents of a study, stored under a name to create similar studies."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="study_templates")
    name = models.CharField(_("name"), max_length=200)
    content = models.JSONField()  # a study in the format of studies.services.spec
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="one_template_per_name")]

    def __str__(self):
        return self.name
