from django.conf import settings
from django.db import models

from studies.models.study import Study


class EffectsSwitch(models.Model):
    """An owner hid what the answers say of the generators, or showed it again. The newest row holds; none is changed.

    The rows are the switch and its log in one: whoever reads the results later can see what could be seen when.
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
