"""Two protocols that Lesart does not have: a questionnaire that stops, and a choice between two items."""

from itertools import combinations

import yaml

from studies.protocols import Declaration, Protocol, Question, Stage
from studies.protocols.base import each_item
from studies.protocols.conditions import read_condition
from studies.protocols.parameters import Switch
from studies.services import instruments

WORDS = {"title": "Page", "next": "Continue", "lead": []}
CONTENT = {
    "name": "toy",
    **{name: {"title": name} for name in ("consent", "instructions", "done", "closed", "paused", "revoked", "waiting")},
    "judge": WORDS | {"questions": [{"name": "central", "title": "Central", "question": "Is it central?"}]},
    "compare": WORDS,
}
SEEN = frozenset({"text", "title", "options"})


def stopping(params, wording) -> Declaration:
    """`why` only after no, `central` only after yes, `use` only if `central` is yes or maybe."""
    yes_no = ("yes", "no")
    questions = (
        Question("good", kind="choice", levels=yes_no),
        Question("why", kind="text", required=False, asked_if=read_condition({"good": "no"})),
        Question("central", kind="choice", levels=(*yes_no, "maybe"), asked_if=read_condition({"good": "yes"})),
        Question("use", kind="choice", levels=yes_no, asked_if=read_condition({"central": ["yes", "maybe"]})),
    )
    return Declaration((Stage("judge", questions, shows=SEEN),), split=each_item, needs_options=False)


def pair_across_generators(items, rng):
    """Every two items by different generators."""
    return [(a.item_id, b.item_id) for a, b in combinations(items, 2) if a.generator != b.generator]


def comparing(params, wording) -> Declaration:
    stage = Stage("compare", (Question("better", kind="pick", levels=("tie",)),), shows=SEEN, keys="first")
    return Declaration(
        (stage,), split=pair_across_generators, needs_options=False, min_generators=2, calibration=params["calibration"]
    )


STOPPING = Protocol("toy-stopping", "Toy stopping", (), stopping, unit="item")
COMPARING = Protocol("toy-comparing", "Toy comparing", (Switch("calibration"),), comparing, unit="pair")


def ship(monkeypatch, toy: Protocol) -> None:
    """Its wording is there as if it came with Lesart."""
    content = CONTENT | {"name": toy.name, "language": "en", "use": "people"}
    monkeypatch.setitem(instruments.load_shipped(), f"{toy.name}/en", content)
    monkeypatch.setitem(instruments.load_shipped_sources(), f"{toy.name}/en", yaml.safe_dump(content))
