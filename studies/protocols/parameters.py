"""The parameters of a protocol, which a study file and the study page may set, read strictly. Without Django."""

import re
import reprlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


class InvalidParameter(ValueError):
    """A parameter that the protocol does not have, or an invalid value; the message is a sentence."""


def gettext_noop(text: str) -> str:
    """Marks a label for the translators; it is translated where it is shown."""
    return text


@dataclass(frozen=True)
class Parameter(ABC):
    """A setting that a researcher may change before launch; `label` and `help` are its texts on the study page."""

    name: str
    default: Any
    label: str = ""
    help: str = ""
    in_wording: tuple[str, ...] = field(default=(), kw_only=True)  # path in the wording of what the default means

    def read_wording(self, wording: Mapping[str, Any]) -> Any:
        """The meaning of the default with this wording; for a list of entries, their names. None if the wording lacks
        it."""
        found: Any = wording
        for part in self.in_wording:
            found = found.get(part) if isinstance(found, Mapping) else None
        if isinstance(found, list):
            return [entry["name"] for entry in found]
        return found if self.in_wording else None

    @property
    @abstractmethod
    def expects(self) -> str:
        """The allowed values, in words."""

    @abstractmethod
    def takes(self, value: object) -> bool:
        """Whether the value is allowed."""

    def check(self, value: object) -> None:
        """Raises `InvalidParameter` if the value is not allowed."""
        if not self.takes(value):
            raise InvalidParameter(f"Parameter {self.name} is {reprlib.repr(value)}; it takes {self.expects}.")


@dataclass(frozen=True)
class Switch(Parameter):
    """true or false."""

    default: bool = False

    @property
    def expects(self) -> str:
        return "true or false"

    def takes(self, value: object) -> bool:
        return isinstance(value, bool)


@dataclass(frozen=True)
class Whole(Parameter):
    """A whole number from `low` to `high`."""

    default: int = 0
    low: int = 0
    high: int = 10_000

    @property
    def expects(self) -> str:
        return f"a whole number from {self.low} to {self.high}"

    def takes(self, value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high


@dataclass(frozen=True)
class OneOf(Parameter):
    """One of several words."""

    default: str = ""
    options: tuple[tuple[str, str], ...] = ()  # value and label

    @property
    def expects(self) -> str:
        return "one of: " + ", ".join(value for value, _label in self.options)

    def takes(self, value: object) -> bool:
        return isinstance(value, str) and value in dict(self.options)


@dataclass(frozen=True)
class SomeOf(Parameter):
    """Some of several words, each once, in any order."""

    default: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()

    @property
    def expects(self) -> str:
        return "a list of some of: " + ", ".join(value for value, _label in self.options)

    def takes(self, value: object) -> bool:
        if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
            return False
        return len(set(value)) == len(value) and set(value) <= set(dict(self.options))


@dataclass(frozen=True)
class Names(Parameter):
    """A list of names: small letters, digits and underscores. Empty: the names at `in_wording`."""

    default: tuple[str, ...] = ()
    most: int = 30

    @property
    def expects(self) -> str:
        return f"a list of up to {self.most} different names of small letters, digits and underscores"

    def takes(self, value: object) -> bool:
        if not isinstance(value, list | tuple) or len(value) > self.most:
            return False
        named = all(isinstance(each, str) and NAME.fullmatch(each) for each in value)
        return named and len(set(value)) == len(value)


@dataclass(frozen=True)
class TextParameter(Parameter):
    """A few words on one line. Empty: those at `in_wording`."""

    default: str = ""
    most: int = 100

    @property
    def expects(self) -> str:
        return f"up to {self.most} characters on one line"

    def takes(self, value: object) -> bool:
        return isinstance(value, str) and len(value) <= self.most and (value.isprintable() or not value)
