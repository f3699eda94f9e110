"""Which responses count as a study's answers, for reports and exports alike."""

from collections.abc import Collection

from django.db.models import QuerySet

from studies.models import Response, Study

MAIN = ("main",)


def handed_in(study: Study, purposes: Collection[str] = MAIN) -> QuerySet[Response]:
    """The responses of the annotators with one of these purposes, without those of units that were given back."""
    return Response.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__purpose__in=purposes,
        assignment__returned_at=None,
    )
