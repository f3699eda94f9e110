"""The threshold τ of p(true) that judges most options rightly, on options that are not reported on. No Django.

An option is judged correct if p ≥ τ. Source: Säuberli & Clematide (2024), who choose τ on other texts to maximise
accuracy; the choice within a plateau is ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True)
class Step:
    """Every τ with low < τ ≤ high (from 0 on in the first step) has this accuracy."""

    low: float
    high: float
    accuracy: float


@dataclass(frozen=True)
class Choice:
    """The threshold, its accuracy over `n` options, and the plateau (low, high] in whose middle it lies."""

    threshold: float
    accuracy: float
    low: float
    high: float
    n: int
    steps: tuple[Step, ...]


def steps_of(probabilities: Sequence[float], keys: Sequence[bool]) -> list[Step]:
    """The accuracy of every threshold in [0, 1], in steps; neighbours with the same accuracy are one step.

    `probabilities` and `keys`: p(true) and whether the option is a key, of the same options. ValueError for none.
    """
    if not probabilities:
        raise ValueError("There is no probability to choose a threshold from.")
    ordered = sorted(zip(probabilities, keys, strict=True))
    right, low, found = sum(keys), 0.0, list[Step]()
    for p, options in groupby(ordered, key=lambda option: option[0]):
        add(found, Step(low, p, right / len(ordered)))
        for _p, is_key in options:  # from here on they are judged incorrect
            right += -1 if is_key else 1
        low = p
    if low < 1:
        add(found, Step(low, 1.0, right / len(ordered)))
    return found


def add(steps: list[Step], step: Step) -> None:
    if steps and steps[-1].accuracy == step.accuracy:
        step = Step(steps.pop().low, step.high, step.accuracy)
    steps.append(step)


def middle_of(step: Step) -> float:
    """To six digits where that is still within the step."""
    middle = (step.low + step.high) / 2
    within = [threshold for threshold in (round(middle, 6), middle) if step.low < threshold <= step.high]
    return within[0] if within else step.high  # nothing lies between neighbouring floats


def choose(probabilities: Sequence[float], keys: Sequence[bool]) -> Choice:
    """The middle of the widest step with the highest accuracy, the first of equally wide ones."""
    steps = steps_of(probabilities, keys)
    best = max(step.accuracy for step in steps)
    plateau = max((step for step in steps if step.accuracy == best), key=lambda step: step.high - step.low)
    return Choice(middle_of(plateau), best, plateau.low, plateau.high, len(probabilities), tuple(steps))
