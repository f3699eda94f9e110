"""Back to the unit handed in last: it is asked once more, as a new round. What was handed in stays as it is."""

from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from studies.models import Annotator, Assignment
from studies.services.answering import StaleStage, open_next
from studies.services.declaring import declaration_of
from studies.services.places import Place, place_of
from studies.shown import new_handle

PLACES = ("stage", "waiting", "done")


def last_done(annotator: Annotator, place: Place) -> Assignment | None:
    """What the annotator, who stands at this place, may take back: the assignment finished last, unless it is open
    again already. None where the protocol lets nobody go back."""
    if place.kind not in PLACES or not declaration_of(annotator.study).takes_back:
        return None
    done = annotator.assignments.active().filter(finished_at__isnull=False).order_by("-finished_at", "-pk").first()
    open_again = done and place.assignment and place.assignment.unit_id == done.unit_id
    return None if open_again else done


@transaction.atomic
def take_back(annotator: Annotator, token: str) -> Assignment:
    """Ask the unit handed in last once more; `token` is the one that its assignment carries since then.

    `StaleStage` if something else was handed in by now, or if it is open again already. Answers of the new round
    supersede those of the one before; both stay.
    """
    locked = Assignment.objects.select_for_update(of=("self",)).filter(annotator=annotator, token=token).first()
    done = last_done(annotator, place_of(annotator))
    if locked is None or done is None or done.pk != locked.pk:
        raise StaleStage(_("This cannot be taken back any more. Here is where you are now."))
    again = once_more(locked)
    open_next(annotator)
    return again


def once_more(done: Assignment) -> Assignment:
    """The same unit in the same order, sides and all, in the next round, at the place that it had."""
    rounds = done.annotator.assignments.filter(unit=done.unit).aggregate(last=Max("round"))
    return Assignment.objects.create(
        annotator=done.annotator,
        unit=done.unit,
        slot=done.slot,
        round=rounds["last"] + 1,
        position=done.position,
        shown={stage: [with_new_handles(row) for row in rows] for stage, rows in done.shown.items()},
        stage=declaration_of(done.annotator.study).stages[0].name,
    )


def with_new_handles(row: list[Any]) -> list[Any]:
    _handle, item, options = row
    return [new_handle(), item, [[new_handle(), option] for _option_handle, option in options]]
