"""Strengths from paired comparisons, against published fits, a second implementation and the model's own equations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from evalica import Winner
from evalica import newman as second_davidson
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog, minimize

from analysis.measures.strengths import (
    DAVIDSON,
    FIRST,
    HALF_WINS,
    METHODS,
    NEVER_LOST,
    NEVER_WON,
    NO_COMPARISON,
    NO_TIES,
    NOT_COMPARED,
    ONE_WAY,
    RAO_KUPPER,
    SECOND,
    TIE,
    PairCounts,
    explain_left_out,
    find_comparable,
    fit,
    has_finite_strength,
    pair_counts,
    ties_missing,
)
from tests.analysis.measures.published import BASEBALL, PUDDINGS, codes
from tests.examples import MANY


def tables(wins: list, ties: list | None = None) -> PairCounts:
    won = np.array(wins, dtype=float)
    return PairCounts(won, np.zeros_like(won) if ties is None else np.array(ties, dtype=float))


def puddings() -> PairCounts:
    wins, ties = np.zeros((6, 6)), np.zeros((6, 6))
    for i, j, first, second, tie in PUDDINGS:
        wins[i - 1, j - 1], wins[j - 1, i - 1] = first, second
        ties[i - 1, j - 1] = ties[j - 1, i - 1] = tie
    return PairCounts(wins, ties)


def judgments(counts: PairCounts) -> list[tuple[int, int, int]]:
    rows = []
    for i, j in zip(*np.triu_indices(len(counts.wins), 1), strict=True):
        rows += [(i, j, FIRST)] * int(counts.wins[i, j]) + [(i, j, SECOND)] * int(counts.wins[j, i])
        rows += [(i, j, TIE)] * int(counts.ties[i, j])
    return rows


def draw_counts(g: int, most: int = 9) -> st.SearchStrategy[PairCounts]:
    cells = arrays(np.int64, (2, g, g), elements=st.integers(0, most))
    off = 1 - np.eye(g)
    return cells.map(lambda two: PairCounts(two[0] * off, np.triu(two[1] * off) + np.triu(two[1] * off).T))


def negative_likelihood(counts: PairCounts, method: str):
    """Of log-strengths but the first, then log ν or log θ; written out from the models' definitions."""
    wins, ties = counts.wins, np.triu(counts.ties)

    def of(parameters: np.ndarray) -> float:
        worth, tie = np.exp(np.concatenate([[0.0], parameters[:-1]])), np.exp(parameters[-1])
        one, other = worth[:, None], worth[None, :]
        if method == DAVIDSON:
            below = one + other + tie * np.sqrt(one * other)
            p_win, p_tie = one / below, tie * np.sqrt(one * other) / below
        else:
            p_win = one / (one + tie * other)
            p_tie = np.maximum(1 - p_win - p_win.T, 1e-300)
        return -float((wins * np.log(p_win)).sum() + (ties * np.log(p_tie)).sum())

    return of


def test_baseball_abilities_and_errors_come_out_as_printed():
    found = fit(tables(BASEBALL), HALF_WINS)
    against_last = (found.log_worth - found.log_worth[:, -1:])[0, :-1]
    assert np.round(against_last, 4).tolist() == [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839]
    v = found.covariance[0]
    errors = [round(float(np.sqrt(v[team, team] + v[6, 6] - 2 * v[team, 6])), 4) for team in range(6)]
    assert errors == [0.3433, 0.3396, 0.3367, 0.3359, 0.3339, 0.3319]


def test_chocolate_puddings_come_out_as_davidson_printed_them():
    found = fit(puddings(), DAVIDSON)
    assert np.round(found.worth[0], 4).tolist() == [0.1388, 0.1730, 0.1617, 0.1654, 0.1587, 0.2024]
    assert round(float(found.tie[0]), 3) == 0.747  # printed .7468 of seven iterations


def test_davidson_equals_a_second_implementation_with_half_its_nu():
    rows = judgments(puddings())
    outcome = [{FIRST: Winner.X, SECOND: Winner.Y, TIE: Winner.Draw}[code] for *_, code in rows]
    second = second_davidson([r[0] for r in rows], [r[1] for r in rows], outcome, tolerance=1e-12, limit=10_000)
    found = fit(puddings(), DAVIDSON)
    worth = second.scores.sort_index().to_numpy()
    assert found.worth[0] == pytest.approx(worth / worth.sum(), abs=1e-5)
    assert second.v == pytest.approx(found.tie[0] / 2, abs=1e-5)


