"""Strengths from paired comparisons: Davidson's and Rao & Kupper's models of ties, and Bradley & Terry's without.

With worths π, sum 1: Davidson (1970) P(i beats j) = π_i / (π_i + π_j + ν √(π_i π_j)), P(tie) has ν √(π_i π_j) above;
Rao & Kupper (1967) P(i beats j) = π_i / (π_i + θ π_j), the rest are ties; Bradley & Terry (1952) P = π_i / (π_i + π_j),
the former with ν = 0, the latter with θ = 1. Fitted by maximum likelihood, many replicates (b, g, g) at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analysis.measures.types import BoolArray, FloatArray
from analysis.measures.wins import PairCounts, ties_as_half_wins, without_ties

DAVIDSON, RAO_KUPPER = "davidson", "rao_kupper"
HALF_WINS, NO_TIES = "bradley_terry_half", "bradley_terry_dropped"
METHODS = (DAVIDSON, HALF_WINS, NO_TIES, RAO_KUPPER)

STEPS, CLOSE, FARTHEST = 100, 1e-10, 1.5
TIE_START = 0.5

# From log-strengths and the tie's parameter (b, g + 1): the slopes (b, g + 1) and the information (b, g + 1, g + 1).
Slopes = Callable[[FloatArray, PairCounts], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True)
class Fit:
    """log_worth: (b, g), mean 0 in a row. tie: (b,) ν or θ. covariance: (b, g, g) of log_worth. NaN without a fit."""

    log_worth: FloatArray
    tie: FloatArray
    covariance: FloatArray

    @property
    def worth(self) -> FloatArray:
        """(b, g), sum 1 in each row."""
        raised = np.exp(self.log_worth)
        return np.asarray(raised / raised.sum(axis=-1, keepdims=True))

    def difference_error(self, one: int, other: int) -> FloatArray:
        """(b,): standard error of the difference of two log-strengths; judgments are taken as independent."""
        v = self.covariance
        return np.asarray(np.sqrt(v[:, one, one] + v[:, other, other] - 2 * v[:, one, other]))


def as_used(counts: PairCounts, method: str) -> PairCounts:
    """Wins and ties as one of METHODS takes them: Bradley and Terry's has no ties, they are half wins or dropped."""
    if method not in METHODS:
        raise ValueError(f"There is no model called {method}; choose one of {', '.join(METHODS)}.")
    return {HALF_WINS: ties_as_half_wins, NO_TIES: without_ties}.get(method, _as_they_are)(counts)


def fit(counts: PairCounts, method: str) -> Fit:
    """Strengths by one of METHODS; counts (b, g, g) or (g, g), which gives b = 1.

    A row is NaN where the strengths are not finite: see `wins.comparable` and `finite`.
    """
    given = counts if counts.wins.ndim == 3 else PairCounts(counts.wins[None], counts.ties[None])
    used = as_used(given, method)
    tied = used.ties.sum(axis=(1, 2)) > 0
    parameters, information = _maximum(_rao_kupper if method == RAO_KUPPER else _davidson, used, tied)
    untied = 1.0 if method == RAO_KUPPER else 0.0
    fitted = np.isfinite(parameters[:, 0])
    tie = np.where(fitted, np.where(tied, np.exp(parameters[:, -1]), untied), np.nan)
    return Fit(parameters[:, :-1], tie, _covariance(information, fitted))


def finite(counts: PairCounts) -> BoolArray:
    """(b,): whether the likelihood has its maximum at finite strengths.

    Needed: a chain of wins or ties from each generator to each other one. And, where ties occur and no two generators
    have beaten each other, that the tie parameter cannot run away with the strengths: a system of differences d_i - d_j
    (2 where only wins of i and ties, at least 2 where only wins, at most 2 apart where only ties) has no solution.
    """
    won, tied = counts.wins > 0, counts.ties > 0
    linked = _closed(won | tied).all(axis=(1, 2))
    both = (won & np.swapaxes(won, 1, 2)).any(axis=(1, 2))
    return np.asarray(linked & (both | ~tied.any(axis=(1, 2)) | ~_runs_away(won, tied)))


def _runs_away(won: BoolArray, tied: BoolArray) -> BoolArray:
    """(b,): whether differences d_j - d_i ≤ bound[i, j] can be met: no circle of negative length (Floyd 1962)."""
    bound = np.full(won.shape, np.inf)
    bound[tied] = 2.0
    bound[won] = -2.0
    bound[:, np.eye(won.shape[-1], dtype=np.bool_)] = 0.0
    for through in range(won.shape[-1]):
        bound = np.minimum(bound, bound[:, :, through, None] + bound[:, None, through, :])
    return np.asarray((np.einsum("bii->bi", bound) >= 0).all(axis=1), dtype=np.bool_)


def _closed(linked: BoolArray) -> BoolArray:
    """(b, g, g): what can be reached over any number of links (Warshall 1962)."""
    reached = linked | np.eye(linked.shape[-1], dtype=np.bool_)
    for through in range(linked.shape[-1]):
        reached = reached | (reached[:, :, through, None] & reached[:, None, through, :])
    return np.asarray(reached)


