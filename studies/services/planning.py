"""Cells of the plan: which seat does which unit, and whose items it guesses there."""

from collections import Counter

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from studies.models import Purpose, Slot, Study, Unit
from studies.plans import PlanError, extend_plan, guess_plan, seats_for
from studies.services.selection import Chosen
from studies.services.spec import SpecError

Who = list[list[int]]


def plan_who(study: Study, n_texts: int, seats: int | None = None) -> Who:
    """For each text the seats that do it; `SpecError` if the study's numbers allow no plan.

    `seats` is how many there are, where it is not what the plan says (simulated annotators).
    """
    plan = study.plan
    number = seats if seats is not None else plan["annotators"]
    if number == "open":
        if plan["own_texts"]:
            raise SpecError(_("Texts of one's own need a number of annotators: set annotators to a number."))
        return [[] for _text in range(n_texts)]
    per_unit = None if plan["per_unit"] == "all" else plan["per_unit"]
    if seats is not None and per_unit is not None:
        per_unit = min(per_unit, seats)
    try:
        return seats_for(n_texts, number, per_unit, plan["shared_texts"], plan["own_texts"], seed=study.seed)
    except PlanError as error:
        raise SpecError(str(error)) from None


def make_slots(study: Study, units: list[Unit], chosen: Chosen, purpose: Purpose, who: Who) -> list[Slot]:
    """The cells of a fresh plan, saved."""
    generators = chosen.generators()
    seats = 1 + max((seat for texts in who for seat in texts), default=-1)
    cells = guess_plan(generators, seats, study.seed, who=who) if seats else []
    slots = [
        Slot(unit=unit, purpose=purpose, seat=seat, generator_id=int(generator))
        for unit, row in zip(units, cells, strict=False)
        for seat, generator in enumerate(row)
        if generator is not None
    ]
    return Slot.objects.bulk_create(slots)


def slots_for_one_more(study: Study, purpose: Purpose, seat: int) -> list[Slot]:
    """The cells of one more annotator: those given back by others first, else new ones that keep the plan balanced."""
    units = list(study.units.prefetch_related("unit_items__item"))
    free = free_slots(study, purpose)
    wanted = {place for place, unit in enumerate(units) if unit.pk in free or has_room(study, purpose, unit)}
    new = wanted - {place for place, unit in enumerate(units) if unit.pk in free}
    cells = extend_plan(plan_of(study, purpose, units), unit_generators(units), study.seed + seat, does=sorted(new))
    added = Slot.objects.bulk_create(
        Slot(unit=units[place], purpose=purpose, seat=seat, generator_id=int(cells[place] or 0))
        for place in sorted(new)
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


def has_room(study: Study, purpose: Purpose, unit: Unit) -> bool:
    """Whether one more annotator may do the unit, by the plan's quota; previews and simulations have none."""
    per_unit = study.plan["per_unit"]
    return purpose != Purpose.MAIN or per_unit == "all" or unit.slots.filter(purpose=purpose).count() < per_unit


def unit_generators(units: list[Unit]) -> list[list[str]]:
    return [[str(pk) for pk in sorted({row.item.generator_id for row in unit.unit_items.all()})] for unit in units]


def plan_of(study: Study, purpose: Purpose, units: list[Unit]) -> list[list[str | None]]:
    """The present plan as `extend_plan` reads it: over units, then seats."""
    cells = {
        (slot.unit_id, slot.seat): str(slot.generator_id)
        for slot in Slot.objects.filter(unit__study=study, purpose=purpose)
    }
    seats = sorted({seat for _unit, seat in cells})
    return [[cells.get((unit.pk, seat)) for seat in seats] for unit in units]


def loads(who: Who) -> Counter[int]:
    """How many texts each seat does."""
    return Counter(seat for seats in who for seat in seats)
