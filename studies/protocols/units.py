"""How the items of a text become units: what one assignment is about. Pure functions, without Django."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

UnitKind = Literal["text", "item", "pair", "tuple"]
COMPARED = ("pair", "tuple")  # units whose items are asked about together


@dataclass(frozen=True)
class Candidate:
    """One item of a text, as much as a plan may know of it; generators are numbers that mean nothing else."""

    item_id: int
    generator: int


# From the items of one text, in the order of the bank, to the units made of them: tuples of item ids. Draws only from
# the random generator, so that a seed gives the same units again.
Split = Callable[[Sequence[Candidate], Random], list[tuple[int, ...]]]


def whole_text(items: Sequence[Candidate], rng: Random) -> list[tuple[int, ...]]:
    """One unit: the text with all its items."""
    return [tuple(item.item_id for item in items)]


def each_item(items: Sequence[Candidate], rng: Random) -> list[tuple[int, ...]]:
    """One unit for each item."""
    return [(item.item_id,) for item in items]


def get_stored_item(kind: UnitKind, item_ids: Sequence[int]) -> int | None:
    """Under which item answers about items that are compared are stored: the first of a pair, none of a tuple."""
    return item_ids[0] if kind == "pair" else None
