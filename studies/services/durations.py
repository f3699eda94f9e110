"""How long a study takes: what a draft asks of each annotator, first estimated, then measured."""

from dataclasses import dataclass
from datetime import timedelta
from statistics import median

from django.core.cache import cache
from django.db.models import Count, F, Q, Sum

from items.models import Item
from items.plain import count_words
from studies.models import AnnotatorKind, Apart, Purpose, Slot, Study, Submission
from studies.protocols import Declaration, Stage
from studies.recruitment import Recruitment
from studies.services.declarations import get_declaration
from studies.services.launching import Outline
from studies.services.phases import get_phases
from studies.services.selection import PlannedUnit

# Assumptions, stated wherever the minutes are shown. With them the first published study (10 texts of 327
# words, 9 items of 3 options each) takes 76 minutes; its annotators took 30 to 120.
WORDS_PER_MINUTE = 200


@dataclass(frozen=True)
class Span:
    """The minimum and the maximum, over annotators or items."""

    low: int
    high: int

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


@dataclass(frozen=True)
class Workload:
    """What the plan asks of people, each as the smallest and the largest number.

    texts, units, minutes, answers: of one annotator. doers: how many annotators do a unit. guessers: how many guess an
    item. seconds: what a question is assumed to take.
    """

    texts: Span
    units: Span
    minutes: Span
    answers: Span
    doers: Span
    guessers: Span
    seconds: Span
    words_per_minute: int = WORDS_PER_MINUTE


