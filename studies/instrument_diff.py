"""How two versions of an instrument differ: wording by wording, and in each the words that went and came."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from studies.strict_yaml import iter_leaves, join_path

MAX_TOKENS = 4_000  # comparing takes the square of it
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


def compare_versions(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """In the order of the newer content; what only the older has stands at the end."""
    old = {join_path(path): format_leaf(value) for path, value in iter_leaves(before)}
    new = {join_path(path): format_leaf(value) for path, value in iter_leaves(after)}
    places = [*new, *(place for place in old if place not in new)]
    return [
        compare_wordings(place, old.get(place), new.get(place)) for place in places if old.get(place) != new.get(place)
    ]


def format_leaf(value: Any) -> str:
    """A leaf as somebody would write it: lists with an entry a line, the rest as in YAML."""
    if isinstance(value, list):
        return "\n".join(map(format_leaf, value))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def compare_wordings(place: str, before: str | None, after: str | None) -> Difference:
    if before is None or after is None:
        return Difference(place, mark_changed(before), mark_changed(after))
    old, new = TOKEN.findall(before), TOKEN.findall(after)
    if max(len(old), len(new)) > MAX_TOKENS:
        return Difference(place, mark_changed(before), mark_changed(after))
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return Difference(
        place,
        [Span("".join(old[a:b]), kind != "equal") for kind, a, b, _c, _d in steps if a < b],
        [Span("".join(new[c:d]), kind != "equal") for kind, _a, _b, c, d in steps if c < d],
    )


def mark_changed(words: str | None) -> list[Span] | None:
    return None if words is None else [Span(words, True)]