@pytest.mark.parametrize("method", [DAVIDSON, RAO_KUPPER])
def test_the_fit_is_the_top_of_the_written_out_likelihood(method):
    counts = tables([[0, 5, 7, 2], [3, 0, 4, 6], [1, 5, 0, 3], [2, 2, 4, 0]], 3 * (1 - np.eye(4)))
    found = fit(counts, method)
    top = minimize(negative_likelihood(counts, method), np.array([0.0, 0.0, 0.0, 0.5]), tol=1e-12)
    assert found.log_worth[0, 1:] - found.log_worth[0, 0] == pytest.approx(top.x[:-1], abs=1e-4)
    assert found.tie[0] == pytest.approx(math.exp(top.x[-1]), abs=1e-4)


def test_half_wins_are_not_davidson():
    counts = tables([[0, 8, 1], [1, 0, 9], [2, 1, 0]], [[0, 9, 0], [9, 0, 0], [0, 0, 0]])
    davidson, half = fit(counts, DAVIDSON), fit(counts, HALF_WINS)
    assert np.abs(davidson.log_worth - half.log_worth).max() > 0.05


@given(draw_counts(3))
def test_without_ties_all_models_are_bradley_and_terrys(counts):
    untied = PairCounts(counts.wins, np.zeros_like(counts.ties))
    found = [fit(untied, method) for method in METHODS]
    assert [one.tie[0] for one in found] == pytest.approx(
        [math.nan] * 4 if np.isnan(found[0].tie[0]) else [0.0, 0.0, 0.0, 1.0], nan_ok=True
    )
    for other in found[1:]:
        np.testing.assert_allclose(found[0].log_worth, other.log_worth, atol=1e-8)


@given(draw_counts(4), st.sampled_from(METHODS))
def test_a_fit_has_no_slope_left(counts, method):
    found = fit(counts, method)
    assume(not np.isnan(found.tie[0]))
    assume(counts.ties.any())
    used = counts.ties / 2 if method == HALF_WINS else 0
    like = (
        negative_likelihood(PairCounts(counts.wins + used, 0 * counts.ties), DAVIDSON)
        if method in (HALF_WINS, NO_TIES)
        else negative_likelihood(counts, method)
    )
    tie = math.log(found.tie[0]) if method in (DAVIDSON, RAO_KUPPER) else -700.0
    at = np.concatenate([found.log_worth[0, 1:] - found.log_worth[0, 0], [tie]])
    for place in range(3):
        step = np.eye(4)[place] * 1e-4
        assert like(at + step) >= like(at) - 1e-9
        assert like(at - step) >= like(at) - 1e-9


@given(draw_counts(4), st.permutations(range(4)), st.sampled_from(METHODS))
def test_names_of_generators_do_not_matter_and_doubled_judgments_change_only_errors(counts, order, method):
    at = np.array(order)
    one = fit(counts, method)
    renamed = fit(PairCounts(counts.wins[np.ix_(at, at)], counts.ties[np.ix_(at, at)]), method)
    np.testing.assert_allclose(one.log_worth[:, at], renamed.log_worth, atol=1e-7)
    doubled = fit(PairCounts(2 * counts.wins, 2 * counts.ties), method)
    np.testing.assert_allclose(one.log_worth, doubled.log_worth, atol=1e-7)
    np.testing.assert_allclose(one.covariance, 2 * doubled.covariance, rtol=1e-5, atol=1e-6)


def rises_forever(counts: PairCounts) -> bool:
    """Whether some direction of log-strengths and log ν never lowers, and somewhere raises, an observed outcome."""
    g = len(counts.wins)
    unit, gains = np.eye(g + 1), []
    for i, j in zip(*np.triu_indices(g, 1), strict=True):
        scores = [unit[i], unit[j], (unit[i] + unit[j]) / 2 + unit[g]]
        seen = [counts.wins[i, j], counts.wins[j, i], counts.ties[i, j]]
        gains += [scores[o] - scores[a] for o in range(3) if seen[o] for a in range(3) if a != o]
    steepest = linprog(-np.sum(gains, axis=0), A_ub=-np.array(gains), b_ub=np.zeros(len(gains)), bounds=(-1, 1))
    return steepest.fun < -1e-9


