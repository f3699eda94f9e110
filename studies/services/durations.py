"""How long a study takes somebody: estimated from what it asks, then measured on those who have finished."""

from datetime import timedelta
from statistics import median

from django.core.cache import cache
from django.db.models import Count, F, Q, Sum

from studies.models import AnnotatorKind, Purpose, Slot, Study, Submission
from studies.recruitment import Recruitment
from studies.services.declarations import get_declaration
from studies.services.phases import get_phases
from studies.services.selection import PlannedUnit
from studies.services.workload import WORDS_PER_MINUTE, estimate_minutes

SECONDS_PER_QUESTION = 12
MEASURED_FROM = 5  # people who have finished
KEPT_SECONDS = 300


def tell_minutes(study: Study) -> int:
    """The minutes that people are told: the median of those who have finished if they are enough, else the estimate."""
    if not study.launched_at:
        return estimate_study_minutes(study)
    key = f"minutes/{study.pk}/{study.launched_at.timestamp()}"
    told = cache.get_or_set(key, lambda: measure_minutes(study) or estimate_study_minutes(study), KEPT_SECONDS)
    return int(told or 1)


def measure_minutes(study: Study) -> int | None:
    """The median of the active minutes of people who have finished; None of fewer than five, or without times."""
    people = study.annotators.filter(kind=AnnotatorKind.HUMAN, purpose__in=(Purpose.MAIN, Purpose.PILOT))
    open_ones = Count("assignments", filter=Q(assignments__returned_at=None, assignments__finished_at=None))
    done = Count("assignments", filter=Q(assignments__returned_at=None, assignments__finished_at__isnull=False))
    finished = people.annotate(n_open=open_ones, n_done=done).filter(n_open=0, n_done__gt=0)
    spent = Submission.objects.filter(assignment__annotator__in=finished.values("pk"))
    rows = spent.values("assignment__annotator").annotate(
        active=Sum("active_seconds"), whole=Sum(F("submitted_at") - F("opened_at"))
    )
    seconds = [row["active"] or (row["whole"] or timedelta()).total_seconds() for row in rows]
    known = [value for value in seconds if value]
    return max(1, round(median(known) / 60 + estimate_phase_minutes(study))) if len(known) >= MEASURED_FROM else None


def estimate_study_minutes(study: Study) -> int:
    """What the researcher says, else the reckoned minutes of the phases and of a place of the plan, on average."""
    said = Recruitment.model_validate(study.recruitment).minutes
    if said or not study.launched_at:
        return said or reckon_minutes(study)
    key = f"estimated-minutes/{study.pk}/{study.launched_at.timestamp()}"
    return int(cache.get_or_set(key, lambda: reckon_minutes(study), KEPT_SECONDS) or 1)


def reckon_minutes(study: Study) -> int:
    return max(1, round(estimate_phase_minutes(study) + estimate_place_minutes(study)))


def estimate_phase_minutes(study: Study) -> float:
    phases = get_phases(study)
    words = sum(phase.count_words() for phase in phases)
    questions = sum(len(phase.questions) for phase in phases)
    return words / WORDS_PER_MINUTE + questions * SECONDS_PER_QUESTION / 60


def estimate_place_minutes(study: Study) -> float:
    """Minutes of the units that one person does: of all, where no plan shares them out."""
    units = study.units.select_related("text").prefetch_related("items__options", "items__generator")
    planned = [PlannedUnit(unit.text, tuple(unit.items.all()), unit.part) for unit in units]
    whole = estimate_minutes(planned, get_declaration(study))
    slots = Slot.objects.filter(unit__study=study, purpose=Purpose.MAIN)
    counted = slots.aggregate(cells=Count("pk"), seats=Count("seat", distinct=True))
    if not planned or not counted["seats"]:
        return whole
    share: float = counted["cells"] / counted["seats"]
    per_person = Recruitment.model_validate(study.recruitment).units_per_person
    return float(whole * min(share, per_person or share) / len(planned))