def _as_they_are(counts: PairCounts) -> PairCounts:
    return counts


def _maximum(slopes: Slopes, counts: PairCounts, tied: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Newton's method on all replicates at once; those without a finite maximum, or that do not settle, are NaN."""
    b, g = counts.wins.shape[:2]
    parameters, information = np.zeros((b, g + 1)), np.zeros((b, g + 1, g + 1))
    parameters[tied, -1] = TIE_START
    settled, still = np.zeros(b, dtype=np.bool_), np.flatnonzero(finite(counts))
    for _step in range(STEPS):
        part = PairCounts(counts.wins[still], counts.ties[still])
        slope, information[still] = slopes(parameters[still], part)
        step = _newton_step(slope, information[still], tied[still])
        parameters[still] = _moved(parameters[still], step, slopes)
        done = np.abs(step).max(axis=1, initial=0.0) < CLOSE
        settled[still[done]] = True
        still = still[~done]
        if not len(still):
            break
    parameters[:, :-1] -= parameters[:, :-1].mean(axis=1, keepdims=True)
    parameters[~settled] = np.nan
    return parameters, information


def _moved(parameters: FloatArray, step: FloatArray, slopes: Slopes) -> FloatArray:
    """Parameters after a bounded step; Rao and Kupper's log θ, which is positive, is at most halved."""
    moved = parameters + np.clip(step, -FARTHEST, FARTHEST)
    if slopes is _rao_kupper:
        moved[:, -1] = np.maximum(moved[:, -1], parameters[:, -1] / 2)
    return np.asarray(moved)


def _newton_step(slope: FloatArray, information: FloatArray, tied: BoolArray) -> FloatArray:
    """(b, g + 1): the step that would reach the top of a parabola; strengths keep their mean, no ties no tie's step."""
    g = slope.shape[1] - 1
    curve = information.copy()
    curve[:, :g, :g] += 1.0
    curve[~tied, -1, :], curve[~tied, :, -1] = 0.0, 0.0
    curve[~tied, -1, -1] = 1.0
    return np.asarray(np.linalg.solve(curve, np.where(_tie_column(g) & ~tied[:, None], 0.0, slope)[..., None])[..., 0])


def _tie_column(g: int) -> BoolArray:
    return np.asarray(np.arange(g + 1) == g)


def _davidson(parameters: FloatArray, counts: PairCounts) -> tuple[FloatArray, FloatArray]:
    """Slopes and information of Davidson's likelihood; the tie's parameter is log ν."""
    at, tie = parameters[:, :-1], parameters[:, -1]
    has_ties = counts.ties.sum(axis=(1, 2)) > 0
    apart = (at[:, :, None] - at[:, None, :]) / 2
    nu = np.where(has_ties, np.exp(tie), 0.0)[:, None, None]
    below = np.exp(apart) + np.exp(-apart) + nu
    won, tied = np.exp(apart) / below, nu / below
    mean = won + tied / 2  # of what a judgment adds to the generator of the row: 1, a half or 0
    slope = (counts.wins + counts.ties / 2 - counts.n * mean).sum(axis=2)
    tie_slope = (counts.ties - counts.n * tied).sum(axis=(1, 2)) / 2
    each = counts.n * (won + tied / 4 - mean**2)
    across = (counts.n * tied * (0.5 - mean)).sum(axis=2)
    last = (counts.n * tied * (1 - tied)).sum(axis=(1, 2)) / 2
    return np.concatenate([slope, tie_slope[:, None]], axis=1), _bordered(each, across, last)


def _rao_kupper(parameters: FloatArray, counts: PairCounts) -> tuple[FloatArray, FloatArray]:
    """Slopes and information of Rao and Kupper's likelihood; the tie's parameter is log θ, above 0 if there are ties.

    log L = Σ (wins_ij + ties_ij) log σ(λ_i - λ_j - log θ) + all ties · log(θ² - 1), σ the logistic function.
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
    information = _bordered(bend + np.swapaxes(bend, 1, 2), across, last)
    return np.concatenate([slope, tie_slope[:, None]], axis=1), information


def _bordered(each: FloatArray, across: FloatArray, last: FloatArray) -> FloatArray:
    """(b, g + 1, g + 1) information: of differences of strengths (b, g, g), with the tie (b, g), of the tie (b,)."""
    b, g = across.shape
    information = np.zeros((b, g + 1, g + 1))
    off = each.copy()
    off[:, np.arange(g), np.arange(g)] = 0.0
    information[:, :g, :g] = -off
    information[:, np.arange(g), np.arange(g)] = off.sum(axis=2)
    information[:, :g, g], information[:, g, :g], information[:, g, g] = across, across, last
    return information


def _covariance(information: FloatArray, fitted: BoolArray) -> FloatArray:
    """(b, g, g): the inverse information of strengths that have mean 0; a tie that is not estimated has none."""
    g = information.shape[1] - 1
    curve = information.copy()
    curve[:, :g, :g] += 1.0
    curve[:, -1, -1] += curve[:, -1, -1] == 0
    curve[~fitted] = np.eye(g + 1)
    return np.where(fitted[:, None, None], np.linalg.inv(curve)[:, :g, :g] - 1 / g**2, np.nan)
