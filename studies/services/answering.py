"""Take an annotator through a study: join, save drafts, submit stages, take the last unit back.

The current stage and token of an assignment, its cursor, decide what may be read and written.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from projects.models import new_token
from projects.sql import insert_rows, update_row
from studies.models import Annotator, AnnotatorKind, Assignment, PhasePassed, Response, Study, Submission
from studies.models.people import DONE
from studies.phases import Phase
from studies.presentation_order import make_handle
from studies.protocols import Stage
from studies.services.answers import Answer, Drafts, check_answers
from studies.services.declarations import get_annotator_declaration, get_version_id
from studies.services.phases import get_phase, note_answers
from studies.services.places import (
    Place,
    find_place,
    find_read_texts,
    give_back_read_texts,
    locate,
)
from studies.services.recruiting import resume_work
from studies.services.stage_form import StageForm, read_list
from studies.services.states import hold_state

SEEN_EVERY = timedelta(minutes=1)  # precision of the time of the last visit


def store_submission(form: StageForm, active: int | None = None) -> None:
    """Write the responses of one stage and move the cursor, inside the caller's transaction; drafts supply the times.

    `active`: the active seconds counted by the page's script, capped at the elapsed time.

    The unique submission of a stage makes a second hand-in fail in the database, regardless of earlier checks.
    """
    now, assignment, stage = timezone.now(), form.assignment, form.stage
    if active is not None:
        active = min(active, round((now - (assignment.stage_opened_at or now)).total_seconds()))
    insert_rows(Submission, SUBMISSION_COLUMNS, [(assignment.pk, stage.name, assignment.stage_opened_at, now, active)])
    version = get_version_id(assignment.annotator)
    rows = [
        list_values(form, answer, version, now)
        for subject in form.subjects
        for answer in check_answers(stage, form.collect_answers(subject), form.describe_subject(subject))
    ]
    insert_rows(Response, RESPONSE_COLUMNS, rows)
    advance_cursor(assignment, stage, now)


SUBMISSION_COLUMNS = ("assignment_id", "stage", "opened_at", "submitted_at", "active_seconds")
ANSWER_COLUMNS = ("question", "item_id", "option_id", "value", "unsure", "probability", "comment")  # as in `Answer`
CHANGE_COLUMNS = ("first_answered_at", "last_changed_at", "n_changes")  # as in `Draft`
RESPONSE_COLUMNS = ("assignment_id", "stage", *ANSWER_COLUMNS, "instrument_version_id", "submitted_at", *CHANGE_COLUMNS)


def list_values(form: StageForm, answer: Answer, version: int, now: datetime) -> list[Any]:
    """The values of a response, in the order of `RESPONSE_COLUMNS`."""
    fields, draft = (getattr(answer, name) for name in ANSWER_COLUMNS), form.drafts.by_item.get(answer.item_id)
    changes = (getattr(draft, name, None) for name in CHANGE_COLUMNS)
    return [form.assignment.pk, form.stage.name, *fields, version, now, *changes]


def advance_cursor(assignment: Assignment, stage: Stage, now: datetime) -> None:
    """Move the cursor to the next stage with a new token, or to the end."""
    following = get_annotator_declaration(assignment.annotator).stage_after(stage.name)
    assignment.stage = following.name if following else DONE
    assignment.stage_opened_at = now if following else None
    assignment.finished_at = None if following else now
    assignment.token = new_token()
    update_row(assignment, "stage", "stage_opened_at", "finished_at", "token")


def draw_variant(annotator: Annotator) -> None:
    """If the study has variants, assign one to the annotator, once, inside the caller's transaction.

    It is the one with the fewest joined annotators of their group, then with the fewest of all; ties are broken by the
    study's seed. Only joined annotators count, so that the variants stay balanced.
    """
    if annotator.kind != AnnotatorKind.HUMAN or not annotator.study.variants.exists():
        return
    Study.objects.select_for_update().get(pk=annotator.study_id)  # one annotator at a time
    annotator.refresh_from_db(fields=["variant"])
    if annotator.variant_id:
        return
    joined = Annotator.objects.filter(
        study=annotator.study_id, purpose=annotator.purpose, variant__isnull=False
    ).values_list("variant", "group")
    of_all = Counter(variant for variant, _group in joined)
    of_group = Counter(variant for variant, group in joined if group == annotator.group)
    tie_breaker = Random(f"{annotator.study.seed}/variants/{annotator.purpose}/{annotator.seat}")
    annotator.variant = min(
        annotator.study.variants.all(), key=lambda each: (of_group[each.pk], of_all[each.pk], tie_breaker.random())
    )
    annotator.save(update_fields=["variant"])


class StaleStage(Exception):
    """The page is outdated, or was never this annotator's; nothing was stored. The message is a sentence.

    `place` is where the annotator is now.
    """

    def __init__(self, sentence: str, place: Place):
        super().__init__(sentence)
        self.place = place


class Incomplete(Exception):
    """Questions at `place` are unanswered; `form` says which. The drafts are stored."""

    def __init__(self, place: Place, form: StageForm):
        super().__init__(_("Some questions are not answered yet."))
        self.place, self.form = place, form


def join_study(annotator: Annotator) -> None:
    """Record that the annotator has joined, and draw their variant, if the study has variants."""
    with transaction.atomic():
        mark_seen(annotator)
        draw_variant(annotator)
        Annotator.objects.filter(pk=annotator.pk, joined_at=None).update(joined_at=timezone.now())


def mark_seen(annotator: Annotator) -> None:
    Annotator.objects.filter(pk=annotator.pk).update(last_seen=timezone.now())


def lock_place(annotator: Annotator, token: str | None = None, *, with_next: bool = False) -> Place:
    """The annotator's place, locked: until the transaction ends nobody else writes for them or ends the study.

    The rows are read while both locks are held. `token`: of the page that is handed in. `StaleStage` if the annotator
    has moved on since, the link was revoked or renewed, or the annotator removed.
    """
    hold_state(annotator.study_id, annotator.pk)
    place = find_place(annotator, with_next=with_next)
    if place.kind == "revoked":
        raise StaleStage(explain_stale(place), place)
    if place.kind == "returning":
        resume_work(place.annotator)
        place = find_place(annotator, with_next=with_next)
    last_seen = place.annotator.last_seen
    if last_seen is None or timezone.now() - last_seen > SEEN_EVERY:
        mark_seen(annotator)
    if token is not None and (not place.token or place.token != token):
        raise StaleStage(explain_stale(place), place)
    return place


def pass_phase(annotator: Annotator, name: str, data: Mapping[str, Any] | None = None) -> Place:
    """Pass the phase, if the annotator is at it, with the answers of a POST; returns the next place.

    If questions are unanswered, or the try was counted already (see `is_new_try`), the place stays the same.
    `StaleStage` if the phase was reworded since the page was opened.
    """
    with transaction.atomic():
        place = lock_place(annotator)
        phase = get_phase(place.annotator, name) if place.phase == name else None
        if phase and phase.kind == "consent" and data and data.get("version") not in (None, phase.version_shown):
            sentence = _("The words of this page were changed meanwhile. Please read them before you go on.")
            raise StaleStage(sentence, find_place(annotator))
        if phase is None or not take_answers(place.annotator, phase, data or {}):
            return find_place(annotator) if phase else place
        return open_next(place.annotator)


def take_answers(annotator: Annotator, phase: Phase, data: Mapping[str, Any]) -> bool:
    """Store the answers to the phase, inside the caller's transaction; returns whether the annotator may continue."""
    passage = PhasePassed.objects.filter(annotator=annotator, phase=phase.name).first() if phase.questions else None
    if passage and phase.kind == "training":  # the page showed the right answers
        PhasePassed.objects.filter(pk=passage.pk).update(passed_at=timezone.now())
        return True
    answers = phase.read(data)
    if phase.questions and (phase.find_missing(answers) or not is_new_try(passage, data)):
        return False
    return note_answers(annotator, phase, answers, passage).passed_at is not None


