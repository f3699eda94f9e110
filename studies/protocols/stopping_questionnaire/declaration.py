"""The stopping questionnaire: open questions judged through gates, each of which may end it (Horbach et al. 2020).

Gates, questions, answers and stops are in the wording, under `judge`; code only interprets them. {domain} in the
wording is a parameter.
"""

from collections.abc import Mapping
from typing import Any

from studies.protocols.base import Declaration, Protocol, Stage, each_item
from studies.protocols.gates import read_gates
from studies.protocols.parameters import Switch, TextParameter, gettext_noop


def declare(params: Mapping[str, Any], wording: Mapping[str, Any]) -> Declaration:
    """One stage about one item, with its text in view."""
    questions, gates = read_gates(wording.get("judge", {}), stops=not params["flat"])
    return Declaration(
        stages=(
            Stage(
                name="judge",
                questions=questions,
                shows=frozenset({"text", "title"}),
                template="gates",
                gates=gates,
            ),
        ),
        split=each_item,
        needs_options=False,
        slots={"domain": params["domain"].strip() or str(wording.get("slots", {}).get("domain", ""))},
    )


PROTOCOL = Protocol(
    name="stopping-questionnaire",
    title=gettext_noop("Stopping questionnaire"),
    parameters=(
        TextParameter(
            "domain",
            label=gettext_noop("Domain"),
            help=gettext_noop(
                "The subject that questions should be about, such as biology. It appears "
                "in the questions to the annotators."
            ),
            in_wording=("slots", "domain"),
        ),
        Switch(
            "flat",
            label=gettext_noop("Ask every question"),
            help=gettext_noop("The questionnaire never ends early. Use this to compare with the stopping version."),
        ),
    ),
    declare=declare,
    order=3,
    unit="item",
    summary=gettext_noop(
        "People judge one question at a time, step by step. Judging ends at the first step where the question fails."
    ),
)
