"""Dimension ratings: questions scored on several dimensions, with a second round over disagreements (QGEval, 2024).

Experts may check a sample of the scores and call each right or wrong.

Generators are hidden, the expected answer is shown. The wording has the titles of dimensions and the meanings of
levels; names and scale are parameters.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from studies.protocols.base import Declaration, InvalidParameter, Protocol, Question, Stage
from studies.protocols.parameters import Names, OneOf, SomeOf, Whole, gettext_noop

RATE, CHECK = "rate", "check"
RIGHT, WRONG = "right", "wrong"
VERDICTS = (RIGHT, WRONG)
FOLDED, EXACT = "folded", "exact"
RULES = (
    ("a", gettext_noop("(a) same wording, different scores by the same annotator")),
    ("b", gettext_noop("(b) at least two points away from all others, who agree with each other")),
    ("c", gettext_noop("(c) all scores different")),
)


def declare(params: Mapping[str, Any], wording: Mapping[str, Any]) -> Declaration:
    """One stage: every item of a text on every dimension, the text in view."""
    levels = tuple(range(1, params["scale"] + 1))
    worded = {entry["name"]: entry for entry in wording.get("rate", {}).get("dimensions", [])}
    names = params["dimensions"] or list(worded)
    if not names:
        raise InvalidParameter("The wording names no dimensions: list them as the parameter dimensions.")
    questions = tuple(
        Question(
            name,
            levels=levels,
            needs_expected_answer=bool(worded.get(name, {}).get("needs_expected_answer")),
            seconds=4,
        )
        for name in names
    )
    rate = Stage(
        name=RATE,
        questions=questions,
        shows=frozenset({"text", "title", "expected answer"}),
        one_at_a_time=params["layout"] == "question",
    )
    verdicts = tuple(
        replace(question, kind="choice", levels=VERDICTS, levels_named="verdicts") for question in questions
    )
    return Declaration(
        stages=(rate,),
        check=replace(rate, name=CHECK, questions=verdicts, checks=RATE),
        needs_options=False,
        rounds=params["rounds"],
        rules=tuple(params["rules"]),
        exact_wording=params["same_wording"] == EXACT,
    )


PROTOCOL = Protocol(
    name="dimension-ratings",
    title=gettext_noop("Dimension ratings"),
    parameters=(
        Names(
            "dimensions",
            label=gettext_noop("Dimensions"),
            help=gettext_noop(
                "Names separated by commas. A name that the wording does not describe is shown as it is written here."
            ),
            in_wording=("rate", "dimensions"),
        ),
        Whole("scale", 3, gettext_noop("Rating scale (points)"), low=2, high=9),
        OneOf(
            "layout",
            "passage",
            gettext_noop("Layout"),
            options=(
                ("passage", gettext_noop("all questions of a text on one page")),
                ("question", gettext_noop("one question per page")),
            ),
        ),
        Whole(
            "rounds",
            1,
            gettext_noop("Rounds"),
            gettext_noop("With 2 rounds you can ask annotators again about scores that contradict each other."),
            low=1,
            high=2,
        ),
        SomeOf("rules", ("a", "b", "c"), gettext_noop("Scores that the second round reopens"), options=RULES),
        OneOf(
            "same_wording",
            FOLDED,
            gettext_noop("Same wording, for rule (a)"),
            options=(
                (FOLDED, gettext_noop("case, spacing and punctuation at the end make no difference")),
                (EXACT, gettext_noop("identical character by character")),
            ),
        ),
    ),
    declare=declare,
    order=2,
    summary=gettext_noop(
        "People score each question on several dimensions with the text in view. A second round can give back scores"
        " that contradict each other."
    ),
)
