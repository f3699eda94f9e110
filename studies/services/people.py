"""Annotators: making them with their links and their cells of the plan, revoking and renewing links."""

from collections.abc import Sequence
from random import Random

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from projects.models import new_token
from studies.models import Annotator, AnnotatorKind, Assignment, Purpose, Slot, Study, StudyState, Unit
from studies.protocols import Declaration
from studies.services.declaring import declaration_of
from studies.services.locking import locked
from studies.services.planning import check_cells, slots_for_one_more
from studies.services.reading import give_back, give_back_read_texts
from studies.services.spec import SpecError
from studies.services.units import CALIBRATION
from studies.shown import draw, shuffled

CODES = {
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
    study = locked(study, StudyState.LIVE, StudyState.PAUSED)
    check_people(study, people)
    check_cells(count, study.units.count())
    free_revoked_cells(study)
    annotators = make_annotators(study, count, Purpose.MAIN, group=group, people=people)
    if not Assignment.objects.filter(annotator__in=annotators).values("annotator").distinct().count() == count:
        raise SpecError(
            _(
                "Not every one of them would get a text: each text already has all its annotators. Add fewer, or"
                " revoke the links of those who have dropped out, which frees the texts they have not begun."
            )
        )
    return annotators


def check_people(study: Study, people: Sequence[str]) -> None:
    """Nobody takes part twice."""
    known = set(study.annotators.filter(person__in=people).values_list("person", flat=True))
    twice = sorted(known | {code for code in people if people.count(code) > 1})
    if twice:
        raise SpecError(
            _("Nobody can take part twice, but these codes are in the list twice or in the study already: %(codes)s.")
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
    units = study.units.prefetch_related("items__options").in_bulk()
    declaration = declaration_of(study)
    for annotator in annotators:
        assign(annotator, slots_of(study, annotator), units, declaration)
        give_back_read_texts(annotator)
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


def assign(
    annotator: Annotator, slots: Sequence[Slot], units: dict[int, Unit], declaration: Declaration
) -> list[Assignment]:
    """Assignments for the cells, in an order of the annotator's own, with everything they will be shown."""
    rng = Random(f"{annotator.study.seed}/{annotator.purpose}/{annotator.seat}")
    ordered = in_own_order(sorted(slots, key=lambda slot: units[slot.unit_id].position), units, rng)
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


def in_own_order(slots: Sequence[Slot], units: dict[int, Unit], rng: Random) -> list[Slot]:
    """Texts in random order, and the units of a text together, in random order too. A calibration comes first."""
    by_text: dict[int, list[Slot]] = {}
    for slot in slots:
        by_text.setdefault(units[slot.unit_id].text_id, []).append(slot)
    mixed = [slot for text in shuffled(by_text.values(), rng) for slot in shuffled(text, rng)]
    return sorted(mixed, key=lambda slot: units[slot.unit_id].part != CALIBRATION)


def revoke_link(annotator: Annotator) -> None:
    """The link stops working; the answers stay."""
    Annotator.objects.filter(pk=annotator.pk, revoked_at=None).update(revoked_at=timezone.now())


def renew_link(annotator: Annotator) -> None:
    """A new link in place of the old one, which stops working at once."""
    Annotator.objects.filter(pk=annotator.pk).update(token=new_token(), revoked_at=None)
