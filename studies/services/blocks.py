"""More texts for a running study: a numbered block with a plan of its own; the earlier plan stays as it is.

If models answer all texts, and people only texts drawn by chance, a further round draws more texts for people. After n₁
of N texts were drawn with probability π₁ each, drawing n₂ more gives each the probability
π = π₁ + (1 - π₁) · n₂ / (N - n₁) of having been drawn.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from items.models import Text
from items.plain import make_printable
from projects.audit import record_act
from projects.models import User
from projects.scratch import save_at_once
from studies.models import Annotator, AnnotatorKind, Assignment, PeopleTexts, Purpose, Slot, Study, StudyState, Unit
from studies.presentation_order import shuffle
from studies.protocols import PROTOCOLS
from studies.services.declarations import get_declaration
from studies.services.evaluating import add_evaluator_units
from studies.services.people import create_assignments
from studies.services.people_texts import draw_systematically, set_equal_chances
from studies.services.places import give_back_read_texts
from studies.services.planning import Who, check_cells, count_cells, make_slots, plan_cells, plan_unit_seats
from studies.services.quotas import Quota, get_per_unit, has_group_quotas, make_quotas
from studies.services.selection import (
    ChosenTexts,
    PlannedUnit,
    UnitContents,
    choose_items,
    plan_units,
    read_contents,
    save_units,
)
from studies.services.spec import SpecError
from studies.services.states import lock_study

MAX_ADDED = 5_000  # assignments added at once, which takes some seconds


# The plan of units that a running study gains -------------------------------------------------------------------------


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

    With an open link they are planned for all seats of the main part instead, and wait for the next visitors.
    `finished_too`: also for people who have finished. `seed`: of this plan; None for the study's. Raises `SpecError`
    for more than `limit` assignments.
    """
    people = list_people_at_work(study, purpose, finished_too)
    is_for_visitors = purpose == Purpose.MAIN and bool(study.recruitment.get("open_link"))
    quotas, seats = plan_for_visitors(study) if is_for_visitors else group_seats(study, people)
    if not seats:
        return
    planned = [PlannedUnit(unit.text, tuple(unit.items.all()), unit.part) for unit in units]
    check_cells(count_cells(quotas, len(planned)), limit)
    seeded = copy(study)
    seeded.seed = study.seed if seed is None else seed
    who: Who = plan_unit_seats(seeded, planned, quotas)
    cells = [{seats[place]: cell for place, cell in row.items()} for row in plan_cells(seeded, planned, who)]
    group_of = {seats[place]: quota.group for quota in quotas for place in quota.seats}
    seat_quotas = [Quota(group, range(seat, seat + 1), None) for seat, group in group_of.items()]
    make_slots(study, units, purpose, cells, seat_quotas)
    contents = read_contents(study.units.filter(pk__in=[unit.pk for unit in units]))
    for annotator in [] if is_for_visitors else people:
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


def plan_for_visitors(study: Study) -> tuple[list[Quota], list[int]]:
    """The seats of the plan, for the next visitors to claim."""
    quotas = make_quotas(study)
    return quotas, [seat for quota in quotas for seat in quota.seats]


def group_seats(study: Study, people: Sequence[Annotator]) -> tuple[list[Quota], list[int]]:
    """A quota for each group, whose seats are places in this list, from 0; and the real seat of each place."""
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


# A block of texts -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AddedBlock:
    """The block that was added: its number, and how many texts, units and assignments of people it has."""

    number: int
    texts: int
    units: int
    assignments: int


@transaction.atomic
def add_texts(
    study: Study, names: Sequence[str], *, finished_too: bool = False, made_by: User | None = None
) -> AddedBlock:
    """Add texts of the project, by external id, to a live or paused study, and give them to the people at work.

    `finished_too`: also to people who have finished. With an open link, the new cells wait for the next visitors.
    Models and baselines get the new units, too. Raises `SpecError` if a text cannot be added, and `WrongState` if the
    study is not running.
    """
    study = lock_study(study, StudyState.LIVE, StudyState.PAUSED)
    if problem := explain_fixed_texts(study):
        raise SpecError(problem, "texts")
    chosen = choose_named(study, names)
    number = 2 + len(study.blocks)
    seed = f"{study.seed}/block/{number}"
    chosen.texts = shuffle(chosen.texts, Random(seed))
    units = save_block(study, chosen, number)
    for purpose in (Purpose.MAIN, Purpose.SIMULATED):
        assign_units(
            study, purpose, units, finished_too=finished_too, seed=Random(seed).getrandbits(31), limit=MAX_ADDED
        )
    add_evaluator_units(study, units)
    note_block(study, chosen, units, finished_too, made_by)
    record_act(study.project_id, "texts_added", study, number=len(chosen.texts))
    mine = Assignment.objects.active().filter(unit__in=units, annotator__purpose=Purpose.MAIN, slot__isnull=False)
    return AddedBlock(number, len(chosen.texts), len(units), mine.count())


def explain_fixed_texts(study: Study) -> str:
    """Why the study cannot have more texts; empty if it can."""
    if study.plan.get("people_texts"):
        return _("People do texts that were drawn by chance. Texts that are added later would have no probability.")
    if study.plan.get("own_texts") or study.plan.get("shared_texts"):
        return _("In this plan each person has texts of their own, so no more can be added.")
    return ""


