"""Which texts of a study leave Lesart as hashes only."""

from django.db.models import Q

from items.models import Text
from studies.models import Study


def hidden_texts(study: Study) -> frozenset[str]:
    """Ids of texts of which the version in the study, or the newest one, may not be shared."""
    ids = study.units.values("text__external_id")
    found = Text.objects.filter(project=study.project, external_id__in=ids).filter(
        Q(units__study=study) | Q(superseded_at=None)
    )
    return frozenset(found.filter(shareable=False).values_list("external_id", flat=True))
