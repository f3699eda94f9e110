"""Writing items: people get a text and a target class, and write open or multiple-choice questions about the text.

What they write are answers like any other. A researcher reviews them before they become items of the bank.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from studies.protocols.base import Declaration, InvalidParameter, Protocol, Question, Stage
from studies.protocols.conditions import Is
from studies.protocols.parameters import OneOf, TextParameter, Whole, gettext_noop

WRITE, MORE = "write", "more"
OPEN, MULTIPLE_CHOICE = "open", "multiple_choice"
YES, NO = "yes", "no"
STEM, ANSWER, OPTION = 120, 40, 30  # seconds for one


def declare(params: Mapping[str, Any], wording: Mapping[str, Any]) -> Declaration:
    """One stage: the text in view, and the fields of each item, numbered from 1."""
    most, least = params["items_per_text"], params["at_least"] or params["items_per_text"]
    if least > most:
        raise InvalidParameter(f"at_least is {least}, but items_per_text is {most}. Ask for no more than that.")
    return Declaration(
        stages=(
            Stage(
                name=WRITE,
                questions=tuple(
                    question
                    for part in range(1, most + 1)
                    for question in make_item_questions(part, most, least, params)
                ),
                shows=frozenset({"text", "title"}),
                template="write",
            ),
        ),
        needs_options=False,
        slots={
            "target": params["target_class"].strip() or str(wording.get("slots", {}).get("target", "")),
            "number": str(most) if least == most else f"{least}–{most}",
        },
    )


def make_item_questions(part: int, most: int, least: int, params: Mapping[str, Any]) -> Iterator[Question]:
    """The fields of one item. Fields beyond the minimum are optional."""
    wants = Is(f"{MORE}_{part - 1}", (YES,)) if part > least else None
    common: dict[str, Any] = {"kind": "text", "asked_if": wants, "part": part}
    yield Question(f"stem_{part}", wording="stem", writes="stem", seconds=STEM, **common)
    if params["form"] == OPEN:
        yield Question(f"answer_{part}", wording="answer", writes="expected answer", seconds=ANSWER, **common)
    else:
        yield from make_option_questions(part, params["options_per_item"], params["keys_per_item"], common)
    if least <= part < most:
        yield Question(f"{MORE}_{part}", kind="choice", levels=(YES, NO), wording=MORE, part=part, asked_if=wants)


def make_option_questions(part: int, n_options: int, n_keys: int, common: Mapping[str, Any]) -> Iterator[Question]:
    """The keys, then the distractors, in separate fields, so that the key does not depend on the position."""
    if n_keys >= n_options:
        raise InvalidParameter(
            f"keys_per_item is {n_keys}, but options_per_item is {n_options}. Leave room for a wrong option."
        )
    for place in range(1, n_keys + 1):
        yield Question(f"key_{place}_{part}", wording="key", writes="key", place=place, seconds=OPTION, **common)
    for place in range(1, n_options - n_keys + 1):
        name = f"distractor_{place}_{part}"
        yield Question(name, wording="distractor", writes="distractor", place=place, seconds=OPTION, **common)


PROTOCOL = Protocol(
    name="writing",
    title=gettext_noop("Writing items"),
    parameters=(
        TextParameter(
            "target_class",
            label=gettext_noop("Target audience"),
            help=gettext_noop("For example: pupils of year 7, or learners at B1. It appears in the instructions."),
            in_wording=("slots", "target"),
        ),
        OneOf(
            "form",
            OPEN,
            gettext_noop("Type of question"),
            options=(
                (OPEN, gettext_noop("Open questions with an expected answer")),
                (MULTIPLE_CHOICE, gettext_noop("Multiple choice: right and wrong options")),
            ),
        ),
        Whole("items_per_text", 3, gettext_noop("Questions per text"), low=1, high=20),
        Whole(
            "at_least",
            0,
            gettext_noop("Minimum number of questions"),
            gettext_noop("Writers may stop after this many. 0: all questions have to be written."),
            low=0,
            high=20,
        ),
        Whole(
            "options_per_item",
            4,
            gettext_noop("Options per question"),
            gettext_noop("For multiple choice only."),
            2,
            10,
        ),
        Whole("keys_per_item", 1, gettext_noop("Correct options per question"), low=1, high=9),
    ),
    declare=declare,
    order=5,
    needs_items=False,
    summary=gettext_noop(
        "People write questions about texts for a target audience. The questions you accept become items "
        "of the project, with the writers' group as generator."
    ),
)
