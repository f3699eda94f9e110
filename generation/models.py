from django.db import models
from django.utils.translation import gettext_lazy as _

from generation.parsing import NO_ANSWER
from items.models import MAX_ID, Generator, Item, Text
from llm.models import Run
from studies.models import Study


class GeneratorRun(models.Model):
    """The run in which a model wrote, and the generator of its items."""

    run = models.OneToOneField(Run, models.CASCADE, related_name="generator_run")
    generator = models.ForeignKey(Generator, models.CASCADE, related_name="generator_runs")

    class Meta:
        ordering = ["pk"]

    def __str__(self):
        return f"{self.generator}: {self.run}"


class IncompleteState(models.TextChoices):
    OPEN = "open", _("to be repaired")
    REPAIRED = "repaired", _("repaired")
    DISCARDED = "discarded", _("discarded")


class IncompleteItem(models.Model):
    """A model's output that is not a complete item: it stays out of the bank, and so of studies, until it is
    repaired."""

    generator = models.ForeignKey(Generator, models.CASCADE, related_name="incomplete_items")
    run = models.ForeignKey(Run, models.SET_NULL, null=True, related_name="incomplete_items")
    text = models.ForeignKey(Text, models.CASCADE, related_name="incomplete_items")
    external_id = models.CharField(max_length=MAX_ID)
    raw = models.TextField()
    reasons = models.JSONField(default=list)
    """Names of generation.parsing, or "edited": the text has a newer version."""
    stem = models.TextField(blank=True)
    options = models.JSONField(default=list)
    """Per option {"text": …, "correct": true, false or null if the reply does not say, "explanation": …}."""
    expected_answer = models.TextField(blank=True)
    """The expected answer of an open question, which has no options."""
    metadata = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=IncompleteState, default=IncompleteState.OPEN)
    item = models.OneToOneField(Item, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["text", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["generator", "external_id"], name="one_incomplete_item_per_id"),
        ]

    def __str__(self):
        return self.external_id

    @property
    def is_open(self) -> bool:
        """Whether it is a question without options, with an expected answer or lacking only that."""
        return not self.options and (bool(self.expected_answer) or NO_ANSWER in self.reasons)


class Selection(models.Model):
    """Candidates that a model guesses and answers in a study of their own, so that the best of them can be kept."""

    candidates = models.ForeignKey(Generator, models.CASCADE, related_name="selections")
    study = models.OneToOneField(Study, models.CASCADE, related_name="selection_of_candidates")
    selected = models.ForeignKey(Generator, models.CASCADE, null=True, related_name="selected_in")
    """The generator of the kept items; null before a selection."""
    selector = models.CharField(max_length=200, blank=True)
    """The model that guessed and answered."""
    n_kept = models.PositiveSmallIntegerField(null=True)
    """The number of items to keep per text."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self):
        return self.study.title
