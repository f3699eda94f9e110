from django.db import models

from studies.models import Annotator


class Evaluator(models.Model):
    """How a model or baseline answers a study: what makes it this evaluator and no other."""

    annotator = models.OneToOneField(Annotator, models.CASCADE, related_name="evaluator")
    method = models.CharField(max_length=20)  # a baseline of evaluation.baselines
    stages = models.JSONField(default=list)  # the names of those that it answers
    params = models.JSONField(default=dict)  # what the method fixed when it was added, such as its threshold
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self):
        return self.annotator.code
