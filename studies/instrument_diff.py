"""How two versions of an instrument differ: wording by wording, and in each the words that went and came."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from studies.instrument_yaml import dotted, leaves

MOST_TOKENS = 4_000  # comparing takes the square of it
TOKEN = re.compile(r"\w+|\s|[^\w\s]")


@dataclass(frozen=True)
class Span:
    words: str
    is_changed: bool


@dataclass(frozen=True)
class Difference:
    """A wording that is not the same in both; None where it does not exist."""

    place: str
    before: list[Span] | None
    after: list[Span] | None


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """In the order of the newer content; what only the older has stands at the end."""
    old = {dotted(path): shown(value) for path, value in leaves(before)}
    new = {dotted(path): shown(value) for path, value in leaves(after)}
    places = [*new, *(place for place in old if place not in new)]
    return [difference(place, old.get(place), new.get(place)) for place in places if old.get(place) != new.get(place)]


def shown(value: Any) -> str:
    """A leaf as somebody would write it: lists with an entry a line, the rest as in YAML."""
    if isinstance(value, list):
        return "\n".join(map(shown, value))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def difference(place: str, before: str | None, after: str | None) -> Difference:
    if before is None or after is None:
        return Difference(place, whole(before), whole(after))
    old, new = TOKEN.findall(before), TOKEN.findall(after)
    if max(len(old), len(new)) > MOST_TOKENS:
        return Difference(place, whole(before), whole(after))
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return Difference(
        place,
        [Span("".join(old[a:b]), kind != "equal") for kind, a, b, _c, _d in steps if a < b],
        [Span("".join(new[c:d]), kind != "equal") for kind, _a, _b, c, d in steps if c < d],
    )


def whole(words: str | None) -> list[Span] | None:
    return None if words is None else [Span(words, True)]
