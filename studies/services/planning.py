"""Cells of the plan: which seat does which unit, and whose items it guesses there, if the protocol has guesses."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache, partial
from math import lcm
from random import Random

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from projects.scratch import Save, save_at_once
from studies.models import Annotator, Purpose, Slot, Study, Unit
from studies.plans import Plan, PlanError, assign_seats, extend_plan, fill_evenly, make_guess_plan
from studies.services.declarations import get_declaration
from studies.services.people_texts import filter_people_units, is_for_people
from studies.services.quotas import Quota, count_annotators, get_per_unit, has_group_quotas, make_quotas
from studies.services.selection import PlannedUnit
from studies.services.spec import SpecError
from studies.services.text_versions import keep_versions, read_rotation

Who = list[list[int]]  # per unit: the seats that do it
Cells = list[dict[int, int | None]]  # per unit: by seat, the generator guessed there, None without a guess
MAX_CELLS = 50_000  # assignments; with more, planning guesses, or adding people on a page, takes minutes
MAX_LAUNCHED = 500_000  # assignments at launch without guesses, for a job that takes minutes


def plan_who(
    study: Study, units: Sequence[PlannedUnit], drawn: Collection[str] | None = None, seats: int | None = None
) -> Who:
    """For each unit the seats that do it (see `plan_people_seats`); none if the text was not drawn for people."""
    theirs = [is_for_people(unit.text, drawn) for unit in units]
    rows = iter(plan_people_seats(study, [unit for unit, mine in zip(units, theirs, strict=True) if mine], seats))
    return [next(rows) if mine else [] for mine in theirs]


def plan_people_seats(study: Study, units: Sequence[PlannedUnit], seats: int | None = None) -> Who:
    """For each unit the seats that do it; `SpecError` if no plan is possible with the study's numbers.

    `seats`: the number of seats, if it differs from the plan (simulated annotators). If each seat has its own texts,
    fewer seats leave the texts of the others to nobody.
    """
    plan = study.plan
    if seats is not None and plan["own_texts"] and seats < count_annotators(study):
        return [[seat for seat in row if seat < seats] for row in plan_people_seats(study, units)]
    if seats is None and plan["annotators"] == "open":
        if plan["own_texts"] or plan["shared_texts"]:
            raise SpecError(_("Shared and own texts need a fixed number of annotators. Set annotators to a number."))
        return [[] for _unit in units]
    quotas = make_quotas(study, seats)
    is_searched = seats is not None or get_declaration(study).guesses
    check_cells(count_cells(quotas, len(units)), MAX_CELLS if is_searched else MAX_LAUNCHED)
    try:
        return plan_unit_seats(study, units, quotas)
    except PlanError as error:
        raise SpecError(str(error)) from None


def plan_unit_seats(study: Study, units: Sequence[PlannedUnit], quotas: Sequence[Quota]) -> Who:
    """Shared and own texts are planned by text, over the seats of all groups; otherwise each group does each unit by
    its quota."""
    shared, own = study.plan["shared_texts"], study.plan["own_texts"]
    if (shared or own) and has_group_quotas(study) and any(quota.per_unit is not None for quota in quotas):
        raise PlanError(_("Give either per_unit or shared and own texts, not both."))
    if shared or own:
        number = sum(len(quota.seats) for quota in quotas)
        return plan_by_text(units, partial(assign_seats, annotators=number, per_unit=quotas[0].per_unit,
                                      shared=shared, own=own, seed=study.seed))  # fmt: skip
    by_group = [plan_group_seats(study, units, quota) for quota in quotas]
    return [[seat for rows in by_group for seat in rows[place]] for place in range(len(units))]


def plan_group_seats(study: Study, units: Sequence[PlannedUnit], quota: Quota) -> Who:
    """For each unit the seats of one group; with guesses all units of a text have the same seats."""
    start, number = quota.seats.start, len(quota.seats)
    if not number:
        return [[] for _unit in units]
    # another start for each group, so that no two groups get the same pattern
    seed = study.seed + start
    if quota.per_unit is not None and not get_declaration(study).guesses:
        rows = fill_evenly(len(units), number, quota.per_unit, seed=seed)
    else:
        rows = plan_by_text(units, partial(assign_seats, annotators=number, per_unit=quota.per_unit, seed=seed))
    return [[start + seat for seat in row] for row in rows]


def plan_by_text(units: Sequence[PlannedUnit], seats: Callable[[int], Who]) -> Who:
    """The seats of each unit, which are those of its text; `seats` plans a number of texts."""
    texts = list(dict.fromkeys(unit.text.pk for unit in units))
    rows = dict(zip(texts, seats(len(texts)), strict=True))
    return [rows[unit.text.pk] for unit in units]


def count_cells(quotas: Sequence[Quota], n_units: int) -> int:
    """How many assignments the plan makes."""
    return n_units * sum(quota.per_unit or len(quota.seats) for quota in quotas)


def check_cells(number: int, limit: int | None = None) -> None:
    """Refuse a plan that would take too long to compute and to store."""
    limit = MAX_CELLS if limit is None else limit
    if number > limit:
        raise SpecError(
            _(
                "The plan has %(number)d assignments; the limit is %(limit)d. Use fewer texts or "
                "annotators, or split it into several studies."
            )
            % {"number": number, "limit": limit}
        )


def plan_cells(study: Study, units: Sequence[PlannedUnit], who: Who) -> Cells:
    """What each seat does. With guesses this is a search, which takes seconds for large studies; writes nothing."""
    seats = 1 + max((seat for seats in who for seat in seats), default=-1)
    if not seats or not get_declaration(study).guesses:
        return [dict.fromkeys(row) for row in who]
    plan = make_guess_plan([unit.generators for unit in units], seats, study.seed, who=who)
    return [{seat: int(cell) for seat, cell in enumerate(row) if cell is not None} for row in plan]


def make_slots(
    study: Study,
    units: Sequence[Unit],
    purpose: Purpose,
    cells: Cells,
    quotas: Sequence[Quota],
    save: Save = save_at_once,
) -> None:
    """Save the cells of a new plan; a plan without seats has none. `quotas` give the group of each seat."""
    rotation = read_rotation(study)
    groups = {seat: quota.group for quota in quotas for seat in quota.seats}
    save(
        Slot,
        (
            (unit.pk, purpose, seat, groups.get(seat, ""), generator, rotation.choose(unit.text_id, seat))
            for unit, row in zip(units, cells, strict=True)
            for seat, generator in sorted(row.items())
        ),
        ("unit_id", "purpose", "seat", "group", "generator_id", "text_version"),
    )


def add_seat_slots(study: Study, annotator: Annotator) -> list[Slot]:
    """The cells of one more annotator: first those that others gave back, then new ones that keep the plan balanced.

    If the plan has numbers per group, only cells of the annotator's own group.
    """
    units = list(filter_people_units(study).prefetch_related("unit_items__item"))
    purpose, seat = Purpose(annotator.purpose), annotator.seat
    assert seat is not None
    group = annotator.group if has_group_quotas(study) else ""
    texts = {unit.pk: unit.text_id for unit in units}
    free = find_free_slots(study, purpose, group)
    kept = keep_versions(free.values(), texts)
    free = {pk: slot for pk, slot in free.items() if slot.text_version == kept[texts[pk]]}
    full = find_full_units(study, purpose, units, group)
    new = [place for place, unit in enumerate(units) if unit.pk not in free and unit.pk not in full]
    cells: Sequence[str | None] = [None] * len(units)
    if get_declaration(study).guesses:
        cells = extend_plan(read_plan(study, purpose, units), list_unit_generators(units), study.seed + seat, does=new)
    rotation = read_rotation(study)
    added = Slot.objects.bulk_create(
        Slot(
            unit=units[place],
            purpose=purpose,
            seat=seat,
            group=group,
            generator_id=int(cell) if (cell := cells[place]) else None,
            text_version=kept.get(units[place].text_id, rotation.choose(units[place].text_id, seat)),
        )
        for place in new
    )
    return [*free.values(), *added]


def add_seats(study: Study, first: int, count: int, group: str) -> None:
    """The cells of many people who join at once, planned together as at launch, if everybody does every unit.

    Otherwise it does nothing: few cells are left then, and each person is fitted in individually.
    """
    units = list(filter_people_units(study).prefetch_related("unit_items__item"))
    group = group if has_group_quotas(study) else ""
    if study.plan["own_texts"] or study.plan["shared_texts"] or get_per_unit(study, group) is not None:
        return
    seats = range(first, first + count)
    cells: Cells = [dict.fromkeys(seats) for _unit in units]
    if get_declaration(study).guesses:
        plan = search_batch(list_guessed_texts(study), count, study.seed)
        mixed = Random(study.seed + first).sample(seats, count)
        cells = [{seat: int(cell) for seat, cell in zip(mixed, row, strict=True)} for row in plan]
    make_slots(study, units, Purpose.MAIN, cells, [Quota(group, seats, None)])


@lru_cache(maxsize=4)
def search_batch(texts: tuple[tuple[str, ...], ...], count: int, seed: int) -> list[list[str]]:
    """The plan of a batch of people who do all texts; batches of one size share it, each with its seats reshuffled."""
    plan = make_guess_plan(texts, count, seed)
    return [[cell for cell in row if cell is not None] for row in plan]


def choose_batch(study: Study, most: int) -> int:
    """The number of people to assign together, at most `most`.

    If possible, a number after which each generator of a text is guessed equally often, for any number of such batches.
    """
    if not get_declaration(study).guesses:
        return most
    whole = lcm(*map(len, list_guessed_texts(study)))
    return most - most % whole if whole <= most else most


def search_ahead(study: Study, count: int) -> None:
    """Search the plan of a batch before the transaction that adds its people, for which all answering people have to
    wait."""
    if get_declaration(study).guesses:
        search_batch(list_guessed_texts(study), count, study.seed)


def list_guessed_texts(study: Study) -> tuple[tuple[str, ...], ...]:
    units = filter_people_units(study).prefetch_related("unit_items__item")
    return tuple(map(tuple, list_unit_generators(units)))


def count_open_places(study: Study, group: str) -> int | None:
    """How many cells are free; None if additional people may do every unit, or all the shared ones."""
    units = list(filter_people_units(study))
    full = find_full_units(study, Purpose.MAIN, units, group)
    per_unit = get_per_unit(study, group)
    if len(full) < len(units) and (per_unit is None or study.plan["own_texts"]):
        return None
    free = filter_free_slots(study, Purpose.MAIN, group).count()
    if per_unit is None or study.plan["own_texts"]:
        return free
    planned = Slot.objects.filter(unit__in=units, purpose=Purpose.MAIN, group=group).count()
    return free + max(0, per_unit * len(units) - planned)


def find_free_slots(study: Study, purpose: Purpose, group: str = "") -> dict[int, Slot]:
    """One cell per unit that was given back and is free, by unit; cells of a group are for that group only."""
    return {slot.unit_id: slot for slot in filter_free_slots(study, purpose, group)}


def filter_free_slots(study: Study, purpose: Purpose, group: str) -> QuerySet[Slot]:
    slots = Slot.objects.filter(unit__study=study, purpose=purpose, group=group)
    held = Count("assignments", filter=Q(assignments__returned_at=None))
    return slots.annotate(given=Count("assignments"), held=held).filter(given__gt=0, held=0)


def find_full_units(study: Study, purpose: Purpose, units: Sequence[Unit], group: str = "") -> set[int]:
    """Units for which the plan allows no more people (of this group). Previews and simulations have no quota."""
    plan = study.plan
    if purpose != Purpose.MAIN:
        return set()
    if plan["own_texts"]:
        shared = list(dict.fromkeys(unit.text_id for unit in units))[: plan["shared_texts"]]
        return {unit.pk for unit in units if unit.text_id not in shared}
    per_unit = get_per_unit(study, group)
    if per_unit is None:
        return set()
    taken = Slot.objects.filter(unit__study=study, purpose=purpose, group=group).values("unit").annotate(n=Count("pk"))
    return {row["unit"] for row in taken.order_by() if row["n"] >= per_unit}


def list_unit_generators(units: Iterable[Unit]) -> list[list[str]]:
    return [[str(pk) for pk in sorted({row.item.generator_id for row in unit.unit_items.all()})] for unit in units]


def read_plan(study: Study, purpose: Purpose, units: Iterable[Unit]) -> Plan:
    """The present plan in the format of `extend_plan`: by unit, then seat."""
    slots = Slot.objects.filter(unit__study=study, purpose=purpose)
    cells = {(unit, seat): str(generator) for unit, seat, generator in slots.values_list("unit", "seat", "generator")}
    seats = sorted({seat for _unit, seat in cells})
    return [[cells.get((unit.pk, seat)) for seat in seats] for unit in units]
