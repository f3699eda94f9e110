"""Balanced incomplete blocks: which items of a text are compared together. Without Django.

Each item is in as many blocks as any other, plus or minus one; the search makes any two items meet about as often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from random import Random

from studies.protocols.base import Candidate, Split
from studies.protocols.parameters import InvalidParameter

Block = frozenset[int]
Pair = tuple[int, int]
BASES_TRIED = 2_000
SWEEPS, TRIES = 30, 10_000  # rounds of the search, and pairs of blocks that it compares in total


def make_tuple_split(size: int, number: int) -> Split:
    """A `Split` into so many tuples (0: as many as there are items), or into all if the items give fewer."""

    def split(items: Sequence[Candidate], rng: Random) -> list[tuple[int, ...]]:
        if len(items) < size:
            raise InvalidParameter(f"It has {len(items)} items, and a set has {size}. Choose other texts.")
        ids = rng.sample([item.item_id for item in items], len(items))
        blocks = design_blocks(len(items), size, min(number or len(items), comb(len(items), size)))
        found = [tuple(ids[place] for place in rng.sample(sorted(block), size)) for block in blocks]
        return rng.sample(found, len(found))

    return split


@lru_cache(maxsize=500)
def design_blocks(items: int, size: int, number: int) -> tuple[Block, ...]:
    """`number` different blocks of `size` of the items 0, 1, …; the same numbers give the same blocks."""
    if number == comb(items, size):
        return tuple(map(frozenset, combinations(range(items), size)))
    rng = Random(f"{items}/{size}/{number}")
    return improve(start_blocks(items, size, number, rng), items, rng)


def start_blocks(items: int, size: int, number: int, rng: Random) -> list[Block]:
    """Cyclic blocks (Bose 1939): a base block shifted by one each time, starting with the bases with the most even
    steps.

    A full cycle contains each item `size` times; with a base whose steps all differ, no two items meet twice.
    """
    blocks: dict[Block, None] = {}
    for base in sorted(list_bases(items, size, rng), key=lambda base: measure_unevenness(base, items)):
        for by in range(items):
            blocks[frozenset((place + by) % items for place in base)] = None
            if len(blocks) == number:
                return list(blocks)
    for block in combinations(range(items), size):  # the blocks that no tried base has produced
        blocks[frozenset(block)] = None
        if len(blocks) == number:
            break
    return list(blocks)


def list_bases(items: int, size: int, rng: Random) -> Iterable[tuple[int, ...]]:
    """Blocks with item 0: all, or a sample if there are many."""
    if comb(items - 1, size - 1) <= BASES_TRIED:
        return [(0, *others) for others in combinations(range(1, items), size - 1)]
    return [(0, *rng.sample(range(1, items), size - 1)) for _try in range(BASES_TRIED)]


def measure_unevenness(base: Sequence[int], items: int) -> int:
    """Σ n² over the steps between two places of the base block, in both directions."""
    steps = Counter((one - other) % items for one in base for other in base if one != other)
    return sum(n**2 for n in steps.values())


def improve(blocks: list[Block], items: int, rng: Random) -> tuple[Block, ...]:
    """Exchange items until all are shown equally often, then swap items of two blocks while that balances meetings."""
    shown = Counter(place for block in blocks for place in block)
    while max(shown.values()) > min(shown[place] for place in range(items)) + 1:
        most, least = (pick(range(items), key=lambda place: shown[place]) for pick in (max, min))
        at = next(at for at, block in enumerate(blocks) if swap(block, most, least) not in blocks)
        blocks[at] = swap(blocks[at], most, least)
        shown.update({least: 1, most: -1})
    meetings = Counter(two for block in blocks for two in combinations(sorted(block), 2))
    twos = list(combinations(range(len(blocks)), 2))
    for _sweep in range(min(SWEEPS, TRIES // max(1, len(twos)) + 1)):
        order = rng.sample(twos, min(len(twos), TRIES))
        if not sum(try_swaps(blocks, one, other, meetings) for one, other in order):
            break
    return tuple(blocks)


def swap(block: Block, out: int, new: int) -> Block:
    """The block with one item replaced by another; unchanged if it lacks the one or has the other."""
    return block - {out} | {new} if out in block and new not in block else block


def try_swaps(blocks: list[Block], one: int, other: int, meetings: Counter[Pair]) -> bool:
    """Swap two items of two blocks if that lowers Σ n² over how often two items meet; returns whether it did."""
    a, b = blocks[one], blocks[other]
    for mine in sorted(a - b):
        for theirs in sorted(b - a):
            left = [*list_pairs_with(a, mine), *list_pairs_with(b, theirs)]
            joined = [*list_pairs_with(a - {mine} | {theirs}, theirs), *list_pairs_with(b - {theirs} | {mine}, mine)]
            change = Counter(joined)
            change.subtract(left)
            if sum(by * (by + 2 * meetings[two]) for two, by in change.items()) < 0:
                new = a - {mine} | {theirs}, b - {theirs} | {mine}
                if not {*new} & {*blocks}:
                    blocks[one], blocks[other] = new
                    meetings.update(change)
                    return True
    return False


def list_pairs_with(block: Block, item: int) -> list[Pair]:
    """The pairs of the item with the others in its block."""
    return [(min(item, place), max(item, place)) for place in block if place != item]
