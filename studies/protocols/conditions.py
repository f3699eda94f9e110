"""When a question is asked: conditions over earlier answers about the same unit, as data. Knows no Django.

A condition is True, False or None. None means that it depends on a question that is asked but not answered yet: a
question that depends on it is not asked yet, but may be. A question that was not asked has no value, so no condition
can test it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

Value = bool | int | str
Answers = Mapping[str, Value | None]  # by question that is asked; None where it is not answered yet
NOT_APPLICABLE = "not_applicable"  # the value in tables of a question that its condition excluded


class BadCondition(ValueError):
    """A condition that cannot be read; the message is a sentence."""


class Condition(Protocol):
    def holds(self, answers: Answers) -> bool | None: ...

    def questions(self) -> frozenset[str]: ...

    def as_data(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Is:
    """The question was asked and answered with one of these values."""

    question: str
    values: tuple[Value, ...]

    def holds(self, answers: Answers) -> bool | None:
        if self.question not in answers:
            return False
        given = answers[self.question]
        return None if given is None else given in self.values

    def questions(self) -> frozenset[str]:
        return frozenset([self.question])

    def as_data(self) -> dict[str, Any]:
        return {self.question: list(self.values)}


@dataclass(frozen=True)
class _Parts:
    parts: tuple[Condition, ...]

    def questions(self) -> frozenset[str]:
        return frozenset().union(*(part.questions() for part in self.parts))


class AllOf(_Parts):
    """All parts hold; true without parts."""

    def holds(self, answers: Answers) -> bool | None:
        found = [part.holds(answers) for part in self.parts]
        if False in found:
            return False
        return None if None in found else True

    def as_data(self) -> dict[str, Any]:
        return {"all": [part.as_data() for part in self.parts]}


class AnyOf(_Parts):
    """At least one part holds; false without parts."""

    def holds(self, answers: Answers) -> bool | None:
        found = [part.holds(answers) for part in self.parts]
        if True in found:
            return True
        return None if None in found else False

    def as_data(self) -> dict[str, Any]:
        return {"any": [part.as_data() for part in self.parts]}


@dataclass(frozen=True)
class Not:
    part: Condition

    def holds(self, answers: Answers) -> bool | None:
        found = self.part.holds(answers)
        return None if found is None else not found

    def questions(self) -> frozenset[str]:
        return self.part.questions()

    def as_data(self) -> dict[str, Any]:
        return {"not": self.part.as_data()}


def read_condition(data: object) -> Condition:
    """A condition in the format of an instrument; `BadCondition` if it is invalid.

    `{question: value}` or `{question: [values]}`, several questions meaning all of them; `{all: […]}`, `{any: […]}`
    and `{not: …}` combine.
    """
    if not isinstance(data, Mapping) or not data:
        raise BadCondition("A condition is a mapping, such as {clear: [no]} or {any: [{clear: no}, …]}.")
    parts = [_read_part(str(name), value) for name, value in data.items()]
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _read_part(name: str, value: object) -> Condition:
    if name in ("all", "any"):
        if not isinstance(value, list) or not value:
            raise BadCondition(f"“{name}” in a condition takes a list of conditions.")
        parts = tuple(map(read_condition, value))
        return AllOf(parts) if name == "all" else AnyOf(parts)
    if name == "not":
        return Not(read_condition(value))
    values: list[Any] = value if isinstance(value, list) else [value]
    if not values or not all(isinstance(each, bool | int | str) for each in values):
        raise BadCondition(f"The condition on “{name}” takes a value or a list of values.")
    return Is(name, tuple(values))


class PathQuestion(Protocol):
    """One question of a path: its name, and the condition under which it is asked (None: always)."""

    @property
    def name(self) -> str: ...

    @property
    def asked_if(self) -> Condition | None: ...


def walk(
    questions: Iterable[PathQuestion], answers: Mapping[str, Value]
) -> tuple[dict[str, Value | None], frozenset[str]]:
    """The questions that are asked, each with its answer or None, and those that may still be asked.

    All others are not asked.
    """
    found: dict[str, Value | None] = {}
    waiting: set[str] = set()
    for question in questions:
        condition = question.asked_if
        holds = True if condition is None else condition.holds(found | dict.fromkeys(waiting))
        if holds:
            found[question.name] = answers.get(question.name)
        elif holds is None:
            waiting.add(question.name)
    return found, frozenset(waiting)
