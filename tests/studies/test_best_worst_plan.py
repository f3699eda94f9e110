"""Which items are compared together: balanced incomplete blocks."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from studies.protocols.base import Candidate
from studies.protocols.best_worst.plan import design_blocks, make_tuple_split
from studies.protocols.parameters import InvalidParameter


# Items, size, blocks, and how often two items meet: the least and the most.
@pytest.mark.parametrize(
    ("items", "size", "number", "least", "most"),
    [(4, 4, 1, 1, 1), (5, 4, 5, 3, 3), (7, 4, 7, 2, 2), (13, 4, 13, 1, 1), (8, 4, 14, 3, 3), (20, 4, 20, 0, 1),
     (10, 4, 30, 4, 4)],
)  # fmt: skip
def test_each_item_is_shown_equally_often_and_meets_each_other_about_equally_often(items, size, number, least, most):
    blocks = design_blocks(items, size, number)
    assert len(set(blocks)) == number
    shown = Counter(item for block in blocks for item in block)
    assert set(shown.values()) == {number * size // items}
    met = Counter(two for block in blocks for two in combinations(sorted(block), 2))
    assert {met[two] for two in combinations(range(items), 2)} <= set(range(least, most + 1))


@pytest.mark.parametrize("number", [1, 3, 7, 11])
def test_where_numbers_do_not_divide_items_differ_by_one_at_most(number):
    shown = Counter(item for block in design_blocks(9, 4, number) for item in block)
    counts = [shown[item] for item in range(9)]
    assert max(counts) - min(counts) <= 1


def test_a_seed_gives_the_same_sets_again_and_another_seed_others():
    items = [Candidate(item, item % 3) for item in range(100, 112)]
    split = make_tuple_split(4, 0)
    assert split(items, Random(1)) == split(items, Random(1)) != split(items, Random(2))
    assert len(split(items, Random(1))) == 12
    assert len(make_tuple_split(4, 100)(items[:5], Random(1))) == 5
    with pytest.raises(InvalidParameter):
        split(items[:3], Random(1))
