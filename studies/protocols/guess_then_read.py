"""Guess-then-read: answer without the text, then with it (Säuberli & Clematide 2024).

Text informativity is answerability (share right with the text) minus guessability (share right without).
"""

from collections.abc import Mapping
from typing import Any

from studies.protocols.base import Declaration, InvalidParameter, Parameter, Protocol, Question, Stage


def declare(params: Mapping[str, Any], wording: Mapping[str, Any]) -> Declaration:
    """Guesses about the items of one generator without the text, then all items with it, each rated."""
    levels = tuple(range(1, params["rating_scale"] + 1))
    check_labels(levels, wording)
    return Declaration(
        stages=(
            Stage(
                name="guess",
                questions=(Question("answer", per="option", kind="tick"),),
                items="slot generator",
                confirm=True,
            ),
            Stage(
                name="read",
                questions=(
                    Question("answer", per="option", kind="tick", unsure=True),
                    Question("rating", per="item", kind="scale", levels=levels),
                ),
                items="all",
                shows=frozenset({"text"}),
                starts_from="guess" if params["prefill"] else None,
            ),
        )
    )


def check_labels(levels: tuple[int, ...], wording: Mapping[str, Any]) -> None:
    """Refuse a scale with steps that the wording has no words for, or words without a step."""
    labels = wording.get("read", {}).get("rating", {}).get("levels", [])
    if labels and tuple(label["value"] for label in labels) != levels:
        raise InvalidParameter(
            f"rating_scale is {len(levels)}, but the wording has words for {len(labels)} steps. Make them agree."
        )


def is_scale(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 2 <= value <= 10


guess_then_read = Protocol(
    name="guess-then-read",
    title="Guess, then read",
    parameters=(
        Parameter("prefill", False, lambda value: isinstance(value, bool), "true or false"),
        Parameter("rating_scale", 5, is_scale, "a whole number from 2 to 10"),
    ),
    declare=declare,
)
