"""Annotators: making them with their links and their cells of the plan, revoking and renewing links."""

from collections.abc import Sequence
from random import Random

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from projects.models import new_token
from studies.models import Annotator, Assignment, Purpose, Slot, Study, StudyState
from studies.services.declaring import declaration_of
from studies.services.locking import locked
from studies.services.planning import slots_for_one_more
from studies.shown import draw, shuffled

CODES = {Purpose.MAIN: "P", Purpose.PILOT: "pilot-", Purpose.PREVIEW: "preview-", Purpose.SIMULATED: "sim-"}


@transaction.atomic
def add_annotators(study: Study, count: int, *, group: str = "", people: Sequence[str] = ()) -> list[Annotator]:
    """More people for a launched study, each with a link; `people` are their project-wide codes."""
    study = locked(study, StudyState.LIVE, StudyState.PAUSED)
    return make_annotators(study, count, Purpose.MAIN, group=group, people=people)


def make_annotators(
    study: Study, count: int, purpose: Purpose, *, group: str = "", people: Sequence[str] = ()
) -> list[Annotator]:
    """Annotators in the next seats, with their assignments; a seat that the plan does not know yet is added to it."""
    first = next_seat(study, purpose)
    width = max(2, len(str(first + count)))
    annotators = Annotator.objects.bulk_create(
        Annotator(
            study=study,
            code=f"{CODES[purpose]}{seat + 1:0{width}d}",
            purpose=purpose,
            seat=seat,
            reading="ticked",
            group=group or group_of(study, seat),
            person=people[seat - first] if seat - first < len(people) else "",
        )
        for seat in range(first, first + count)
    )
    for annotator in annotators:
        assign(annotator, slots_of(study, annotator))
    return annotators


def next_seat(study: Study, purpose: Purpose) -> int:
    highest = study.annotators.filter(purpose=purpose).aggregate(top=Max("seat"))["top"]
    return 0 if highest is None else highest + 1


def group_of(study: Study, seat: int) -> str:
    """The study's groups in turn, where nobody said which."""
    return study.groups[seat % len(study.groups)] if study.groups else ""


def slots_of(study: Study, annotator: Annotator) -> list[Slot]:
    """The cells that the plan made for this seat, else those of one more."""
    assert annotator.seat is not None
    planned = list(Slot.objects.filter(unit__study=study, purpose=annotator.purpose, seat=annotator.seat))
    return planned or slots_for_one_more(study, Purpose(annotator.purpose), annotator.seat)


def assign(annotator: Annotator, slots: Sequence[Slot]) -> list[Assignment]:
    """Assignments for the cells, in an order of the annotator's own, with everything they will be shown."""
    study = annotator.study
    declaration = declaration_of(study)
    rng = Random(f"{study.seed}/{annotator.purpose}/{annotator.seat}")
    units = study.units.filter(pk__in=[slot.unit_id for slot in slots]).prefetch_related("items__options").in_bulk()
    ordered = shuffled(sorted(slots, key=lambda slot: units[slot.unit_id].position), rng)
    return Assignment.objects.bulk_create(
        Assignment(
            annotator=annotator,
            unit=units[slot.unit_id],
            slot=slot,
            position=position,
            shown=draw(declaration, list(units[slot.unit_id].items.all()), slot.generator_id, rng),
            stage=declaration.stages[0].name,
        )
        for position, slot in enumerate(ordered)
    )


def revoke_link(annotator: Annotator) -> None:
    """The link stops working; the answers stay."""
    Annotator.objects.filter(pk=annotator.pk, revoked_at=None).update(revoked_at=timezone.now())


def renew_link(annotator: Annotator) -> None:
    """A new link in place of the old one, which stops working at once."""
    Annotator.objects.filter(pk=annotator.pk).update(token=new_token(), revoked_at=None)
