"""Cells of the plan: which seat does which unit, and whose items it guesses there if the protocol has guesses."""

from collections.abc import Iterable, Sequence

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from studies.models import Purpose, Slot, Study, Unit
from studies.plans import Plan, PlanError, extend_plan, guess_plan, seats_for
from studies.plans_even import least_filled
from studies.services.declaring import declaration_of
from studies.services.spec import SpecError
from studies.services.units import PlannedUnit

Who = list[list[int]]
Cells = list[dict[int, int | None]]  # over units: by seat, the generator guessed there, None where nothing is guessed
MAX_CELLS = 50_000  # units times annotators: above, launching takes minutes


def plan_who(study: Study, units: Sequence[PlannedUnit], seats: int | None = None) -> Who:
    """For each unit the seats that do it; `SpecError` if the study's numbers allow no plan.

    `seats` is how many there are, where it is not what the plan says (simulated annotators). Where each has texts of
    their own, fewer leave the texts of the others to nobody.
    """
    plan = study.plan
    if seats is not None and plan["own_texts"] and seats < plan["annotators"]:
        return [[seat for seat in row if seat < seats] for row in plan_who(study, units)]
    number = seats if seats is not None else plan["annotators"]
    if number == "open":
        if plan["own_texts"] or plan["shared_texts"]:
            raise SpecError(_("Shared and own texts need a number of annotators: set annotators to a number."))
        return [[] for _unit in units]
    check_cells(number, len(units))
    per_unit = None if plan["per_unit"] == "all" else plan["per_unit"]
    if seats is not None and per_unit is not None:
        per_unit = min(per_unit, seats)
    try:
        return seats_of_units(study, units, number, per_unit)
    except PlanError as error:
        raise SpecError(str(error)) from None


def seats_of_units(study: Study, units: Sequence[PlannedUnit], seats: int, per_unit: int | None) -> Who:
    """Shared and own texts go by text, with all units of a text together; a number per unit goes by unit."""
    shared, own = study.plan["shared_texts"], study.plan["own_texts"]
    if per_unit is not None and not shared and not own and not declaration_of(study).guesses:
        return least_filled(len(units), seats, per_unit, seed=study.seed)
    texts = list(dict.fromkeys(unit.text.pk for unit in units))
    by_text = dict(zip(texts, seats_for(len(texts), seats, per_unit, shared, own, seed=study.seed), strict=True))
    return [by_text[unit.text.pk] for unit in units]


def check_cells(annotators: int, n_units: int) -> None:
    """Refuse what would take minutes to plan and to store."""
    if annotators * n_units > MAX_CELLS:
        raise SpecError(
            _(
                "%(annotators)d annotators with %(texts)d texts are more than %(limit)d assignments. Take fewer"
                " texts or annotators, or make several studies."
            )
            % {"annotators": annotators, "texts": n_units, "limit": MAX_CELLS}
        )


def plan_cells(study: Study, units: Sequence[PlannedUnit], who: Who) -> Cells:
    """What each seat does. With guesses a search: it takes seconds for large studies, and writes nothing."""
    seats = 1 + max((seat for seats in who for seat in seats), default=-1)
    if not seats or not declaration_of(study).guesses:
        return [dict.fromkeys(row) for row in who]
    plan = guess_plan([unit.generators for unit in units], seats, study.seed, who=who)
    return [{seat: int(cell) for seat, cell in enumerate(row) if cell is not None} for row in plan]


def make_slots(units: Sequence[Unit], purpose: Purpose, cells: Cells) -> list[Slot]:
    """The cells of a fresh plan, saved; a plan without seats has none."""
    return Slot.objects.bulk_create(
        Slot(unit=unit, purpose=purpose, seat=seat, generator_id=generator)
        for unit, row in zip(units, cells, strict=True)
        for seat, generator in sorted(row.items())
    )


def slots_for_one_more(study: Study, purpose: Purpose, seat: int) -> list[Slot]:
    """The cells of one more annotator: those given back by others first, else new ones that keep the plan balanced."""
    units = list(study.units.prefetch_related("unit_items__item"))
    free = free_slots(study, purpose)
    full = full_units(study, purpose, units)
    new = [place for place, unit in enumerate(units) if unit.pk not in free and unit.pk not in full]
    cells: Sequence[str | None] = [None] * len(units)
    if declaration_of(study).guesses:
        cells = extend_plan(plan_of(study, purpose, units), unit_generators(units), study.seed + seat, does=new)
    added = Slot.objects.bulk_create(
        Slot(unit=units[place], purpose=purpose, seat=seat, generator_id=int(cell) if (cell := cells[place]) else None)
        for place in new
    )
    return [*free.values(), *added]


def free_slots(study: Study, purpose: Purpose) -> dict[int, Slot]:
    """One cell per unit that was given back and not taken since, by unit."""
    slots = (
        Slot.objects.filter(unit__study=study, purpose=purpose)
        .annotate(given=Count("assignments"), held=Count("assignments", filter=Q(assignments__returned_at=None)))
        .filter(given__gt=0, held=0)
    )
    return {slot.unit_id: slot for slot in slots}


def full_units(study: Study, purpose: Purpose, units: Sequence[Unit]) -> set[int]:
    """Units that nobody more may do by the plan. Previews and simulations have no quota."""
    plan = study.plan
    if purpose != Purpose.MAIN:
        return set()
    if plan["own_texts"]:
        shared = list(dict.fromkeys(unit.text_id for unit in units))[: plan["shared_texts"]]
        return {unit.pk for unit in units if unit.text_id not in shared}
    if plan["per_unit"] == "all":
        return set()
    taken = Slot.objects.filter(unit__study=study, purpose=purpose).values("unit").annotate(n=Count("pk"))
    return {row["unit"] for row in taken.order_by() if row["n"] >= plan["per_unit"]}


def unit_generators(units: Iterable[Unit]) -> list[list[str]]:
    return [[str(pk) for pk in sorted({row.item.generator_id for row in unit.unit_items.all()})] for unit in units]


def plan_of(study: Study, purpose: Purpose, units: Iterable[Unit]) -> Plan:
    """The present plan as `extend_plan` reads it: over units, then seats."""
    cells = {
        (slot.unit_id, slot.seat): str(slot.generator_id)
        for slot in Slot.objects.filter(unit__study=study, purpose=purpose)
    }
    seats = sorted({seat for _unit, seat in cells})
    return [[cells.get((unit.pk, seat)) for seat in seats] for unit in units]
