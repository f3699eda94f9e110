"""From a draft to answers: launch, pause, resume, close. What a study asks is frozen at launch."""

from random import Random

from django.db import transaction
from django.utils import timezone

from studies.models import Annotator, Assignment, Purpose, Study, StudyState, Unit, UnitItem
from studies.services.locking import locked
from studies.services.people import make_annotators
from studies.services.planning import make_slots, plan_who
from studies.services.selection import Chosen, choose
from studies.shown import shuffled


@transaction.atomic
def launch_study(study: Study) -> tuple[Study, Chosen]:
    """Freeze a draft: units, plan, annotators and their orders are drawn and stored; links open."""
    study = locked(study, StudyState.DRAFT)
    chosen = choose(study)
    chosen.texts = shuffled(chosen.texts, Random(f"{study.seed}/units"))
    units = make_units(study, chosen)
    who = plan_who(study, len(units))
    make_slots(study, units, chosen, Purpose.MAIN, who)
    if study.plan["annotators"] != "open":
        make_annotators(study, study.plan["annotators"], Purpose.MAIN)
    study.state, study.launched_at = StudyState.LIVE, timezone.now()
    study.save(update_fields=["state", "launched_at"])
    return study, chosen


def make_units(study: Study, chosen: Chosen) -> list[Unit]:
    """The units as chosen now, in place of any that a preview of the draft had made."""
    clear_units(study)
    units = Unit.objects.bulk_create(
        Unit(study=study, text=text, position=position) for position, (text, _items) in enumerate(chosen.texts)
    )
    UnitItem.objects.bulk_create(
        UnitItem(unit=unit, item=item, position=position)
        for unit, (_text, items) in zip(units, chosen.texts, strict=True)
        for position, item in enumerate(items)
    )
    return units


def clear_units(study: Study) -> None:
    """Take away what previews of a draft left behind."""
    previews = study.annotators.filter(purpose=Purpose.PREVIEW)
    forget_annotators(previews)
    study.units.all().delete()


def forget_annotators(annotators) -> int:
    """Delete annotators with everything they answered; for previews and simulations only."""
    assignments = Assignment.objects.filter(annotator__in=annotators)
    for related in ("responses", "submissions", "drafts"):
        model = Assignment._meta.get_field(related).related_model
        model.objects.filter(assignment__in=assignments).delete()
    assignments.delete()
    return Annotator.objects.filter(pk__in=annotators.values("pk")).delete()[0]


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
def start_preview(study: Study) -> Annotator:
    """An annotator for looking at the pages; of a draft, with its items as they are now. Nothing of it counts."""
    study = locked(study, StudyState.DRAFT, StudyState.LIVE)
    if study.is_draft:
        make_units(study, choose(study))
    return make_annotators(study, 1, Purpose.PREVIEW)[0]


@transaction.atomic
def remove_simulated(study: Study) -> int:
    """Delete all simulated annotators of the study with their answers; returns how many there were."""
    study = locked(study, *StudyState)
    simulated = study.annotators.filter(purpose=Purpose.SIMULATED)
    number = simulated.count()
    forget_annotators(simulated)
    study_slots = [unit.slots.filter(purpose=Purpose.SIMULATED) for unit in study.units.all()]
    for slots in study_slots:
        slots.delete()
    return number
