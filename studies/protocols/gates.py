"""Stopping questionnaires: every way through them, how the wording describes them, and how they are checked."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from studies.protocols.base import Gate, InvalidParameter, Question
from studies.protocols.conditions import AllOf, AnyOf, BadCondition, Condition, Is, Not, Value, read_condition
from studies.protocols.parameters import NAME

# Every way through a stopping questionnaire, derived from its conditions. Pure functions, without Django.
#
# Answers that make no difference to any condition are grouped, so that a questionnaire has few ways.

MOST_WAYS = 2_000


class TooManyWays(ValueError):
    """There are too many ways through the questions to examine them."""


@dataclass(frozen=True)
class Step:
    """A question on the way, and the answers that continue this way; `values` is empty if all do."""

    question: str
    values: tuple[Value, ...] = ()


@dataclass(frozen=True)
class Way:
    """One way through: its steps, and the number of the gate at which it stops (None: it reaches the end)."""

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
def list_ways(questions: tuple[Question, ...], gates: tuple[Gate, ...]) -> tuple[Way, ...]:
    """Every way, in the order of the answers; `TooManyWays` above `MOST_WAYS`."""
    tests = list(iter_tests([each.asked_if for each in questions] + [gate.stop_if for gate in gates]))
    found = []
    for steps, answers in walk_steps(questions, tests, {}):
        found.append(Way(tuple(steps), find_first_stop(gates, answers)))
        if len(found) > MOST_WAYS:
            raise TooManyWays(f"There are more than {MOST_WAYS} ways through the questions: use fewer conditions.")
    return tuple(found)


def group_ways(questions: tuple[Question, ...], gates: tuple[Gate, ...]) -> list[Path]:
    """The ways grouped by their questions, the shortest first."""
    grouped: dict[tuple[tuple[str, ...], int | None], list[Way]] = {}
    for way in list_ways(questions, gates):
        grouped.setdefault((way.questions, way.stop), []).append(way)
    found = [Path(asked, stop, tuple(its)) for (asked, stop), its in grouped.items()]
    return sorted(found, key=lambda path: path.length)


def walk_steps(
    questions: Sequence[Question], tests: Sequence[Is], answers: Mapping[str, Value]
) -> Iterator[tuple[list[Step], Mapping[str, Value]]]:
    """The steps from the first of these questions on, with the answers of each."""
    if not questions:
        yield [], answers
        return
    question, rest = questions[0], questions[1:]
    if question.asked_if is not None and not question.asked_if.holds(answers):
        yield from walk_steps(rest, tests, answers)
        return
    for values in group_equivalent_answers(question, tests):
        here = Step(question.name, values if values != question.levels else ())
        for steps, after in walk_steps(rest, tests, {**answers, question.name: values[0] if values else "…"}):
            yield [here, *steps], after


def group_equivalent_answers(question: Question, tests: Iterable[Is]) -> list[tuple[Value, ...]]:
    """The answers to a question; those that no condition distinguishes are grouped."""
    about = [test for test in tests if test.question == question.name]
    groups: dict[tuple[bool, ...], list[Value]] = {}
    for level in question.levels:
        groups.setdefault(tuple(level in test.values for test in about), []).append(level)
    return [tuple(group) for group in groups.values()] or [()]


def iter_tests(conditions: Iterable[Condition | None]) -> Iterator[Is]:
    """The single tests in the conditions."""
    for condition in conditions:
        if isinstance(condition, Is):
            yield condition
        elif isinstance(condition, AllOf | AnyOf):
            yield from iter_tests(condition.parts)
        elif isinstance(condition, Not):
            yield from iter_tests([condition.part])


def find_first_stop(gates: Sequence[Gate], answers: Mapping[str, Value | None]) -> int | None:
    """The first gate that certainly stops after these answers; None if there is none."""
    return next((number for number, gate in enumerate(gates) if gate.stop_if and gate.stop_if.holds(answers)), None)


def find_stop(questions: Iterable[Question], gates: Sequence[Gate], asked: Mapping[str, Value | None]) -> str | None:
    """The question whose answer made it certain that nothing more is asked; None if no gate stops.

    `asked` is a path: the questions that are asked, with their answers.
    """
    sofar: dict[str, Value | None] = dict.fromkeys(asked)
    for question in questions:
        if question.name in asked:
            sofar[question.name] = asked[question.name]
            if find_first_stop(gates, sofar) is not None:
                return question.name
    return None


# Reading a stopping questionnaire from its wording, and checking it. Without Django.
#
# The wording of its stage has `questions`, each with its name, its answers and perhaps its own `asked_if`, and
# `gates`, each with a title, the names of its questions in order, and perhaps a `stop_if`.

WRITING, CHOOSING = 30, 10  # seconds for one answer


def read_gates(words: Mapping[str, Any], *, stops: bool = True) -> tuple[tuple[Question, ...], tuple[Gate, ...]]:
    """The questions in the order in which they are asked, with all conditions, and the gates. stops: whether they stop.

    `InvalidParameter` with sentences that name the gate or question, if the questionnaire is invalid.
    """
    entries = map_entries(words)
    gates, questions = [], []
    ended: list[Condition] = []
    for data in read_list(words.get("gates"), "gates"):
        gate = read_gate(data, stops)
        for name in gate.questions:
            if name not in entries:
                raise InvalidParameter(f"Gate “{gate.title}” asks “{name}”, but the wording has no such question.")
            questions.append(read_question(name, entries[name], gate, ended))
        if gate.stop_if:
            ended.append(gate.stop_if)
        gates.append(gate)
    found = tuple(questions), tuple(gates)
    refuse(find_shape_problems(*found, entries))
    refuse(find_condition_problems(*found))
    refuse(find_flow_problems(*found))
    return found


def map_entries(words: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The wording's entry for each question, by its name."""
    entries: dict[str, Mapping[str, Any]] = {}
    for data in read_list(words.get("questions"), "questions"):
        name = data.get("name")
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise InvalidParameter(f"A question is named “{name}”: use small letters, digits and underscores.")
        if name in entries:
            raise InvalidParameter(f"There are two questions named “{name}”.")
        entries[name] = data
    return entries