def choose_named(study: Study, names: Sequence[str]) -> ChosenTexts:
    """These texts with their items; `SpecError` unless all of them can be added."""
    if not names:
        raise SpecError(_("Choose at least one text."), "texts")
    known = list_study_texts(study)
    if twice := sorted(set(names) & known):
        sentence = _("These texts are in the study already: %(texts)s.")
        raise SpecError(sentence % {"texts": list_names(twice)}, "texts")
    chosen = choose_texts(study, names)
    if without := sorted(set(names) - {text.external_id for text, _items in chosen.texts}):
        sentence = _("These texts have no items that the study could ask about: %(texts)s.")
        raise SpecError(sentence % {"texts": list_names(without)}, "texts")
    if chosen.texts[0][0].language != get_language(study):
        sentence = _("The texts of this study are in another language: %(language)s.")
        raise SpecError(sentence % {"language": get_language(study)}, "texts")
    return chosen


def list_names(names: Sequence[str]) -> str:
    return ", ".join(make_printable(name) for name in names[:5]) + (" …" if len(names) > 5 else "")


def find_new_texts(study: Study) -> ChosenTexts:
    """The texts of the project that can be added, with the items that the study would ask about."""
    texts = study.project.texts.available().filter(language=get_language(study))
    texts = texts.exclude(external_id__in=list_study_texts(study))
    try:
        return choose_texts(study, list(texts.values_list("external_id", flat=True)))
    except SpecError:  # none of them has fitting items
        return ChosenTexts([])


def choose_texts(study: Study, names: Sequence[str]) -> ChosenTexts:
    """The seat_quotas texts that have items by the study's generators, with these items, chosen as at launch."""
    selecting = copy(study)
    selecting.selection = {"texts": list(names), "generators": list_generators(study)}
    return choose_items(selecting)


def list_study_texts(study: Study) -> set[str]:
    """External ids of the study's texts, including those for practice."""
    return set(Unit.everything.filter(study=study).values_list("text__external_id", flat=True))


def list_generators(study: Study) -> list[str] | str:
    """The generators that the study compares: those of the items in its units."""
    if not PROTOCOLS[study.protocol].needs_items:
        return "all"
    names = study.units.order_by().values_list("items__generator__name", flat=True).distinct()
    return sorted(name for name in names if name)


def get_language(study: Study) -> str:
    """The language of the texts of the study."""
    return str(Text.objects.filter(units__study=study).values_list("language", flat=True)[0])


def save_block(study: Study, chosen: ChosenTexts, number: int) -> list[Unit]:
    last = Unit.everything.filter(study=study).aggregate(last=Max("position"))["last"]
    made = save_units(study, plan_units(study, chosen), first=last + 1, block=number)
    pks = [unit.pk for unit in made]
    return list(study.units.filter(pk__in=pks).select_related("text").prefetch_related("items__options"))


def note_block(
    study: Study, chosen: ChosenTexts, units: Sequence[Unit], finished_too: bool, made_by: User | None
) -> None:
    """Store number, date and size of the block, and add its texts to the study's selection."""
    block = {
        "number": 2 + len(study.blocks),
        "added_at": timezone.now().isoformat(),
        "made_by": made_by.pk if made_by else None,
        "texts": len(chosen.texts),
        "units": len(units),
        "finished_too": finished_too,
    }
    study.blocks = [*study.blocks, block]
    if study.selection.get("texts", "all") != "all":
        new = [text.external_id for text, _items in chosen.texts]
        study.selection = study.selection | {"texts": [*study.selection["texts"], *new]}
    study.save(update_fields=["blocks", "selection"])


# A further round of texts drawn by chance -----------------------------------------------------------------------------


def count_texts_left(study: Study) -> int:
    """How many texts a further round can draw from; 0 where people do all texts, or the plan allows none."""
    draw = PeopleTexts.objects.filter(study=study).first()
    running = study.state in (StudyState.LIVE, StudyState.PAUSED)
    if draw is None or not running or study.plan.get("own_texts"):
        return 0
    return len(draw.texts) - len(draw.drawn_ids)


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
    left = len(draw.texts) - len(draw.drawn_ids)
    if not 1 <= n <= left:
        raise SpecError(_("Give a number from 1 to %(left)d: so many texts are left.") % {"left": left}, "texts")


def add_round(draw: PeopleTexts, n: int, made_by: User | None) -> frozenset[str]:
    """Store the round; returns the texts that it drew."""
    number, left = len(draw.later) + 2, [each["text_id"] for each in draw.texts if not each["drawn"]]
    order, new = draw_systematically(set_equal_chances(left, n), Random(f"{draw.seed}/people texts/{number}"))
    draw.texts = [add_chance(each, n / len(left), number, new) for each in draw.texts]
    about = {"n": n, "order": order, "made_by": made_by.pk if made_by else None}
    draw.later = [*draw.later, about | {"made_at": timezone.now().isoformat()}]
    draw.n += n
    draw.save(update_fields=["texts", "later", "n"])
    return frozenset(new)


def add_chance(row: Mapping[str, Any], share: float, number: int, new: set[str]) -> dict[str, Any]:
    """The row of a text with the probability that it has been drawn by now, and `round` if this round drew it."""
    chance = row["probability"] + (1 - row["probability"]) * share
    drawn = {"drawn": True, "round": number} if row["text_id"] in new else {}
    return {**row, "probability": chance, **drawn}
