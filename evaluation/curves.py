"""The accuracy of thresholds as a curve that a page can draw: corners in a box, and the numbers beside it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from evaluation.models import Evaluator

WIDTH, HEIGHT = 400, 200  # of the box that holds τ from 0 to 1 and accuracy from 0 to 1


@dataclass(frozen=True)
class Curve:
    """`points`: corners as `x,y x,y …` from the upper left; `x`: where the threshold stands; `facts`: as remembered."""

    title: str
    points: str
    x: float
    y: float
    facts: dict[str, Any]


def curves_of(evaluator: Evaluator) -> list[Curve]:
    """One for each stage whose threshold was chosen on other texts."""
    titles = {"guess": _("Without the text"), "read": _("With the text")}
    stages = evaluator.params.get("tuning", {}).get("stages", {})
    return [
        Curve(titles.get(stage, stage), " ".join(corners(facts["curve"])), facts["threshold"] * WIDTH,
              (1 - facts["accuracy"]) * HEIGHT, facts)
        for stage, facts in stages.items()
    ]  # fmt: skip


def corners(steps: list[list[float]]) -> Iterator[str]:
    for low, high, accuracy in steps:
        y = (1 - accuracy) * HEIGHT
        yield f"{low * WIDTH:.2f},{y:.2f}"
        yield f"{high * WIDTH:.2f},{y:.2f}"
