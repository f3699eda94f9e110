"""Rasch and two-parameter models for readers: P = 1 / (1 + exp(-a (θ - b))), θ ~ N(0, 1), marginal maximum likelihood.

Bock & Aitkin (1981) by quasi-Newton steps on the marginal likelihood; fit after Wright & Masters (1982); local
dependence Q3 after Yen (1984).

Items that are harder for one group of readers than for equally good readers of another (DIF): Mantel & Haenszel (1959)
over strata of the score; Holland & Thayer (1988): D = -2.35 ln α, negative: harder for the second group; variance of
ln α after Robins, Breslow & Greenland (1986); classes A, B, C of Educational Testing Service (Dorans & Holland 1993).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit, log_expit, logsumexp

from analysis.measures.distributions import chi_squared_above, normal_quantile
from analysis.measures.types import BoolArray, FloatArray, IntArray

MISSING = -1
NODES = 41
Slopes = Literal["one", "common", "each"]


@dataclass(frozen=True)
class ItemResponseModel:
    """difficulty b and slope a (k,), log-likelihood; ability and its posterior SD of each person (n,)."""

    difficulty: FloatArray
    slope: FloatArray
    log_likelihood: float
    ability: FloatArray
    ability_sd: FloatArray
    converged: bool

    def expected_answers(self) -> FloatArray:
        """(n, k) P of a right answer at each person's ability."""
        return np.asarray(expit(self.slope * (self.ability[:, None] - self.difficulty)))


def fit_item_response(answers: IntArray, slopes: Slopes = "common") -> ItemResponseModel:
    """The model fitted to persons × items (n, k) of 0, 1, MISSING. slopes: all 1, one for all items, or one for each.

    Every item needs both outcomes.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    right, seen = (answers == 1).astype(np.float64), (answers != MISSING).astype(np.float64)
    likelihood = _Likelihood(right, seen, nodes, np.log(weights / weights.sum()), slopes)
    share = (right.sum(axis=0) + 0.5) / (seen.sum(axis=0) + 1)
    free = {"one": 0, "common": 1, "each": answers.shape[1]}[slopes]
    start = np.concatenate([np.log(share / (1 - share)), np.zeros(free)])
    from scipy.optimize import minimize  # a quarter of a second to load

    found = minimize(likelihood, start, jac=True, method="L-BFGS-B", options={"maxiter": 500, "ftol": 1e-13})
    easiness, slope = likelihood.read(found.x)
    posterior = likelihood.posterior(easiness, slope)[1]
    ability = posterior @ nodes
    spread = np.sqrt(np.maximum(posterior @ nodes**2 - ability**2, 0))
    return ItemResponseModel(-easiness / slope, slope, -float(found.fun), ability, spread, bool(found.success))


@dataclass(frozen=True)
class _Likelihood:
    """Minus the marginal log-likelihood and its gradient in easiness c = -ab (k,) and log slopes."""

    right: FloatArray
    seen: FloatArray
    nodes: FloatArray
    log_weights: FloatArray
    slopes: Slopes

    def read(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        k = self.right.shape[1]
        free = np.exp(x[k:])
        return x[:k], np.broadcast_to(free if len(free) else np.ones(1), (k,)).copy()

    def posterior(self, easiness: FloatArray, slope: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Log-likelihood of each person (n,) and weights of the nodes (n, q)."""
        logit = slope[:, None] * self.nodes + easiness[:, None]
        wrong = log_expit(-logit)
        joint = self.right @ logit + self.seen @ wrong + self.log_weights  # log P(right) - log P(wrong) is the logit
        of_person = logsumexp(joint, axis=1)
        return of_person, np.exp(joint - of_person[:, None])

    def __call__(self, x: FloatArray) -> tuple[float, FloatArray]:
        easiness, slope = self.read(x)
        of_person, posterior = self.posterior(easiness, slope)
        p = expit(slope[:, None] * self.nodes + easiness[:, None])
        excess = self.right.T @ posterior - (self.seen.T @ posterior) * p
        by_slope = (excess @ self.nodes) * slope
        more = {"one": np.zeros(0), "common": by_slope.sum(keepdims=True), "each": by_slope}[self.slopes]
        return -float(of_person.sum()), -np.concatenate([excess.sum(axis=1), more])


# Fit ------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FitStatistics:
    """infit and outfit mean squares, expected about 1."""

    infit: FloatArray
    outfit: FloatArray


def fit_statistics(answers: IntArray, expected: FloatArray, axis: int) -> FitStatistics:
    """Infit Σ(x - P)² / Σ P(1 - P) and outfit, the mean of (x - P)² / (P(1 - P)), of persons × items (n, k).

    axis: 0 for items, 1 for persons.
    """
    seen = answers != MISSING
    squares = np.where(seen, (answers - expected) ** 2, 0.0)
    variance = expected * (1 - expected)
    n = np.maximum(seen.sum(axis=axis), 1)
    infit = squares.sum(axis=axis) / np.where(seen, variance, 0.0).sum(axis=axis)
    return FitStatistics(np.asarray(infit), np.asarray((squares / variance).sum(axis=axis) / n))


