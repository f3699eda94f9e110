"""Give units that a running study gains to the people at work; their earlier assignments stay as they are."""

from collections.abc import Sequence
from copy import copy

from django.db.models import Count, Max, Q

from projects.scratch import save_at_once
from studies.models import Annotator, AnnotatorKind, Purpose, Slot, Study, Unit
from studies.services.declarations import get_declaration
from studies.services.people import create_assignments
from studies.services.places import give_back_read_texts
from studies.services.planning import Who, check_cells, count_cells, make_slots, plan_cells, plan_unit_seats
from studies.services.quotas import Quota, get_per_unit, has_group_quotas, make_quotas
from studies.services.selection import PlannedUnit, UnitContents, read_contents


def assign_units(
    study: Study,
    purpose: Purpose,
    units: Sequence[Unit],
    *,
    finished_too: bool = True,
    seed: int | None = None,
    limit: int | None = None,
) -> None:
    """Plan the units for the seats in use, and append them to what their annotators have to do.

    `finished_too`: also for people who have finished. `seed`: of this plan; None: the study's. `SpecError` for more
    than `limit` assignments.
    """
    people = list_people_at_work(study, purpose, finished_too)
    strangers = purpose == Purpose.MAIN and bool(study.recruitment.get("open_link"))
    quotas, seats = plan_strangers(study) if strangers else group_seats(study, people)
    if not seats:
        return
    planned = [PlannedUnit(unit.text, tuple(unit.items.all()), unit.part) for unit in units]
    check_cells(count_cells(quotas, len(planned)), limit)
    drawn_by = copy(study)
    drawn_by.seed = study.seed if seed is None else seed
    who: Who = plan_unit_seats(drawn_by, planned, quotas)
    cells = [{seats[place]: cell for place, cell in row.items()} for row in plan_cells(drawn_by, planned, who)]
    group_of = {seats[place]: quota.group for quota in quotas for place in quota.seats}
    named = [Quota(group, range(seat, seat + 1), None) for seat, group in group_of.items()]
    make_slots(study, units, purpose, cells, named)
    contents = read_contents(study.units.filter(pk__in=[unit.pk for unit in units]))
    for annotator in [] if strangers else people:
        add_assignments(study, annotator, contents)


def list_people_at_work(study: Study, purpose: Purpose, finished_too: bool) -> list[Annotator]:
    """People with a seat and a working link, by group if the plan has numbers per group."""
    people = study.annotators.filter(
        kind=AnnotatorKind.HUMAN, purpose=purpose, seat__isnull=False, revoked_at=None, ended_as=""
    )
    if not finished_too:
        has_open = Q(assignments__returned_at=None, assignments__finished_at=None, assignments__isnull=False)
        people = people.annotate(n=Count("assignments"), n_open=Count("assignments", filter=has_open))
        people = people.exclude(n__gt=0, n_open=0)
    place = {group: number for number, group in enumerate(study.groups if has_group_quotas(study) else [])}
    return sorted(people.order_by("seat"), key=lambda annotator: place.get(annotator.group, 0))


def plan_strangers(study: Study) -> tuple[list[Quota], list[int]]:
    """The seats of the plan, for the next visitors to claim."""
    quotas = make_quotas(study)
    return quotas, [seat for quota in quotas for seat in quota.seats]


def group_seats(study: Study, people: Sequence[Annotator]) -> tuple[list[Quota], list[int]]:
    """Quotas over these people, numbered from 0 in order, and the seat of each."""
    by_group: dict[str, list[int]] = {}
    for place, annotator in enumerate(people):
        by_group.setdefault(annotator.group if has_group_quotas(study) else "", []).append(place)
    quotas = []
    for group, places in by_group.items():
        per_unit = get_per_unit(study, group)
        most = None if per_unit is None else min(per_unit, len(places))
        quotas.append(Quota(group, range(places[0], places[-1] + 1), most))
    return quotas, [annotator.seat or 0 for annotator in people]


def add_assignments(study: Study, annotator: Annotator, units: dict[int, UnitContents]) -> None:
    assert annotator.seat is not None
    slots = list(Slot.objects.filter(unit__in=units, purpose=annotator.purpose, seat=annotator.seat))
    last = annotator.assignments.aggregate(last=Max("position"))["last"]
    first = 0 if last is None else last + 1
    create_assignments(annotator, slots, units, get_declaration(study), save_at_once, first=first)
    give_back_read_texts(annotator)
