"""The pair plan is a pure function: every pair joins two generators, and all counts are as even as they can be."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from studies.protocols.base import Candidate
from studies.protocols.pairwise.plan import plan_pairs
from studies.protocols.parameters import InvalidParameter

pytestmark = pytest.mark.slow


def items_of(*sizes: int) -> list[Candidate]:
    """Generators 0, 1, … with so many items each; ids say who made them: 203 is the fourth of generator 2."""
    return [Candidate(100 * name + place, name) for name, size in enumerate(sizes) for place in range(size)]


def two_of(pair: tuple[int, int]) -> tuple[int, int]:
    one, other = sorted(item // 100 for item in pair)
    return one, other


def uses(pairs, items) -> dict[int, int]:
    counted = Counter(item for pair in pairs for item in pair)
    return {item.item_id: counted[item.item_id] for item in items}


def twos(pairs, sizes) -> dict[tuple[int, int], int]:
    counted = Counter(map(two_of, pairs))
    return {two: counted[two] for two in combinations(range(len(sizes)), 2)}


def spread_of_counts(counts) -> int:
    values = list(counts)
    return max(values) - min(values)


def test_the_published_plan_lets_each_item_meet_one_item_of_each_other_generator():
    items = items_of(5, 5, 5, 5)
    pairs = plan_pairs(items, 30, Random(1))
    assert set(uses(pairs, items).values()) == {3}
    assert set(twos(pairs, (5, 5, 5, 5)).values()) == {5}
    met = {(item, other // 100) for pair in pairs for item, other in (pair, pair[::-1])}
    assert len(met) == 60


def sizes_and_numbers():
    """Many shapes with every number of pairs, or some of them where there are many."""
    lots = Random(5)
    shapes = [(n,) * g for g in range(2, 7) for n in range(1, 6)]
    shapes += [tuple(lots.randint(1, 7) for _ in range(lots.randint(2, 6))) for _ in range(60)]
    for sizes in shapes:
        most = sum(a * b for a, b in combinations(sizes, 2))
        for number in range(1, most + 1) if most < 40 else lots.sample(range(1, most + 1), 12):
            yield sizes, number


def test_the_counts_are_as_even_as_they_can_be():
    for seed, (sizes, number) in enumerate(sizes_and_numbers()):
        items = items_of(*sizes)
        pairs = plan_pairs(items, number, Random(seed))
        case = (sizes, number, pairs)
        assert len(pairs) == number == len({frozenset(pair) for pair in pairs}), case
        assert all(one != other for one, other in map(two_of, pairs)), case
        counted = twos(pairs, sizes)
        short = [n for (a, b), n in counted.items() if n < sizes[a] * sizes[b]]  # they could have had more
        assert not short or max(counted.values()) - min(short) <= 1, case
        used = uses(pairs, items)
        for name in range(len(sizes)):
            own = [item.item_id for item in items if item.generator == name]
            assert spread_of_counts(used[item] for item in own) <= 1, case
            for other in set(range(len(sizes))) - {name}:
                together = Counter(item for pair in pairs for item in pair if set(two_of(pair)) == {name, other})
                assert spread_of_counts(together[item] for item in own) <= 1, case
        if len(set(sizes)) == 1:
            assert spread_of_counts(used.values()) <= 1, case
    assert seed > 500


def test_a_seed_gives_the_same_pairs_again_and_another_seed_others():
    items = items_of(5, 5, 5, 5)
    assert plan_pairs(items, 30, Random(1)) == plan_pairs(items, 30, Random(1))
    assert plan_pairs(items, 30, Random(1)) != plan_pairs(items, 30, Random(2))


def test_either_item_may_stand_first():
    firsts = [pair[0] < pair[1] for seed in range(20) for pair in plan_pairs(items_of(5, 5, 5, 5), 30, Random(seed))]
    assert 240 < sum(firsts) < 360  # of 600


@pytest.mark.parametrize(("sizes", "number"), [((5, 5), 26), ((3,), 1), ((2, 2), 0), ((1, 1, 1), 30)])
def test_more_pairs_than_there_are_cannot_be_asked_for(sizes, number):
    with pytest.raises(InvalidParameter, match="pairs of different generators"):
        plan_pairs(items_of(*sizes), number, Random(1))
