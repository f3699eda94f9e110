"""Rasch and two-parameter models for readers: P = 1 / (1 + exp(-a (θ - b))), θ ~ N(0, 1), marginal maximum likelihood.

Bock & Aitkin (1981) by quasi-Newton steps on the marginal likelihood; fit after Wright & Masters (1982); local
dependence Q3 after Yen (1984).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logsumexp

from analysis.measures.types import FloatArray, IntArray

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
    """From persons × items (n, k) of 0, 1, MISSING. slopes: all 1, one for all items, or one for each.

    Every item needs both outcomes.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    right, seen = (answers == 1).astype(np.float64), (answers != MISSING).astype(np.float64)
    likelihood = _Likelihood(right, seen, nodes, np.log(weights / weights.sum()), slopes)
    share = (right.sum(axis=0) + 0.5) / (seen.sum(axis=0) + 1)
    free = {"one": 0, "common": 1, "each": answers.shape[1]}[slopes]
    start = np.concatenate([np.log(share / (1 - share)), np.zeros(free)])
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
    """(n,) corrected point-biserial correlation of one option without each of n persons.

    right: (n,) 0 or 1 on it; total, judged: right and all judgments of the others.
    """
    return _leave_one_out_correlations(right, total / judged)


def _leave_one_out_correlations(x: FloatArray, y: FloatArray) -> FloatArray:
    n = len(x) - 1
    sx, sy, sxx, syy, sxy = (part.sum() - part for part in (x, y, x * x, y * y, x * y))
    product = (sxx - sx**2 / n) * (syy - sy**2 / n)
    return np.asarray((sxy - sx * sy / n) / np.sqrt(np.where(product > 1e-12, product, np.nan)))
