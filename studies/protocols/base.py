"""What a protocol declares. Frozen data without Django: one declaration checks answers from pages, models and files."""

import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal

from items.wording import Wording
from studies.protocols.conditions import Condition, Value, walk
from studies.protocols.parameters import InvalidParameter, Parameter

# How the items of a text become units: what one assignment is about. Pure functions, without Django.

UnitKind = Literal["text", "item", "pair", "tuple"]
COMPARED = ("pair", "tuple")  # units whose items are asked about together


@dataclass(frozen=True)
class Candidate:
    """One item of a text, with what a plan may know about it; generators are arbitrary numbers."""

    item_id: int
    generator: int


# Turns the items of one text, in the order of the bank, into units: tuples of item ids. Randomness comes only from the
# generator passed in, so that a seed gives the same units again.
Split = Callable[[Sequence[Candidate], Random], list[tuple[int, ...]]]


def whole_text(items: Sequence[Candidate], rng: Random) -> list[tuple[int, ...]]:
    """One unit: the text with all its items."""
    return [tuple(item.item_id for item in items)]


def each_item(items: Sequence[Candidate], rng: Random) -> list[tuple[int, ...]]:
    """One unit for each item."""
    return [(item.item_id,) for item in items]


def get_stored_item(kind: UnitKind, item_ids: Sequence[int]) -> int | None:
    """The item under which answers about compared items are stored: the first of a pair, none for a tuple."""
    return item_ids[0] if kind == "pair" else None


__all__ = [
    "Declaration",
    "Gate",
    "InvalidAnswer",
    "InvalidParameter",
    "Parameter",
    "Protocol",
    "Question",
    "Stage",
    "Value",
]

Shown = Literal["text", "title", "options", "expected answer"]
MAX_TEXT = 2_000


class InvalidAnswer(ValueError):
    """An impossible answer; the message is a sentence, `question` the question that it answers."""

    def __init__(self, message: str, question: str = ""):
        super().__init__(message)
        self.question = question


@dataclass(frozen=True)
class Question:
    """One question of a stage, about each item (about a pair or tuple: once) or about each option of an item.

    `tick`: true or false; an item left alone counts as false. `scale`: one of `levels`, whole numbers. `choice`: one
    of `levels`, names. `pick`: the id of an item of the unit, or one of `levels` (such as "tie"). `text`: free text.
    """

    name: str
    per: Literal["item", "option"] = "item"
    kind: Literal["tick", "scale", "choice", "pick", "text"] = "scale"
    levels: tuple[Value, ...] = ()
    unsure: bool = False
    required: bool = True
    asked_if: Condition | None = None  # on earlier answers about the same unit, in this stage
    unlike: str = ""  # the earlier question whose answer may not be repeated
    needs_expected_answer: bool = False  # not applicable to an item without one
    levels_named: str = ""  # the key of the levels' words in the stage's wording, if not with the question
    gate: str = ""  # questions of one gate belong together under its heading
    rewords: bool = False  # a text that rewords the item: later questions are about that rewording
    wording: str = ""  # its name in the wording; empty: its own name
    part: int = 0  # for repeated questions: which repetition, from 1; a part is shown together
    place: int = 0  # number among similar questions of a part, from 1
    writes: Literal["", "stem", "expected answer", "key", "distractor"] = ""  # which part of a new item the text is
    seconds: int = 10  # estimated seconds per answer, before anybody has answered

    def read(self, written: str) -> Value:
        """The value in a cell of a file, checked like any other answer.

        A `pick` is not checked here, as its items are not known.
        """
        plain = written.strip()
        if self.kind == "tick" and plain.lower() in ("true", "false"):
            return plain.lower() == "true"
        if self.kind == "scale" and plain.isascii() and plain.isdecimal() and len(plain) < 10:
            return self.check(int(plain))
        return plain if self.kind == "pick" else self.check(written)

    def check(self, value: object, items: Iterable[str] = ()) -> Value:
        """Return the value if it is possible, else raise `InvalidAnswer`; `items` are ids to pick from."""
        if self.kind == "tick" and isinstance(value, bool):
            return value
        if self.kind == "scale" and isinstance(value, int) and not isinstance(value, bool) and value in self.levels:
            return value
        if self.kind == "choice" and isinstance(value, str) and value in self.levels:
            return value
        if self.kind == "pick" and isinstance(value, str) and value in (*items, *self.levels):
            return value
        if self.kind == "text" and isinstance(value, str) and value.strip() and len(value) <= MAX_TEXT:
            return value
        raise InvalidAnswer(self.refusal(value))

    def refusal(self, value: object) -> str:
        """Why a value is not an answer, in a sentence."""
        shown = reprlib.repr(value) if not isinstance(value, str) else value[:100]
        if self.kind == "tick":
            return f"“{shown}” is not an answer to {self.name}: it is true or false."
        if self.kind == "scale":
            return f"“{shown}” is not on the scale of {self.name}: it goes from {self.levels[0]} to {self.levels[-1]}."
        if self.kind == "text":
            return f"The text of {self.name} is empty or longer than {MAX_TEXT} characters."
        listed = ", ".join(map(str, self.levels))
        if self.kind == "pick":
            known = ", or ".join(filter(None, ("the id of an item of the unit", listed)))
            return f"“{shown}” is not an answer to {self.name}: it is {known}."
        return f"“{shown}” is not an answer to {self.name}: it is one of: {listed}."