def residual_correlations(answers: IntArray, expected: FloatArray) -> FloatArray:
    """(k, k) Yen's Q3: correlations over persons of x - P, pairwise complete; NaN on the diagonal."""
    seen = (answers != MISSING).astype(np.float64)
    residual = np.where(answers != MISSING, answers - expected, 0.0)
    n = seen.T @ seen
    judged = np.where(n > 1, n, np.nan)
    one, other = (residual.T @ seen) / judged, (seen.T @ residual) / judged
    shared = (residual.T @ residual) / judged - one * other
    squares = ((residual**2).T @ seen) / judged - one**2
    q3 = shared / np.sqrt(squares * squares.T)
    np.fill_diagonal(q3, np.nan)
    return np.asarray(q3)


def discrimination_without(right: FloatArray, total: FloatArray, judged: FloatArray) -> FloatArray:
    """(…, n) corrected point-biserial correlation of one or several options, with each of n persons left out.

    right: (…, n) 0 or 1 on it; total, judged: right and all judgments of the others.
    """
    return _leave_one_out_correlations(right, total / judged)


def _leave_one_out_correlations(x: FloatArray, y: FloatArray) -> FloatArray:
    n = x.shape[-1] - 1
    sx, sy, sxx, syy, sxy = (part.sum(axis=-1, keepdims=True) - part for part in (x, y, x * x, y * y, x * y))
    product = (sxx - sx**2 / n) * (syy - sy**2 / n)
    return np.asarray((sxy - sx * sy / n) / np.sqrt(np.where(product > 1e-12, product, np.nan)))


# Differential item functioning ----------------------------------------------------------------------------------------


DELTA = 2.35
NEGLIGIBLE, MODERATE, LARGE = "A", "B", "C"


@dataclass(frozen=True)
class MantelHaenszel:
    """Common odds ratio α with its 95 % ends, χ² with and without correction, D with its standard error and class."""

    odds_ratio: float
    low: float
    high: float
    chi2: float
    chi2_corrected: float
    p: float
    d: float
    error: float
    category: str


NOT_DEFINED = MantelHaenszel(np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, "")


def mantel_haenszel(tables: FloatArray | IntArray) -> MantelHaenszel:
    """The test of (strata, 2 groups, 2: right, wrong) counts, the reference group first. p: with continuity correction.

    NaN where no stratum has both groups and both outcomes.
    """
    counts = np.asarray(tables, dtype=np.float64)
    counts = counts[(counts.sum(axis=2) > 0).all(axis=1)]
    (a, b), (c, d) = counts.transpose(1, 2, 0)
    n = a + b + c + d
    r, s = (a * d / n).sum(), (b * c / n).sum()
    if not (r > 0 and s > 0):
        return NOT_DEFINED
    ratio = float(r / s)
    p, q = (a + d) / n, (b + c) / n
    of_r, of_s = a * d / n, b * c / n
    variance = (p * of_r).sum() / (2 * r**2) + (p * of_s + q * of_r).sum() / (2 * r * s) + (q * of_s).sum() / (2 * s**2)
    expected = (a + b) * (a + c) / n
    spread = ((a + b) * (c + d) * (a + c) * (b + d) / (n**2 * np.maximum(n - 1, 1)))[n > 1].sum()
    apart = abs((a - expected).sum())
    plain, corrected = (float(max(apart - less, 0) ** 2 / spread) for less in (0.0, 0.5))
    log_error, log_ratio = float(np.sqrt(variance)), float(np.log(ratio))
    low, high = (float(np.exp(log_ratio + sign * normal_quantile(0.975) * log_error)) for sign in (-1, 1))
    size, error, p_value = -DELTA * log_ratio, DELTA * log_error, float(chi_squared_above(corrected, 1))
    return MantelHaenszel(ratio, low, high, plain, corrected, p_value, size, error, classify(size, error, p_value))


def classify(d: float, error: float, p: float) -> str:
    """A: |D| < 1 or p ≥ .05. C: |D| ≥ 1.5 and significantly above 1. B: the others."""
    if abs(d) < 1 or p >= 0.05:
        return NEGLIGIBLE
    return LARGE if abs(d) >= 1.5 and abs(d) - 1 > normal_quantile(0.95) * error else MODERATE


def item_functioning(answers: IntArray, second: BoolArray) -> list[MantelHaenszel]:
    """Test each item of a matrix persons × items (n, k) of 0, 1, -1 (missing); second (n,): who is in the second group.

    Strata: people with the same items and the same score, the item included. Purified once: all items are tested
    again with items of class C left out of the score.
    """
    everything = np.ones(answers.shape[1], dtype=bool)
    first = _test_items(answers, second, everything)
    kept = np.array([each.category != LARGE for each in first])
    return first if kept.all() else _test_items(answers, second, kept)


def _test_items(answers: IntArray, second: BoolArray, kept: BoolArray) -> list[MantelHaenszel]:
    seen = answers >= 0
    _patterns, same_items = np.unique(seen, axis=0, return_inverse=True)
    right = np.where(seen, answers, 0)
    score = right[:, kept].sum(axis=1)
    found = []
    for item in range(answers.shape[1]):
        own = score if kept[item] else score + right[:, item]
        judged = seen[:, item]
        _strata, stratum = np.unique(
            np.stack([same_items.ravel()[judged], own[judged]], axis=1), axis=0, return_inverse=True
        )
        cell = (stratum.ravel() * 2 + second[judged]) * 2 + (1 - right[judged, item])
        size = int(stratum.max(initial=0)) + 1
        found.append(mantel_haenszel(np.bincount(cell, minlength=4 * size).reshape(size, 2, 2)))
    return found
