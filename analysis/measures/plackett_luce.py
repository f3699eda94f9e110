"""Strengths from choices of the best and the worst of several: the Plackett–Luce model of partial rankings.

With worths w, Luce (1959) and Plackett (1975): P(ranking) = Π w_i / (sum of the worths not ranked yet). A choice of the
best b and the worst x of a set leaves the order of its middle M open. Adding up the rankings of M gives

    P(b best, x worst) = w_b / Σ w · Σ over S ⊆ M of (-1)^|S| · w_x / (w_x + Σ over S of w).

The likelihood is log-concave in the log-worths (Prékopa 1973).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np

from analysis.measures.intervals import NO_JUDGMENT, TEXT, Interval, cluster_intervals_together, undefined_interval
from analysis.measures.strengths import NO_COMPARISON, PairCounts, explain_left_out, has_finite_strength
from analysis.measures.types import FloatArray, IntArray, gettext_noop

# Newton steps at most, the step that ends them, the largest step allowed, and the distance for numeric derivatives.
STEPS, CLOSE, FARTHEST, SMALL = 200, 1e-8, 1.5, 1e-4
AT_ONCE = 500  # replicates fitted together
UNBOUNDED = (-np.inf, np.inf)
NOT_ALL = gettext_noop(
    "Some generators have no finite strength, and choices among their items leave the strengths of the others open."
)


@dataclass(frozen=True)
class Choices:
    """sets: (n, k) codes of generators, the best first, the worst second, then the others in ascending order.
    generators: how many codes there are."""

    sets: IntArray
    generators: int

    def wins(self, weights: FloatArray) -> PairCounts:
        """What the choices imply, (b, g, g) for weights (b, n): the best beats all others, and all others the worst."""
        n, k = self.sets.shape
        links = np.zeros((n, self.generators, self.generators))
        rows = np.arange(n)
        for place in range(1, k):
            np.add.at(links, (rows, self.sets[:, 0], self.sets[:, place]), 1)
        for place in range(2, k):
            np.add.at(links, (rows, self.sets[:, place], self.sets[:, 1]), 1)
        links[:, range(self.generators), range(self.generators)] = 0
        won = (weights @ links.reshape(n, -1)).reshape(len(weights), self.generators, self.generators)
        return PairCounts(won, np.zeros_like(won))

    def slopes(self, at: FloatArray) -> FloatArray:
        """(b, n, g): the slope of each choice's log-likelihood at log-worths (b, g)."""
        worth = np.exp(at)[:, self.sets]
        pulls = -worth / worth.sum(axis=2, keepdims=True)
        pulls[:, :, 0] += 1
        last, chance = np.zeros_like(worth), np.zeros(worth.shape[:2])
        for middle in subsets(range(2, self.sets.shape[1])):
            among = worth[:, :, 1] + worth[:, :, list(middle)].sum(axis=2)
            part = (-1) ** len(middle) * worth[:, :, 1] / among
            chance += part
            last[:, :, 1] += part * (1 - worth[:, :, 1] / among)
            for place in middle:
                last[:, :, place] -= part * worth[:, :, place] / among
        pulls += last / chance[:, :, None]
        return np.asarray(np.einsum("bnk,nkg->bng", pulls, np.eye(self.generators)[self.sets]))

    def curvature(self, at: FloatArray) -> FloatArray:
        """(n, g, g): minus the second derivatives of each choice's log-likelihood at log-worths (g,)."""
        moved = np.concatenate([at + SMALL * np.eye(self.generators), at - SMALL * np.eye(self.generators)])
        up, down = np.split(self.slopes(moved), 2)
        return np.asarray(-np.moveaxis(up - down, 0, 2) / (2 * SMALL))


def subsets(places: range) -> chain[tuple[int, ...]]:
    return chain.from_iterable(combinations(places, n) for n in range(len(places) + 1))


