"""What a judge is asked, from an instrument of prompts: which parts each way of judging has, and their slots.

Every such instrument holds `text` (how {text} is laid out), the parts of its way, and `again`, which is said after a
reply that gives no answer. Nothing of generators, explanations or metadata has a slot.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from studies.prompts import TEXT, TITLE, BadTemplate, Layout, check_slots, fill, part, read_layout
from studies.services.judgeable import GATES, PAIRS, SCORES

Slots = tuple[tuple[str, ...], tuple[str, ...]]

PARTS: Mapping[str, Mapping[str, Slots]] = {
    PAIRS: {
        "compare": ((TEXT, "first", "second"), (TITLE, "criteria")),
        "item": (("question", "options"), ()),
        "again": ((), ()),
    },
    SCORES: {
        "rate": ((TEXT, "question", "dimension", "levels"), (TITLE, "help", "expected", "lowest", "highest")),
        "expected": (("answer",), ()),
        "own_scale": (("lowest", "highest"), ()),
        "again": ((), ("lowest", "highest")),
    },
    GATES: {
        "choose": ((TEXT, "question", "asked", "levels"), (TITLE,)),
        "write": ((TEXT, "question", "asked"), (TITLE,)),
        "reworded": (("question", "rewording"), ()),
        "again": ((), ()),
    },
}
"""By way of judging and part: the slots that it needs, and those that it may have beside them."""

FIRST, SECOND, TIE = "first", "second", "tie"
LABELS = {PAIRS: (FIRST, SECOND, TIE), SCORES: (), GATES: ()}


@dataclass(frozen=True)
class JudgePrompts:
    """The parts of an instrument, its labels and its layout, checked."""

    layout: Layout
    parts: Mapping[str, str]
    labels: Mapping[str, str]

    def fill(self, name: str, **values: str) -> str:
        return fill(self.parts[name], values)

    def about(self, name: str, *, title: str, body: str, **values: str) -> str:
        """A part that shows the text."""
        return self.fill(name, **{TEXT: self.layout.lay_out(title, body), TITLE: title}, **values)


def read_judge_prompts(content: Mapping[str, Any], way: str) -> JudgePrompts:
    """The prompts of an instrument for that way of judging, or `BadTemplate`."""
    for check in judge_checks(content, way):
        check()
    parts = {name: part(content, name, str) for name in PARTS[way]}
    return JudgePrompts(read_layout(content), parts, read_labels(content, way))


def judge_checks(content: Mapping[str, Any], way: str) -> Iterator[Callable[[], object]]:
    """Each raises `BadTemplate` if something is wrong with one part of the instrument."""
    yield partial(read_layout, content)
    yield partial(read_labels, content, way)
    for name in PARTS[way]:
        yield partial(check_part, content, way, name)


def check_part(content: Mapping[str, Any], way: str, name: str) -> None:
    needed, optional = PARTS[way][name]
    check_slots(name, part(content, name, str), needed, optional)


def read_labels(content: Mapping[str, Any], way: str) -> dict[str, str]:
    """The labels that a reply is written with, all different also in lower case."""
    names = LABELS[way]
    told = part(content, "labels", Mapping) if names else {}
    labels = {name: str(part(told, name, str, f"labels.{name}")).strip() for name in names}
    if "" in labels.values() or len({label.casefold() for label in labels.values()}) < len(labels):
        raise BadTemplate(_("The labels must differ, also in lower case, and not be empty."), "labels")
    return labels