def is_new_try(passage: PhasePassed | None, data: Mapping[str, Any]) -> bool:
    """Whether the submitted page is a new try: a double click counts once."""
    return str(data.get("try", "")) == str(passage.tries if passage else 0)


def go_on(annotator: Annotator) -> Place:
    """Return to a returning annotator the work that was offered to others meanwhile; returns the next place."""
    with transaction.atomic():
        return open_next(lock_place(annotator).annotator)


def open_next(annotator: Annotator) -> Place:
    """Skip the texts that this person has read elsewhere, and start the clock of the next assignment."""
    give_back_read_texts(annotator)
    return start_clock(find_place(annotator))


def start_clock(place: Place) -> Place:
    if place.assignment is None or place.assignment.stage_opened_at:
        return place
    place.assignment.stage_opened_at = timezone.now()
    update_row(place.assignment, "stage_opened_at")
    return replace(place, drafts=Drafts(*place.assignment_and_stage, is_new=True))


def explain_stale(place: Place) -> str:
    if place.kind == "paused":
        return _("The study is paused at the moment. What was saved is kept.")
    if place.kind in ("closed", "revoked"):
        return _("The study no longer accepts answers through this link.")
    return _("This part was already handed in, perhaps in another tab. Here is where you are now.")


def save_drafts(annotator: Annotator, token: str, data: Mapping[str, Any]) -> int:
    """Save the drafts of the current stage; returns how many items changed. See `StageForm.take`."""
    with transaction.atomic():
        form = StageForm.for_place(lock_place(annotator, token), for_draft=True, items=read_list(data, "item"))
        form.take(data)
        return form.drafts.save()


