"""Two studies of a project that ask about the same items: which there are, and how both compare."""

from django.db.models import Exists, OuterRef, QuerySet

from analysis.services.cached_results import ResultKey, get_result
from analysis.services.results import usual_choices
from analysis.tables.spec import Table
from studies.models import Study, StudyState, UnitItem
from studies.services.states import are_effects_hidden


def list_comparable(study: Study) -> list[Study]:
    """Other studies of the project with items of this one, another protocol first; none whose effects are hidden."""
    items = UnitItem.objects.filter(unit__study=study).values("item__external_id")
    shared = UnitItem.objects.filter(unit__study=OuterRef("pk"), item__external_id__in=items)
    others: QuerySet[Study] = study.project.studies.exclude(pk=study.pk).exclude(state=StudyState.DRAFT)
    found = [each for each in others.filter(Exists(shared)) if not are_effects_hidden(each)]
    return sorted(found, key=lambda each: each.protocol == study.protocol)


def compare_with(study: Study, other: Study) -> tuple[Table, Table]:
    """The tables of `analysis.science.between`, in the language of now; `ResultPending` while a worker is at it."""
    from analysis.science.between import compare_studies  # pandas takes a second to load

    scores = [get_result(ResultKey("scores", each, usual_choices(each))) for each in (study, other)]
    return compare_studies(*scores)
