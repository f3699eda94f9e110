"""Raters of yes or no: who says yes more often, and the shares of yes had all raters seen all items.

logit P(yes) = mean of the item's group + item + severity, items ~ N(0, σ²) within their group, by marginal maximum
likelihood (a Rasch model with raters in the place of items; Linacre 1989, Many-Facet Rasch Measurement). Items are
integrated out, as estimating one number for each item from two labels is biased (Andersen 1970). Without a text: one
Newton step from the whole solution with the text's own gradient and Hessian taken out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dgecon, dgetrf, dgetrs
from scipy.sparse import csr_array
from scipy.special import expit, log_expit

from analysis.measures.types import BoolArray, FloatArray, IntArray

NODES = 21
CHUNK = 2_000_000  # numbers in an array of derivatives
NO_ITEM_SPREAD = 1e-3  # σ below which items are as good as equal


@dataclass(frozen=True)
class LabelSeverity:
    """severity (r,) in logits, positive: more yes; fair: share of yes by group of items (g,) as if by the mean rater;
    raw: the plain shares; the same without each text, (k, r) and (k, g). NaN for raters and groups whose labels are
    all alike."""

    severity: FloatArray
    fair: FloatArray
    raw: FloatArray
    severity_without: FloatArray
    fair_without: FloatArray


def label_severity(item: IntArray, rater: IntArray, yes: BoolArray, text: IntArray, group: IntArray) -> LabelSeverity:
    """Severities from labels (m,) of linked raters. text, group: of each item, codes from 0; group: its generator."""
    n_raters, n_groups, n_texts = int(rater.max()) + 1, int(group.max()) + 1, int(text.max()) + 1
    raters, groups = have_both_answers(rater, yes), have_both_answers(group[item], yes)
    kept = raters[rater] & groups[group[item]]
    empty = LabelSeverity(
        np.full(n_raters, np.nan), np.full(n_groups, np.nan),
        np.bincount(group[item], weights=yes, minlength=n_groups) / np.bincount(group[item], minlength=n_groups),
        np.full((n_texts, n_raters), np.nan), np.full((n_texts, n_groups), np.nan),
    )  # fmt: skip
    if raters.sum() < 2 or not kept.any():
        return empty
    model = _Labels(
        item[kept], (np.cumsum(raters) - 1)[rater[kept]], yes[kept].astype(np.float64), text,
        np.maximum(np.cumsum(groups) - 1, 0)[group], int(raters.sum()), int(groups.sum()),
    )  # fmt: skip
    x = model.maximize()
    without = x + model.steps_without_texts(x)
    empty.severity[raters], empty.fair[groups] = model.severity(x), model.fair_means(x)
    empty.severity_without[:, raters] = model.severity(without)
    empty.fair_without[:, groups] = model.fair_means(without)
    return empty


def have_both_answers(code: IntArray, yes: BoolArray) -> BoolArray:
    """By code, whether it has both a yes and a no."""
    n, n_yes = np.bincount(code), np.bincount(code, weights=yes)
    return np.asarray((n_yes > 0) & (n_yes < n))


@dataclass(frozen=True)
class _Labels:
    """Parameters: severities (r,), means of groups (g,), log σ. A penalty (Σ severities)² / 2 fixes their mean.

    A cell is a rater × group: its labels have the same logits, which are computed once.
    """

    item: IntArray
    rater: IntArray
    yes: FloatArray
    text: IntArray
    group: IntArray
    n_raters: int
    n_groups: int

    @cached_property
    def nodes(self) -> tuple[FloatArray, FloatArray]:
        nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
        return nodes, weights / weights.sum()

    @cached_property
    def counts(self) -> csr_array:
        """(items, 2 · cells) numbers of labels: first those of no, then those of yes."""
        n_cells = self.n_raters * self.n_groups
        cell = self.rater * self.n_groups + self.group[self.item]
        code = cell + n_cells * self.yes.astype(np.int64)
        return csr_array((np.ones(len(code)), (self.item, code)), shape=(len(self.text), 2 * n_cells))

    def read(self, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Severities, means of groups and σ of (…, parameters)."""
        return x[..., : self.n_raters], x[..., self.n_raters : -1], np.exp(x[..., -1])

    def severity(self, x: FloatArray) -> FloatArray:
        found = self.read(x)[0]
        return np.asarray(found - found.mean(axis=-1, keepdims=True))

    def fair_means(self, x: FloatArray) -> FloatArray:
        """(…, g) share of yes by the mean rater over items of the group."""
        severity, level, sigma = self.read(x)
        nodes, weights = self.nodes
        logit = (level + severity.mean(axis=-1, keepdims=True))[..., None] + sigma[..., None, None] * nodes
        return np.asarray(expit(logit) @ weights)

    def logits(self, x: FloatArray) -> FloatArray:
        """(cells, nodes) logits of a yes."""
        severity, level, sigma = self.read(x)
        return np.asarray((severity[:, None] + level).reshape(-1, 1) + sigma * self.nodes[0])

    def weigh_nodes(self, labels: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Marginal log-likelihoods (n,) and posterior weights (n, nodes), from items' log-likelihoods at each node."""
        joint = np.log(self.nodes[1]) + labels
        top = joint.max(axis=1, keepdims=True)
        weights = np.exp(joint - top)
        total = weights.sum(axis=1, keepdims=True)
        return (top + np.log(total))[:, 0], weights / total

    def likelihood(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Minus the marginal log-likelihood, and its gradient (parameters,)."""
        logit = self.logits(x)
        marginal, posterior = self.weigh_nodes(self.counts @ np.concatenate([log_expit(-logit), log_expit(logit)]))
        no, yes = np.split(self.counts.T @ posterior, 2)  # labels of a cell, spread over the nodes
        pull = yes - (no + yes) * expit(logit)
        by_cell = pull.sum(axis=1).reshape(self.n_raters, self.n_groups)
        spread = pull.sum(axis=0) @ (self.read(x)[2] * self.nodes[0])
        return -float(marginal.sum()), -np.concatenate([by_cell.sum(axis=1), by_cell.sum(axis=0), [spread]])

    def derivatives(self, x: FloatArray, labels: IntArray) -> tuple[FloatArray, FloatArray]:
        """Gradient and Hessian of minus the marginal log-likelihood of these labels, all of their items, by item.

        By Louis (1982): at each node the curvature of the labels, less the covariance of their scores. An item moves
        the parameters of its own labels only, so items with equally many labels are computed together.
        """
        size = len(x)
        gradient, hessian = np.zeros(size), np.zeros(size * size)
        starts = np.flatnonzero(np.diff(self.item[labels], prepend=-1))
        lengths = np.diff(starts, append=len(labels))
        for n in np.unique(lengths):
            own = starts[lengths == n]
            at_once = max(1, CHUNK // ((n + 2) * max(n + 2, NODES)))
            for first in range(0, len(own), at_once):
                chosen = labels[own[first : first + at_once, None] + np.arange(n)]
                where, pulls, bends = self.derivatives_of(x, chosen)
                gradient += np.bincount(where.ravel(), weights=pulls.ravel(), minlength=size)
                pairs = (where[:, :, None] * size + where[:, None, :]).ravel()
                hessian += np.bincount(pairs, weights=bends.ravel(), minlength=size * size)
        return gradient, hessian.reshape(size, size)

    def derivatives_of(self, x: FloatArray, labels: IntArray) -> tuple[IntArray, FloatArray, FloatArray]:
        """For labels (items, n): the n + 2 parameters of each item, and its gradient and Hessian by them."""
        n = labels.shape[1]
        severity, level, sigma = self.read(x)
        first, slope = labels[:, :1], sigma * self.nodes[0]  # of a logit by log σ
        group = self.group[self.item[first]]
        logit = (severity[self.rater[labels]] + level[group])[:, :, None] + slope
        yes, p = self.yes[labels][:, :, None], expit(logit)
        _marginal, posterior = self.weigh_nodes((yes * logit + log_expit(-logit)).sum(axis=1))
        pull = yes - p
        total = pull.sum(axis=1, keepdims=True)
        scores = np.concatenate([pull, total, total * slope], axis=1)
        weighed = scores * posterior[:, None]
        means = weighed.sum(axis=2)
        found = means[:, :, None] * means[:, None] - weighed @ scores.swapaxes(1, 2)
        bent = posterior[:, None] * p * (1 - p)
        whole, tilted, own = bent.sum(axis=2), bent @ slope, np.arange(n)
        found[:, own, own] += whole
        found[:, n, n] += whole.sum(axis=1)
        found[:, n + 1, n + 1] += (bent @ slope**2).sum(axis=1) - weighed[:, n + 1].sum(axis=1)
        for one, other, values in ((own, n, whole), (own, n + 1, tilted), (n, n + 1, tilted.sum(axis=1))):
            found[:, one, other] += values
            found[:, other, one] += values
        where = np.concatenate([self.rater[labels], self.n_raters + group, np.full_like(first, len(x) - 1)], axis=1)
        return where, -means, found

    def maximize(self) -> FloatArray:
        def add_penalty(x: FloatArray) -> tuple[float, FloatArray]:
            value, gradient = self.likelihood(x)
            excess = x[: self.n_raters].sum()
            gradient[: self.n_raters] += excess
            return value + excess**2 / 2, gradient

        bounds = [(None, None)] * (self.n_raters + self.n_groups) + [(np.log(NO_ITEM_SPREAD), None)]
        from scipy.optimize import minimize  # a quarter of a second to load

        found = minimize(
            add_penalty, np.zeros(self.n_raters + self.n_groups + 1), jac=True, method="L-BFGS-B", bounds=bounds,
            options={"maxiter": 500, "ftol": 1e-13, "gtol": 1e-7},
        )  # fmt: skip
        return np.asarray(found.x, dtype=np.float64)

    def steps_without_texts(self, x: FloatArray) -> FloatArray:
        """(k, parameters) change of the solution when each text is left out; σ does not change at its bound."""
        free = len(x) - int(self.read(x)[2] <= 2 * NO_ITEM_SPREAD)
        n_texts, of_label = int(self.text.max()) + 1, self.text[self.item]
        order = np.lexsort((self.item, of_label))
        whole = self.derivatives(x, order)[1]
        whole[: self.n_raters, : self.n_raters] += 1
        found = np.zeros((n_texts, len(x)))
        starts = np.searchsorted(of_label[order], np.arange(1, n_texts))
        for text, labels in enumerate(np.split(order, starts)):
            gradient, left = self.derivatives(x, labels)
            found[text, :free] = solve((whole - left)[:free, :free], gradient[:free])
        return found


def solve(matrix: FloatArray, values: FloatArray) -> FloatArray:
    """The solution x of matrix · x = values; NaN if the matrix is nearly singular."""
    triangles, pivots, _singular = dgetrf(matrix)
    if dgecon(triangles, np.abs(matrix).sum(axis=0).max())[0] <= 1e-12:
        return np.full(len(values), np.nan)
    return np.asarray(dgetrs(triangles, pivots, values)[0])
