"""Who has read which text: nobody guesses about a text they have read in any study of the project."""

from django.utils import timezone
from django.utils.translation import gettext as _

from items.models import Text
from studies.models import Annotator, Assignment
from studies.services.declaring import declaration_for


def texts_read(annotator: Annotator) -> set[str]:
    """External ids of the project's texts that the same person was shown as another annotator.

    The same person is who has the same `person` code, and nobody else.
    """
    if not annotator.person:
        return set()
    others = (
        Assignment.objects.filter(
            annotator__study__project_id=annotator.study.project_id, annotator__person=annotator.person
        )
        .exclude(annotator=annotator)
        .select_related("annotator__study__instrument_version", "annotator__variant__instrument_version", "unit__text")
        .prefetch_related("submissions")
    )
    return {other.unit.text.external_id for other in others if was_shown(other)}


def was_shown(assignment: Assignment) -> bool:
    """Whether the text of the assignment has left the server: a stage that shows it stands open or was handed in."""
    stages = declaration_for(assignment.annotator).every_stage
    showing = {stage.name for stage in stages if "text" in stage.shows}
    reached = {assignment.stage, *(submission.stage for submission in assignment.submissions.all())}
    return not showing.isdisjoint(reached)


def has_read(annotator: Annotator, text: Text) -> bool:
    """Whether the person behind the annotator has read the text in another study of the project."""
    return text.external_id in texts_read(annotator)


def give_back_read_texts(annotator: Annotator, begun_too: bool = False) -> int:
    """Leave the cells of texts this person has read to others; returns how many.

    Assignments of which nothing was handed in are given back if they were not opened yet, or with `begun_too`.
    """
    if not declaration_for(annotator).hides_texts:
        return 0
    known = texts_read(annotator)
    if not known:
        return 0
    unfit = annotator.assignments.open().filter(unit__text__external_id__in=known, submissions=None)
    if not begun_too:
        unfit = unfit.filter(stage_opened_at=None)
    return give_back([assignment.pk for assignment in unfit], _("The person has read this text in another study."))


def give_back(assignments: list[int], reason: str) -> int:
    """Return these to the plan: their cells are free for whoever joins next."""
    chosen = Assignment.objects.filter(pk__in=assignments, returned_at=None)
    return chosen.update(returned_at=timezone.now(), return_reason=reason)
