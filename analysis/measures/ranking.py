"""A ranking of generators by their strengths, with text-clustered intervals of strengths and ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.measures.intervals import (
    NO_JUDGMENT,
    TEXT,
    Interval,
    cluster_intervals_together,
    method_for,
    undefined_interval,
)
from analysis.measures.strengths import (
    ONLY_TIES,
    RUNS_AWAY,
    PairCounts,
    explain_left_out,
    find_comparable,
    fit,
    pair_counts,
    treat_ties,
)
from analysis.measures.types import BoolArray, FloatArray, IntArray

UNBOUNDED = (-np.inf, np.inf)
EQUAL = 1e-9  # log-strengths this close share a rank


@dataclass(frozen=True)
class Ranking:
    """Per generator, all of length g; a generator without a strength has NaN, rank 0 and the reason.

    strength: log-worth, mean 0 over the generators that have one; `worth`: the same as shares of 1. rank: 1 is the
    strongest. rank_low, rank_high: between 1 + the generators that are surely stronger and the number of generators
    minus those that are surely weaker; surely: the interval of the difference lies on one side of 0.
    n: judgments that enter the fit, tie: ν or θ of the model, n_texts: texts behind the scale.
    """

    strength: FloatArray
    intervals: list[Interval]
    rank: IntArray
    rank_low: IntArray
    rank_high: IntArray
    n: IntArray
    reasons: list[str]
    tie: float
    n_texts: int

    @property
    def worth(self) -> FloatArray:
        """(g,): worths of the generators that have a strength, sum 1."""
        raised = np.exp(self.strength)
        return np.asarray(raised / np.nansum(raised))


def rank_generators(
    first: IntArray, second: IntArray, outcome: IntArray, generators: int, text: IntArray, method: str, *, seed: int
) -> Ranking:
    """Strengths by one of `strengths.METHODS` from n judgments; arguments as in `pair_counts`, text any whole numbers.

    The scale holds the generators of `strengths.find_comparable`; the others have no strength, and `reasons` says why.
    """
    texts, groups = np.unique(text, return_inverse=True)
    counts = pair_counts(first, second, outcome, generators, groups, len(texts))
    used = treat_ties(counts, method)
    held, reasons = find_comparable(used.total()), explain_left_out(used.total())
    whole = fit(counts.total().select(held), method) if held.any() else None
    n = np.rint(used.total().n.sum(axis=1)).astype(np.int64)
    if whole is None or np.isnan(whole.log_worth).any():
        general_reason = RUNS_AWAY if counts.total().select(held).wins.any() else ONLY_TIES
        return _make_unranked(n, [reason or general_reason for reason in reasons], seed)
    entering = counts.select(held)
    entering = _select_texts(entering, treat_ties(entering, method).n.sum(axis=(1, 2)) > 0)
    found = _intervals(entering, method, seed)
    return _assemble(whole.log_worth[0], float(whole.tie[0]), held, found, reasons, n, len(entering.wins))


def _select_texts(counts: PairCounts, chosen: BoolArray) -> PairCounts:
    return PairCounts(counts.wins[chosen], counts.ties[chosen])


def _intervals(counts: PairCounts, method: str, seed: int) -> tuple[list[Interval], list[Interval]]:
    """Intervals of the h strengths, and of every difference of two in the order of `np.triu_indices`."""
    h = counts.wins.shape[1]
    above, below = np.triu_indices(h, 1)

    def statistics(weights: FloatArray) -> FloatArray:
        strengths = fit(counts.resample(weights), method).log_worth
        return np.concatenate([strengths, strengths[:, above] - strengths[:, below]], axis=1)

    n = round(treat_ties(counts, method).total().n.sum() / 2)
    found = cluster_intervals_together(statistics, len(counts.wins), n, bounds=UNBOUNDED, seed=seed)
    return found[:h], found[h:]


def _assemble(
    strengths: FloatArray,
    tie: float,
    held: BoolArray,
    found: tuple[list[Interval], list[Interval]],
    reasons: list[str],
    n: IntArray,
    n_texts: int,
) -> Ranking:
    """The ranking of all g generators from that of the h which the scale holds."""
    g, at = len(held), np.flatnonzero(held)
    strength = np.full(g, np.nan)
    strength[at] = strengths
    ranks = np.zeros((3, g), dtype=np.int64)
    ranks[:, at] = _ranks(strengths, found[1])
    none = [undefined_interval(found[0][0].method, (TEXT, 0, 0, found[0][0].seed), reason) for reason in reasons]
    places = {int(code): place for place, code in enumerate(at)}
    intervals = [found[0][places[code]] if code in places else none[code] for code in range(g)]
    return Ranking(strength, intervals, ranks[0], ranks[1], ranks[2], n, reasons, tie, n_texts)


def _ranks(strengths: FloatArray, differences: list[Interval]) -> IntArray:
    """(3, h): rank, lowest and highest rank; undefined differences leave both generators' order open."""
    h = len(strengths)
    surely = np.zeros((h, h), dtype=np.bool_)  # [i, j]: i is surely stronger than j
    for (one, other), interval in zip(zip(*np.triu_indices(h, 1), strict=True), differences, strict=True):
        surely[one, other], surely[other, one] = interval.low > 0, interval.high < 0
    rank = 1 + (strengths[None, :] > strengths[:, None] + EQUAL).sum(axis=1)
    return np.stack([rank, 1 + surely.sum(axis=0), h - surely.sum(axis=1)])


def _make_unranked(n: IntArray, reasons: list[str], seed: int) -> Ranking:
    g, zero = len(n), np.zeros(len(n), dtype=np.int64)
    none = [undefined_interval(method_for(0), (TEXT, 0, 0, seed), reason or NO_JUDGMENT) for reason in reasons]
    return Ranking(np.full(g, np.nan), none, zero, zero, zero, n, reasons, float("nan"), 0)
