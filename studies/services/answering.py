"""Take an annotator through a study: join, save drafts, submit stages, take the last unit back.

One cursor decides every read and every write.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from projects.models import new_token
from studies.models import Annotator, AnnotatorKind, Assignment, Draft, PhasePassed, Response, Study, Submission
from studies.models.people import DONE
from studies.presentation_order import make_handle
from studies.protocols import Stage
from studies.services.answers import Answer, Drafts, check_answers
from studies.services.declarations import get_annotator_declaration, get_declaration, get_version_id
from studies.services.places import (
    RELATED,
    Place,
    find_place,
    give_back_read_texts,
    has_read,
)
from studies.services.stage_form import StageForm
from studies.services.states import hold_state


def collect_answers(form: StageForm) -> list[Answer]:
    """Everything a complete form says, checked by the declaration."""
    return [
        answer
        for subject in form.subjects
        for answer in check_answers(form.stage, form.given(subject), form.about(subject))
    ]


def store_submission(
    assignment: Assignment, stage: Stage, answers: list[Answer], drafts: Mapping[int | None, Draft]
) -> None:
    """Write the responses of one stage and move the cursor, inside the caller's transaction; `drafts` have the times.

    The unique submission of a stage makes a second hand-in fail in the database, whatever was checked before.
    """
    now = timezone.now()
    Submission.objects.create(
        assignment=assignment, stage=stage.name, opened_at=assignment.stage_opened_at, submitted_at=now
    )
    version = get_version_id(assignment.annotator)
    Response.objects.bulk_create(
        build_response(assignment, stage, answer, drafts.get(answer.item_id), version, now) for answer in answers
    )
    advance_cursor(assignment, stage, now)


def build_response(
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


def advance_cursor(assignment: Assignment, stage: Stage, now: datetime) -> None:
    """Move the cursor to the next stage, with a new token, or to the end."""
    following = get_annotator_declaration(assignment.annotator).after(stage.name)
    assignment.stage = following.name if following else DONE
    assignment.stage_opened_at = now if following else None
    assignment.finished_at = None if following else now
    assignment.token = new_token()
    assignment.save(update_fields=["stage", "stage_opened_at", "finished_at", "token"])


def draw_variant(annotator: Annotator) -> None:
    """Put the annotator into a variant, once, inside the caller's transaction; nothing where the study has none.

    Into the one with the fewest of those of their group who have joined, then with the fewest of all; what is equal is
    drawn from the study's seed. Who never joins takes no place, so that the variants stay balanced.
    """
    if annotator.kind != AnnotatorKind.HUMAN or not annotator.study.variants.exists():
        return
    Study.objects.select_for_update().get(pk=annotator.study_id)  # one after the other
    annotator.refresh_from_db(fields=["variant"])
    if annotator.variant_id:
        return
    joined = Annotator.objects.filter(
        study=annotator.study_id, purpose=annotator.purpose, variant__isnull=False
    ).values_list("variant", "group")
    of_all = Counter(variant for variant, _group in joined)
    of_group = Counter(variant for variant, group in joined if group == annotator.group)
    lot = Random(f"{annotator.study.seed}/variants/{annotator.purpose}/{annotator.seat}")
    annotator.variant = min(
        annotator.study.variants.all(), key=lambda each: (of_group[each.pk], of_all[each.pk], lot.random())
    )
    annotator.save(update_fields=["variant"])


class StaleStage(Exception):
    """The page is over, or was never this annotator's; nothing of it was stored. The message is a sentence.

    `place` is where the annotator is instead.
    """

    def __init__(self, sentence: str, place: Place):
        super().__init__(sentence)
        self.place = place


class Incomplete(Exception):
    """Something is still unanswered at `place`; `form` says what. The drafts are kept."""

    def __init__(self, place: Place, form: StageForm):
        super().__init__(_("Some questions are not answered yet."))
        self.place, self.form = place, form


def join_study(annotator: Annotator) -> None:
    """The annotator has opened their link and pressed the button: now their variant is drawn, if the study has any."""
    with transaction.atomic():
        mark_seen(annotator)
        draw_variant(annotator)
        Annotator.objects.filter(pk=annotator.pk, joined_at=None).update(joined_at=timezone.now())


def mark_seen(annotator: Annotator) -> None:
    Annotator.objects.filter(pk=annotator.pk).update(last_seen=timezone.now())


def lock_annotator(annotator: Annotator) -> Annotator:
    """The annotator and their study as they are now; nobody else writes for them until the transaction ends.

    `StaleStage` if the link was renewed, or the annotator removed, since the page was asked for.
    """
    hold_state(annotator.study_id)
    rows = Annotator.objects.select_for_update(of=("self",), no_key=True).select_related(*RELATED)
    current = rows.filter(pk=annotator.pk, token=annotator.token).first()
    if current is None:
        place = Place("revoked", annotator)
        raise StaleStage(explain_stale(place), place)
    return current


def pass_phase(annotator: Annotator, phase: str) -> Place:
    """Note that the phase was gone through, if it is the one the annotator is at; returns where they are then."""
    with transaction.atomic():
        annotator = lock_annotator(annotator)
        place = find_place(annotator)
        if place.phase != phase:
            return place
        PhasePassed.objects.create(annotator=annotator, phase=phase, passed_at=timezone.now())
        mark_seen(annotator)
        return open_next(annotator)


def open_next(annotator: Annotator) -> Place:
    """Leave out the texts that this person has read elsewhere, and start the clock of the next assignment."""
    give_back_read_texts(annotator)
    place = find_place(annotator)
    if place.assignment and place.assignment.stage_opened_at is None:
        place.assignment.stage_opened_at = timezone.now()
        place.assignment.save(update_fields=["stage_opened_at"])
    return place


def lock_place(annotator: Annotator, token: str) -> Place:
    """The place whose page carries this token, locked; `StaleStage` if the annotator is elsewhere by now."""
    place = find_place(lock_annotator(annotator))
    if not place.token or place.token != token:
        raise StaleStage(explain_stale(place), place)
    mark_seen(annotator)
    return place


def explain_stale(place: Place) -> str:
    if place.kind == "paused":
        return _("The study is paused at the moment. What was saved is kept.")
    if place.kind in ("closed", "revoked"):
        return _("The study takes no more answers through this link.")
    return _("This part was already handed in, perhaps in another tab. Here is where you are now.")


def save_drafts(annotator: Annotator, token: str, data: Mapping[str, Any]) -> int:
    """Keep what was entered on the page of the current stage; returns how many items changed. See `store_drafts`."""
    with transaction.atomic():
        assignment, stage = lock_place(annotator, token).asked
        return store_drafts(StageForm(assignment, stage, data), Drafts(assignment, stage))


def store_drafts(form: StageForm, drafts: Drafts) -> int:
    """Bring the drafts up to date with a POST; returns how many changed.

    Its values `item` name the handles it speaks about; without any, those it has a field of. Others keep their drafts.
    """
    data = form.data
    named = set(data.getlist("item")) if hasattr(data, "getlist") else set()
    changed = 0
    for subject in form.subjects:
        spoken_of = subject.handle in named if named else any(name in data for name in form.names(subject).values())
        values = form.sent(subject)
        if spoken_of and values != drafts.values(subject.item_id):
            drafts.put(subject.item_id, values)
            changed += 1
    return changed


def submit_stage(
    annotator: Annotator,
    token: str,
    data: Mapping[str, Any] | None = None,
    *,
    ask: bool = False,
    confirmed: str = "",
) -> Place:
    """Make what the current stage was answered with responses, once; returns the place after.

    One transaction under one lock, so that what is acknowledged is what is stored: with `data` (a POST) the drafts are
    brought up to date in it, too. With `ask`, a stage that wants confirming is not handed in: its place comes back, and
    `confirms` names what was entered. `confirmed` is that name: what another tab has entered since is not handed in.

    Raises `StaleStage` (nothing handed in) or `Incomplete` (the drafts kept).
    """
    with transaction.atomic():
        place = lock_place(annotator, token)
        assignment, stage = place.asked
        drafts = Drafts(assignment, stage)
        if data is not None:
            store_drafts(StageForm(assignment, stage, data), drafts)
        form = StageForm.of_drafts(assignment, stage, drafts)
        refusal = find_refusal(place, form, confirmed)
        if refusal is None and ask and stage.confirm:
            place = replace(place, confirms=form.fingerprint)
        elif refusal is None:
            store_submission(assignment, stage, collect_answers(form), drafts.by_item)
            place = open_next(place.annotator)
    if refusal is not None:  # not inside: the drafts are to stay
        raise refusal
    return place


def find_refusal(place: Place, form: StageForm, confirmed: str) -> StaleStage | Incomplete | None:
    """Why the stage cannot be handed in as it stands; None if it can."""
    assignment, stage = place.asked
    if "text" not in stage.shows and has_read(place.annotator, assignment.unit.text):
        give_back_read_texts(place.annotator, begun_too=True)
        sentence = _("You have read this text in another study, so it is left out here.")
        return StaleStage(sentence, open_next(place.annotator))
    if not form.is_valid():
        return Incomplete(place, form)
    if confirmed and confirmed != form.fingerprint:
        sentence = _("Your answers have changed since, perhaps in another tab. Check them, then hand them in again.")
        return StaleStage(sentence, place)
    return None


RETRACTABLE_PLACES = ("stage", "waiting", "done")


def find_retractable(place: Place) -> Assignment | None:
    """What an annotator who is at this place may take back: the assignment finished last, unless it is open again
    already. None where the protocol lets nobody go back."""
    if place.kind not in RETRACTABLE_PLACES or not get_declaration(place.annotator.study).takes_back:
        return None
    done = (
        place.annotator.assignments.active().filter(finished_at__isnull=False).order_by("-finished_at", "-pk").first()
    )
    open_again = done and place.assignment and place.assignment.unit_id == done.unit_id
    return None if open_again else done


@transaction.atomic
def take_back(annotator: Annotator, token: str) -> Place:
    """Ask the unit handed in last once more; `token` is the one that its assignment carries since then.

    Returns the place after.

    `StaleStage` if something else was handed in by now, or if it is open again already. Answers of the new round
    supersede those of the one before; both stay.
    """
    place = find_place(lock_annotator(annotator))
    done = find_retractable(place)
    if done is None or done.token != token:
        raise StaleStage(_("This cannot be taken back any more. Here is where you are now."), place)
    repeat_assignment(done)
    return open_next(place.annotator)


def repeat_assignment(done: Assignment) -> Assignment:
    """The same unit in the same order, sides and all, in the next round, at the place that it had."""
    rounds = done.annotator.assignments.filter(unit=done.unit).aggregate(last=Max("round"))
    return Assignment.objects.create(
        annotator=done.annotator,
        unit=done.unit,
        slot=done.slot,
        round=rounds["last"] + 1,
        position=done.position,
        shown={stage: [renew_handles(row) for row in rows] for stage, rows in done.shown.items()},
        stage=get_declaration(done.annotator.study).stages[0].name,
    )


def renew_handles(row: list[Any]) -> list[Any]:
    _handle, item, options = row
    return [make_handle(), item, [[make_handle(), option] for _option_handle, option in options]]
