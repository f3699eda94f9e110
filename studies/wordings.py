"""Wordings of instruments: their required contents, and how two versions differ."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from django.utils.text import Truncator
from django.utils.translation import gettext as _

from studies.instrument_kinds import Problem
from studies.prompts import SLOT
from studies.protocols import PROTOCOLS, InvalidParameter
from studies.strict_yaml import ContentPath, iter_leaves, join_path
from studies.wording_names import name_wording

# A wording for people must have everything that its protocol's shipped wording has, and no unknown slot.
#
# Parts that a researcher lists freely (levels, questions, gates, dimensions) are checked by the shape of their entries
# and by the protocol itself.

FREE = {"levels", "questions", "gates", "dimensions", "criteria"}
NEVER_EMPTY = {"title", "next", "agree", "start", "confirm", "back", "none", "question", "label"}
OPTIONAL = {"check", "check_done"}  # a wording without them is complete, but its studies have no expert check
HEAD = {"name", "language", "title", "use", "protocol"}


def check_wording(content: Mapping[str, Any], model: Mapping[str, Any]) -> list[Problem]:
    """What the content lacks, or has in another form, compared with `model`, the shipped wording of its protocol."""
    return [*check_shape(content, model), *check_slots(content, model), *check_empty(content)]


def check_against_protocol(content: Mapping[str, Any], protocol: str) -> list[Problem]:
    """Why the protocol cannot read a wording of the right shape."""
    declared = PROTOCOLS[protocol]
    try:
        declared.declare(declared.fill({}), content)
    except InvalidParameter:
        pass  # a study may set other parameters: see list_wording_notices
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        sentence = _(
            "The protocol %(name)s cannot use this wording: %(error)s. Compare it with the wording "
            "that comes with Lesart."
        )
        return [Problem("", sentence % {"name": protocol, "error": error})]
    return []


def check_shape(content: Any, model: Any, path: ContentPath = ()) -> Iterator[Problem]:
    """Missing wordings, and those of another type."""
    if isinstance(model, dict):
        if not isinstance(content, dict):
            yield Problem(join_path(path), _("“%(place)s” must be a mapping of wordings.") % {"place": join_path(path)})
            return
        for key in model:
            if key in content:
                yield from check_shape(content[key], model[key], (*path, key))
            elif key not in HEAD | OPTIONAL and not FREE & {str(part) for part in path}:
                yield report_missing((*path, key), model[key])
    elif isinstance(model, list):
        yield from check_list(content, model, path)
    elif isinstance(model, str) and not isinstance(content, str):
        yield Problem(join_path(path), _("“%(place)s” must be text. Put it in quotes.") % {"place": join_path(path)})


def report_missing(path: ContentPath, model: Any) -> Problem:
    sentence = _("“%(place)s” is missing. Add it; the wording that comes with Lesart has: %(words)s")
    first = next((value for _path, value in iter_leaves(model) if isinstance(value, str)), "…")
    return Problem(join_path(path), sentence % {"place": join_path(path), "words": Truncator(first).chars(80)})


def check_list(content: Any, model: list[Any], path: ContentPath) -> Iterator[Problem]:
    if not isinstance(content, list):
        yield Problem(join_path(path), _("“%(place)s” must be a list.") % {"place": join_path(path)})
        return
    mappings = [entry for entry in model if isinstance(entry, dict)]
    shared = set.intersection(*(set(entry) for entry in mappings)) if mappings else set()
    for place, entry in enumerate(content):
        where = {"place": join_path((*path, place))}
        if mappings and not (isinstance(entry, dict) and shared <= set(entry)):
            sentence = _("“%(place)s” must be a mapping with: %(keys)s.") % (
                where | {"keys": ", ".join(sorted(shared))}
            )
            yield Problem(where["place"], sentence)
        elif model and not mappings and not isinstance(entry, str):
            yield Problem(join_path(path), _("“%(place)s” must be text. Put it in quotes.") % where)


def check_slots(content: Mapping[str, Any], model: Mapping[str, Any]) -> Iterator[Problem]:
    """Slots where the shipped wording has none: they would not be filled, and people would see the braces."""
    for path, value in iter_leaves(content):
        known = list_slots_at(model, path)
        for slot in sorted(set(SLOT.findall(join_words(value))) - set(known)):
            sentence = _(
                "“%(place)s” contains the placeholder {%(slot)s}, which is not available there. Remove "
                "it; available placeholders: %(slots)s."
            )
            listed = ", ".join(f"{{{name}}}" for name in known) or _("none")
            yield Problem(join_path(path), sentence % {"place": join_path(path), "slot": slot, "slots": listed})


def list_slots_at(model: Any, path: ContentPath) -> list[str]:
    """The slots of the wording at the path; in a part that is freely listed, those of the whole part."""
    here = model
    for key in path:
        if isinstance(here, list) or key in FREE:
            break
        here = here.get(key) if isinstance(here, dict) else None
    return sorted({slot for _path, value in iter_leaves(here) for slot in SLOT.findall(join_words(value))})


def join_words(value: Any) -> str:
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)


def check_empty(content: Mapping[str, Any]) -> Iterator[Problem]:
    for path, value in iter_leaves(content):
        if path[-1] in NEVER_EMPTY and path[0] not in HEAD and isinstance(value, str) and not value.strip():
            sentence = _("“%(place)s” is empty. Enter the text that annotators will read.")
            yield Problem(join_path(path), sentence % {"place": join_path(path)})


def list_wording_notices(content: Mapping[str, Any], protocol: str) -> list[str]:
    """The protocol's objections with its default parameters; a study may set others."""
    declared = PROTOCOLS[protocol]
    try:
        declared.declare(declared.fill({}), content)
    except InvalidParameter as error:
        return [_("With the protocol's default settings: %(said)s") % {"said": error}]
    return []


