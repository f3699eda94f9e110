"""What is wrong with an instrument, beside the place where it is wrong."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """A sentence with a remedy. `place` is the path of a wording such as `read.rating.question`, or empty."""

    place: str
    sentence: str

    def __str__(self) -> str:
        return self.sentence