@dataclass(frozen=True)
class Gate:
    """Questions that belong together, and the answers to them after which nothing more is asked."""

    title: str
    questions: tuple[str, ...]
    stop_if: Condition | None = None


@dataclass(frozen=True)
class Stage:
    """What is shown and asked at one step of an assignment. What `shows` does not list stays on the server."""

    name: str
    questions: tuple[Question, ...]
    items: Literal["slot generator", "all"] = "all"
    shows: frozenset[Shown] = frozenset()
    keys: Literal["hidden", "marked", "first"] = "hidden"
    confirm: bool = False  # a page before the hand-in says what becomes final
    starts_from: str | None = None  # an earlier stage whose answers fill the form at the start
    checks: str = ""  # a stage whose answers are shown here with its wording, and judged
    one_at_a_time: bool = False  # one item per page; annotators can go back within the unit
    template: str = "stage"  # templates/annotation/NAME.html
    gates: tuple[Gate, ...] = ()  # of a stopping questionnaire: all its questions, gate by gate

    def question(self, name: str) -> Question:
        """The question of that name; `KeyError` if the stage does not ask it."""
        return {question.name: question for question in self.questions}[name]

    def applicable_questions(self, has_expected_answer: bool) -> tuple[Question, ...]:
        """The questions that apply to an item."""
        return tuple(each for each in self.questions if has_expected_answer or not each.needs_expected_answer)

    def path(self, answers: Mapping[str, Value], applying: Iterable[Question]) -> dict[str, Value | None]:
        """The applicable questions that are asked after these answers, in order; None if an answer is missing.

        A question whose condition does not hold, or is undecided, is left out, even if it has an answer.
        """
        return walk(applying, answers)[0]

    def find_applicable(self, answers: Mapping[str, Value], applying: Iterable[Question]) -> dict[str, bool | None]:
        """By applicable question, whether it is asked after these answers; None if an earlier answer is missing.

        A question that is asked but has no answer is missing; one that is not asked is not applicable.
        """
        applying = list(applying)
        asked, waiting = walk(applying, answers)
        return {each.name: None if each.name in waiting else each.name in asked for each in applying}

    def find_unasked(self, answers: Mapping[str, Value]) -> frozenset[str]:
        """The questions that are not asked after these answers."""
        return frozenset(
            name for name, asked in self.find_applicable(answers, self.questions).items() if asked is False
        )

    @property
    def is_conditional(self) -> bool:
        """Whether some question is asked only after certain answers."""
        return any(question.asked_if for question in self.questions)

    def find_reached(self, asked: Mapping[str, Value | None]) -> frozenset[str]:
        """The questions asked in open gates: a gate opens when everything before it is answered."""
        found: set[str] = set()
        gate, is_waiting, is_closed = "", False, False
        for question in self.questions:
            if question.gate != gate:
                gate, is_closed = question.gate, is_waiting
            if question.name in asked and not is_closed:
                found.add(question.name)
                is_waiting |= question.required and asked[question.name] is None
        return frozenset(found)


