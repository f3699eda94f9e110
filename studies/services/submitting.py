"""From a complete stage to responses: written once, in one transaction, with the cursor moved on."""

from datetime import datetime

from django.utils import timezone

from projects.models import new_token
from studies.forms import StageForm
from studies.models import Assignment, Draft, Response, Submission
from studies.models.people import DONE
from studies.protocols import Stage
from studies.services.answers import Answer, answers_of
from studies.services.declaring import declaration_for, version_for


def form_answers(form: StageForm) -> list[Answer]:
    """Everything a complete form says, checked by the declaration."""
    return [
        answer
        for subject in form.subjects
        for answer in answers_of(form.stage, form.given(subject), form.about(subject))
    ]


def submit(assignment: Assignment, stage: Stage, answers: list[Answer]) -> None:
    """Write the responses of one stage and move the cursor, inside the caller's transaction.

    The unique submission of a stage makes a second hand-in fail in the database, whatever was checked before.
    """
    now = timezone.now()
    Submission.objects.create(
        assignment=assignment, stage=stage.name, opened_at=assignment.stage_opened_at, submitted_at=now
    )
    drafts = {draft.item_id: draft for draft in assignment.drafts.filter(stage=stage.name)}
    version = version_for(assignment.annotator)
    Response.objects.bulk_create(
        response_from(assignment, stage, answer, drafts.get(answer.item_id), version, now) for answer in answers
    )
    advance(assignment, stage, now)


def response_from(
    assignment: Assignment, stage: Stage, answer: Answer, draft: Draft | None, version: int, now: datetime
) -> Response:
    return Response(
        assignment=assignment,
        stage=stage.name,
        question=answer.question,
        item_id=answer.item_id,
        option_id=answer.option_id,
        value=answer.value,
        unsure=answer.unsure,
        probability=answer.probability,
        comment=answer.comment,
        instrument_version_id=version,
        submitted_at=now,
        first_answered_at=draft.first_answered_at if draft else None,
        last_changed_at=draft.last_changed_at if draft else None,
        n_changes=draft.n_changes if draft else None,
    )


def advance(assignment: Assignment, stage: Stage, now: datetime) -> None:
    """Move the cursor to the next stage, with a new token, or to the end."""
    following = declaration_for(assignment.annotator).after(stage.name)
    assignment.stage = following.name if following else DONE
    assignment.stage_opened_at = now if following else None
    assignment.finished_at = None if following else now
    assignment.token = new_token()
    assignment.save(update_fields=["stage", "stage_opened_at", "finished_at", "token"])
