from django.db import models
from django.utils.translation import gettext_lazy as _

from items.models import Item
from projects.models import User
from studies.models.answer import Response


class Verdict(models.TextChoices):
    ACCEPTED = "accepted", _("accepted")
    REPAIRED = "repaired", _("repaired")
    REJECTED = "rejected", _("rejected")


class Review(models.Model):
    """What a researcher decided about an item that an annotator wrote: it is in the bank, or it is not."""

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
