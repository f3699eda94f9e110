"""More texts for the people of a study whose models do all: a further round, drawn by equal chance among those left.

With n₁ of N texts drawn before with probability π₁ each, a round of n₂ more gives π = π₁ + (1 - π₁) · n₂ / (N - n₁).
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from projects.audit import record_act
from projects.models import User
from projects.scratch import save_at_once
from studies.models import Annotator, AnnotatorKind, PeopleTexts, Purpose, Slot, Study, StudyState, Unit
from studies.services.declarations import get_declaration
from studies.services.people import create_assignments
from studies.services.people_texts import draw_systematically, equal_chances
from studies.services.places import give_back_read_texts
from studies.services.planning import Who, check_cells, count_cells, make_slots, plan_cells, plan_unit_seats
from studies.services.quotas import Quota, get_per_unit, has_group_quotas, make_quotas
from studies.services.selection import PlannedUnit, UnitContents, read_contents
from studies.services.spec import SpecError
from studies.services.states import lock_study


def count_texts_left(study: Study) -> int:
    """How many texts a further round can draw from; 0 where people do all texts, or the plan allows no more."""
    draw = PeopleTexts.objects.filter(study=study).first()
    running = study.state in (StudyState.LIVE, StudyState.PAUSED)
    if draw is None or not running or study.plan.get("own_texts"):
        return 0
    return len(draw.texts) - len(draw.drawn)


@transaction.atomic
def draw_more_texts(study: Study, n: int, made_by: User | None = None) -> PeopleTexts:
    """Draw `n` more texts, store their probabilities, and give them to the people who are at work.

    `SpecError` where people do all texts, have texts of their own, or fewer than `n` texts are left.
    """
    study = lock_study(study, StudyState.LIVE, StudyState.PAUSED)
    draw = PeopleTexts.objects.filter(study=study).first()
    refuse_draw(study, draw, n)
    assert draw is not None
    new = add_round(draw, n, made_by)
    study.plan = study.plan | {"people_texts": draw.n}
    study.save(update_fields=["plan"])
    theirs = study.units.filter(text__external_id__in=new)
    units = list(theirs.select_related("text").prefetch_related("items__options"))
    for purpose in (Purpose.MAIN, Purpose.SIMULATED):
        assign_units(study, purpose, units)
    record_act(study.project_id, "texts_drawn", study, number=n)
    return draw


def refuse_draw(study: Study, draw: PeopleTexts | None, n: int) -> None:
    if draw is None:
        raise SpecError(_("People do all texts of this study, so there are no more to draw."), "texts")
    if study.plan.get("own_texts"):
        raise SpecError(_("In this plan each person has texts of their own, so no more can be drawn."), "texts")
    left = len(draw.texts) - len(draw.drawn)
    if not 1 <= n <= left:
        raise SpecError(_("Give a number from 1 to %(left)d: so many texts are left.") % {"left": left}, "texts")


def add_round(draw: PeopleTexts, n: int, made_by: User | None) -> frozenset[str]:
    """Store the round; returns the texts that it drew."""
    number, left = len(draw.later) + 2, [each["text_id"] for each in draw.texts if not each["drawn"]]
    order, new = draw_systematically(equal_chances(left, n), Random(f"{draw.seed}/people texts/{number}"))
    draw.texts = [add_chance(each, n / len(left), number, new) for each in draw.texts]
    about = {"n": n, "order": order, "made_by": made_by.pk if made_by else None}
    draw.later = [*draw.later, about | {"made_at": timezone.now().isoformat()}]
    draw.n += n
    draw.save(update_fields=["texts", "later", "n"])
    return frozenset(new)


def add_chance(row: Mapping[str, Any], share: float, number: int, new: set[str]) -> dict[str, Any]:
    """A text with the probability that it is drawn by now; `round`: the later one that drew it."""
    chance = row["probability"] + (1 - row["probability"]) * share
    drawn = {"drawn": True, "round": number} if row["text_id"] in new else {}
    return {**row, "probability": chance, **drawn}


def assign_units(study: Study, purpose: Purpose, units: Sequence[Unit]) -> None:
    """Plan the units for the seats in use, and put them behind what their annotators have to do."""
    people = list(list_people_at_work(study, purpose))
    strangers = purpose == Purpose.MAIN and bool(study.recruitment.get("open_link"))
    quotas, seats = plan_strangers(study) if strangers else group_seats(study, people)
    if not seats:
        return
    planned = [PlannedUnit(unit.text, tuple(unit.items.all()), unit.part) for unit in units]
    check_cells(count_cells(quotas, len(planned)))
    who: Who = plan_unit_seats(study, planned, quotas)
    cells = [{seats[place]: cell for place, cell in row.items()} for row in plan_cells(study, planned, who)]
    group_of = {seats[place]: quota.group for quota in quotas for place in quota.seats}
    named = [Quota(group, range(seat, seat + 1), None) for seat, group in group_of.items()]
    make_slots(units, purpose, cells, named)
    contents = read_contents(study.units.filter(pk__in=[unit.pk for unit in units]))
    for annotator in [] if strangers else people:
        add_assignments(study, annotator, contents)


def list_people_at_work(study: Study, purpose: Purpose) -> Sequence[Annotator]:
    """Those with a seat whose link works, by group where the plan counts groups."""
    people = study.annotators.filter(
        kind=AnnotatorKind.HUMAN, purpose=purpose, seat__isnull=False, revoked_at=None, ended_as=""
    )
    place = {group: number for number, group in enumerate(study.groups if has_group_quotas(study) else [])}
    return sorted(people.order_by("seat"), key=lambda annotator: place.get(annotator.group, 0))


def plan_strangers(study: Study) -> tuple[list[Quota], list[int]]:
    """The seats of the plan, which whoever comes next claims."""
    quotas = make_quotas(study)
    return quotas, [seat for quota in quotas for seat in quota.seats]


def group_seats(study: Study, people: Sequence[Annotator]) -> tuple[list[Quota], list[int]]:
    """Quotas over these people, who are numbered from 0 in their order, and the seat of each."""
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
