"""What a draft would ask of each annotator, reckoned before anybody has answered."""

from dataclasses import dataclass

from studies.services.planning import Who
from studies.services.selection import Chosen

# Assumptions, stated wherever the minutes are shown. With them the published study (10 texts of 327 words, 9 items of 3
# options each) takes 76 minutes; its annotators took 30 to 120.
WORDS_PER_MINUTE = 200
SECONDS_PER_OPTION = 10


@dataclass(frozen=True)
class Span:
    """The least and the most, over annotators or items."""

    low: int
    high: int

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


@dataclass(frozen=True)
class Workload:
    """Texts and minutes of an annotator, and how many annotators guess each item."""

    texts: Span
    minutes: Span
    guessers: Span
    words_per_minute: int = WORDS_PER_MINUTE
    seconds_per_option: int = SECONDS_PER_OPTION


def workload(chosen: Chosen, who: Who) -> Workload:
    """What the plan means for people; where they join later, one person who does every text."""
    seats = sorted({seat for texts in who for seat in texts}) or [0]
    done_by = [texts or seats for texts in who]
    minutes = [minutes_for(chosen, place) for place in range(len(chosen.texts))]
    mine = [[place for place, texts in enumerate(done_by) if seat in texts] for seat in seats]
    guessers = [(len(texts), len(names)) for texts, names in zip(done_by, chosen.generators(), strict=True)]
    return Workload(
        span([len(places) for places in mine]),
        span([round(sum(minutes[place] for place in places)) for places in mine]),
        Span(min(n // of for n, of in guessers), max(-(-n // of) for n, of in guessers)),
    )


def minutes_for(chosen: Chosen, place: int) -> float:
    """Minutes for one text: reading it once, judging one generator's options without it and all options with it."""
    text, items = chosen.texts[place]
    options = sum(len(item.options.all()) for item in items)
    guessed = options / len({item.generator_id for item in items})
    return len(text.body.split()) / WORDS_PER_MINUTE + (guessed + options) * SECONDS_PER_OPTION / 60


def span(numbers: list[int]) -> Span:
    return Span(min(numbers), max(numbers))
