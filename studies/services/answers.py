"""The one gate for answers: a page, a model and an import are checked by the same declaration."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from studies.protocols import InvalidAnswer, Stage
from studies.protocols.base import Value


@dataclass(frozen=True)
class Given:
    """What an annotator says about one item: per question a value, or a tick or not for each option."""

    item_id: int
    ticks: Mapping[str, Mapping[int, bool]] = field(default_factory=dict)
    values: Mapping[str, Value] = field(default_factory=dict)
    unsure: frozenset[int] = frozenset()
    probability: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """One answered question, checked."""

    item_id: int
    option_id: int | None
    question: str
    value: Value
    unsure: bool | None = None
    probability: float | None = None


def answers_of(stage: Stage, given: Given, option_ids: Iterable[int], *, partial: bool = False) -> list[Answer]:
    """The answers in one item's `Given`, each checked. Options are judged all or none, but for a model (`partial`)."""
    expected = set(option_ids)
    found: list[Answer] = []
    for question in stage.questions:
        if question.per == "item" and question.name in given.values:
            found.append(Answer(given.item_id, None, question.name, question.check(given.values[question.name])))
        for option_id, ticked in given.ticks.get(question.name, {}).items():
            if not partial and set(given.ticks[question.name]) != expected:
                raise InvalidAnswer("An answer must judge each option of its item once.")
            unsure = option_id in given.unsure if question.unsure else None
            probability = given.probability.get(option_id)
            value = question.check(ticked)
            found.append(Answer(given.item_id, option_id, question.name, value, unsure, probability))
    return found
