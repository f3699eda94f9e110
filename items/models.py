from copy import copy
from typing import Self

from django.conf import settings
from django.db import models
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from projects.models import Project

# Limits: larger values are refused, and the message names the limit.
MAX_TEXT = 100_000
MAX_OPTIONS = 20
MAX_OPTION = 2_000
MAX_STEM = 10_000
MAX_ID = 200
MAX_PICTURES = 20  # of one text with its items
MAX_TAGS, MAX_TAG = 20, 60  # of an item; characters
MAX_VERSIONS = 9  # of a text, besides the original
MAX_VERSION_NAME = 60
ORIGINAL = "original"  # name of the text itself among its versions


def name_text(title: str, body: str) -> str:
    """The name of a text on pages: its title, else its first words."""
    return title or Truncator(body).words(9)


class VersionQuerySet(models.QuerySet):
    def current(self) -> Self:
        """The newest version of each; older ones are kept for the responses that refer to them."""
        return self.filter(superseded_at=None)

    def available(self) -> Self:
        """The current ones that are not archived, for lists and new studies."""
        return self.current().filter(archived_at=None)


class TagList(models.JSONField):
    """Names that researchers give to items, in alphabetical order: `tags__has_tag=name` finds the items of one."""


@TagList.register_lookup
class HasTag(models.Lookup):
    lookup_name = "has_tag"
    prepare_rhs = False

    def as_sql(self, compiler, connection):
        column, parameters = self.process_lhs(compiler, connection)
        return f"EXISTS (SELECT 1 FROM json_each({column}) WHERE value = %s)", [*parameters, self.rhs]  # noqa: S608 - a column

    def as_postgresql(self, compiler, connection):
        column, parameters = self.process_lhs(compiler, connection)
        return f"{column} @> jsonb_build_array(%s::text)", [*parameters, self.rhs]


class Markup(models.TextChoices):
    """The format in which a text and its items are written."""

    PLAIN = "", _("none: plain text")
    MARKDOWN = "markdown", _("Markdown with formulas and pictures")


class Text(models.Model):
    """One version of a text. An edit is a new row with the same external id."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="texts")
    external_id = models.CharField(_("id"), max_length=MAX_ID)
    version = models.PositiveIntegerField(default=1)
    title = models.CharField(_("title"), max_length=500, blank=True)
    body = models.TextField(_("text"))
    language = models.CharField(_("language"), max_length=20, help_text=_("A code such as de, en or eu."))
    markup = models.CharField(_("markup"), max_length=20, choices=Markup, blank=True, default=Markup.PLAIN)
    pictures = models.JSONField(default=dict, blank=True, help_text="Digests of pictures by their names in the text.")
    source = models.CharField(_("source"), max_length=500, blank=True)
    genre = models.CharField(_("genre"), max_length=200, blank=True)
    level = models.CharField(_("level (CEFR)"), max_length=20, blank=True)
    audience = models.CharField(_("audience"), max_length=200, blank=True)
    topic = models.CharField(_("topic"), max_length=200, blank=True)
    licence = models.CharField(_("licence"), max_length=200, blank=True)
    shareable = models.BooleanField(
        _("may be redistributed"), default=True, help_text=_("If not, exports contain a hash instead of the text.")
    )
    metadata = models.JSONField(default=dict, blank=True)
    # Versions of the text, such as simplified or translated ones, with the same items:
    # [{"name": "simple", "text": "…", "language": "de"}, …], languages only where they differ from the text's own
    versions = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    superseded_at = models.DateTimeField(null=True, editable=False)
    archived_at = models.DateTimeField(null=True, editable=False)

    objects = VersionQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["project", "external_id", "version"], name="one_text_per_version"),
            models.UniqueConstraint(
                fields=["project", "external_id"],
                condition=models.Q(superseded_at=None),
                name="one_current_version_per_text",
            ),
        ]

    def __str__(self):
        return name_text(self.title, self.body)

    @property
    def version_names(self) -> list[str]:
        """The names of the original and the other versions of the text."""
        return [ORIGINAL, *(each["name"] for each in self.versions)]

    def in_version(self, name: str) -> "Text":
        """The text with the words of that version, not to be saved; itself for the original.

        `KeyError` for an unknown version.
        """
        if name in ("", ORIGINAL):
            return self
        found = {each["name"]: each for each in self.versions}[name]
        shown = copy(self)
        shown.body, shown.language = found["text"], found.get("language") or self.language
        return shown


class Picture(models.Model):
    """A picture in texts of a project; stored once, however many versions show it."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="pictures")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the content.")
    media_type = models.CharField(max_length=20)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["project", "digest"], name="one_picture_per_content")]

    def __str__(self):
        return self.digest


