"""The protocols of Lesart: one folder each, found automatically."""

from importlib import import_module
from pkgutil import iter_modules

from studies.protocols.base import Declaration, InvalidAnswer, InvalidParameter, Protocol, Question, Stage


def find_protocols() -> dict[str, Protocol]:
    """By name, in the order in which they are offered, the `declaration.PROTOCOL` of each folder."""
    folders = [module.name for module in iter_modules(__path__) if module.ispkg]
    found: list[Protocol] = [import_module(f"{__name__}.{folder}.declaration").PROTOCOL for folder in folders]
    return {protocol.name: protocol for protocol in sorted(found, key=lambda each: (each.order, each.name))}


PROTOCOLS = find_protocols()


def list_protocol_choices() -> list[tuple[str, str]]:
    """Pairs of name and title, as Django's `choices` wants them."""
    return [(protocol.name, protocol.title) for protocol in PROTOCOLS.values()]


__all__ = [
    "PROTOCOLS",
    "Declaration",
    "InvalidAnswer",
    "InvalidParameter",
    "Protocol",
    "Question",
    "Stage",
    "list_protocol_choices",
]
