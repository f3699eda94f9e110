"""Strengths of generators from pairwise comparisons: counts of wins and ties, and models fitted by maximum likelihood.

A judgment compares items of two generators: the first is better, the second is better, or it is a tie. There are g
generators. wins (..., g, g): how often the generator of the row was preferred to that of the column. ties (..., g, g):
symmetric, so each tie is counted in [i, j] and in [j, i]. b is the number of tables of counts that are fitted at once,
such as the replicates of a bootstrap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from analysis.measures.agreement import MISSING
from analysis.measures.types import BoolArray, FloatArray, IntArray, gettext_noop

FIRST, SECOND, TIE = 0, 1, 2

NEVER_LOST = gettext_noop("It never lost, so no finite strength explains its results.")
NEVER_WON = gettext_noop("It never won, so no finite strength explains its results.")
NOT_COMPARED = gettext_noop("It was not compared with the others, directly or through further generators.")
RUNS_AWAY = gettext_noop("Apart from ties all results go in one direction, so no finite strengths explain them.")
ONLY_TIES = gettext_noop("All judgments are ties, so strengths cannot be estimated.")
ONE_WAY = gettext_noop("It always won or always lost against the generators on which the scale is based.")
NO_COMPARISON = gettext_noop("There is no comparison to compute this from.")


@dataclass(frozen=True)
class PairCounts:
    """Counts of wins and of ties, (..., g, g) each; see the docstring of the module."""

    wins: FloatArray
    ties: FloatArray

    @cached_property
    def n(self) -> FloatArray:
        """(..., g, g): the number of judgments of each pair of generators."""
        return np.asarray(self.wins + np.swapaxes(self.wins, -1, -2) + self.ties)

    def total(self) -> PairCounts:
        """Counts (g, g): the sum over the groups of judgments, which are the first axis."""
        return PairCounts(self.wins.sum(axis=0), self.ties.sum(axis=0))

    def resample(self, weights: FloatArray) -> PairCounts:
        """Counts (b, g, g): sums over the groups, weighted by each row of weights (b, n_groups)."""
        shape = (len(weights), *self.wins.shape[1:])
        return PairCounts(*((weights @ cells).reshape(shape) for cells in self._cells))

    @cached_property
    def _cells(self) -> list[csr_array]:
        """Wins and ties, each a matrix (n_groups, g · g). It is sparse, as a group fills few cells of hundreds."""
        return [csr_array(counts.reshape(len(counts), -1)) for counts in (self.wins, self.ties)]

    def take(self, rows: IntArray) -> PairCounts:
        """The counts of some rows of the first axis, with their `n`, which is not added up again."""
        taken = PairCounts(self.wins[rows], self.ties[rows])
        taken.__dict__["n"] = self.n[rows]
        return taken

    def select(self, chosen: BoolArray) -> PairCounts:
        """The counts among the chosen generators only; chosen: (g,)."""
        at = np.flatnonzero(chosen)
        return PairCounts(self.wins[..., at[:, None], at], self.ties[..., at[:, None], at])


def pair_counts(
    first: IntArray, second: IntArray, outcome: IntArray, generators: int, groups: IntArray, n_groups: int
) -> PairCounts:
    """Counts (n_groups, g, g): wins and ties in each group of judgments, such as those of a text.

    first, second: (n,) codes of the generators of the two items. outcome: (n,) FIRST, SECOND or TIE. generators: their
    number g. groups: (n,) the code of each judgment's group.
    """
    won, lost = np.where(outcome == SECOND, second, first), np.where(outcome == SECOND, first, second)
    code = (groups * generators + won) * generators + lost
    shape, size = (n_groups, generators, generators), n_groups * generators**2
    tied = outcome == TIE
    wins = np.bincount(code[~tied], minlength=size).reshape(shape).astype(np.float64)
    ties = np.bincount(code[tied], minlength=size).reshape(shape).astype(np.float64)
    return PairCounts(wins, ties + np.swapaxes(ties, 1, 2))


def ties_as_half_wins(counts: PairCounts) -> PairCounts:
    """The counts with each tie as half a win for either generator."""
    return PairCounts(counts.wins + counts.ties / 2, np.zeros_like(counts.ties))


def without_ties(counts: PairCounts) -> PairCounts:
    """The counts without the ties."""
    return PairCounts(counts.wins, np.zeros_like(counts.ties))


def ties_missing(ratings: IntArray) -> IntArray:
    """Ratings (raters, units) in which ties are missing judgments."""
    return np.asarray(np.where(ratings == TIE, MISSING, ratings))


def find_comparable(counts: PairCounts) -> BoolArray:
    """(g,): which generators have finite strengths on one scale: the largest set that is connected by chains of wins.

    Strengths are finite if and only if a chain of wins leads from each generator to every other one (Ford 1957); a tie
    counts as a win of both. Of several sets of the same size, the one with the most judgments is taken. A single
    generator is no such set.
    """
    beaten = (counts.wins + counts.ties) > 0
    if not len(beaten):
        return np.zeros(0, dtype=bool)
    n_parts, part = connected_components(beaten, directed=True, connection="strong")
    sizes = np.bincount(part, minlength=n_parts)
    judged = [counts.n[np.ix_(part == code, part == code)].sum() for code in range(n_parts)]
    best = max(range(n_parts), key=lambda code: (sizes[code], judged[code]))
    return np.asarray((part == best) & (sizes[best] > 1) & (judged[best] > 0))


def explain_left_out(counts: PairCounts) -> list[str]:
    """The reason why each generator has no strength, (g,); empty for those that are `find_comparable`."""
    held = find_comparable(counts)
    scores = counts.wins + counts.ties / 2
    won, lost = scores.sum(axis=1), scores.sum(axis=0)
    _n, linked = connected_components(counts.n > 0, directed=False)
    return [
        "" if held[code] else _why(won[code], lost[code], bool(held[linked == linked[code]].any()))
        for code in range(len(held))
    ]


def _why(won: float, lost: float, linked: bool) -> str:
    if not won and not lost:
        return NO_COMPARISON
    if not lost:
        return NEVER_LOST
    if not won:
        return NEVER_WON
    return ONE_WAY if linked else NOT_COMPARED


DAVIDSON, RAO_KUPPER = "davidson", "rao_kupper"
HALF_WINS, NO_TIES = "bradley_terry_half", "bradley_terry_dropped"
METHODS = (DAVIDSON, HALF_WINS, NO_TIES, RAO_KUPPER)

STEPS, CLOSE, FARTHEST = 100, 1e-10, 1.5  # Newton steps at most; the step that ends them; the largest step allowed
TIE_START = 0.5

# Takes log-strengths and the tie parameter (b, g + 1) and counts; returns the gradient of the log-likelihood (b, g + 1)
# and the observed information (b, g + 1, g + 1).
Slopes = Callable[[FloatArray, PairCounts], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True)
class Fit:
    """Strengths fitted to b tables of counts; a row is NaN if its strengths are not finite.

    log_worth: (b, g) log-strengths with mean 0 in each row. tie: (b,) the tie parameter, ν of Davidson or θ of Rao and
    Kupper. information: (b, g + 1, g + 1) the observed information of the log-strengths and the tie parameter.
    """

    log_worth: FloatArray
    tie: FloatArray
    information: FloatArray

    @property
    def worth(self) -> FloatArray:
        """(b, g): strengths that add up to 1 in each row."""
        raised = np.exp(self.log_worth)
        return np.asarray(raised / raised.sum(axis=-1, keepdims=True))

    @property
    def covariance(self) -> FloatArray:
        """(b, g, g): the covariance of log_worth."""
        return _covariance(self.information, np.isfinite(self.tie))


def treat_ties(counts: PairCounts, method: str) -> PairCounts:
    """The counts as one of METHODS uses them. Bradley–Terry has no ties, so they count as half wins or not at all.

    Raises ValueError for an unknown method.
    """
    if method not in METHODS:
        raise ValueError(f"There is no model called {method}; choose one of {', '.join(METHODS)}.")
    return {HALF_WINS: ties_as_half_wins, NO_TIES: without_ties}.get(method, keep_counts)(counts)


def fit(counts: PairCounts, method: str) -> Fit:
    """Fits strengths by maximum likelihood, with one of METHODS.

    counts: (b, g, g), or (g, g) for b = 1. A row is NaN if its strengths are not finite; see `has_finite_strength`.
    Sources: Bradley & Terry (1952), Davidson (1970), Rao & Kupper (1967).
    """
    given = counts if counts.wins.ndim == 3 else PairCounts(counts.wins[None], counts.ties[None])
    used = treat_ties(given, method)
    tied = used.ties.sum(axis=(1, 2)) > 0
    parameters, information = _maximum(_rao_kupper if method == RAO_KUPPER else _davidson, used, tied)
    untied = 1.0 if method == RAO_KUPPER else 0.0
    fitted = np.isfinite(parameters[:, 0])
    tie = np.where(fitted, np.where(tied, np.exp(parameters[:, -1]), untied), np.nan)
    return Fit(parameters[:, :-1], tie, information)


def has_finite_strength(counts: PairCounts) -> BoolArray:
    """(b,): whether the likelihood has its maximum at finite strengths. Two conditions must hold.

    First, a chain of wins or ties leads from each generator to every other one. Second, if there are ties, and no two
    generators have beaten each other, the strengths and the tie parameter must not be able to grow together without
    bound. They can if numbers d exist such that d_i - d_j is at least 2 where i beat j, and at most 2 in absolute value
    where i and j tied.
    """
    won, tied = counts.wins > 0, counts.ties > 0
    linked: BoolArray = np.asarray(_close_links(won | tied).all(axis=(1, 2)))
    both = (won & np.swapaxes(won, 1, 2)).any(axis=(1, 2))
    unsure = linked & ~both & tied.any(axis=(1, 2))
    linked[unsure] = ~_runs_away(won[unsure], tied[unsure])
    return linked


def _runs_away(won: BoolArray, tied: BoolArray) -> BoolArray:
    """(b,): whether numbers d exist with d_j - d_i ≤ bound[i, j] for all i, j.

    They exist if and only if no cycle of bounds has a negative sum, which shortest paths show (Floyd 1962).
    """
    bound = np.full(won.shape, np.inf)
    bound[tied] = 2.0
    bound[won] = -2.0
    bound[:, np.eye(won.shape[-1], dtype=np.bool_)] = 0.0
    for through in range(won.shape[-1]):
        bound = np.minimum(bound, bound[:, :, through, None] + bound[:, None, through, :])
    return np.asarray((np.einsum("bii->bi", bound) >= 0).all(axis=1), dtype=np.bool_)


def _close_links(linked: BoolArray) -> BoolArray:
    """(b, g, g): whether a chain of any number of links leads from i to j (Warshall 1962)."""
    reached = linked | np.eye(linked.shape[-1], dtype=np.bool_)
    for through in range(linked.shape[-1]):
        reached = reached | (reached[:, :, through, None] & reached[:, None, through, :])
    return np.asarray(reached)


def keep_counts(counts: PairCounts) -> PairCounts:
    return counts


def _maximum(slopes: Slopes, counts: PairCounts, tied: BoolArray) -> tuple[FloatArray, FloatArray]:
    """The maximum of the likelihood for b tables at once, by Newton's method: parameters (b, g + 1) and information.

    A row is NaN if it has no finite maximum, or if the steps do not converge.
    """
    b, g = counts.wins.shape[:2]
    parameters, information = np.zeros((b, g + 1)), np.zeros((b, g + 1, g + 1))
    parameters[tied, -1] = TIE_START
    settled, still = np.zeros(b, dtype=np.bool_), np.flatnonzero(has_finite_strength(counts))
    for _step in range(STEPS):
        part = counts.take(still)
        slope, information[still] = slopes(parameters[still], part)
        step = _newton_step(slope, information[still], tied[still])
        parameters[still] = _take_step(parameters[still], step, slopes)
        done = np.abs(step).max(axis=1, initial=0.0) < CLOSE
        settled[still[done]] = True
        still = still[~done]
        if not len(still):
            break
    parameters[:, :-1] -= parameters[:, :-1].mean(axis=1, keepdims=True)
    parameters[~settled] = np.nan
    return parameters, information


def _take_step(parameters: FloatArray, step: FloatArray, slopes: Slopes) -> FloatArray:
    """The parameters after a limited step; Rao and Kupper's log θ must stay positive, so it is at most halved."""
    moved = parameters + np.clip(step, -FARTHEST, FARTHEST)
    if slopes is _rao_kupper:
        moved[:, -1] = np.maximum(moved[:, -1], parameters[:, -1] / 2)
    return np.asarray(moved)


