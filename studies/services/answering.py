"""The way of an annotator through a study. One cursor decides every read and every write."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from studies.forms import StageForm, drafted, first_of_pair, standing_values
from studies.models import Annotator, Assignment, Draft, PhasePassed
from studies.protocols import Stage
from studies.services.places import ASKED, Place, annotator_by_public_id, annotator_by_token, place_of
from studies.services.reading import give_back_read_texts, has_read
from studies.services.submitting import form_answers, submit
from studies.services.variants import draw_variant
from studies.shown import shown_items, subjects_of

__all__ = [
    "Incomplete",
    "Place",
    "StaleStage",
    "annotator_by_public_id",
    "annotator_by_token",
    "drafted_form",
    "hand_in",
    "join",
    "pass_phase",
    "place_of",
    "save_drafts",
]


class StaleStage(Exception):
    """The page's stage is over, or was never this annotator's; nothing was stored. The message is a sentence."""


class Incomplete(Exception):
    """Something is still unanswered; `form` says what. The drafts are kept."""

    def __init__(self, form: StageForm):
        super().__init__(_("Some questions are not answered yet."))
        self.form = form


def join(annotator: Annotator) -> None:
    """The annotator has opened their link and pressed the button: now their variant is drawn, if the study has any."""
    with transaction.atomic():
        seen(annotator)
        draw_variant(annotator)
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
    current = Annotator.objects.select_related(*ASKED).filter(pk=annotator.pk).first()
    if current is None or current.token != annotator.token:
        raise StaleStage(stale_sentence(Place("revoked")))
    annotator.study, annotator.variant, annotator.revoked_at = current.study, current.variant, current.revoked_at
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

    `data` is a POST. Its values `item` name the handles it speaks about; without any, those it has a field of.
    """
    with transaction.atomic():
        assignment, stage = locked_stage(annotator, token)
        seen(annotator)
        return store_drafts(assignment, stage, data)


def store_drafts(assignment: Assignment, stage: Stage, data: Mapping[str, Any]) -> int:
    form = StageForm(assignment, stage, data)
    named = set(data.getlist("item")) if hasattr(data, "getlist") else set()
    drafts = {draft.item_id: draft for draft in assignment.drafts.filter(stage=stage.name)}
    standing = standing_values(assignment, stage)
    changed = 0
    for subject in form.subjects:
        spoken_of = subject.handle in named if named else any(name in data for name in form.names(subject).values())
        values = form.sent(subject)
        if spoken_of and values != standing.get(subject.item_id, {}):
            store_draft(assignment, stage, subject.item_id, drafts.get(subject.item_id), values)
            changed += 1
    return changed


def store_draft(
    assignment: Assignment, stage: Stage, item_id: int | None, draft: Draft | None, values: dict[str, Any]
) -> None:
    """Write the draft about one item, or the text. What was emptied has an empty one: no earlier answer comes back."""
    now = timezone.now()
    if draft is None:
        times = {"first_answered_at": now, "last_changed_at": now}
        Draft.objects.create(assignment=assignment, stage=stage.name, item_id=item_id, values=values, **times)
        return
    draft.values, draft.last_changed_at, draft.n_changes = values, now, draft.n_changes + 1
    draft.save(update_fields=["values", "last_changed_at", "n_changes"])


def drafted_form(assignment: Assignment, stage: Stage) -> StageForm:
    """The stage form bound to its drafts: valid if the stage could be handed in."""
    subjects = subjects_of(shown_items(assignment.shown, stage.name), first_of_pair(assignment))
    return StageForm(assignment, stage, drafted(assignment, stage, subjects))


def hand_in(annotator: Annotator, token: str, data: Mapping[str, Any] | None = None) -> None:
    """Make the drafts of the current stage responses, once, and move the cursor.

    With `data` (a POST) the drafts are brought up to date first. Raises `StaleStage` (nothing stored) or `Incomplete`
    (the drafts kept).
    """
    outcome: Exception | None = None
    with transaction.atomic():
        assignment, stage = locked_stage(annotator, token)
        seen(annotator)
        if data is not None:
            store_drafts(assignment, stage, data)
        form = drafted_form(assignment, stage)
        if "text" not in stage.shows and has_read(annotator, assignment.unit.text):
            give_back_read_texts(annotator, begun_too=True)
            open_next(annotator)
            outcome = StaleStage(_("You have read this text in another study, so it is left out here."))
        elif form.is_valid():
            submit(assignment, stage, form_answers(form))
            open_next(annotator)
        else:
            outcome = Incomplete(form)
    # Not inside: what was given back, and the drafts, are to stay.
    if outcome is not None:
        raise outcome
