"""Cells of the plan: which seat does which unit, and whose items it guesses there."""

from collections.abc import Iterable, Sequence

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from studies.models import Purpose, Slot, Study, Unit
from studies.plans import Plan, PlanError, extend_plan, guess_plan, seats_for
from studies.services.selection import Chosen
from studies.services.spec import SpecError

Who = list[list[int]]
MAX_CELLS = 50_000  # texts times annotators: above, launching takes minutes


def plan_who(study: Study, n_texts: int, seats: int | None = None) -> Who:
    """For each text the seats that do it; `SpecError` if the study's numbers allow no plan.

    `seats` is how many there are, where it is not what the plan says (simulated annotators).
    """
    plan = study.plan
    number = seats if seats is not None else plan["annotators"]
    if number == "open":
        if plan["own_texts"] or plan["shared_texts"]:
            raise SpecError(_("Shared and own texts need a number of annotators: set annotators to a number."))
        return [[] for _text in range(n_texts)]
    check_cells(number, n_texts)
    per_unit = None if plan["per_unit"] == "all" else plan["per_unit"]
    if seats is not None and per_unit is not None:
        per_unit = min(per_unit, seats)
    try:
        return seats_for(n_texts, number, per_unit, plan["shared_texts"], plan["own_texts"], seed=study.seed)
    except PlanError as error:
        raise SpecError(str(error)) from None


def check_cells(annotators: int, n_texts: int) -> None:
    """Refuse what would take minutes to plan and to store."""
    if annotators * n_texts > MAX_CELLS:
        raise SpecError(
            _(
                "%(annotators)d annotators with %(texts)d texts are more than %(limit)d assignments. Take fewer"
                " texts or annotators, or make several studies."
            )
            % {"annotators": annotators, "texts": n_texts, "limit": MAX_CELLS}
        )


def plan_cells(study: Study, chosen: Chosen, who: Who) -> Plan:
    """Whose items each seat guesses on each text. A search: it takes seconds for large studies, and writes nothing."""
    seats = 1 + max((seat for seats in who for seat in seats), default=-1)
    return guess_plan(chosen.generators(), seats, study.seed, who=who) if seats else []


def make_slots(units: Sequence[Unit], purpose: Purpose, cells: Plan) -> list[Slot]:
    """The cells of a fresh plan, saved; a plan without seats has none."""
    return Slot.objects.bulk_create(
        Slot(unit=unit, purpose=purpose, seat=seat, generator_id=int(generator))
        for unit, row in zip(units, cells or [[]] * len(units), strict=True)
        for seat, generator in enumerate(row)
        if generator is not None
    )


def slots_for_one_more(study: Study, purpose: Purpose, seat: int) -> list[Slot]:
    """The cells of one more annotator: those given back by others first, else new ones that keep the plan balanced."""
    units = list(study.units.prefetch_related("unit_items__item"))
    free = free_slots(study, purpose)
    full = full_units(study, purpose, units)
    new = [place for place, unit in enumerate(units) if unit.pk not in free and unit.pk not in full]
    cells = extend_plan(plan_of(study, purpose, units), unit_generators(units), study.seed + seat, does=new)
    added = Slot.objects.bulk_create(
        Slot(unit=units[place], purpose=purpose, seat=seat, generator_id=int(cells[place] or 0)) for place in new
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


def full_units(study: Study, purpose: Purpose, units: Iterable[Unit]) -> set[int]:
    """Units that nobody more may do by the plan. Previews and simulations have no quota."""
    plan = study.plan
    if purpose != Purpose.MAIN:
        return set()
    if plan["own_texts"]:
        return {unit.pk for unit in units if unit.position >= plan["shared_texts"]}
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