def estimate_workload(outline: Outline, declaration: Declaration) -> Workload:
    """The workload of people according to the plan; if they join later, that of one person who does every unit."""
    rows = outline.for_people()
    units = [unit for unit, _row in rows]
    seats = sorted({seat for _unit, row in rows for seat in row}) or [0]
    done_by = [row or seats for _unit, row in rows]
    mine = [[unit for unit, row in zip(units, done_by, strict=True) if seat in row] for seat in seats]
    # Each person guesses the items of one generator.
    guessers = [(len(row), max(1, len(unit.generators))) for row, unit in zip(done_by, units, strict=True)]
    asked = [question.seconds for stage in declaration.stages for question in stage.questions if question.seconds]
    return Workload(
        texts=make_span([len({unit.text.pk for unit in own}) for own in mine]),
        units=make_span([len(own) for own in mine]),
        minutes=make_span([round(estimate_minutes(own, declaration)) for own in mine]),
        answers=make_span([round(sum(count_answers(unit, declaration) for unit in own)) for own in mine]),
        doers=make_span([len(row) for row in done_by]),
        guessers=Span(
            min(people // sets for people, sets in guessers), max(-(-people // sets) for people, sets in guessers)
        ),
        seconds=make_span(asked or [0]),
    )


def estimate_minutes(
    units: list[PlannedUnit], declaration: Declaration, *, per_text: float = 1, per_unit: float = 1
) -> float:
    """Minutes for these units: reading each text once, and answering everything that could be asked.

    For a sample of units: each of its texts represents `per_text` texts, and each unit `per_unit` units.
    """
    texts = {unit.text.pk: unit.text for unit in units}
    words = sum(count_words(text.body) for text in texts.values())
    seconds = sum(sum_cost(unit, stage, weighed=True) for unit in units for stage in declaration.stages)
    return words * per_text / WORDS_PER_MINUTE + seconds * per_unit / 60


def count_answers(unit: PlannedUnit, declaration: Declaration) -> float:
    return sum(sum_cost(unit, stage, weighed=False) for stage in declaration.stages)


def sum_cost(unit: PlannedUnit, stage: Stage, *, weighed: bool) -> float:
    """Answers in one stage of a unit, or with `weighed` the seconds that they take."""
    share = 1 / len(unit.generators) if stage.items == "slot generator" else 1
    subjects = unit.items[:1] if any(question.kind == "pick" for question in stage.questions) else unit.items
    return share * sum(sum_item_cost(item, stage, weighed) for item in subjects or (None,))


def sum_item_cost(item: Item | None, stage: Stage, weighed: bool) -> int:
    """The seconds (`weighed`) or number of the questions about an item; None: those about the text itself."""
    found = 0
    for question in stage.applicable_questions(item is not None and bool(item.expected_answer)):
        times = len(item.options.all()) if item is not None and question.per == "option" else 1
        found += times * (question.seconds if weighed else 1)
    return found


def make_span(numbers: list[int]) -> Span:
    return Span(min(numbers), max(numbers))


# How long a study takes a person: estimated from its questions, then measured on those who have finished.

SECONDS_PER_QUESTION = 12
MEASURED_FROM = 5  # people who have finished
KEPT_SECONDS = 300
SAMPLED_UNITS = 500


def get_shown_minutes(study: Study) -> int:
    """The minutes that annotators see: the median of those who have finished if there are enough of them, else an
    estimate.

    0 for a draft without an estimate.
    """
    if not study.launched_at:
        is_known = study.recruitment.get("minutes") or study.units.exists()
        return estimate_study_minutes(study) if is_known else 0
    key = f"minutes/{study.pk}/{study.launched_at.timestamp()}/{len(study.blocks)}"
    minutes = cache.get_or_set(key, lambda: measure_minutes(study) or estimate_study_minutes(study), KEPT_SECONDS)
    return int(minutes or 1)


def measure_minutes(study: Study) -> int | None:
    """The median active minutes of people who have finished; None for fewer than five, or without times."""
    people = study.annotators.filter(kind=AnnotatorKind.HUMAN, purpose__in=(Purpose.MAIN, Purpose.PILOT))
    open_ones = Count("assignments", filter=Q(assignments__returned_at=None, assignments__finished_at=None))
    done = Count("assignments", filter=Q(assignments__returned_at=None, assignments__finished_at__isnull=False))
    finished = people.annotate(n_open=open_ones, n_done=done).filter(n_open=0, n_done__gt=0)
    finished = finished.exclude(assignments__apart=Apart.ABANDONED)
    spent = Submission.objects.filter(assignment__annotator__in=finished.values("pk"))
    rows = spent.values("assignment__annotator").annotate(
        active=Sum("active_seconds"), whole=Sum(F("submitted_at") - F("opened_at"))
    )
    seconds = [row["active"] or (row["whole"] or timedelta()).total_seconds() for row in rows]
    known = [value for value in seconds if value]
    return max(1, round(median(known) / 60 + estimate_phase_minutes(study))) if len(known) >= MEASURED_FROM else None


def estimate_study_minutes(study: Study) -> int:
    """The minutes that the researcher set, else the estimate for the phases and an average place of the plan."""
    minutes = Recruitment.model_validate(study.recruitment).minutes
    if minutes or not study.launched_at:
        return minutes or compute_minutes(study)
    key = f"estimated-minutes/{study.pk}/{study.launched_at.timestamp()}/{len(study.blocks)}"
    return int(cache.get_or_set(key, lambda: compute_minutes(study), KEPT_SECONDS) or 1)


def compute_minutes(study: Study) -> int:
    return max(1, round(estimate_phase_minutes(study) + estimate_place_minutes(study)))


def estimate_phase_minutes(study: Study) -> float:
    phases = get_phases(study)
    words = sum(phase.count_words() for phase in phases)
    questions = sum(len(phase.questions) for phase in phases)
    return words / WORDS_PER_MINUTE + questions * SECONDS_PER_QUESTION / 60


def estimate_place_minutes(study: Study) -> float:
    """Minutes for the units that one person does: for all units, if no plan divides them."""
    whole, n_units = estimate_all_units(study)
    slots = Slot.objects.filter(unit__study=study, purpose=Purpose.MAIN)
    counted = slots.aggregate(cells=Count("pk"), seats=Count("seat", distinct=True))
    if not n_units or not counted["seats"]:
        return whole
    share: float = counted["cells"] / counted["seats"]
    per_person = Recruitment.model_validate(study.recruitment).units_per_person
    return float(whole * min(share, per_person or share) / n_units)


def estimate_all_units(study: Study) -> tuple[float, int]:
    """Minutes for all units together, and their number; for many units, extrapolated from an evenly spaced sample."""
    keys = list(study.units.order_by("pk").values_list("pk", "text_id"))
    sample = [unit for unit, _text in keys[:: -(-len(keys) // SAMPLED_UNITS) or 1]]
    units = (
        study.units.filter(pk__in=sample).select_related("text").prefetch_related("items__options", "items__generator")
    )
    planned = [PlannedUnit(unit.text, tuple(unit.items.all()), unit.part) for unit in units]
    if not planned:
        return 0.0, 0
    per_text = len({text for _unit, text in keys}) / len({unit.text.pk for unit in planned})
    per_unit = len(keys) / len(planned)
    return estimate_minutes(planned, get_declaration(study), per_text=per_text, per_unit=per_unit), len(keys)
