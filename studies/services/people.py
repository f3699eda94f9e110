"""Annotators: creating them with their links and their cells of the plan; revoking and renewing links."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import itemgetter
from random import Random
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from projects.audit import record_act
from projects.models import new_token
from projects.scratch import Save, save_at_once
from studies.models import Annotator, AnnotatorKind, Assignment, Purpose, Slot, Study, StudyState
from studies.presentation_order import draw_orders, shuffle
from studies.protocols import Declaration
from studies.services.declarations import get_declaration
from studies.services.phases import create_practice
from studies.services.places import give_back, give_back_read_texts
from studies.services.planning import MAX_LAUNCHED, add_seat_slots, add_seats, check_cells, count_open_places
from studies.services.quotas import assign_groups, check_group, has_group_quotas
from studies.services.selection import CALIBRATION, UnitContents, read_contents
from studies.services.spec import SpecError
from studies.services.states import hold_state, lock_study

VISITOR_DIGITS = 3  # of the codes of people who come by an open link, however many will come
MAX_SEARCHED = 20  # people fitted into the plan one by one; more people get seats of a separate plan
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

    `SpecError` for somebody who already takes part, and if the plan has no text left for them.
    """
    study = lock_study(study, StudyState.LIVE, StudyState.PAUSED)
    check_people(study, people)
    check_places(study, count, group)
    first = find_next_seat(study, Purpose.MAIN)
    if count > MAX_SEARCHED:
        add_seats(study, first, count, group)
    annotators = make_annotators(study, count, Purpose.MAIN, first=first, group=group, people=people)
    record_act(study.project_id, "people_added", study, number=count)
    if not Assignment.objects.filter(annotator__in=annotators).values("annotator").distinct().count() == count:
        raise SpecError(explain_no_work())
    return annotators


def check_places(study: Study, count: int, group: str = "") -> None:
    """Raises `SpecError` if so many more people (of the group) cannot all get work."""
    check_group(study, group)
    check_cells(count * study.units.count(), None if get_declaration(study).guesses else MAX_LAUNCHED)
    free_revoked_cells(study)
    places = count_open_places(study, group if has_group_quotas(study) else "")
    if places is not None and places < count:
        raise SpecError(explain_no_work())


def explain_no_work() -> str:
    return _(
        "There is not enough work for all of them: every text already has its number of "
        "annotators. Add fewer people, or revoke the links of people who dropped out, which "
        "frees the texts they have not begun."
    )


def check_people(study: Study, people: Sequence[str]) -> None:
    """Raises `SpecError` if somebody would take part twice."""
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
    """Free what people with a revoked link have not begun, for whoever joins now."""
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
    first: int | None = None,
    group: str = "",
    people: Sequence[str] = (),
    save: Save = save_at_once,
) -> list[Annotator]:
    """Annotators in the next seats, with their assignments; a seat beyond the plan is added to it.

    Without a `group` they are distributed over the study's groups, by the numbers in the plan or else in turn.
    """
    first = find_next_seat(study, purpose) if first is None else first
    groups = [group] * count if group else assign_groups(study, first, count)
    digits = choose_code_digits(first + count)
    annotators = [
        Annotator(
            study=study,
            code=make_code(purpose, seat, digits),
            purpose=purpose,
            seat=seat,
            reading="ticked",
            group=groups[seat - first],
            person=people[seat - first] if seat - first < len(people) else "",
        )
        for seat in range(first, first + count)
    ]
    save(Annotator, annotators)
    units, planned = read_contents(study.units.all()), read_planned_slots(study, purpose, first)
    declaration = get_declaration(study)
    create_practice(annotators, study, declaration, save)
    for place, annotator in enumerate(annotators):
        slots = planned.get(first + place) or add_seat_slots(study, annotator)
        create_assignments(annotator, slots, units, declaration, save)
        give_back_read_texts(annotator)
    return annotators


def choose_code_digits(n_people: int) -> int:
    """The number of digits in the codes of so many people, so that the codes are equally long."""
    return max(2, len(str(n_people)))


def make_code(purpose: Purpose, seat: int, digits: int = 2) -> str:
    """The code of the person in this seat, such as P03."""
    return f"{CODE_PREFIXES[purpose]}{seat + 1:0{digits}d}"


def find_next_seat(study: Study, purpose: Purpose) -> int:
    """The number after all seats; with an open link, also after the places that wait for visitors."""
    taken: list[QuerySet[Any]] = [study.annotators.filter(purpose=purpose)]
    if purpose == Purpose.MAIN and study.recruitment.get("open_link"):
        taken.append(Slot.objects.filter(unit__study=study, purpose=purpose))
    tops = [rows.aggregate(top=Max("seat"))["top"] for rows in taken]
    return 1 + max((top for top in tops if top is not None), default=-1)


class Cell(NamedTuple):
    """One slot of the plan."""

    pk: int
    unit_id: int
    generator_id: int | None
    text_version: str