def make_choices(best: IntArray, worst: IntArray, others: IntArray, generators: int) -> tuple[Choices, IntArray]:
    """The distinct choices among n, and the place (n,) of each of the n among them.

    best, worst: (n,) and others: (n, k - 2) codes of generators.
    """
    sets, which = np.unique(np.column_stack([best, worst, np.sort(others, axis=1)]), axis=0, return_inverse=True)
    return Choices(sets.astype(np.int64), generators), which.reshape(-1)


def fit(choices: Choices, weights: FloatArray) -> FloatArray:
    """(b, g) log-worths, mean 0, by maximum likelihood for weights (b, n) of the choices; NaN where none are finite.

    They are finite if and only if each generator can be reached from every other one by `wins` (as in Ford 1957).
    Newton's method, with the curvature at the fit to all weights together.
    """
    whole = _climb(choices, weights.sum(axis=0)[None], np.zeros((1, choices.generators)), None)[0]
    if len(weights) == 1 or np.isnan(whole).any():
        return np.where(np.isnan(whole).any(), np.nan, np.tile(whole, (len(weights), 1)))
    parts = [weights[start : start + AT_ONCE] for start in range(0, len(weights), AT_ONCE)]
    curvature = choices.curvature(whole)
    return np.concatenate([_climb(choices, part, np.tile(whole, (len(part), 1)), curvature) for part in parts])


def _climb(choices: Choices, weights: FloatArray, start: FloatArray, curvature: FloatArray | None) -> FloatArray:
    """Climb from these log-worths to the maximum of each row. `curvature`: used in every step; None: computed anew."""
    at, has_top = start.copy(), has_finite_strength(choices.wins(weights))
    settled = np.zeros(len(at), dtype=np.bool_)
    for _step in range(STEPS):
        left = np.flatnonzero(has_top & ~settled)
        if not len(left):
            break
        slope = np.einsum("bn,bng->bg", weights[left], choices.slopes(at[left]))
        here = choices.curvature(at[0]) if curvature is None else curvature
        curve = np.tensordot(weights[left], here, axes=1) + 1.0  # + 1: strengths keep their mean
        step = np.linalg.solve(curve, slope[..., None])[..., 0]
        at[left] += np.clip(step, -FARTHEST, FARTHEST)
        settled[left[np.abs(step).max(axis=1) < CLOSE]] = True
    at -= at.mean(axis=1, keepdims=True)
    at[~settled] = np.nan
    return at


@dataclass(frozen=True)
class Strengths:
    """Per generator, all of length g: log-worths with mean 0, their intervals over texts, and why there are none."""

    strength: FloatArray
    intervals: list[Interval]
    reasons: list[str]


def rank_by_choices(
    best: IntArray, worst: IntArray, others: IntArray, generators: int, text: IntArray, *, seed: int
) -> Strengths:
    """Strengths of generators from n choices; arguments as in `make_choices`, text: (n,) any whole numbers.

    Either all have a strength or none: choices among items of a generator without one leave the others open.
    """
    if not len(text):
        none = [undefined_interval("", (TEXT, 0, 0, None), NO_JUDGMENT)] * generators
        return Strengths(np.full(generators, np.nan), none, [NO_COMPARISON] * generators)
    texts, groups = np.unique(text, return_inverse=True)
    choices, which = make_choices(best, worst, others, generators)
    counts = np.zeros((len(texts), len(choices.sets)))
    np.add.at(counts, (groups.reshape(-1), which), 1)
    strength = fit(choices, np.ones((1, len(texts))) @ counts)[0]
    if np.isnan(strength).any():
        reasons = [reason or NOT_ALL for reason in explain_left_out(choices.wins(counts).total())]
        none = [
            undefined_interval("", (TEXT, len(texts), len(text), None), reason or NO_JUDGMENT) for reason in reasons
        ]
        return Strengths(np.full(generators, np.nan), none, reasons)
    intervals = cluster_intervals_together(
        lambda weights: fit(choices, weights @ counts), len(texts), len(text), bounds=UNBOUNDED, seed=seed
    )
    return Strengths(strength, intervals, [""] * generators)
