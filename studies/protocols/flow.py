"""Every way through questions that may stop, worked out from their conditions. Pure functions, without Django.

Answers that make no difference to any condition are taken together, so that a questionnaire has few ways.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from studies.protocols.base import Gate, Question
from studies.protocols.conditions import AllOf, AnyOf, Condition, Is, Not, Value

MOST_WAYS = 2_000


class TooManyWays(ValueError):
    """There are more ways through the questions than can be looked at."""


@dataclass(frozen=True)
class Step:
    """A question that is asked, and the answers with which it goes on like this; none named if all do."""

    question: str
    values: tuple[Value, ...] = ()


@dataclass(frozen=True)
class Way:
    """One way through: its steps, and the number of the gate at which it stops (None: it goes to the end)."""

    steps: tuple[Step, ...]
    stop: int | None

    @property
    def questions(self) -> tuple[str, ...]:
        return tuple(step.question for step in self.steps)


@dataclass(frozen=True)
class Path:
    """All ways that ask the same questions."""

    questions: tuple[str, ...]
    stop: int | None
    ways: tuple[Way, ...]

    @property
    def length(self) -> int:
        return len(self.questions)


@lru_cache(maxsize=64)
def ways(questions: tuple[Question, ...], gates: tuple[Gate, ...]) -> tuple[Way, ...]:
    """Every way, in the order of the answers; `TooManyWays` above `MOST_WAYS`."""
    tests = list(tests_in([each.asked_if for each in questions] + [gate.stop_if for gate in gates]))
    found = []
    for steps, answers in walk_steps(questions, tests, {}):
        found.append(Way(tuple(steps), stop_of(gates, answers)))
        if len(found) > MOST_WAYS:
            raise TooManyWays(f"There are more than {MOST_WAYS} ways through the questions: use fewer conditions.")
    return tuple(found)


def paths(questions: tuple[Question, ...], gates: tuple[Gate, ...]) -> list[Path]:
    """The ways grouped by what they ask, the shortest first."""
    grouped: dict[tuple[tuple[str, ...], int | None], list[Way]] = {}
    for way in ways(questions, gates):
        grouped.setdefault((way.questions, way.stop), []).append(way)
    found = [Path(asked, stop, tuple(its)) for (asked, stop), its in grouped.items()]
    return sorted(found, key=lambda path: path.length)


def walk_steps(
    questions: Sequence[Question], tests: Sequence[Is], answers: Mapping[str, Value]
) -> Iterator[tuple[list[Step], Mapping[str, Value]]]:
    """The steps from the first of these questions on, with the answers that they mean."""
    if not questions:
        yield [], answers
        return
    question, rest = questions[0], questions[1:]
    if question.asked_if is not None and not question.asked_if.holds(answers):
        yield from walk_steps(rest, tests, answers)
        return
    for values in alike(question, tests):
        here = Step(question.name, values if values != question.levels else ())
        for steps, after in walk_steps(rest, tests, {**answers, question.name: values[0] if values else "…"}):
            yield [here, *steps], after


def alike(question: Question, tests: Iterable[Is]) -> list[tuple[Value, ...]]:
    """The answers to a question, those that no condition tells apart together."""
    about = [test for test in tests if test.question == question.name]
    groups: dict[tuple[bool, ...], list[Value]] = {}
    for level in question.levels:
        groups.setdefault(tuple(level in test.values for test in about), []).append(level)
    return [tuple(group) for group in groups.values()] or [()]


def tests_in(conditions: Iterable[Condition | None]) -> Iterator[Is]:
    """The single tests that conditions are made of."""
    for condition in conditions:
        if isinstance(condition, Is):
            yield condition
        elif isinstance(condition, AllOf | AnyOf):
            yield from tests_in(condition.parts)
        elif isinstance(condition, Not):
            yield from tests_in([condition.part])


def stop_of(gates: Sequence[Gate], answers: Mapping[str, Value | None]) -> int | None:
    """The first gate whose stop is sure after these answers; None if there is none."""
    return next((number for number, gate in enumerate(gates) if gate.stop_if and gate.stop_if.holds(answers)), None)


def find_stop(questions: Iterable[Question], gates: Sequence[Gate], asked: Mapping[str, Value | None]) -> str | None:
    """The question whose answer made it sure that nothing more is asked; None if no gate stops.

    `asked` is a path: the questions that are asked, with their answers.
    """
    sofar: dict[str, Value | None] = dict.fromkeys(asked)
    for question in questions:
        if question.name in asked:
            sofar[question.name] = asked[question.name]
            if stop_of(gates, sofar) is not None:
                return question.name
    return None