def _newton_step(slope: FloatArray, information: FloatArray, tied: BoolArray) -> FloatArray:
    """(b, g + 1): the Newton step, that is the inverse information times the gradient (b, g + 1).

    The mean of the log-strengths does not change; in a row without ties the tie parameter does not change either.
    """
    g = slope.shape[1] - 1
    curve = information.copy()
    curve[:, :g, :g] += 1.0
    curve[~tied, -1, :], curve[~tied, :, -1] = 0.0, 0.0
    curve[~tied, -1, -1] = 1.0
    return np.asarray(np.linalg.solve(curve, np.where(_tie_column(g) & ~tied[:, None], 0.0, slope)[..., None])[..., 0])


def _tie_column(g: int) -> BoolArray:
    """(g + 1,): True for the tie parameter, which comes last."""
    return np.asarray(np.arange(g + 1) == g)


def _davidson(parameters: FloatArray, counts: PairCounts) -> tuple[FloatArray, FloatArray]:
    """The gradient and the information of Davidson's log-likelihood (1970); the tie parameter is log ν."""
    at, tie = parameters[:, :-1], parameters[:, -1]
    has_ties = counts.ties.sum(axis=(1, 2)) > 0
    apart = (at[:, :, None] - at[:, None, :]) / 2
    nu = np.where(has_ties, np.exp(tie), 0.0)[:, None, None]
    raised = np.exp(apart)
    below = raised + 1 / raised + nu
    won, tied = raised / below, nu / below
    mean = won + tied / 2  # expected score of the generator of the row in one judgment: a win is 1, a tie a half
    slope = (counts.wins + counts.ties / 2 - counts.n * mean).sum(axis=2)
    tie_slope = (counts.ties - counts.n * tied).sum(axis=(1, 2)) / 2
    each = counts.n * (won + tied / 4 - mean**2)
    across = (counts.n * tied * (0.5 - mean)).sum(axis=2)
    last = (counts.n * tied * (1 - tied)).sum(axis=(1, 2)) / 2
    return np.concatenate([slope, tie_slope[:, None]], axis=1), _border(each, across, last)


