"""Pairwise comparison: which of two items on the same text, by different generators, is the better one?

Keys are shown; explanations never, because only some generators have them. Shared texts come first as a calibration.
"""

from collections.abc import Mapping
from typing import Any

from studies.protocols.base import Declaration, InvalidParameter, Protocol, Question, Stage
from studies.protocols.conditions import Is, Not
from studies.protocols.pairwise.plan import make_pair_split
from studies.protocols.parameters import Switch, Whole, gettext_noop

BETTER, TIE = "better", "tie"
SECONDS = 40  # for reading two items and choosing


def declare(params: Mapping[str, Any], wording: Mapping[str, Any]) -> Declaration:
    """One stage: two items of a text side by side, with their keys and the text."""
    questions = [Question(BETTER, kind="pick", levels=(TIE,), seconds=SECONDS)]
    if params["criteria_ticks"]:
        questions += list_criteria(wording)
    return Declaration(
        stages=(
            Stage(
                name="compare",
                questions=tuple(questions),
                shows=frozenset({"text", "title", "options"}),
                keys="first" if params["key_first"] else "marked",
                template="pair",
            ),
        ),
        split=make_pair_split(params["pairs_per_text"]),
        units_per_text=params["pairs_per_text"],
        min_generators=2,
        calibration=True,
        takes_back=True,  # one key chooses and hands in
    )


def list_criteria(wording: Mapping[str, Any]) -> list[Question]:
    """One tick for each criterion of the wording: whether it decided. After a tie none is asked."""
    named = [entry["name"] for entry in wording.get("compare", {}).get("criteria", [])]
    if not named:
        raise InvalidParameter("The wording names no criteria, so criteria_ticks has nothing to ask.")
    decided = Not(Is(BETTER, (TIE,)))
    return [Question(name, kind="tick", asked_if=decided, seconds=0) for name in named]


PROTOCOL = Protocol(
    name="pairwise",
    title=gettext_noop("Pairwise comparison"),
    parameters=(
        Whole(
            "pairs_per_text",
            30,
            gettext_noop("Pairs per text"),
            gettext_noop(
                "With 4 generators and 5 items each, 30 pairs compare each item with one item of every "
                "other generator. If a text allows fewer pairs, all of them are used."
            ),
            low=1,
            high=1000,
        ),
        Switch(
            "key_first",
            True,
            gettext_noop("Show the correct answers first"),
            gettext_noop("If not selected, the options are shuffled. Correct answers are marked in both cases."),
        ),
        Switch("criteria_ticks", False, gettext_noop("Ask for the deciding criteria")),
    ),
    declare=declare,
    order=4,
    unit="pair",
    summary=gettext_noop(
        "People say which of two items on the same text is better, or that neither is. The result is a ranking of the"
        " generators."
    ),
)
