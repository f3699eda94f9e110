from django.conf import settings
from django.db import models

from items.models import Item
from projects.models import Project
from studies.models import Annotator

MAX_METRIC_NAME = 100
RUN_KIND, JUDGE_KIND = "evaluation", "judgment"  # kinds of runs in `llm` in which evaluators answer
SCORING_KIND = "scoring"  # of runs about items that a program sent
RUN_KINDS = (RUN_KIND, JUDGE_KIND)


class Evaluator(models.Model):
    """How a model or baseline answers a study: everything that distinguishes this evaluator from others."""

    annotator = models.OneToOneField(Annotator, models.CASCADE, related_name="evaluator")
    method = models.CharField(max_length=20)  # "model", "judge", or the name of a baseline
    stages = models.JSONField(default=list)  # the names of those that it answers
    params = models.JSONField(default=dict)  # fixed by the method when it was added, such as its threshold
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self):
        return self.annotator.code


class Scoring(models.Model):
    """Texts with items that a program has sent for scoring. They do not belong to the bank."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="scorings")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    fingerprint = models.CharField(max_length=64)  # hash of the request: equal ones share this row
    language = models.CharField(max_length=20)
    texts = models.JSONField()  # in the format of item files, each with its id
    evaluators = models.JSONField()  # how each answers; a model's run has `scope`

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(fields=["project", "fingerprint"], name="one_scoring_per_content")]

    def __str__(self):
        return f"#{self.pk}"

    @property
    def scope(self) -> str:
        return f"scoring {self.pk}"


class Metric(models.Model):
    """A metric of questions: computed here by its name, or imported.

    A name that ends in a colon and the name of a dimension, such as `UniEval:fluency`, is about that dimension alone.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="metrics")
    name = models.CharField(max_length=MAX_METRIC_NAME)
    is_computed = models.BooleanField(default=False)
    family = models.CharField(max_length=100, blank=True)  # of its base model, as in the factor of generators
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)  # when its values were last written

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="one_metric_per_name")]

    def __str__(self):
        return self.name


class MetricValue(models.Model):
    """The value of a metric for one version of an item; without a value it is undefined, and the reason says why."""

    metric = models.ForeignKey(Metric, models.CASCADE, related_name="values")
    item = models.ForeignKey(Item, models.CASCADE, related_name="metric_values")
    value = models.FloatField(null=True)
    reason = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["item", "metric"]
        constraints = [models.UniqueConstraint(fields=["metric", "item"], name="one_value_per_metric_and_item")]

    def __str__(self):
        return f"{self.metric}: {self.value}"