def read_list(data: object, name: str) -> list[Mapping[str, Any]]:
    if not isinstance(data, list) or not data or not all(isinstance(each, Mapping) for each in data):
        raise InvalidParameter(f"The wording of the questionnaire needs a list of {name}, each a mapping.")
    return data


def read_gate(data: Mapping[str, Any], stops: bool) -> Gate:
    title, names = data.get("title"), data.get("questions")
    if not isinstance(title, str) or not title.strip():
        raise InvalidParameter("Each gate needs a title.")
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise InvalidParameter(f"Gate “{title}” needs a list of the names of its questions.")
    stop_if = read_optional_condition(data.get("stop_if"), f"The stop of gate “{title}”")
    return Gate(title, tuple(names), stop_if if stops else None)


def read_optional_condition(data: object, whose: str) -> Condition | None:
    try:
        return None if data is None else read_condition(data)
    except BadCondition as error:
        raise InvalidParameter(f"{whose} cannot be read. {error}") from None


def read_question(name: str, data: Mapping[str, Any], gate: Gate, stops: Sequence[Condition]) -> Question:
    """The question with its own condition, asked only if no earlier gate has stopped."""
    own = read_optional_condition(data.get("asked_if"), f"The condition of “{name}” in gate “{gate.title}”")
    parts = (*([own] if own else []), *map(Not, stops))
    asked_if = parts[0] if len(parts) == 1 else AllOf(parts) if parts else None
    is_text = data.get("kind") == "text"
    return Question(
        name,
        kind="text" if is_text else "choice",
        levels=() if is_text else read_levels(name, data, gate),
        required=data.get("required", True) is not False,
        asked_if=asked_if,
        gate=gate.title,
        rewords=is_text and data.get("rewords") is True,
        seconds=WRITING if is_text else CHOOSING,
    )


