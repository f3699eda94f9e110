from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from analysis.codes import get_code_title
from items.models import Item, Option
from studies.models import Study


class GeneratorMatch(models.Model):
    """Which published generator a generator of a study is, according to a researcher; empty: none. The newest row of a
    generator is valid; rows are never changed, so the table is its own log."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="generator_matches")
    generator = models.CharField(max_length=200)  # its name in the bank
    published = models.CharField(max_length=200, blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "generator matches"

    def __str__(self):
        return f"{self.study.slug}: {self.generator} is {self.published or 'none'}"


class IndependentCoding(models.Model):
    """The codes of one coder, which nobody else sees and no result counts until two coders have finished."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="codings")
    coder = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    begun_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["study", "coder"], name="one_coding_per_coder")]

    def __str__(self):
        return f"{self.study.slug}: {self.coder}"


class CodingAct(models.Model):
    """One action on the codes of one or several items, which can be undone as a whole."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="coding_acts")
    coding = models.ForeignKey(IndependentCoding, models.CASCADE, null=True, related_name="acts")  # null: the team's
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self):
        return f"{self.study} {self.made_at:%Y-%m-%d %H:%M}"


class ItemCodeQuerySet(models.QuerySet):
    def current(self, coding: IndependentCoding | None = None) -> Self:
        """The codes that were not removed: the team's, which results count, or those of one independent coder."""
        return self.filter(removed_at=None, coding=coding)


class ItemCode(models.Model):
    """A finding about an item, set by a reader of a study's results: a code, where it applies, who set it and when.

    It belongs to the analysis, not to the item or the study: it is based on answers, two studies of one item may come
    to different findings, and nothing an annotator sees or a study freezes depends on it. Rows are never changed: a
    code that is removed keeps its row with who removed it and when, so the table is its own log.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="item_codes")
    item = models.ForeignKey(Item, models.CASCADE, related_name="codes")
    coding = models.ForeignKey(IndependentCoding, models.CASCADE, null=True, related_name="codes")  # null: the team's
    code = models.CharField(max_length=130)  # a name of analysis.codes
    option = models.ForeignKey(Option, models.CASCADE, null=True, related_name="codes")
    start = models.PositiveIntegerField(null=True)  # the span of the text's body, in characters, end not included
    end = models.PositiveIntegerField(null=True)
    note = models.TextField(blank=True)
    set_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    set_at = models.DateTimeField(auto_now_add=True)
    removed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    removed_at = models.DateTimeField(null=True)
    set_in = models.ForeignKey(CodingAct, models.SET_NULL, null=True, related_name="codes_set")
    removed_in = models.ForeignKey(CodingAct, models.SET_NULL, null=True, related_name="codes_removed")

    objects = ItemCodeQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            # Two constraints, because SQLite has no "nulls not distinct".
            models.UniqueConstraint(
                fields=["study", "item", "code"],
                condition=Q(removed_at=None, option=None, coding=None),
                name="one_code_per_item",
            ),
            models.UniqueConstraint(
                fields=["study", "item", "code", "option"],
                condition=Q(removed_at=None, option__isnull=False, coding=None),
                name="one_code_per_option",
            ),
            models.UniqueConstraint(
                fields=["coding", "item", "code"],
                condition=Q(removed_at=None, coding__isnull=False),
                name="one_code_per_coder",
            ),
            models.CheckConstraint(
                condition=Q(start=None, end=None) | Q(start__isnull=False, end__gt=models.F("start")),
                name="span_has_both_ends",
            ),
        ]

    def __str__(self):
        return f"{self.item.external_id}: {self.code}"

    @property
    def title(self) -> str:
        return get_code_title(self.study.protocol, self.code)

    @property
    def quote(self) -> str:
        """The part of the text that it points to, or nothing."""
        return self.item.text.body[self.start : self.end] if self.end else ""


class CodeDecision(models.Model):
    """The decision on a question on which independent coders disagree. A reopened one keeps its row with who reopened
    it and why, so the table is its own log."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="code_decisions")
    item = models.ForeignKey(Item, models.CASCADE, related_name="code_decisions")
    question = models.CharField(max_length=130)  # a kind with one code per item, or else a single code (set or not)
    value = models.CharField(max_length=130, blank=True)  # the code; empty: none
    reason = models.CharField(max_length=500, blank=True)
    act = models.ForeignKey(CodingAct, models.SET_NULL, null=True, related_name="+")  # its changes to the team's codes
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(auto_now_add=True)
    reopened_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reopened_at = models.DateTimeField(null=True)
    reopened_because = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "item", "question"], condition=Q(reopened_at=None), name="one_decision_per_question"
            )
        ]

    def __str__(self):
        return f"{self.item.external_id}, {self.question}: {self.value or 'none'}"
