"""What a draft would ask of each annotator, reckoned before anybody has answered."""

from dataclasses import dataclass

from items.models import Item
from items.plain import count_words
from studies.protocols import Declaration, Stage
from studies.services.launching import Outline
from studies.services.selection import PlannedUnit

# Assumptions, stated wherever the minutes are shown. With them the first published study (10 texts of 327
# words, 9 items of 3 options each) takes 76 minutes; its annotators took 30 to 120.
WORDS_PER_MINUTE = 200


@dataclass(frozen=True)
class Span:
    """The least and the most, over annotators or items."""

    low: int
    high: int

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


@dataclass(frozen=True)
class Workload:
    """Texts, units and minutes of an annotator; how many annotators do each unit, and guess each item."""

    texts: Span
    units: Span
    minutes: Span
    answers: Span
    doers: Span
    guessers: Span
    seconds: Span
    words_per_minute: int = WORDS_PER_MINUTE


def estimate_workload(outline: Outline, declaration: Declaration) -> Workload:
    """What the plan means for people; where they join later, one person who does every unit."""
    rows = outline.for_people()
    units = [unit for unit, _row in rows]
    seats = sorted({seat for _unit, row in rows for seat in row}) or [0]
    done_by = [row or seats for _unit, row in rows]
    mine = [[unit for unit, row in zip(units, done_by, strict=True) if seat in row] for seat in seats]
    guessers = [(len(row), max(1, len(unit.generators))) for row, unit in zip(done_by, units, strict=True)]
    asked = [question.seconds for stage in declaration.stages for question in stage.questions if question.seconds]
    return Workload(
        texts=make_span([len({unit.text.pk for unit in own}) for own in mine]),
        units=make_span([len(own) for own in mine]),
        minutes=make_span([round(estimate_minutes(own, declaration)) for own in mine]),
        answers=make_span([round(sum(count_answers(unit, declaration) for unit in own)) for own in mine]),
        doers=make_span([len(row) for row in done_by]),
        guessers=Span(min(n // of for n, of in guessers), max(-(-n // of) for n, of in guessers)),
        seconds=make_span(asked or [0]),
    )


def estimate_minutes(units: list[PlannedUnit], declaration: Declaration) -> float:
    """Minutes for these units: reading each text once, and answering everything that may be asked."""
    texts = {unit.text.pk: unit.text for unit in units}
    words = sum(count_words(text.body) for text in texts.values())
    seconds = sum(sum_cost(unit, stage, weighed=True) for unit in units for stage in declaration.stages)
    return words / WORDS_PER_MINUTE + seconds / 60


def count_answers(unit: PlannedUnit, declaration: Declaration) -> float:
    return sum(sum_cost(unit, stage, weighed=False) for stage in declaration.stages)


def sum_cost(unit: PlannedUnit, stage: Stage, *, weighed: bool) -> float:
    """Answers in one stage of a unit, or with `weighed` the seconds that they take."""
    share = 1 / len(unit.generators) if stage.items == "slot generator" else 1
    subjects = unit.items[:1] if any(question.kind == "pick" for question in stage.questions) else unit.items
    return share * sum(sum_item_cost(item, stage, weighed) for item in subjects or (None,))


def sum_item_cost(item: Item | None, stage: Stage, weighed: bool) -> int:
    """Of questions about the text itself there is no item."""
    found = 0
    for question in stage.about(item is not None and bool(item.expected_answer)):
        times = len(item.options.all()) if item is not None and question.per == "option" else 1
        found += times * (question.seconds if weighed else 1)
    return found


def make_span(numbers: list[int]) -> Span:
    return Span(min(numbers), max(numbers))