def submit_stage(
    annotator: Annotator,
    token: str,
    data: Mapping[str, Any] | None = None,
    *,
    ask: bool = False,
    confirmed: str = "",
    active: int | None = None,
) -> Place:
    """Turn the answers to the current stage into responses, once; returns the next place.

    One transaction under one lock, so that what is confirmed is what is stored; `data` (a POST) updates the drafts in
    it, too. With `ask`, a stage that needs confirmation is not submitted: its place is returned, and `confirms` is the
    fingerprint of the answers. `confirmed` is that fingerprint: answers that another tab has entered since are not
    handed in.

    Raises `StaleStage` (nothing handed in) or `Incomplete` (the drafts kept).
    """
    with transaction.atomic():
        place = lock_place(annotator, token, with_next=True)
        form = StageForm.for_place(place)
        if data is not None:
            form.take(data)
        refusal = find_refusal(place, form, confirmed)
        asks = ask and place.assignment_and_stage[1].confirm
        stages = form.question_source.declaration.stages
        # a later stage may start from the drafts of this one; other drafts are no longer needed after submission
        if refusal or asks or any(each.starts_from == form.stage.name for each in stages):
            form.drafts.save()
        if asks and not refusal:
            place = replace(place, confirms=form.fingerprint)
        elif not refusal:
            place = hand_in(place, form, active)
    if refusal is not None:  # outside the transaction, so that the drafts are kept
        raise refusal
    return place


def hand_in(place: Place, form: StageForm, active: int | None = None) -> Place:
    """Store the answers in the form, inside the caller's transaction; returns the next place."""
    store_submission(form, active)
    annotator, assignment = place.annotator, form.assignment
    if give_back_read_texts(annotator):
        return open_next(annotator)
    if assignment.finished_at:
        return start_clock(locate(annotator, place.following, assignment, place.shown_items))
    after = locate(annotator, [assignment, *place.following])
    return replace(after, drafts=Drafts(*after.assignment_and_stage, is_new=True)) if after.stage else after


def find_refusal(place: Place, form: StageForm, confirmed: str) -> StaleStage | Incomplete | None:
    """The error that says why the stage cannot be handed in now; None if it can."""
    assignment, stage = place.assignment_and_stage
    if "text" not in stage.shows and assignment.unit.text.external_id in find_read_texts(place.annotator):
        give_back_read_texts(place.annotator, begun_too=True)
        sentence = _("You have already read this text in another study, so it is skipped here.")
        return StaleStage(sentence, open_next(place.annotator))
    if not form.is_valid():
        return Incomplete(place, form)
    if confirmed and confirmed != form.fingerprint:
        sentence = _("Your answers have changed since, perhaps in another tab. Check them, then hand them in again.")
        return StaleStage(sentence, place)
    return None


RETRACTABLE_PLACES = ("stage", "waiting", "done")


def find_retractable(place: Place) -> Assignment | None:
    """The assignment that an annotator at this place may take back: the one finished last, unless it is open again
    already. None if the protocol lets nobody go back."""
    if place.kind not in RETRACTABLE_PLACES or not get_annotator_declaration(place.annotator).takes_back:
        return None
    finished = place.annotator.assignments.active().filter(finished_at__isnull=False)
    done = place.done or finished.order_by("-finished_at", "-pk").first()
    open_again = done and place.assignment and place.assignment.unit_id == done.unit_id
    return None if open_again else done


@transaction.atomic
def take_back(annotator: Annotator, token: str) -> Place:
    """Reopen the unit submitted last; `token` is the current one of its assignment. Returns the annotator's next place.

    `StaleStage` if something else was handed in meanwhile, or if the unit is open again already. Answers of the new
    round supersede those of the round before; both are kept.
    """
    place = lock_place(annotator)
    done = find_retractable(place)
    if done is None or done.token != token:
        raise StaleStage(_("This can no longer be undone. Here is where you are now."), place)
    repeat_assignment(done)
    return open_next(place.annotator)


def repeat_assignment(done: Assignment) -> Assignment:
    """A copy of the assignment in the next round, at the same position and with the same orders and sides."""
    rounds = done.annotator.assignments.filter(unit=done.unit).aggregate(last=Max("round"))
    return Assignment.objects.create(
        annotator=done.annotator,
        unit=done.unit,
        slot=done.slot,
        round=rounds["last"] + 1,
        position=done.position,
        shown={stage: [renew_handles(row) for row in rows] for stage, rows in done.shown.items()},
        stage=get_annotator_declaration(done.annotator).stages[0].name,
    )


def renew_handles(row: list[Any]) -> list[Any]:
    _handle, item, options = row
    return [make_handle(), item, [[make_handle(), option] for _option_handle, option in options]]