# How two versions of an instrument differ: wording by wording, with the words removed and added in each.

MAX_TOKENS = 4_000  # comparing takes quadratic time
TOKEN = re.compile(r"\w+|\s|[^\w\s]")


@dataclass(frozen=True)
class Span:
    words: str
    is_changed: bool


@dataclass(frozen=True)
class Difference:
    """A wording that differs between versions; None if it does not exist in one."""

    name: str
    before: list[Span] | None
    after: list[Span] | None


def compare_versions(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """The wordings that differ, in the order of the newer content, then those that exist only in the older one."""
    old = {join_path(path): format_leaf(value) for path, value in iter_leaves(before)}
    new = {join_path(path): format_leaf(value) for path, value in iter_leaves(after)}
    names = {
        join_path(path): name_wording(content, path)
        for content in (after, before)
        for path, _value in iter_leaves(content)
    }
    return [
        compare_wordings(name, old.get(place), new.get(place))
        for place, name in names.items()
        if old.get(place) != new.get(place)
    ]


def format_leaf(value: Any) -> str:
    """A leaf as text: lists with one entry per line, the rest as in YAML."""
    if isinstance(value, list):
        return "\n".join(map(format_leaf, value))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def compare_wordings(name: str, before: str | None, after: str | None) -> Difference:
    if before is None or after is None:
        return Difference(name, mark_changed(before), mark_changed(after))
    old, new = TOKEN.findall(before), TOKEN.findall(after)
    if max(len(old), len(new)) > MAX_TOKENS:
        return Difference(name, mark_changed(before), mark_changed(after))
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return Difference(
        name,
        [Span("".join(old[a:b]), kind != "equal") for kind, a, b, _c, _d in steps if a < b],
        [Span("".join(new[c:d]), kind != "equal") for kind, _a, _b, c, d in steps if c < d],
    )


def mark_changed(words: str | None) -> list[Span] | None:
    return None if words is None else [Span(words, True)]