def read_levels(name: str, data: Mapping[str, Any], gate: Gate) -> tuple[Value, ...]:
    levels = data.get("levels") if isinstance(data.get("levels"), list) else []
    values = [level.get("value") if isinstance(level, Mapping) else level for level in levels or ()]
    if any(isinstance(value, bool) for value in values):
        raise InvalidParameter(f"The answers of “{name}” in gate “{gate.title}”: put “yes” and “no” in quotes.")
    named = all(isinstance(each, str) and each for each in values)
    if not named or len(values) < 2 or len(set(values)) < len(values):
        raise InvalidParameter(
            f"“{name}” in gate “{gate.title}” needs two or more different answers, each with a value, or kind: text."
        )
    return tuple(map(str, values))


def refuse(problems: Iterable[str]) -> None:
    found = list(problems)
    if found:
        raise InvalidParameter(" ".join(found[:5]))


def find_shape_problems(
    questions: Sequence[Question], gates: Sequence[Gate], entries: Mapping[str, object]
) -> Iterable[str]:
    """Questions in no gate or in two gates, and gates with the same title."""
    names = [question.name for question in questions]
    for name in entries:
        if name not in names:
            yield f"“{name}” stands in no gate."
        elif names.count(name) > 1:
            yield f"“{name}” stands in a gate twice."
    titles = [gate.title for gate in gates]
    for title in dict.fromkeys(titles):
        if titles.count(title) > 1:
            yield f"Two gates have the title “{title}”."


def find_condition_problems(questions: Sequence[Question], gates: Sequence[Gate]) -> Iterable[str]:
    """Conditions on questions that are not asked before, or on answers that do not exist."""
    known: dict[str, Question] = {}
    for gate in gates:
        for question in (each for each in questions if each.gate == gate.title):
            yield from find_test_problems(question.asked_if, known, f"“{question.name}” in gate “{gate.title}”")
            known[question.name] = question
        yield from find_test_problems(gate.stop_if, known, f"The stop of gate “{gate.title}”")


def find_test_problems(condition: Condition | None, known: Mapping[str, Question], whose: str) -> Iterable[str]:
    for test in iter_tests([condition]):
        if test.question not in known:
            yield f"{whose} depends on “{test.question}”, which is not asked before it."
        elif known[test.question].kind == "text":
            yield f"{whose} depends on “{test.question}”, which is answered in words of one's own."
        else:
            for value in test.values:
                if value not in known[test.question].levels:
                    quoted = "; put “yes” and “no” in quotes" if isinstance(value, bool) else ""
                    yield f"{whose} depends on the answer “{value}”, which “{test.question}” does not have{quoted}."


def find_flow_problems(questions: tuple[Question, ...], gates: tuple[Gate, ...]) -> Iterable[str]:
    """Dead ends, stops that can never happen, and questions that no answers lead to."""
    try:
        found = list_ways(questions, gates)
    except TooManyWays as error:
        yield str(error)
        return
    reached = {name for way in found for name in way.questions}
    for number, gate in enumerate(gates):
        through = [way for way in found if set(gate.questions) & set(way.questions)]
        if gate.stop_if and not any(way.stop == number for way in found):
            yield f"The stop of gate “{gate.title}” never comes about: no answers lead to it."
        if number + 1 < len(gates) and through and all(way.stop == number for way in through):
            following = gates[number + 1].title
            yield f"Gate “{gate.title}” is a dead end: all answers stop there, and “{following}” is never reached."
            return
    for question in questions:
        if question.name not in reached:
            yield f"“{question.name}” in gate “{question.gate}” is never asked: no answers lead to it."
