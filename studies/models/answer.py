"""Drafts, submissions and responses, decisions about them, and reviews of what people wrote."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from items.models import Item, Option
from projects.models import User
from studies.models.people import Assignment
from studies.models.study import InstrumentVersion


class Draft(models.Model):
    """What an annotator has entered about an item and not yet handed in; overwritten, never in results."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="drafts")
    stage = models.CharField(max_length=40)
    item = models.ForeignKey(Item, models.PROTECT, null=True, related_name="+")  # null: about the unit's text
    values = models.JSONField(default=dict)  # as the stage form holds them: {field: value or list of handles}
    n_changes = models.PositiveIntegerField(default=0)
    first_answered_at = models.DateTimeField()
    last_changed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "stage", "item"], name="one_draft_per_item"),
            models.UniqueConstraint(
                fields=["assignment", "stage"], condition=Q(item=None), name="one_draft_about_the_text"
            ),
        ]

    def __str__(self):
        return f"{self.assignment} {self.stage} {self.item_id}"


class Submission(models.Model):
    """The hand-in of a stage. Inserted once: a second hand-in violates a constraint, so no check can miss it."""

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="submissions")
    stage = models.CharField(max_length=40)
    opened_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField(null=True)  # unknown for some imported studies
    # How much of the time between them somebody was active: the page was visible, and used within half a minute.
    active_seconds = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["assignment", "stage"], name="one_submission_per_stage")]

    def __str__(self):
        return f"{self.assignment} {self.stage}"


class Response(models.Model):
    """One answered question about one item, or about one option of it, by a person or a model. Insert-only.

    If the protocol asks about texts as they are, it is about the unit's text, without an item.
    """

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="responses")
    stage = models.CharField(max_length=40)
    question = models.CharField(max_length=60)
    item = models.ForeignKey(Item, models.PROTECT, null=True, related_name="responses")
    option = models.ForeignKey(Option, models.PROTECT, null=True, related_name="responses")
    value = models.JSONField()  # true, a rating, an item's id, "tie": never a position on the page
    probability = models.FloatField(null=True)  # p(true) of a model
    unsure = models.BooleanField(null=True)
    comment = models.TextField(blank=True)
    instrument_version = models.ForeignKey(InstrumentVersion, models.PROTECT, related_name="+")
    submitted_at = models.DateTimeField(null=True)
    first_answered_at = models.DateTimeField(null=True)
    last_changed_at = models.DateTimeField(null=True)
    n_changes = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            # Several constraints, because SQLite has no "nulls not distinct".
            models.UniqueConstraint(
                fields=["assignment", "stage", "question"], condition=Q(item=None), name="one_response_about_the_text"
            ),
            models.UniqueConstraint(
                fields=["assignment", "stage", "question", "item"],
                condition=Q(option=None),
                name="one_response_per_item",
            ),
            models.UniqueConstraint(
                fields=["assignment", "stage", "question", "item", "option"],
                condition=Q(option__isnull=False),
                name="one_response_per_option",
            ),
            models.CheckConstraint(
                condition=Q(probability=None) | Q(probability__gte=0, probability__lte=1),
                name="probability_is_a_share",
            ),
        ]

    def __str__(self):
        return f"{self.assignment} {self.question}: {self.value}"


class Verdict(models.TextChoices):
    ACCEPTED = "accepted", _("accepted")
    REPAIRED = "repaired", _("repaired")
    REJECTED = "rejected", _("rejected")


class Review(models.Model):
    """A researcher's decision about an item that an annotator wrote: accepted into the bank, or not."""

    stem = models.OneToOneField(Response, models.CASCADE, related_name="review")  # the answer that is its stem
    verdict = models.CharField(max_length=20, choices=Verdict)
    reason = models.CharField(_("reason"), max_length=500, blank=True)
    item = models.ForeignKey(Item, models.PROTECT, null=True, related_name="+")
    reviewed_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    reviewed_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(item=None, verdict="rejected")
                | models.Q(item__isnull=False) & ~models.Q(verdict="rejected"),
                name="rejected_means_no_item",
            ),
        ]

    def __str__(self):
        return f"{self.stem}: {self.verdict}"


class Ruling(models.TextChoices):
    """What a researcher decided about a response; the response itself stays unchanged."""

    DECIDED = "decided", _("decided")  # people disagreed; this value counts in reports that use decisions
    FLAGGED = "flagged", _("flagged")
    EXCLUDED = "excluded", _("excluded")  # does not count in reports that use decisions


class Adjudication(models.Model):
    """A decision about one response. A reopened one keeps its row with who reopened it and why, so the table is its
    own log."""

    response = models.ForeignKey(Response, models.CASCADE, related_name="adjudications")
    settled = models.CharField(max_length=20, choices=Ruling)
    value = models.JSONField(null=True)
    reason = models.CharField(_("reason"), max_length=500, blank=True)
    decided_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField()
    reopened_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    reopened_at = models.DateTimeField(null=True)
    reopened_because = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["response"], condition=Q(reopened_at=None, settled="decided"), name="one_decision_per_response"
            ),
            models.UniqueConstraint(
                fields=["response"], condition=Q(reopened_at=None) & ~Q(settled="decided"), name="set_apart_once"
            ),
            models.CheckConstraint(
                condition=Q(settled="decided", value__isnull=False) | ~Q(settled="decided") & Q(value__isnull=True),
                name="decided_means_a_value",
            ),
        ]

    def __str__(self):
        return f"{self.response}: {self.settled}"


class Problem(models.TextChoices):
    """What an annotator can report about an item. The words reveal nothing that the stage hides."""

    UNCLEAR = "unclear", _("I do not understand it")
    WORDING = "wording", _("There is a mistake in the wording")
    DISPLAY = "display", _("Something is missing or shown wrongly")
    OTHER = "other", _("Something else")


class ItemReport(models.Model):
    """An annotator's report that an item is broken. It changes no answer."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="reports")
    stage = models.CharField(max_length=40)
    item = models.ForeignKey(Item, models.CASCADE, null=True, related_name="reports")  # null: about the whole unit
    problem = models.CharField(max_length=20, choices=Problem)
    words = models.CharField(max_length=1000, blank=True)
    made_at = models.DateTimeField()
    seen_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    seen_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self):
        return f"{self.assignment}: {self.problem}"
