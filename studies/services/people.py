"""Annotators: making them with their links and their cells of the plan, revoking and renewing links."""

from collections.abc import Sequence
from random import Random

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from projects.models import new_token
from projects.scratch import Save, save_at_once
from studies.models import Annotator, AnnotatorKind, Assignment, Purpose, Slot, Study, StudyState, Unit
from studies.presentation_order import draw_orders, shuffle
from studies.protocols import Declaration
from studies.services.declarations import get_declaration
from studies.services.places import give_back, give_back_read_texts
from studies.services.planning import add_seat_slots, check_cells
from studies.services.practice import create_practice
from studies.services.quotas import assign_groups, check_group
from studies.services.selection import CALIBRATION
from studies.services.spec import SpecError
from studies.services.states import lock_study

CODE_PREFIXES = {
    Purpose.MAIN: "P",
    Purpose.PILOT: "pilot-",
    Purpose.PREVIEW: "preview-",
    Purpose.SIMULATED: "sim-",
    Purpose.EXPERT: "expert-",
}


@transaction.atomic
def add_annotators(study: Study, count: int, *, group: str = "", people: Sequence[str] = ()) -> list[Annotator]:
    """More people for a launched study, each with a link; `people` are their project-wide codes.

    `SpecError` for somebody who takes part already, and if the plan has no text left for them.
    """
    study = lock_study(study, StudyState.LIVE, StudyState.PAUSED)
    check_group(study, group)
    check_people(study, people)
    check_cells(count * study.units.count())
    free_revoked_cells(study)
    annotators = make_annotators(study, count, Purpose.MAIN, group=group, people=people)
    if not Assignment.objects.filter(annotator__in=annotators).values("annotator").distinct().count() == count:
        raise SpecError(
            _(
                "There is not enough work for all of them: every text already has its number of "
                "annotators. Add fewer people, or revoke the links of people who dropped out, which "
                "frees the texts they have not begun."
            )
        )
    return annotators


def check_people(study: Study, people: Sequence[str]) -> None:
    """Nobody takes part twice."""
    known = set(study.annotators.filter(person__in=people).values_list("person", flat=True))
    twice = sorted(known | {code for code in people if people.count(code) > 1})
    if twice:
        raise SpecError(
            _(
                "These codes occur twice in the list or already belong to the study: %(codes)s. Each "
                "person can take part once."
            )
            % {"codes": ", ".join(twice[:10])}
        )


def free_revoked_cells(study: Study) -> None:
    """What somebody without a link has not begun goes to whoever joins now."""
    unbegun = Assignment.objects.open().filter(
        annotator__study=study,
        annotator__kind=AnnotatorKind.HUMAN,
        annotator__purpose=Purpose.MAIN,
        annotator__revoked_at__isnull=False,
        submissions=None,
    )
    give_back([assignment.pk for assignment in unbegun], _("The link was revoked."))


def make_annotators(
    study: Study,
    count: int,
    purpose: Purpose,
    *,
    group: str = "",
    people: Sequence[str] = (),
    save: Save = save_at_once,
) -> list[Annotator]:
    """Annotators in the next seats, with their assignments; a seat that the plan does not know yet is added to it.

    Without a `group` they are put into the study's groups, by the numbers of the plan if it has any, else in turn.
    """
    first = find_next_seat(study, purpose)
    groups = [group] * count if group else assign_groups(study, first, count)
    width = max(2, len(str(first + count)))
    annotators = [
        Annotator(
            study=study,
            code=f"{CODE_PREFIXES[purpose]}{seat + 1:0{width}d}",
            purpose=purpose,
            seat=seat,
            reading="ticked",
            group=groups[seat - first],
            person=people[seat - first] if seat - first < len(people) else "",
        )
        for seat in range(first, first + count)
    ]
    save(Annotator, annotators)
    units = study.units.prefetch_related("items__options").in_bulk()
    declaration = get_declaration(study)
    create_practice(annotators, study, declaration, save)
    for annotator in annotators:
        create_assignments(annotator, find_or_add_slots(study, annotator), units, declaration, save)
        give_back_read_texts(annotator)
    return annotators


def find_next_seat(study: Study, purpose: Purpose) -> int:
    highest = study.annotators.filter(purpose=purpose).aggregate(top=Max("seat"))["top"]
    return 0 if highest is None else highest + 1


def find_or_add_slots(study: Study, annotator: Annotator) -> list[Slot]:
    """The cells that the plan made for this seat, else those of one more."""
    assert annotator.seat is not None
    planned = list(Slot.objects.filter(unit__study=study, purpose=annotator.purpose, seat=annotator.seat))
    return planned or add_seat_slots(study, annotator)


def create_assignments(
    annotator: Annotator, slots: Sequence[Slot], units: dict[int, Unit], declaration: Declaration, save: Save
) -> None:
    """Save assignments for the cells, in an order of the annotator's own, with everything they will be shown."""
    rng = Random(f"{annotator.study.seed}/{annotator.purpose}/{annotator.seat}")
    ordered = shuffle_slots(sorted(slots, key=lambda slot: units[slot.unit_id].position), units, rng)
    save(
        Assignment,
        (
            Assignment(
                annotator=annotator,
                unit=units[slot.unit_id],
                slot=slot,
                position=position,
                shown=draw_orders(declaration, list(units[slot.unit_id].items.all()), slot.generator_id, rng),
                stage=declaration.stages[0].name,
            )
            for position, slot in enumerate(ordered)
        ),
    )


def shuffle_slots(slots: Sequence[Slot], units: dict[int, Unit], rng: Random) -> list[Slot]:
    """Texts in random order, and the units of a text together, in random order too. A calibration comes first."""
    by_text: dict[int, list[Slot]] = {}
    for slot in slots:
        by_text.setdefault(units[slot.unit_id].text_id, []).append(slot)
    mixed = [slot for text in shuffle(by_text.values(), rng) for slot in shuffle(text, rng)]
    return sorted(mixed, key=lambda slot: units[slot.unit_id].part != CALIBRATION)


def revoke_link(annotator: Annotator) -> None:
    """The link stops working; the answers stay."""
    Annotator.objects.filter(pk=annotator.pk, revoked_at=None).update(revoked_at=timezone.now())


def renew_link(annotator: Annotator) -> None:
    """A new link in place of the old one, which stops working at once."""
    Annotator.objects.filter(pk=annotator.pk).update(token=new_token(), revoked_at=None)
