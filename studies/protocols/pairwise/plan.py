"""A balanced plan of pairs: which items of a text are compared, each pair from two generators. Without Django.

The published plan has 30 pairs of 4 generators with 5 items each: each item is compared with one item of each other
generator, so there are 3 pairs per item, and 5 per pair of generators.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from random import Random

from studies.protocols.base import Candidate
from studies.protocols.parameters import InvalidParameter

Pair = tuple[int, int]
GeneratorPair = tuple[int, int]  # two generators, the lower number first
Quotas = dict[GeneratorPair, int]  # how many pairs two generators have together
PairsPerItem = dict[int, int]  # how many pairs each item has
Groups = Mapping[int, Sequence[int]]  # the items of each generator


def plan_pairs(items: Sequence[Candidate], number: int, rng: Random) -> list[Pair]:
    """`number` different pairs of items by different generators, in random order, with a random first item.

    The plan is balanced: the following numbers differ by at most one. The pairs of each two generators, unless two of
    them allow no more. The pairs of each item of a generator, in total and with each other generator. If all generators
    have equally many items, the pairs of all items; otherwise these are as even as the first rule allows. Raises
    `InvalidParameter` if `number` is below 1 or above the number of possible pairs.
    """
    groups: dict[int, list[int]] = defaultdict(list)
    for item in items:
        groups[item.generator].append(item.item_id)
    for own in groups.values():
        rng.shuffle(own)
    quotas = compute_quotas({name: len(own) for name, own in groups.items()}, number, rng)
    found = [pair for links in deal_pairs(groups, quotas).values() for pair in link_items(*links, rng)]
    rng.shuffle(found)
    return [(one, other) if rng.random() < 0.5 else (other, one) for one, other in found]


def make_pair_split(number: int) -> Callable[[Sequence[Candidate], Random], list[tuple[int, ...]]]:
    """A `Split` that makes `number` pairs of a text's items, or all possible pairs if there are fewer."""

    def split(items: Sequence[Candidate], rng: Random) -> list[tuple[int, ...]]:
        return list(plan_pairs(items, min(number, count_possible_pairs(items)), rng))

    return split


def count_possible_pairs(items: Sequence[Candidate]) -> int:
    """How many pairs of different generators these items make."""
    sizes = Counter(item.generator for item in items).values()
    return sum(one * other for one, other in combinations(sizes, 2))


def compute_quotas(sizes: Mapping[int, int], number: int, rng: Random) -> Quotas:
    """How many pairs each two generators have, as evenly as their numbers of items allow."""
    possible = {two: sizes[two[0]] * sizes[two[1]] for two in combinations(sorted(sizes), 2)}
    if not 1 <= number <= sum(possible.values()):
        raise InvalidParameter(
            f"Its items make {sum(possible.values())} pairs of different generators, so it cannot have {number}. Set"
            f" pairs_per_text to a number from 1 to {sum(possible.values())}, or choose other texts."
        )
    levels = range(max(possible.values()) + 1)
    level = max(level for level in levels if sum(min(level, most) for most in possible.values()) <= number)
    quotas = {two: min(level, most) for two, most in possible.items()}
    open_to_more = [two for two, most in possible.items() if most > level]
    rng.shuffle(open_to_more)
    for two in balance_pairs(open_to_more, number - sum(quotas.values()), quotas, sizes):
        quotas[two] += 1
    return quotas


def balance_pairs(
    twos: Sequence[GeneratorPair], number: int, quotas: Quotas, sizes: Mapping[int, int]
) -> list[GeneratorPair]:
    """Choose `number` of these pairs of generators, which get one more pair of items each, to use items evenly.

    Minimized is the sum over generators of (pairs of the generator)² / (its items), by swaps as long as one helps. With
    equally many items the generators' pairs then differ by at most one: if two differed by more, there would be a third
    one that was chosen with the first and not with the second, and a swap would help.
    """
    chosen, left = list(twos[:number]), list(twos[number:])
    total: dict[int, int] = defaultdict(int)
    for two, n in [*quotas.items(), *((two, 1) for two in chosen)]:
        for name in two:
            total[name] += n
    while swap := next(find_helpful_swaps(chosen, left, total, sizes), None):
        out, new = swap
        chosen[chosen.index(out)], left[left.index(new)] = new, out
        for name in out:
            total[name] -= 1
        for name in new:
            total[name] += 1
    return chosen


def find_helpful_swaps(
    chosen: Sequence[GeneratorPair], left: Sequence[GeneratorPair], total: Mapping[int, int], sizes: Mapping[int, int]
) -> Iterator[tuple[GeneratorPair, GeneratorPair]]:
    """Swaps of a chosen pair for a remaining one that make the use of items more even."""
    for out in chosen:
        for new in left:
            change = {name: (name in new) - (name in out) for name in {*out, *new}}
            if sum(((total[name] + by) ** 2 - total[name] ** 2) / sizes[name] for name, by in change.items()) < -1e-9:
                yield out, new


def deal_pairs(groups: Groups, quotas: Quotas) -> dict[GeneratorPair, tuple[PairsPerItem, PairsPerItem]]:
    """For each two generators (a, b): how many pairs with b each item of a has, and how many with a each item of b.

    Each generator deals its pairs out to its items in turn, continuously, so that both the totals and the numbers with
    each other generator differ by at most one.
    """
    dealt: dict[tuple[int, GeneratorPair], PairsPerItem] = {}
    for name, own in groups.items():
        place = 0
        for two in quotas:
            if name in two:
                turns = range(place, place + quotas[two])
                dealt[name, two] = {item: sum(own[turn % len(own)] == item for turn in turns) for item in own}
                place += quotas[two]
    return {two: (dealt[two[0], two], dealt[two[1], two]) for two in quotas}


def link_items(mine: PairsPerItem, partners: PairsPerItem, rng: Random) -> list[Pair]:
    """Different pairs of items in which each item occurs as often as given (Gale 1957).

    Each item of `mine` takes the partners that still need the most pairs; ties are broken at random.
    """
    theirs = dict(partners)
    found = []
    for item in rng.sample(list(mine), len(mine)):
        lots = {other: rng.random() for other in theirs}
        wanting = sorted(theirs, key=lambda other: (-theirs[other], lots[other]))[: mine[item]]
        for other in wanting:
            theirs[other] -= 1
            found.append((item, other))
    return found
