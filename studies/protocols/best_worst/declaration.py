"""Best–worst scaling: of a few items on one text, which is the best and which the worst (Louviere & Woodworth 1991)?

Keys are marked; explanations are never shown, because only some generators have them.
"""

from collections.abc import Mapping
from typing import Any

from studies.protocols.base import Declaration, Protocol, Question, Shown, Stage
from studies.protocols.best_worst.plan import make_tuple_split
from studies.protocols.parameters import Whole, gettext_noop

BEST, WORST = "best", "worst"
SHOWN: frozenset[Shown] = frozenset({"text", "title", "options", "expected answer"})
SECONDS = 30  # for each of the two choices, reading the items included


def declare(params: Mapping[str, Any], wording: Mapping[str, Any]) -> Declaration:
    """One stage: the items of a tuple with their keys and the text, and two choices among them."""
    size, n_tuples = params["tuple_size"], params["tuples_per_text"]
    questions = (
        Question(BEST, kind="pick", seconds=SECONDS),
        Question(WORST, kind="pick", unlike=BEST, seconds=SECONDS),
    )
    return Declaration(
        stages=(Stage("choose", questions, shows=SHOWN, keys="marked"),),
        split=make_tuple_split(size, n_tuples),
        units_per_text=n_tuples or None,
        tuple_size=size,
        slots={"items": str(size)},
        needs_options=False,
    )


PROTOCOL = Protocol(
    name="best-worst",
    title=gettext_noop("Best–worst scaling"),
    parameters=(
        Whole("tuple_size", 4, gettext_noop("Items per set"), low=3, high=6),
        Whole(
            "tuples_per_text",
            0,
            gettext_noop("Sets per text"),
            gettext_noop(
                "0: one set per item of the text, so that each item appears in as many sets as a set has items. "
                "A text with too few items for that gives every possible set."
            ),
            high=1000,
        ),
    ),
    declare=declare,
    unit="tuple",
    order=5,
    summary=gettext_noop(
        "People say which of four items on the same text is the best and which the worst. The result is a score for"
        " each item and each generator."
    ),
    words={
        "choose": gettext_noop("choosing"),
        BEST: gettext_noop("best item"),
        WORST: gettext_noop("worst item"),
        "best_worst_score": gettext_noop("best–worst score"),
    },
)
