"""Which of several candidates are kept, from how a model guessed and answered them. No Django."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Judged:
    """The shares of a candidate's options judged correctly with the text and without it; None if one is missing."""

    name: str
    answerability: float | None
    guessability: float | None

    @property
    def informativity(self) -> float | None:
        if self.answerability is None or self.guessability is None:
            return None
        return self.answerability - self.guessability


def best(candidates: Iterable[Judged], n: int) -> list[Judged]:
    """The n with the highest informativity; equal ones by answerability, then in their order.

    One of which an answer is missing is never kept. What is kept stands in the candidates' order.
    """
    listed = list(candidates)
    whole = [each for each in listed if each.informativity is not None]
    ranked = sorted(whole, key=lambda each: (each.informativity, each.answerability), reverse=True)
    kept = {each.name for each in ranked[:n]}
    return [each for each in listed if each.name in kept]
