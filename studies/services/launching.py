"""From a draft to answers: launch, pause, resume, close. What a study asks is frozen at launch."""

from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from studies.models import (
    Annotator,
    Assignment,
    Draft,
    Purpose,
    Response,
    Slot,
    Study,
    StudyState,
    Submission,
    Unit,
)
from studies.services.declaring import declaration_of
from studies.services.locking import locked
from studies.services.people import make_annotators
from studies.services.planning import Cells, Who, make_slots, plan_cells, plan_who
from studies.services.selection import Chosen, choose
from studies.services.spec import SpecError
from studies.services.units import CALIBRATION, PlannedUnit, planned_units, save_units, short_texts
from studies.shown import shuffled

PREVIEWS_LAST = timedelta(days=1)


@dataclass(frozen=True)
class Outline:
    """What a draft chooses: items, the units made of them, and the seats of each unit."""

    chosen: Chosen
    units: list[PlannedUnit]
    who: Who


@dataclass(frozen=True)
class Prepared:
    """What a launch would freeze: the units in the study's order, who does what, and whose items are guessed."""

    chosen: Chosen
    units: list[PlannedUnit]
    cells: Cells
    made_from: dict[str, Any]


def prepare(study: Study) -> Prepared:
    """What launching the draft as it stands would make; `SpecError` if it cannot be launched. Writes nothing."""
    chosen = choose(study)
    chosen.texts = shuffled(chosen.texts, Random(f"{study.seed}/units"))
    found = outline(study, chosen)
    return Prepared(chosen, found.units, plan_cells(study, found.units, found.who), ingredients(study, chosen))


def outline(study: Study, chosen: Chosen | None = None) -> Outline:
    """The items that the draft chooses and who would do what; `SpecError` if it cannot be launched."""
    chosen = chosen or choose(study)
    units = planned_units(study, chosen)
    chosen.notices += short_texts(chosen, units, declaration_of(study).units_per_text)
    return Outline(chosen, units, plan_who(study, units))


def ingredients(study: Study, chosen: Chosen) -> dict[str, Any]:
    """Everything that a plan depends on."""
    items = sorted(item.pk for _text, items in chosen.texts for item in items)
    return {"plan": study.plan, "seed": study.seed, "protocol": study.protocol, "params": study.params, "items": items}


def launch_study(study: Study) -> tuple[Study, Chosen]:
    """Freeze a draft: units, plan, annotators and their orders are drawn and stored; links open."""
    # The search for a plan takes seconds in a large study: before the lock, and again only if the draft has changed.
    prepared = prepare(study) if study.is_draft else None
    with transaction.atomic():
        study = locked(study, StudyState.DRAFT)
        if prepared is None or prepared.made_from != ingredients(study, choose(study)):
            prepared = prepare(study)
        make_slots(make_units(study, prepared.units), Purpose.MAIN, prepared.cells)
        if study.plan["annotators"] != "open":
            make_annotators(study, study.plan["annotators"], Purpose.MAIN)
        study.state, study.launched_at = StudyState.LIVE, timezone.now()
        study.save(update_fields=["state", "launched_at"])
    return study, prepared.chosen


def make_units(study: Study, planned: list[PlannedUnit]) -> list[Unit]:
    """The units as planned now, in place of any that a preview of the draft had made."""
    clear_units(study)
    return save_units(study, planned)


def clear_units(study: Study) -> None:
    """Take away what previews of a draft left behind."""
    forget_annotators(study.annotators.filter(purpose=Purpose.PREVIEW))
    study.units.all().delete()


def forget_annotators(annotators: QuerySet[Annotator]) -> None:
    """Delete annotators with everything they answered; for previews and simulations only."""
    gone = list(annotators.values_list("pk", flat=True))
    for answers in (Response, Submission, Draft):
        answers.objects.filter(assignment__annotator__in=gone).delete()
    Assignment.objects.filter(annotator__in=gone).delete()
    Annotator.objects.filter(pk__in=gone).delete()


@transaction.atomic
def pause_study(study: Study) -> Study:
    return set_state(locked(study, StudyState.LIVE), StudyState.PAUSED)


@transaction.atomic
def resume_study(study: Study) -> Study:
    return set_state(locked(study, StudyState.PAUSED), StudyState.LIVE)


@transaction.atomic
def close_study(study: Study) -> Study:
    study = locked(study, StudyState.LIVE, StudyState.PAUSED)
    study.closed_at = timezone.now()
    return set_state(study, StudyState.CLOSED)


@transaction.atomic
def reopen_study(study: Study) -> Study:
    """Open a closed study again: its links work as before."""
    study = locked(study, StudyState.CLOSED)
    study.closed_at = None
    return set_state(study, StudyState.LIVE)


@transaction.atomic
def open_main_part(study: Study) -> Study:
    """Let the annotators go on from the calibration to the texts of their own; `SpecError` if nobody waits for it."""
    study = locked(study, StudyState.LIVE, StudyState.PAUSED)
    if not study.units.filter(part=CALIBRATION).exists():
        raise SpecError(_("This study has no calibration, so its main part is open already."))
    if study.main_opened_at is not None:
        raise SpecError(_("The main part of this study is open already."))
    study.main_opened_at = timezone.now()
    study.save(update_fields=["main_opened_at"])
    return study


def set_state(study: Study, state: StudyState) -> Study:
    study.state = state
    study.save(update_fields=["state", "closed_at"])
    return study


@transaction.atomic
def delete_draft(study: Study) -> None:
    """Remove a draft with its previews; a launched study is closed, not deleted."""
    study = locked(study, StudyState.DRAFT)
    clear_units(study)
    study.delete()


@transaction.atomic
def start_preview(study: Study, variant: str = "") -> Annotator:
    """An annotator for looking at the pages; of a draft, with its items as they are now. Nothing of it counts.

    `variant` is the name of the one to look at; without it, one is drawn as for everybody.
    """
    study = locked(study, StudyState.DRAFT, StudyState.LIVE)
    if study.is_draft:
        make_units(study, planned_units(study, choose(study)))
    else:
        yesterday = timezone.now() - PREVIEWS_LAST
        forget_annotators(study.annotators.filter(purpose=Purpose.PREVIEW, created_at__lt=yesterday))
    annotator = make_annotators(study, 1, Purpose.PREVIEW)[0]
    if variant:
        annotator.variant = study.variants.filter(name=variant).first()
        annotator.save(update_fields=["variant"])
    return annotator


@transaction.atomic
def remove_simulated(study: Study) -> int:
    """Delete all simulated annotators of the study with their answers; returns how many there were."""
    study = locked(study, *StudyState)
    simulated = study.annotators.filter(purpose=Purpose.SIMULATED)
    number = simulated.count()
    forget_annotators(simulated)
    Slot.objects.filter(unit__study=study, purpose=Purpose.SIMULATED).delete()
    return number
