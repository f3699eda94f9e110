"""Counterbalanced plans: what must always hold, what a known design reaches, and what is refused."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studies import plan_search
from studies.plans import Plan, PlanError, assign_seats, extend_plan, make_guess_plan

pytestmark = pytest.mark.usefixtures("recompute")

GENERATORS = ["human", "llama", "gpt"]
PUBLISHED = [GENERATORS] * 10  # 10 texts with items of 3 generators, guessed by 6 people


def spread(counts: list[int]) -> int:
    return max(counts) - min(counts)


def by_seat(plan: Plan, seat: int, generators: list[str]) -> list[int]:
    column = Counter(row[seat] for row in plan)
    return [column[generator] for generator in generators]


def list_common_generators(plan: Plan, one: int, other: int) -> list[str]:
    """The generators of the texts that two seats both guess with the same generator's items."""
    return [row[one] for row in plan if row[one] is not None and row[one] == row[other]]


@st.composite
def designs(draw: st.DrawFn) -> tuple[list[list[str]], int, list[list[int]]]:
    """Texts with unequal lists of generators, and any seats on each."""
    annotators = draw(st.integers(1, 7))
    names = list("abcd")
    generators = st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True)
    texts = draw(st.lists(generators, min_size=1, max_size=8))
    seats = st.lists(st.integers(0, annotators - 1), unique=True, max_size=annotators)
    who = [draw(seats) for _ in texts]
    return texts, annotators, who


@pytest.mark.slow
def test_six_annotators_ten_texts_three_generators_are_balanced_over_pairs_for_every_seed():
    for seed in range(40):
        plan = make_guess_plan(PUBLISHED, 6, seed)
        assert all(Counter(row) == dict.fromkeys(GENERATORS, 2) for row in plan)
        assert all(sorted(by_seat(plan, seat, GENERATORS)) == [3, 3, 4] for seat in range(6))
        assert [sum(row.count(generator) for row in plan) for generator in GENERATORS] == [20, 20, 20]
        for one, other in combinations(range(6), 2):
            met = list_common_generators(plan, one, other)
            assert len(met) == 2
            assert len(set(met)) == 2


@pytest.mark.slow
@settings(max_examples=20)
@given(designs(), st.integers(0, 2**32 - 1))
def test_guesses_within_a_text_differ_by_at_most_one_with_a_new_seat_too_and_only_its_seats_guess(design, seed):
    texts, annotators, who = design
    plan = make_guess_plan(texts, annotators, seed, who=who)
    for row, generators, seats in zip(plan, texts, who, strict=True):
        assert {seat for seat, cell in enumerate(row) if cell is not None} == set(seats)
        assert {cell for cell in row if cell is not None} <= set(generators)
        assert spread([row.count(generator) for generator in generators]) <= 1
    for row, generators, cell in zip(plan, texts, extend_plan(plan, texts, seed), strict=True):
        assert row.count(cell) == min(row.count(generator) for generator in generators)
        assert spread([[*row, cell].count(generator) for generator in generators]) <= 1


@pytest.mark.slow
@settings(max_examples=12)
@given(st.integers(1, 9), st.integers(1, 12), st.integers(1, 4), st.data())
def test_with_equal_lists_every_seat_and_the_study_have_each_generator_equally_often(annotators, texts, kinds, data):
    generators = list("abcd")[:kinds]
    per_unit = data.draw(st.none() | st.integers(1, annotators))
    who = assign_seats(texts, annotators, per_unit, seed=data.draw(st.integers(0, 99)))
    plan = make_guess_plan([generators] * texts, annotators, data.draw(st.integers(0, 99)), who=who)
    assert spread([sum(row.count(generator) for row in plan) for generator in generators]) <= 1
    assert all(spread(by_seat(plan, seat, generators)) <= 1 for seat in range(annotators))


