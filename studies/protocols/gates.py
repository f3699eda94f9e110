"""Reading a questionnaire that stops from its wording, and checking that it can be gone through. Knows no Django.

The wording of its stage holds `questions`, each with its name, its answers and perhaps its own `asked_if`, and `gates`,
each with a title, the names of its questions in order, and perhaps a `stop_if`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from studies.protocols.base import Gate, InvalidParameter, Question
from studies.protocols.conditions import AllOf, BadCondition, Condition, Not, Value, read_condition
from studies.protocols.flow import TooManyWays, tests_in, ways
from studies.protocols.parameters import NAME

WRITING, CHOOSING = 30, 10  # seconds for one answer


def read_gates(words: Mapping[str, Any], *, stops: bool = True) -> tuple[tuple[Question, ...], tuple[Gate, ...]]:
    """The questions in the order in which they are asked, with all conditions, and the gates; all open without `stops`.

    `InvalidParameter` with sentences that name the gate or question if it cannot be gone through as it stands.
    """
    entries = entries_of(words)
    gates, questions = [], []
    ended: list[Condition] = []
    for data in read_list(words.get("gates"), "gates"):
        gate = gate_of(data, stops)
        for name in gate.questions:
            if name not in entries:
                raise InvalidParameter(f"Gate “{gate.title}” asks “{name}”, but the wording has no such question.")
            questions.append(question_of(name, entries[name], gate, ended))
        if gate.stop_if:
            ended.append(gate.stop_if)
        gates.append(gate)
    found = tuple(questions), tuple(gates)
    refuse(shape_problems(*found, entries))
    refuse(condition_problems(*found))
    refuse(flow_problems(*found))
    return found


def entries_of(words: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """What the wording says of each question, by its name."""
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


def gate_of(data: Mapping[str, Any], stops: bool) -> Gate:
    title, names = data.get("title"), data.get("questions")
    if not isinstance(title, str) or not title.strip():
        raise InvalidParameter("Each gate needs a title.")
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise InvalidParameter(f"Gate “{title}” needs a list of the names of its questions.")
    stop_if = condition_of(data.get("stop_if"), f"The stop of gate “{title}”")
    return Gate(title, tuple(names), stop_if if stops else None)


def condition_of(data: object, whose: str) -> Condition | None:
    try:
        return None if data is None else read_condition(data)
    except BadCondition as error:
        raise InvalidParameter(f"{whose} cannot be read. {error}") from None


def question_of(name: str, data: Mapping[str, Any], gate: Gate, stops: Sequence[Condition]) -> Question:
    """The question with its own condition, and asked only where no earlier gate has stopped."""
    own = condition_of(data.get("asked_if"), f"The condition of “{name}” in gate “{gate.title}”")
    parts = (*([own] if own else []), *map(Not, stops))
    asked_if = parts[0] if len(parts) == 1 else AllOf(parts) if parts else None
    is_text = data.get("kind") == "text"
    return Question(
        name,
        kind="text" if is_text else "choice",
        levels=() if is_text else levels_of(name, data, gate),
        required=data.get("required", True) is not False,
        asked_if=asked_if,
        gate=gate.title,
        rewords=is_text and data.get("rewords") is True,
        seconds=WRITING if is_text else CHOOSING,
    )


def levels_of(name: str, data: Mapping[str, Any], gate: Gate) -> tuple[Value, ...]:
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


def shape_problems(
    questions: Sequence[Question], gates: Sequence[Gate], entries: Mapping[str, object]
) -> Iterable[str]:
    """Questions in no gate or in two, and gates of one title."""
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


def condition_problems(questions: Sequence[Question], gates: Sequence[Gate]) -> Iterable[str]:
    """Conditions over what is not asked before, or over answers that do not exist."""
    known: dict[str, Question] = {}
    for gate in gates:
        for question in (each for each in questions if each.gate == gate.title):
            yield from list_tested(question.asked_if, known, f"“{question.name}” in gate “{gate.title}”")
            known[question.name] = question
        yield from list_tested(gate.stop_if, known, f"The stop of gate “{gate.title}”")


def list_tested(condition: Condition | None, known: Mapping[str, Question], whose: str) -> Iterable[str]:
    for test in tests_in([condition]):
        if test.question not in known:
            yield f"{whose} depends on “{test.question}”, which is not asked before it."
        elif known[test.question].kind == "text":
            yield f"{whose} depends on “{test.question}”, which is answered in words of one's own."
        else:
            for value in test.values:
                if value not in known[test.question].levels:
                    quoted = "; put “yes” and “no” in quotes" if isinstance(value, bool) else ""
                    yield f"{whose} depends on the answer “{value}”, which “{test.question}” does not have{quoted}."


def flow_problems(questions: tuple[Question, ...], gates: tuple[Gate, ...]) -> Iterable[str]:
    """Dead ends, stops that never come about, and questions that no answers lead to."""
    try:
        found = ways(questions, gates)
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
