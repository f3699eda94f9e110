"""Who was preferred to whom: wins and ties of every two generators, and what they leave undecided.

A judgment compares two generators' items and says first, second or tie. `wins` is (..., g, g): how often the generator
of the row was preferred to that of the column; `ties` is (..., g, g) and symmetric, each tie once in either half.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from analysis.measures.agreement import MISSING
from analysis.measures.types import BoolArray, FloatArray, IntArray, gettext_noop

FIRST, SECOND, TIE = 0, 1, 2

NEVER_LOST = gettext_noop("It never lost, so no finite strength explains its results.")
NEVER_WON = gettext_noop("It never won, so no finite strength explains its results.")
NOT_COMPARED = gettext_noop("It was not compared with the others, directly or through further generators.")
RUNS_AWAY = gettext_noop("Ties aside the results go one way only, so no finite strengths explain them.")
ONLY_TIES = gettext_noop("All judgments are ties, so nothing tells the strengths apart.")
ONE_WAY = gettext_noop("It only ever won or only ever lost against the generators that the scale rests on.")
NO_COMPARISON = gettext_noop("There is no comparison to compute this from.")


@dataclass(frozen=True)
class PairCounts:
    """wins and ties (..., g, g) as in the module's first lines."""

    wins: FloatArray
    ties: FloatArray

    @property
    def n(self) -> FloatArray:
        """(..., g, g): judgments of each two generators."""
        return np.asarray(self.wins + np.swapaxes(self.wins, -1, -2) + self.ties)

    def total(self) -> PairCounts:
        """All groups added up, (g, g)."""
        return PairCounts(self.wins.sum(axis=0), self.ties.sum(axis=0))

    def drawn(self, weights: FloatArray) -> PairCounts:
        """(b, g, g) for weights (b, n_groups) of the groups."""
        shape = (len(weights), *self.wins.shape[1:])
        wins, ties = (counts.reshape(len(counts), -1) for counts in (self.wins, self.ties))
        return PairCounts((weights @ wins).reshape(shape), (weights @ ties).reshape(shape))

    def among(self, chosen: BoolArray) -> PairCounts:
        """Only some of the generators; chosen: (g,)."""
        at = np.flatnonzero(chosen)
        return PairCounts(self.wins[..., at[:, None], at], self.ties[..., at[:, None], at])


def pair_counts(
    first: IntArray, second: IntArray, outcome: IntArray, generators: int, groups: IntArray, n_groups: int
) -> PairCounts:
    """Wins and ties per group of judgments, such as texts, (n_groups, g, g).

    first, second: (n,) codes of the generators of a pair's two items. outcome: (n,) FIRST, SECOND or TIE. groups: (n,).
    """
    won, lost = np.where(outcome == SECOND, second, first), np.where(outcome == SECOND, first, second)
    code = (groups * generators + won) * generators + lost
    shape, size = (n_groups, generators, generators), n_groups * generators**2
    tied = outcome == TIE
    wins = np.bincount(code[~tied], minlength=size).reshape(shape).astype(np.float64)
    ties = np.bincount(code[tied], minlength=size).reshape(shape).astype(np.float64)
    return PairCounts(wins, ties + np.swapaxes(ties, 1, 2))


def ties_as_half_wins(counts: PairCounts) -> PairCounts:
    """Each tie half a win for either side."""
    return PairCounts(counts.wins + counts.ties / 2, np.zeros_like(counts.ties))


def without_ties(counts: PairCounts) -> PairCounts:
    """Ties dropped."""
    return PairCounts(counts.wins, np.zeros_like(counts.ties))


def untied_units(ratings: IntArray) -> IntArray:
    """(raters, fewer units): only the pairs of items that nobody called a tie; codes FIRST, SECOND, TIE, MISSING."""
    return np.asarray(ratings[:, ~(ratings == TIE).any(axis=0)])


def ties_missing(ratings: IntArray) -> IntArray:
    """(raters, units): every tie taken as no judgment."""
    return np.asarray(np.where(ratings == TIE, MISSING, ratings))


def comparable(counts: PairCounts) -> BoolArray:
    """(g,): the generators that one finite scale can hold, the largest set of those who beat each other in a circle.

    Ford (1957): strengths are finite if and only if from each generator a chain of wins (a tie counts both ways) leads
    to each other one. Among several such sets of a size the one with most judgments; a set of one is none.
    """
    beaten = (counts.wins + counts.ties) > 0
    if not len(beaten):
        return np.zeros(0, dtype=bool)
    n_parts, part = connected_components(beaten, directed=True, connection="strong")
    sizes = np.bincount(part, minlength=n_parts)
    judged = [counts.n[np.ix_(part == code, part == code)].sum() for code in range(n_parts)]
    best = max(range(n_parts), key=lambda code: (sizes[code], judged[code]))
    return np.asarray((part == best) & (sizes[best] > 1) & (judged[best] > 0))


def why_left_out(counts: PairCounts) -> list[str]:
    """(g,) sentences: why a generator has no strength; empty for those that `comparable` holds."""
    held = comparable(counts)
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
