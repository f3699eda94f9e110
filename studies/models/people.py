import secrets
from typing import Self

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from items.models import MAX_VERSION_NAME, Generator
from projects.models import new_token
from studies.models.study import Study, Unit, Variant

DONE = "done"


def new_public_id() -> str:
    """A random id that annotators may see; it reveals nothing."""
    return secrets.token_hex(8)


class AnnotatorKind(models.TextChoices):
    HUMAN = "human", _("person")
    MODEL = "model", _("model")
    BASELINE = "baseline", _("baseline")


class Purpose(models.TextChoices):
    MAIN = "main", _("main")
    PILOT = "pilot", _("pilot")
    PREVIEW = "preview", _("preview")
    SIMULATED = "simulated", _("simulated")
    EXPERT = "expert", _("expert")  # judges the answers of others; in no figure but the expert check


class EndReason(models.TextChoices):
    """Why a person no longer takes part, except after finishing."""

    SCREENED_OUT = "screened_out", _("screened out")
    FAILED_CHECK = "failed_check", _("failed check")
    WITHDRAWN = "withdrawn", _("withdrawn")
    REMOVED = "removed", _("removed")


ERASED = (EndReason.WITHDRAWN, EndReason.REMOVED)  # everything but the code has been deleted


class Annotator(models.Model):
    """Somebody who answers in one study, under a code, in one group. Equal `person` codes mean the same person."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="annotators")
    code = models.CharField(_("code"), max_length=200)
    kind = models.CharField(max_length=20, choices=AnnotatorKind, default=AnnotatorKind.HUMAN)
    group = models.CharField(_("group"), max_length=100, blank=True)
    person = models.CharField(_("person"), max_length=200, blank=True)
    purpose = models.CharField(max_length=20, choices=Purpose, default=Purpose.MAIN)
    # Drawn when they join, never shown to them; null if the study has no variants, or before they join.
    variant = models.ForeignKey(Variant, models.RESTRICT, null=True, related_name="annotators")
    model = models.CharField(max_length=200, blank=True)
    reading = models.CharField(max_length=20, blank=True)  # ticked, label or probability
    profile = models.JSONField(default=dict, blank=True)
    seat = models.PositiveIntegerField(null=True)  # the row of the plan that this annotator works through
    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    token = models.CharField(max_length=64, unique=True, default=new_token, editable=False)
    revoked_at = models.DateTimeField(null=True)
    paused_at = models.DateTimeField(null=True)
    ended_as = models.CharField(max_length=20, choices=EndReason, blank=True)
    ended_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    joined_at = models.DateTimeField(null=True)
    last_seen = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["study", "code"], name="one_annotator_per_code"),
            models.UniqueConstraint(
                fields=["study", "purpose", "seat"], condition=Q(seat__isnull=False), name="one_annotator_per_seat"
            ),
        ]

    def __str__(self):
        return self.code

    def get_link(self) -> str:
        """The path of the personal link; anybody who has it can answer as this annotator."""
        return reverse("join", args=[self.token])

    def get_own_answers_link(self) -> str:
        """The path of the page on which they see and withdraw their answers; it asks for the second code.

        It does not contain the personal link, because other people may see it on pages.
        """
        return reverse("own_answers", args=[self.public_id])


class Contact(models.Model):
    """The roster: how to reach a person. Kept apart from answers, in no export of them, deleted separately."""

    annotator = models.OneToOneField(Annotator, models.CASCADE, related_name="contact")
    name = models.CharField(_("name"), max_length=200, blank=True)
    email = models.EmailField(_("e-mail"), blank=True)
    invited_at = models.DateTimeField(null=True)
    reminded_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=300, blank=True)  # the mail server's error for the last message

    class Meta:
        ordering = ["annotator"]

    def __str__(self):
        return f"contact of {self.annotator}"


class PhasePassed(models.Model):
    """What an annotator did in a phase (consent, a test): in which wording, in how many tries, with what score."""

    annotator = models.ForeignKey(Annotator, models.CASCADE, related_name="phases_passed")
    phase = models.CharField(max_length=40)
    version = models.CharField(max_length=80, blank=True)  # of the wording, see `studies.phases.Phase.version_shown`
    tries = models.PositiveSmallIntegerField(default=1)
    score = models.PositiveSmallIntegerField(null=True)  # questions answered correctly in the last try
    answers = models.JSONField(default=dict, blank=True)  # of the last try, by the name of the question
    passed_at = models.DateTimeField(null=True)  # null: still in it, or failed
    failed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["annotator", "phase"], name="one_passage_per_phase")]

    def __str__(self):
        return f"{self.annotator}: {self.phase}"


class Slot(models.Model):
    """A cell of the plan: one unit for one seat. It also fixes which generator is guessed there."""

    unit = models.ForeignKey(Unit, models.CASCADE, related_name="slots")
    purpose = models.CharField(max_length=20, choices=Purpose, default=Purpose.MAIN)
    seat = models.PositiveIntegerField()
    group = models.CharField(max_length=100, blank=True)  # reserved for annotators of this group; empty: for anybody
    generator = models.ForeignKey(Generator, models.PROTECT, null=True, related_name="+")
    text_version = models.CharField(max_length=MAX_VERSION_NAME, blank=True, default="")  # in a study of text versions

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["unit", "purpose", "seat"], name="one_slot_per_seat")]

    def __str__(self):
        return f"{self.unit} seat {self.seat}"


class Apart(models.TextChoices):
    """Why an assignment outside the plan is kept. Its answers are not counted."""

    PRACTICE = "practice", _("practice")
    SURPLUS = "surplus", _("surplus")  # somebody else took its cell while its annotator was away
    ABANDONED = "abandoned", _("abandoned")  # nobody works on it; its annotator may come back and continue


WORKED_ON = Q(returned_at=None) | Q(apart__in=[Apart.PRACTICE, Apart.SURPLUS])


class AssignmentQuerySet(models.QuerySet):
    def active(self) -> Self:
        """Without those returned to the plan."""
        return self.filter(returned_at=None)

    def open(self) -> Self:
        return self.active().filter(finished_at=None)

    def worked_on(self) -> Self:
        """What their annotators have to do or have done, including work that is not counted."""
        return self.filter(WORKED_ON)


class Assignment(models.Model):
    """A unit given to an annotator in a round, with the order drawn for them and the stage they have reached."""

    annotator = models.ForeignKey(Annotator, models.CASCADE, related_name="assignments")
    unit = models.ForeignKey(Unit, models.PROTECT, related_name="assignments")
    slot = models.ForeignKey(Slot, models.SET_NULL, null=True, related_name="assignments")
    round = models.PositiveSmallIntegerField(default=1)
    position = models.PositiveIntegerField()  # in the annotator's own order of units
    # {stage: [[handle, item pk, [[handle, option pk], …]], …]} in the order shown; see studies.presentation_order
    shown = models.JSONField(default=dict)
    # The version shown in a study of text versions; empty: the text has a single version.
    text_version = models.CharField(max_length=MAX_VERSION_NAME, blank=True, default="")
    # In a second round, the reopened answers with what is shown beside each; null: all are open.
    # {item pk: {question: {"rules": ["c"], "own": 3, "others": [1, 2]}}}
    reopened = models.JSONField(null=True)
    stage = models.CharField(max_length=40)  # the cursor: a stage of the protocol, or DONE
    token = models.CharField(max_length=64, default=new_token)  # carried by the page of this stage, new in each
    stage_opened_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    returned_at = models.DateTimeField(null=True)
    return_reason = models.CharField(max_length=200, blank=True)
    apart = models.CharField(max_length=20, choices=Apart, null=True)  # only if it was returned to the plan

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "unit", "round"],
                condition=Q(returned_at=None),
                name="one_assignment_per_round",
            ),
            models.UniqueConstraint(
                fields=["slot", "round"],
                condition=Q(returned_at=None, slot__isnull=False),
                name="one_assignment_per_slot",
            ),
            models.CheckConstraint(
                condition=Q(finished_at=None, stage__gt="") & ~Q(stage=DONE) | Q(finished_at__isnull=False, stage=DONE),
                name="finished_means_done",
            ),
        ]
        indexes = [
            # Finds an annotator's place, and counts finished and all units, in time independent of the study's size.
            models.Index(
                fields=["annotator", "position", "id"],
                condition=Q(finished_at=None),
                name="open_assignments",
            ),
            models.Index(
                fields=["annotator", "round", "finished_at", "returned_at", "apart"], name="assignment_counts"
            ),
        ]

    def __str__(self):
        return f"{self.annotator} {self.unit}"