class GeneratorKind(models.TextChoices):
    HUMAN = "human", _("person or group")
    MODEL = "model", _("model")
    RULE = "rule", _("rule")
    DATASET = "dataset", _("data set")


class Generator(models.Model):
    """The author of an item, human or not, with the factors that reports may contrast."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="generators")
    name = models.CharField(_("name"), max_length=MAX_ID)
    kind = models.CharField(_("kind"), max_length=20, choices=GeneratorKind, default=GeneratorKind.HUMAN)
    description = models.TextField(_("description"), blank=True)
    factors = models.JSONField(
        _("factors"), default=dict, blank=True, help_text=_("For example family, size and setting.")
    )

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="one_generator_per_name")]

    def __str__(self):
        return self.name


class Item(models.Model):
    """One version of a stem with or without options, about one version of a text."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="items")
    text = models.ForeignKey(Text, models.PROTECT, related_name="items")
    generator = models.ForeignKey(Generator, models.PROTECT, related_name="items")
    external_id = models.CharField(_("id"), max_length=MAX_ID)
    version = models.PositiveIntegerField(default=1)
    stem = models.TextField(_("question"))
    expected_answer = models.TextField(_("expected answer"), blank=True)
    multiple = models.BooleanField(null=True, editable=False, help_text="Kept for export, never shown.")
    reference = models.BooleanField(_("reference item"), default=False)
    metadata = models.JSONField(default=dict, blank=True)
    tags = TagList(_("tags"), default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    superseded_at = models.DateTimeField(null=True, editable=False)
    archived_at = models.DateTimeField(null=True, editable=False)

    objects = VersionQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["project", "external_id", "version"], name="one_item_per_version"),
            models.UniqueConstraint(
                fields=["project", "external_id"],
                condition=models.Q(superseded_at=None),
                name="one_current_version_per_item",
            ),
        ]

    def __str__(self):
        return self.stem


class Option(models.Model):
    """One possible answer of one version of an item. `correct` marks a key."""

    item = models.ForeignKey(Item, models.CASCADE, related_name="options")
    external_id = models.CharField(_("id"), max_length=MAX_ID)
    position = models.PositiveSmallIntegerField()
    text = models.TextField(_("option"))
    correct = models.BooleanField(_("correct"))
    explanation = models.TextField(_("explanation"), blank=True)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["item", "external_id"], name="one_option_per_id"),
            models.UniqueConstraint(fields=["item", "position"], name="one_option_per_position"),
        ]

    def __str__(self):
        return self.text


class KeyCorrection(models.Model):
    """Who changed which key, when and why; every report lists the corrections that affect it."""

    item = models.ForeignKey(Item, models.CASCADE, related_name="key_corrections")
    option_external_id = models.CharField(max_length=MAX_ID)
    correct = models.BooleanField(help_text="The value from now on.")
    reason = models.TextField(_("reason"))
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["made_at", "pk"]

    def __str__(self):
        return f"{self.item.external_id}/{self.option_external_id}: {self.correct}"


class BankImport(models.Model):
    """An imported file, and the rows it created, so that it can be undone as a whole."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="bank_imports")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    name = models.CharField(max_length=MAX_ID)
    texts = models.JSONField(default=list, help_text="Primary keys of the versions that it made.")
    items = models.JSONField(default=list)
    generators = models.JSONField(default=list)
    n_corrections = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ["-pk"]

    def __str__(self):
        return self.name


class Benchmark(models.Model):
    """A published data set, stored only as MinHash signatures, with which the project's items and texts are
    compared."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="benchmarks")
    name = models.CharField(_("name"), max_length=MAX_ID)
    n_texts = models.PositiveIntegerField(default=0)
    n_items = models.PositiveIntegerField(default=0)
    signatures = models.BinaryField(help_text="JSON lines, as items.services.duplicates writes them.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="one_benchmark_per_name")]

    def __str__(self):
        return self.name


class ImportFile(models.Model):
    """An upload between its preview and its import; deleted when it is used, or after a day."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="import_files")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    name = models.CharField(max_length=MAX_ID)
    format = models.CharField(max_length=20, default="lesart")
    content = models.BinaryField()
    columns = models.JSONField(null=True, help_text="What was chosen for each column of a table.")
    paragraphs = models.JSONField(null=True, help_text="How the texts are cut and joined: items.formats.paragraphs.")
    generator = models.CharField(max_length=MAX_ID, blank=True)
    language = models.CharField(max_length=20, blank=True)
    update = models.BooleanField(default=False, help_text="Take other wordings as new versions.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self):
        return self.name