@pytest.mark.parametrize(
    ("annotators", "texts", "kinds", "least", "most"),
    [(4, 9, 3, 1, 2), (6, 20, 3, 4, 4), (6, 10, 4, 1, 2), (7, 10, 3, 2, 3)],
)
def test_pairs_share_as_evenly_as_the_numbers_allow(annotators, texts, kinds, least, most):
    plan = make_guess_plan([list("abcd")[:kinds]] * texts, annotators, 1)
    counts = [len(list_common_generators(plan, one, other)) for one, other in combinations(range(annotators), 2)]
    assert (min(counts), max(counts)) == (least, most)


@pytest.mark.slow
def test_large_plan_is_even_for_each_seat_and_far_more_even_over_pairs_than_chance():
    plan = make_guess_plan([list("abcd")] * 40, 40, 3)
    assert all(by_seat(plan, seat, list("abcd")) == [10] * 4 for seat in range(40))
    counts = [len(list_common_generators(plan, one, other)) for one, other in combinations(range(40), 2)]
    mean = sum(counts) / len(counts)
    variance = sum((count - mean) ** 2 for count in counts) / len(counts)
    assert variance < 0.4 * 40 * (1 / 4) * (3 / 4)  # drawn by chance it is about 40 · ¼ · ¾


def test_same_seed_gives_the_same_plan_and_another_seed_another():
    assert make_guess_plan(PUBLISHED, 6, 7) == make_guess_plan(PUBLISHED, 6, 7)
    assert make_guess_plan(PUBLISHED, 6, 7) != make_guess_plan(PUBLISHED, 6, 8)


@pytest.mark.slow
@settings(max_examples=8)
@given(designs(), st.integers(0, 99))
def test_renaming_generators_renames_the_plan(design, seed):
    texts, annotators, who = design
    new = {"a": "z", "b": "y", "c": "x", "d": "w", None: None}
    plan = make_guess_plan(texts, annotators, seed, who=who)
    renamed = make_guess_plan([[new[name] for name in text] for text in texts], annotators, seed, who=who)
    assert renamed == [[new[cell] for cell in row] for row in plan]


def test_one_generator_is_guessed_by_everybody():
    assert make_guess_plan([["human"]] * 3, 4, 1) == [["human"] * 4] * 3


def test_no_texts_give_an_empty_plan():
    assert make_guess_plan([], 4, 1) == []


@pytest.mark.parametrize(
    ("texts", "annotators", "who", "says"),
    [
        ([["a"], []], 2, None, "Text 2 needs at least one generator"),
        ([["a", "a"]], 2, None, "each only once"),
        ([["a"]], 0, None, "at least one annotator"),
        ([["a"]], 2, [[0], [1]], "give the seats of every text"),
        ([["a"]], 2, [[2]], "outside 0 to 1"),
        ([["a"]], 2, [[1, 1]], "names a seat twice"),
    ],
)
def test_impossible_guess_plans_are_refused_with_a_sentence(texts, annotators, who, says):
    with pytest.raises(PlanError, match=says):
        make_guess_plan(texts, annotators, 1, who=who)


def test_all_seats_do_all_texts_by_default():
    assert assign_seats(3, 2, seed=1) == [[0, 1]] * 3


@pytest.mark.slow
@settings(max_examples=12)
@given(st.integers(0, 12), st.integers(1, 8), st.data())
def test_per_unit_gives_each_text_exactly_that_many_seats_with_even_loads(texts, annotators, data):
    per_unit = data.draw(st.integers(1, annotators))
    who = assign_seats(texts, annotators, per_unit, seed=data.draw(st.integers(0, 2**32 - 1)))
    assert len(who) == texts
    assert all(len(set(row)) == len(row) == per_unit and row == sorted(row) for row in who)
    assert spread([sum(seat in row for row in who) for seat in range(annotators)]) <= 1


def test_loads_are_even_even_where_the_search_gets_nowhere(monkeypatch):
    monkeypatch.setattr(plan_search, "MOST_STEPS", 1)
    monkeypatch.setattr(plan_search, "ALL_STEPS", 1)
    for seed in range(10):
        who = assign_seats(23, 7, 3, seed=seed)
        assert spread([sum(seat in row for row in who) for seat in range(7)]) == 1  # 69 places for 7