def read_planned_slots(study: Study, purpose: Purpose, first: int) -> dict[int, list[Cell]]:
    """The cells that the plan made for the seats from `first` on, by seat."""
    found: dict[int, list[Cell]] = defaultdict(list)
    slots = Slot.objects.filter(unit__study=study, purpose=purpose, seat__gte=first)
    for seat, *cell in slots.values_list("seat", "pk", "unit_id", "generator_id", "text_version"):
        found[seat].append(Cell._make(cell))
    return found


def create_assignments(
    annotator: Annotator,
    slots: Iterable[Slot | Cell],
    units: dict[int, UnitContents],
    declaration: Declaration,
    save: Save,
    first: int = 0,
) -> None:
    """Save assignments for the cells, in a random order of the annotator's own, with everything they will be shown.

    first: the position of the first of them.
    """
    rng = Random(f"{annotator.study.seed}/{annotator.purpose}/{annotator.seat}{f'/{first}' if first else ''}")
    ordered = shuffle_slots(sorted(slots, key=lambda slot: units[slot.unit_id].position), units, rng)
    stage = declaration.stages[0].name
    rows = [
        (
            slot.pk,
            slot.unit_id,
            annotator.pk,
            position,
            draw_orders(declaration, units[slot.unit_id].items, slot.generator_id, rng),
            stage,
            new_token(),
            slot.text_version,
        )
        for position, slot in enumerate(ordered, first)
    ]
    columns = ("slot_id", "unit_id", "annotator_id", "position", "shown", "stage", "token", "text_version")
    rows.sort(key=itemgetter(0))  # so that a chunk touches few index pages (by slot and unit)
    save(Assignment, rows, columns)


def shuffle_slots(slots: Sequence[Slot | Cell], units: dict[int, UnitContents], rng: Random) -> list[Slot | Cell]:
    """Texts in random order, and the units of each text together, also in random order. A calibration comes first."""
    by_text: dict[int, list[Slot | Cell]] = {}
    for slot in slots:
        by_text.setdefault(units[slot.unit_id].text_id, []).append(slot)
    mixed = [slot for text in shuffle(by_text.values(), rng) for slot in shuffle(text, rng)]
    return sorted(mixed, key=lambda slot: units[slot.unit_id].part != CALIBRATION)


@transaction.atomic
def revoke_link(annotator: Annotator) -> None:
    """Disable the link; the answers stay."""
    if Annotator.objects.filter(pk=annotator.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record_act(annotator.study.project_id, "link_disabled", annotator)


@transaction.atomic
def renew_link(annotator: Annotator) -> None:
    """A new link that replaces the old one, which stops working at once. People who have ended get none."""
    if Annotator.objects.filter(pk=annotator.pk, ended_as="").update(token=new_token(), revoked_at=None):
        record_act(annotator.study.project_id, "link_renewed", annotator)


@transaction.atomic
def pause_person(annotator: Annotator) -> None:
    """Show the person a page saying that the study is paused; drafts and answers stay."""
    if Annotator.objects.filter(pk=annotator.pk, paused_at=None, ended_as="").update(paused_at=timezone.now()):
        record_act(annotator.study.project_id, "person_paused", annotator)


@transaction.atomic
def resume_person(annotator: Annotator) -> None:
    """Let the person continue where they stopped."""
    if Annotator.objects.filter(pk=annotator.pk, paused_at__isnull=False).update(paused_at=None):
        record_act(annotator.study.project_id, "person_resumed", annotator)


class NothingToReplace(Exception):
    """The person has finished everything; the message is a sentence."""


@transaction.atomic
def replace_person(annotator: Annotator) -> Annotator:
    """A new person takes the place of one who stopped: the open work, with the same guesses in a new order.

    The answers of finished units stay; a unit that was only begun is done again, and its first answers are not
    counted. Raises `NothingToReplace` if the person has no open text.
    """
    study = lock_study(annotator.study, StudyState.LIVE, StudyState.PAUSED)
    hold_state(study.pk, annotator.pk)
    left = list(Assignment.objects.open().filter(annotator=annotator, round=1, slot__isnull=False))
    if not left:
        sentence = _("%(code)s has no open text, so there is nothing to replace. Add people instead.")
        raise NothingToReplace(sentence % {"code": annotator.code})
    give_back([assignment.pk for assignment in left], _("Somebody else does it."))
    revoke_link(annotator)
    seat, purpose = find_next_seat(study, Purpose(annotator.purpose)), Purpose(annotator.purpose)
    new = Annotator.objects.create(
        study=study, code=make_code(purpose, seat), purpose=purpose, seat=seat, reading="ticked", group=annotator.group
    )
    slots = list(Slot.objects.filter(pk__in=[assignment.slot_id for assignment in left]))
    units = read_contents(study.units.filter(pk__in=[slot.unit_id for slot in slots]))
    create_assignments(new, slots, units, get_declaration(study), save_at_once)
    record_act(study.project_id, "person_replaced", annotator)
    return new