@pytest.mark.slow
@MANY
@given(draw_counts(3, 1) | draw_counts(4, 1) | draw_counts(3, 9))
def test_strengths_are_finite_exactly_where_the_likelihood_has_a_top(counts):
    assume(counts.ties.any())
    unlinked = not find_comparable(counts).all()
    found = bool(has_finite_strength(PairCounts(counts.wins[None], counts.ties[None]))[0])
    assert found == (not unlinked and not rises_forever(counts))
    if found:
        assert not np.isnan(fit(counts, DAVIDSON).tie[0])
        assert not np.isnan(fit(counts, RAO_KUPPER).tie[0])


def test_two_generators_of_which_one_never_lost_have_no_davidson_strengths_despite_ties():
    counts = tables([[0, 5], [0, 0]], [[0, 2], [2, 0]])
    assert np.isnan(fit(counts, DAVIDSON).log_worth).all()
    assert np.isnan(fit(counts, RAO_KUPPER).log_worth).all()
    assert fit(counts, HALF_WINS).log_worth[0].tolist() == pytest.approx([math.log(6) / 2, -math.log(6) / 2])


def test_ties_do_not_help_where_all_wins_go_one_way():
    # 0 beats or ties with 1, 1 beats or ties with 2: the further apart and the larger ν, the better it fits
    counts = tables([[0, 4, 0], [0, 0, 4], [0, 0, 0]], [[0, 2, 0], [2, 0, 2], [0, 2, 0]])
    assert find_comparable(counts).all()
    assert not has_finite_strength(PairCounts(counts.wins[None], counts.ties[None]))[0]


def test_who_never_lost_or_never_won_is_left_out_with_the_reason():
    counts = tables([[0, 3, 3, 3], [0, 0, 2, 4], [0, 1, 0, 2], [0, 0, 0, 0]])
    assert find_comparable(counts).tolist() == [False, True, True, False]
    assert explain_left_out(counts) == [NEVER_LOST, "", "", NEVER_WON]


def test_who_was_compared_with_nobody_on_the_scale_is_left_out_with_the_reason():
    wins = np.zeros((7, 7))
    for i, j in [(0, 1), (1, 0), (1, 2), (2, 0), (3, 4), (4, 3)]:
        wins[i, j] = 2
    wins[0, 6], wins[6, 5] = 1, 0
    assert explain_left_out(PairCounts(wins, np.zeros((7, 7)))) == [
        "", "", "", NOT_COMPARED, NOT_COMPARED, NO_COMPARISON, NEVER_WON,
    ]  # fmt: skip


def test_who_won_here_and_lost_there_but_never_in_a_circle_is_left_out_with_the_reason():
    wins = np.zeros((5, 5))
    for i, j in [(0, 1), (1, 0), (2, 0), (3, 2), (3, 4), (4, 3)]:
        wins[i, j] = 1
    wins[0, 1] = 9
    assert explain_left_out(PairCounts(wins, np.zeros((5, 5))))[2] == ONE_WAY


def test_wins_and_ties_are_counted_per_text_whichever_item_stood_first():
    first, second = np.array([0, 1, 0, 0]), np.array([1, 0, 1, 2])
    outcome, text = np.array([FIRST, FIRST, TIE, SECOND]), np.array([0, 0, 1, 1])
    counts = pair_counts(first, second, outcome, 3, text, 2)
    assert counts.wins[0].tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert counts.wins[1].tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 0]]
    assert counts.ties.sum(axis=0).tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert counts.total().n.tolist() == [[0, 3, 1], [3, 0, 0], [1, 0, 0]]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)), max_size=30))
def test_swapping_the_two_sides_of_every_row_changes_nothing(rows):
    chosen = np.array([row for row in rows if row[0] != row[1]], dtype=np.int64).reshape(-1, 3)
    first, second, outcome = chosen.T
    group = np.zeros(len(chosen), dtype=np.int64)
    one = pair_counts(first, second, outcome, 3, group, 1)
    other = pair_counts(second, first, np.array([SECOND, FIRST, TIE])[outcome], 3, group, 1)
    assert (one.wins == other.wins).all()
    assert (one.ties == other.ties).all()


def test_a_tie_taken_as_missing_leaves_the_other_judgments():
    ratings = codes([[1, 1, 3], [2, 2, 2], [3, None, 3], [1, 2, None]])
    assert ties_missing(ratings).T.tolist() == [[0, 0, -1], [1, 1, 1], [-1, -1, -1], [0, 1, -1]]


def test_an_unknown_model_is_named():
    with pytest.raises(ValueError, match="davidson, bradley_terry_half, bradley_terry_dropped, rao_kupper"):
        fit(puddings(), "elo")