def test_generators_are_even_overall_even_where_the_search_gets_nowhere(monkeypatch):
    monkeypatch.setattr(plan_search, "MOST_STEPS", 1)
    monkeypatch.setattr(plan_search, "ALL_STEPS", 1)
    for seed in range(10):
        plan = make_guess_plan(PUBLISHED, 4, seed)
        assert spread([sum(row.count(generator) for row in plan) for generator in GENERATORS]) == 1  # 40 guesses


def test_three_of_six_on_ten_texts_meet_equally_often():
    who = assign_seats(10, 6, 3, seed=4)
    assert [sum({one, other} <= set(row) for row in who) for one, other in combinations(range(6), 2)] == [2] * 15


def test_shared_texts_are_done_by_all_and_own_texts_by_one():
    who = assign_seats(55, 5, shared=5, own=10, seed=1)
    assert who[:5] == [[0, 1, 2, 3, 4]] * 5
    assert all(len(row) == 1 for row in who[5:])
    assert Counter(row[0] for row in who[5:]) == dict.fromkeys(range(5), 10)
    assert who != assign_seats(55, 5, shared=5, own=10, seed=2)


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        ({"texts": 10, "annotators": 6, "per_unit": 7}, "1 to 6 annotators, not by 7"),
        ({"texts": 10, "annotators": 6, "per_unit": 0}, "not by 0"),
        ({"texts": 10, "annotators": 0}, "at least one annotator"),
        ({"texts": 10, "annotators": 2, "shared": 2, "own": 3}, "are 8 texts, but the study has 10"),
        ({"texts": 8, "annotators": 2, "per_unit": 2, "shared": 2, "own": 3}, "not both"),
    ],
)
def test_contradictory_numbers_are_refused_with_a_sentence(numbers, says):
    with pytest.raises(PlanError, match=says):
        assign_seats(**numbers, seed=1)


def test_a_new_seat_has_each_generator_about_equally_often_and_shares_with_everybody():
    for seed in range(20):
        plan = make_guess_plan(PUBLISHED, 6, seed)
        larger = [[*row, cell] for row, cell in zip(plan, extend_plan(plan, PUBLISHED, seed), strict=True)]
        assert sorted(by_seat(larger, 6, GENERATORS)) == [3, 3, 4]
        assert all(3 <= len(list_common_generators(larger, seat, 6)) <= 4 for seat in range(6))


def test_a_new_seats_own_balance_goes_before_that_of_the_study():
    plan: Plan = [["human"]] * 6 + [[None]] * 6
    column = extend_plan(plan, [GENERATORS] * 12, 1, does=range(6, 12))
    assert Counter(cell for cell in column if cell) == dict.fromkeys(GENERATORS, 2)


def test_three_new_seats_fill_a_text_up_evenly():
    plan = make_guess_plan(PUBLISHED, 6, 1)
    for _ in range(3):
        plan = [[*row, cell] for row, cell in zip(plan, extend_plan(plan, PUBLISHED, 1), strict=True)]
    assert all(Counter(row) == dict.fromkeys(GENERATORS, 3) for row in plan)
    assert all(spread(by_seat(plan, seat, GENERATORS)) <= 2 for seat in range(9))


def test_a_new_seat_that_does_some_texts_is_empty_on_the_others():
    plan = make_guess_plan(PUBLISHED, 6, 1)
    column = extend_plan(plan, PUBLISHED, 1, does=[2, 5, 7])
    assert [text for text, cell in enumerate(column) if cell is not None] == [2, 5, 7]
    assert sorted(cell for cell in column if cell) == sorted(GENERATORS)


def test_a_first_seat_extends_an_empty_plan():
    assert sorted(extend_plan([[], [], []], [GENERATORS] * 3, 1)) == sorted(GENERATORS)


@pytest.mark.parametrize(("plan", "does", "says"), [([[]], None, "plan has 1 texts"), ([[], []], [2], "texts 0 to 1")])
def test_an_extension_that_does_not_fit_is_refused(plan, does, says):
    with pytest.raises(PlanError, match=says):
        extend_plan(plan, [["a"], ["a"]], 1, does=does)
