"""What a protocol declares. Frozen data without Django: the same declaration checks a page, a model and an import."""

import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Value = bool | int | str


class InvalidAnswer(ValueError):
    """An answer that no participant could have given; the message is a sentence."""


class InvalidParameter(ValueError):
    """A parameter that the protocol does not know or cannot use; the message is a sentence."""


@dataclass(frozen=True)
class Question:
    """One thing asked in a stage, of each item or of each option of an item."""

    name: str
    per: Literal["item", "option"]
    kind: Literal["tick", "scale"]
    levels: tuple[int, ...] = ()
    unsure: bool = False

    def read(self, written: str) -> Value:
        """The value that a cell of a file means, checked like any other answer."""
        plain = written.strip()
        if self.kind == "tick" and plain.lower() in ("true", "false"):
            return plain.lower() == "true"
        if self.kind == "scale" and plain.isascii() and plain.isdecimal() and len(plain) < 10:
            return self.check(int(plain))
        return self.check(written)

    def check(self, value: object) -> Value:
        """Return the value if it could have been given, else raise `InvalidAnswer`."""
        if self.kind == "tick":
            if isinstance(value, bool):
                return value
            raise InvalidAnswer(f"“{value}” is not an answer to {self.name}: it is true or false.")
        if isinstance(value, int) and not isinstance(value, bool) and value in self.levels:
            return value
        raise InvalidAnswer(
            f"“{value}” is not on the scale of {self.name}: it goes from {self.levels[0]} to {self.levels[-1]}."
        )


@dataclass(frozen=True)
class Stage:
    """What is shown and asked at one place of an assignment. What is not listed in `shows` stays on the server."""

    name: str
    questions: tuple[Question, ...]
    items: Literal["slot generator", "all"]
    shows: frozenset[Literal["text", "keys", "generators", "expected answer"]] = frozenset()
    confirm: bool = False  # a page of its own before the hand-in, which says what becomes final
    starts_from: str | None = None  # an earlier stage whose answers stand in the form at the start

    def question(self, name: str) -> Question:
        """The question of that name; `KeyError` if the stage does not ask it."""
        return {question.name: question for question in self.questions}[name]


@dataclass(frozen=True)
class Declaration:
    """A protocol with its parameters and its wording filled in."""

    stages: tuple[Stage, ...]
    phases: tuple[str, ...] = ("consent", "instructions")
    needs_options: bool = True
    min_generators: int = 1

    def stage(self, name: str) -> Stage:
        """The stage of that name; `KeyError` if there is none."""
        return {stage.name: stage for stage in self.stages}[name]

    def after(self, name: str) -> Stage | None:
        """The stage that follows, or None after the last."""
        names = [stage.name for stage in self.stages]
        following = self.stages[names.index(name) + 1 :]
        return following[0] if following else None


@dataclass(frozen=True)
class Parameter:
    """A switch of a protocol that a researcher may set before launch."""

    name: str
    default: Value
    check: Callable[[Any], bool]
    expects: str


@dataclass(frozen=True)
class Protocol:
    """A published way of asking: its parameters, and the pure function from them to a declaration."""

    name: str
    title: str
    parameters: tuple[Parameter, ...]
    declare: Callable[[Mapping[str, Any], Mapping[str, Any]], Declaration]

    def fill(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters with the defaults filled in; `InvalidParameter` for what is unknown or off its range."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name, value in given.items():
            if name not in known:
                names = ", ".join(known) or "none"
                raise InvalidParameter(f"{self.name} has no parameter {reprlib.repr(name)}; it has: {names}.")
            if not known[name].check(value):
                raise InvalidParameter(f"Parameter {name} is {reprlib.repr(value)}; it takes {known[name].expects}.")
        return {name: given.get(name, parameter.default) for name, parameter in known.items()}
