"""Guess-then-read: answer without the text, then with it (Säuberli & Clematide 2024).

Text informativity is answerability (share right with the text) minus guessability (share right without).
"""

from collections.abc import Mapping
from typing import Any

from studies.protocols.base import Declaration, InvalidParameter, Protocol, Question, Stage
from studies.protocols.parameters import Switch, Whole, gettext_noop


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
                shows=frozenset({"options"}),
                confirm=True,
            ),
            Stage(
                name="read",
                questions=(
                    Question("answer", per="option", kind="tick", unsure=True),
                    Question("rating", levels=levels, seconds=0),  # included in the time of the answers
                ),
                shows=frozenset({"text", "title", "options"}),
                starts_from="guess" if params["prefill"] else None,
            ),
        )
    )


def check_labels(levels: tuple[int, ...], wording: Mapping[str, Any]) -> None:
    """Refuse a scale with levels that the wording lacks, or a wording with levels that the scale lacks."""
    labels = wording.get("read", {}).get("rating", {}).get("levels", [])
    if labels and tuple(label["value"] for label in labels) != levels:
        raise InvalidParameter(
            f"rating_scale is {len(levels)}, but the wording has words for {len(labels)} steps. Make them agree."
        )


PROTOCOL = Protocol(
    name="guess-then-read",
    title=gettext_noop("Guess, then read"),
    parameters=(
        Switch(
            "prefill",
            label=gettext_noop("Show the guesses as starting answers in the reading stage"),
            help=gettext_noop("If not selected, the reading stage starts empty."),
        ),
        Whole("rating_scale", 5, gettext_noop("Rating scale (points)"), low=2, high=10),
    ),
    declare=declare,
    order=1,
    prompts={"option": "guess-then-read-prompt", "letters": "guess-then-read-letters"},
    selection=("guess", "read"),
    summary=gettext_noop(
        "People answer each question without the text, then with it. The difference is what the question measures of"
        " the text."
    ),
)