def _rao_kupper(parameters: FloatArray, counts: PairCounts) -> tuple[FloatArray, FloatArray]:
    """The gradient and the information of Rao and Kupper's log-likelihood (1967); the tie parameter is log θ.

    log L = Σ (wins_ij + ties_ij) log σ(λ_i - λ_j - log θ) + number of ties · log(θ² - 1), with log-strengths λ and the
    logistic function σ. log θ is above 0 if there are ties.
    """
    at, tie = parameters[:, :-1], parameters[:, -1]
    short = 1 / (1 + np.exp(at[:, :, None] - at[:, None, :] - tie[:, None, None]))  # 1 - σ
    counted = counts.wins + counts.ties
    pull, bend = counted * short, counted * short * (1 - short)
    ties = counts.ties.sum(axis=(1, 2)) / 2
    beyond = np.where(ties > 0, np.expm1(2 * tie), 1.0)
    slope = pull.sum(axis=2) - pull.sum(axis=1)
    tie_slope = 2 * ties * (beyond + 1) / beyond - pull.sum(axis=(1, 2))
    across = bend.sum(axis=1) - bend.sum(axis=2)
    last = bend.sum(axis=(1, 2)) + 4 * ties * (beyond + 1) / beyond**2
    information = _border(bend + np.swapaxes(bend, 1, 2), across, last)
    return np.concatenate([slope, tie_slope[:, None]], axis=1), information


