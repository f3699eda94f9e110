"""What must be in a wording for people: everything that the shipped wording of its protocol has, and no unknown slot.

Parts that a researcher lists freely (levels, questions, gates, dimensions) are checked by the shape of their entries
and by the protocol itself.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.text import Truncator
from django.utils.translation import gettext as _

from studies.instrument_yaml import Path, dotted, leaves
from studies.problems import Problem
from studies.prompts import SLOT
from studies.protocols import PROTOCOLS, InvalidParameter

FREE = {"levels", "questions", "gates", "dimensions", "criteria"}
NEVER_EMPTY = {"title", "next", "agree", "start", "confirm", "back", "none", "question", "label"}
OPTIONAL = {"check", "check_done"}  # a wording without them is whole, but its studies have no expert check
HEAD = {"name", "language", "title", "use", "protocol"}


def problems_of_wording(content: Mapping[str, Any], model: Mapping[str, Any]) -> list[Problem]:
    """What the content lacks, or has otherwise, beside `model`, the wording that ships with its protocol."""
    return [*shape_problems(content, model), *slot_problems(content, model), *empty_problems(content)]


def protocol_problems(content: Mapping[str, Any], protocol: str) -> list[Problem]:
    """What keeps the protocol from reading a wording of the right shape."""
    declared = PROTOCOLS[protocol]
    try:
        declared.declare(declared.fill({}), content)
    except InvalidParameter:
        pass  # a study may set other parameters: see notices_of_wording
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        said = _("The protocol %(name)s cannot read this wording: %(error)s. Compare it with the shipped one.")
        return [Problem("", said % {"name": protocol, "error": error})]
    return []


def shape_problems(content: Any, model: Any, path: Path = ()) -> Iterator[Problem]:
    """Missing wordings, and such of another kind."""
    if isinstance(model, dict):
        if not isinstance(content, dict):
            yield Problem(dotted(path), _("“%(place)s” must be a mapping of wordings.") % {"place": dotted(path)})
            return
        for key in model:
            if key in content:
                yield from shape_problems(content[key], model[key], (*path, key))
            elif key not in HEAD | OPTIONAL and not FREE & {str(part) for part in path}:
                yield missing((*path, key), model[key])
    elif isinstance(model, list):
        yield from list_problems(content, model, path)
    elif isinstance(model, str) and not isinstance(content, str):
        yield Problem(dotted(path), _("“%(place)s” must be text. Put it in quotes.") % {"place": dotted(path)})


def missing(path: Path, model: Any) -> Problem:
    said = _("“%(place)s” is missing. Add it; the shipped wording has: %(words)s")
    first = next((value for _path, value in leaves(model) if isinstance(value, str)), "…")
    return Problem(dotted(path), said % {"place": dotted(path), "words": Truncator(first).chars(80)})


def list_problems(content: Any, model: list[Any], path: Path) -> Iterator[Problem]:
    if not isinstance(content, list):
        yield Problem(dotted(path), _("“%(place)s” must be a list.") % {"place": dotted(path)})
        return
    mappings = [entry for entry in model if isinstance(entry, dict)]
    shared = set.intersection(*(set(entry) for entry in mappings)) if mappings else set()
    for place, entry in enumerate(content):
        where = {"place": dotted((*path, place))}
        if mappings and not (isinstance(entry, dict) and shared <= set(entry)):
            said = _("“%(place)s” must be a mapping with: %(keys)s.") % (where | {"keys": ", ".join(sorted(shared))})
            yield Problem(where["place"], said)
        elif model and not mappings and not isinstance(entry, str):
            yield Problem(dotted(path), _("“%(place)s” must be text. Put it in quotes.") % where)


def slot_problems(content: Mapping[str, Any], model: Mapping[str, Any]) -> Iterator[Problem]:
    """A slot is filled where the shipped wording has it, and nowhere else; people would see its braces."""
    for path, value in leaves(content):
        known = slots_at(model, path)
        for slot in sorted(set(SLOT.findall(words_of(value))) - set(known)):
            said = _(
                "“%(place)s” has the slot {%(slot)s}, which is not filled there. Take it out; its slots are: %(slots)s."
            )
            listed = ", ".join(f"{{{name}}}" for name in known) or _("none")
            yield Problem(dotted(path), said % {"place": dotted(path), "slot": slot, "slots": listed})


def slots_at(model: Any, path: Path) -> list[str]:
    """The slots of the wording at the path; in a free part, those of the whole part."""
    here = model
    for key in path:
        if isinstance(here, list) or key in FREE:
            break
        here = here.get(key) if isinstance(here, dict) else None
    return sorted({slot for _path, value in leaves(here) for slot in SLOT.findall(words_of(value))})


def words_of(value: Any) -> str:
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)


def empty_problems(content: Mapping[str, Any]) -> Iterator[Problem]:
    for path, value in leaves(content):
        if path[-1] in NEVER_EMPTY and path[0] not in HEAD and isinstance(value, str) and not value.strip():
            said = _("“%(place)s” is empty. Write what people shall read.")
            yield Problem(dotted(path), said % {"place": dotted(path)})


def notices_of_wording(content: Mapping[str, Any], protocol: str) -> list[str]:
    """What the protocol says against it with its default parameters; a study may set others."""
    declared = PROTOCOLS[protocol]
    try:
        declared.declare(declared.fill({}), content)
    except InvalidParameter as error:
        return [_("With the protocol's default parameters: %(said)s") % {"said": error}]
    return []
