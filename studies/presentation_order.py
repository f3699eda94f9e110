"""What an assignment shows, in which order: drawn once, stored, never recomputed.

Stored as `{stage: [[handle, item pk, [[handle, option pk], …]], …]}`. Handles are random and drawn per assignment, so
that nothing an annotator sees follows from a database id, an external id, a generator or a key. For a unit without
items, a stage has one entry, the text itself, with null as its item.
"""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, TypeVar

from studies.protocols import Declaration
from studies.protocols.base import COMPARED, UnitKind

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class ShownOption:
    handle: str
    option_id: int


@dataclass(frozen=True)
class ShownItem:
    handle: str
    item_id: int | None
    options: tuple[ShownOption, ...]


def shuffle(things: Iterable[Thing], rng: Random) -> list[Thing]:
    copy = list(things)
    rng.shuffle(copy)
    return copy


def make_handle() -> str:
    return next(make_handles(1))


def make_handles(number: int) -> Iterator[str]:
    """Random handles, each starting with a letter, as HTML ids must."""
    digits = secrets.token_hex(6 * number)
    return ("h" + digits[start : start + 12] for start in range(0, 12 * number, 12))


class ItemContents(NamedTuple):
    """An item of a unit, with the primary keys of its options in their own order."""

    pk: int
    generator_id: int
    options: list[int]


def draw_orders(
    declaration: Declaration, items: Sequence[ItemContents], generator_id: int | None, rng: Random
) -> dict[str, list]:
    """The items of each stage in random order, each with its options in one random order for all stages; a stage that
    shows one generator's items shows those of `generator_id`.

    The first shown item of a pair is on the left.
    """
    if not items:
        return {stage.name: [[make_handle(), None, []]] for stage in declaration.stages}
    handles = make_handles(sum(1 + len(item.options) for item in items))
    rows = {
        item.pk: [next(handles), item.pk, [[next(handles), option] for option in shuffle(item.options, rng)]]
        for item in items
    }
    shown = {}
    for stage in declaration.stages:
        chosen = [rows[item.pk] for item in items if stage.items == "all" or generator_id in (None, item.generator_id)]
        shown[stage.name] = shuffle(chosen, rng)
    return shown


def read_shown_items(shown: dict[str, list], stage: str) -> list[ShownItem]:
    """What is shown in a stage, in the order shown."""
    return [
        ShownItem(handle, item_id, tuple(ShownOption(*option) for option in options))
        for handle, item_id, options in shown.get(stage, [])
    ]


@dataclass(frozen=True)
class Subject:
    """What one answer on a page is about: an item, the compared items of a unit, or the text itself.

    `sides`: the items in the order shown: those compared, for a pair from left to right, or the single one; empty for a
    text. `options`: of a single item.
    """

    handle: str
    item_id: int | None  # under which item the answers are stored; see `get_stored_item`
    sides: tuple[ShownItem, ...] = ()
    options: tuple[ShownOption, ...] = ()


def list_subjects(shown: Sequence[ShownItem], kind: UnitKind = "text", first: int | None = None) -> list[Subject]:
    """The subjects of a stage, in the order shown. `first`: the unit's first item, for a pair."""
    if kind not in COMPARED:
        return [
            Subject(item.handle, item.item_id, (item,), item.options) if item.item_id else Subject(item.handle, None)
            for item in shown
        ]
    # Named after the one shown first: the name must not reveal which is the unit's first.
    return [Subject(shown[0].handle, first, tuple(shown))] if shown else []
