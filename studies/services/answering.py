"""The way of an annotator through a study. One cursor decides every read and every write."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from projects.models import new_token
from studies.forms import StageForm, drafted
from studies.models import Annotator, Assignment, Draft, PhasePassed, Purpose, Response, Study, StudyState, Submission
from studies.models.people import DONE
from studies.protocols import Stage
from studies.services.answers import Answer, answers_of
from studies.services.declaring import declaration_of
from studies.services.reading import give_back_read_texts, has_read
from studies.shown import shown_items


class StaleStage(Exception):
    """The page's stage is over, or was never this annotator's; nothing was stored. The message is a sentence."""


class Incomplete(Exception):
    """Something is still unanswered; `form` says what. The drafts are kept."""

    def __init__(self, form: StageForm):
        super().__init__(_("Some questions are not answered yet."))
        self.form = form


Kind = Literal["revoked", "closed", "paused", "phase", "stage", "done"]


@dataclass(frozen=True)
class Place:
    """Where an annotator stands: the page they should see, whatever they typed."""

    kind: Kind
    phase: str | None = None
    assignment: Assignment | None = None
    stage: Stage | None = None
    number: int = 0
    total: int = 0


def place_of(annotator: Annotator) -> Place:
    """Where the annotator stands now. Reads only."""
    barrier = barrier_for(annotator)
    if barrier:
        return Place(barrier)
    declaration = declaration_of(annotator.study)
    passed = set(annotator.phases_passed.values_list("phase", flat=True))
    for phase in declaration.phases:
        if phase not in passed:
            return Place("phase", phase=phase)
    mine = annotator.assignments.active()
    assignment = mine.open().select_related("unit__text", "annotator__study__instrument_version").first()
    total = mine.count()
    if assignment is None:
        return Place("done", total=total)
    number = mine.filter(finished_at__isnull=False).count() + 1
    return Place("stage", None, assignment, declaration.stage(assignment.stage), number, total)


def barrier_for(annotator: Annotator) -> Literal["revoked", "closed", "paused"] | None:
    """What keeps an annotator out just now, if anything does."""
    if annotator.revoked_at:
        return "revoked"
    state = annotator.study.state
    if state == StudyState.LIVE or (state == StudyState.DRAFT and annotator.purpose == Purpose.PREVIEW):
        return None
    return "paused" if state == StudyState.PAUSED else "closed"


def annotator_by_token(token: str) -> Annotator | None:
    """The annotator whose link this is, revoked or not."""
    return Annotator.objects.select_related("study__instrument_version").filter(token=token).first()


def annotator_by_public_id(public_id: str, token: str) -> Annotator | None:
    """The annotator of a work page, if the browser also holds the token of their link."""
    annotator = annotator_by_token(token)
    return annotator if annotator and annotator.public_id == public_id else None


def join(annotator: Annotator) -> None:
    """The annotator has opened their link and pressed the button."""
    with transaction.atomic():
        seen(annotator)
        Annotator.objects.filter(pk=annotator.pk, joined_at=None).update(joined_at=timezone.now())


def seen(annotator: Annotator) -> None:
    Annotator.objects.filter(pk=annotator.pk).update(last_seen=timezone.now())


def pass_phase(annotator: Annotator, phase: str) -> None:
    """Note that the phase was gone through, if it is the one the annotator stands at; else change nothing."""
    with transaction.atomic():
        if place_of(annotator).phase != phase:
            return
        PhasePassed.objects.get_or_create(annotator=annotator, phase=phase, defaults={"passed_at": timezone.now()})
        seen(annotator)
        open_next(annotator)


def open_next(annotator: Annotator) -> None:
    """Leave out the texts that this person has read elsewhere, and start the clock of the next assignment."""
    give_back_read_texts(annotator)
    following = annotator.assignments.open().first()
    if following and following.stage_opened_at is None and place_of(annotator).kind == "stage":
        Assignment.objects.filter(pk=following.pk).update(stage_opened_at=timezone.now())


def locked_stage(annotator: Annotator, token: str) -> tuple[Assignment, Stage]:
    """The assignment whose current page carries this token, locked; `StaleStage` if there is none."""
    assignment = (
        Assignment.objects.open()
        .select_for_update(of=("self",))
        .select_related("unit__text")
        .filter(annotator=annotator, token=token)
        .first()
    )
    current_study = Study.objects.select_related("instrument_version").get(pk=annotator.study_id)
    annotator.study = current_study
    place = place_of(annotator)
    if assignment is None or place.assignment is None or place.assignment.pk != assignment.pk:
        raise StaleStage(stale_sentence(place))
    assert place.stage is not None
    return assignment, place.stage


def stale_sentence(place: Place) -> str:
    if place.kind == "paused":
        return _("The study is paused at the moment. What was saved is kept.")
    if place.kind in ("closed", "revoked"):
        return _("The study takes no more answers through this link.")
    return _("This part was already handed in, perhaps in another tab. Here is where you are now.")


def save_drafts(annotator: Annotator, token: str, data: Mapping[str, Any]) -> int:
    """Keep what was entered on the page of the current stage; returns how many items changed.

    `data` is a POST. Its values `item` name the handles it speaks about (all, if there are none).
    """
    with transaction.atomic():
        assignment, stage = locked_stage(annotator, token)
        seen(annotator)
        return store_drafts(assignment, stage, data)


def store_drafts(assignment: Assignment, stage: Stage, data: Mapping[str, Any]) -> int:
    form = StageForm(assignment, stage, data)
    named = set(data.getlist("item")) if hasattr(data, "getlist") else set()
    drafts = {draft.item_id: draft for draft in assignment.drafts.filter(stage=stage.name)}
    changed = 0
    for shown in form.shown:
        if not named or shown.handle in named:
            changed += store_draft(assignment, stage, shown.item_id, drafts.get(shown.item_id), form.sent(shown.handle))
    return changed


def store_draft(assignment: Assignment, stage: Stage, item_id: int, draft: Draft | None, values: dict[str, Any]) -> int:
    """Write one item's draft if it differs; 1 if it did."""
    now = timezone.now()
    if draft is None:
        if not values:
            return 0
        times = {"first_answered_at": now, "last_changed_at": now}
        Draft.objects.create(assignment=assignment, stage=stage.name, item_id=item_id, values=values, **times)
        return 1
    if draft.values == values:
        return 0
    draft.values, draft.last_changed_at, draft.n_changes = values, now, draft.n_changes + 1
    draft.save(update_fields=["values", "last_changed_at", "n_changes"])
    return 1