def _border(each: FloatArray, across: FloatArray, last: FloatArray) -> FloatArray:
    """(b, g + 1, g + 1): the information of all parameters, put together from its parts.

    each: (b, g, g) that of each pair of generators. across: (b, g) between log-strength and tie parameter. last: (b,)
    that of the tie parameter.
    """
    b, g = across.shape
    information = np.zeros((b, g + 1, g + 1))
    off = each.copy()
    off[:, np.arange(g), np.arange(g)] = 0.0
    information[:, :g, :g] = -off
    information[:, np.arange(g), np.arange(g)] = off.sum(axis=2)
    information[:, :g, g], information[:, g, :g], information[:, g, g] = across, across, last
    return information


def _covariance(information: FloatArray, fitted: BoolArray) -> FloatArray:
    """(b, g, g): the covariance of log-strengths with mean 0, from the inverse of the information; NaN without a fit.

    A tie parameter that was not estimated has no information, and is left out.
    """
    g = information.shape[1] - 1
    curve = information.copy()
    curve[:, :g, :g] += 1.0
    curve[:, -1, -1] += curve[:, -1, -1] == 0
    curve[~fitted] = np.eye(g + 1)
    return np.where(fitted[:, None, None], np.linalg.inv(curve)[:, :g, :g] - 1 / g**2, np.nan)