@dataclass(frozen=True)
class Declaration:
    """A protocol with its parameters and its wording filled in."""

    stages: tuple[Stage, ...]
    check: Stage | None = None  # the stage for experts, who judge the answers of others
    phases: tuple[str, ...] = ("consent", "instructions")
    split: Split = whole_text
    units_per_text: int | None = None  # units that the split should make per text; a text with fewer gives all
    needs_options: bool = True
    min_generators: int = 1
    tuple_size: int = 0  # items of a tuple, and the fewest items of a text; 0: decided by the split
    calibration: bool = False  # shared texts come first; the others wait until a researcher opens them
    rounds: int | None = None  # maximum; later rounds hold reopened answers only. None: whole units again
    takes_back: bool = False  # the unit handed in last may be answered once more, as a new round
    rules: tuple[str, ...] = ()  # which answers a second round reopens
    exact_wording: bool = False  # whether stems must be equal letter for letter to have the same wording
    slots: Mapping[str, str] = field(default_factory=dict)  # what replaces {name} in the wording

    def stage(self, name: str) -> Stage:
        """The stage of that name; `KeyError` if there is none."""
        return {stage.name: stage for stage in self.stages_with(name)}[name]

    @property
    def every_stage(self) -> tuple[Stage, ...]:
        """The stages of annotators and of experts."""
        return (*self.stages, *([self.check] if self.check else []))

    def stages_with(self, name: str) -> tuple[Stage, ...]:
        """All stages, in order, of an assignment that includes the stage of that name."""
        return (self.check,) if self.check and self.check.name == name else self.stages

    def stage_after(self, name: str) -> Stage | None:
        """The stage that follows, or None after the last."""
        way = self.stages_with(name)
        following = way[[stage.name for stage in way].index(name) + 1 :]
        return following[0] if following else None

    @property
    def guesses(self) -> bool:
        """Whether a stage shows the items of one generator only, which the plan must then choose."""
        return any(stage.items == "slot generator" for stage in self.stages)

    @property
    def hides_texts(self) -> bool:
        """Whether a stage is answered without the text, so that participants may not have read it before."""
        return any("text" not in stage.shows for stage in self.stages)


Rule = Callable[[Wording], Value]


@dataclass(frozen=True)
class Protocol:
    """A published way of asking: its parameters, and a pure function from them to a declaration."""

    name: str
    title: str
    parameters: tuple[Parameter, ...]
    declare: Callable[[Mapping[str, Any], Mapping[str, Any]], Declaration]
    unit: UnitKind = "text"
    needs_items: bool = True  # False: it asks about texts as they are, without items
    summary: str = ""  # its purpose in a sentence or two, for the page of a new study
    order: int = 100  # its position among the protocols on offer
    prompts: Mapping[str, str] = field(default_factory=dict)  # by how models answer options: the instrument of prompts
    selection: tuple[str, str] | None = None  # its stages without and with the text, to select candidates by
    rules: Mapping[str, Rule] = field(default_factory=dict)  # by question, the code that answers it from the wording
    words: Mapping[str, str] = field(default_factory=dict)  # what pages call its stages and questions, by their names

    @property
    def compares(self) -> bool:
        """Whether the items of a unit are asked about together rather than one by one."""
        return self.unit in COMPARED

    def fill(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters with the defaults filled in; `InvalidParameter` for unknown ones and for values out of
        range."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name, value in given.items():
            if name not in known:
                names = ", ".join(known) or "none"
                raise InvalidParameter(f"{self.name} has no parameter {reprlib.repr(name)}; it has: {names}.")
            known[name].check(value)
        return {name: to_json_value(given.get(name, parameter.default)) for name, parameter in known.items()}


def to_json_value(value: object) -> object:
    """The value as JSON stores it."""
    return list(value) if isinstance(value, tuple) else value