def drafted_form(assignment: Assignment, stage: Stage) -> StageForm:
    """The stage form bound to its drafts: valid if the stage could be handed in."""
    return StageForm(assignment, stage, drafted(assignment, stage, shown_items(assignment.shown, stage.name)))


def hand_in(annotator: Annotator, token: str, data: Mapping[str, Any] | None = None) -> None:
    """Make the drafts of the current stage responses, once, and move the cursor.

    With `data` (a POST) the drafts are brought up to date first. Raises `StaleStage` (nothing stored) or `Incomplete`
    (the drafts kept).
    """
    incomplete = None
    with transaction.atomic():
        assignment, stage = locked_stage(annotator, token)
        seen(annotator)
        if data is not None:
            store_drafts(assignment, stage, data)
        form = drafted_form(assignment, stage)
        if "text" not in stage.shows and has_read(annotator, assignment.unit.text):
            give_back_read_texts(annotator, begun_too=True)
            open_next(annotator)
        elif form.is_valid():
            submit(assignment, stage, form_answers(form))
            open_next(annotator)
        else:
            incomplete = form
    if incomplete is not None:
        raise Incomplete(incomplete)


def form_answers(form: StageForm) -> list[Answer]:
    """Everything a complete form says, checked by the declaration."""
    return [
        answer
        for shown in form.shown
        for answer in answers_of(form.stage, form.given(shown), [option.option_id for option in shown.options])
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
    version = assignment.annotator.study.instrument_version_id
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
        instrument_version_id=version,
        submitted_at=now,
        first_answered_at=draft.first_answered_at if draft else None,
        last_changed_at=draft.last_changed_at if draft else None,
        n_changes=draft.n_changes if draft else None,
    )


def advance(assignment: Assignment, stage: Stage, now: datetime) -> None:
    """Move the cursor to the next stage, with a new token, or to the end."""
    following = declaration_of(assignment.annotator.study).after(stage.name)
    assignment.stage = following.name if following else DONE
    assignment.stage_opened_at = now if following else None
    assignment.finished_at = None if following else now
    assignment.token = new_token()
    assignment.save(update_fields=["stage", "stage_opened_at", "finished_at", "token"])
