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
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from analysis.measures.types import BoolArray, FloatArray, IntArray

NODES = 21
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
    """From labels (m,) whose raters are linked. text, group: of each item, codes from 0, such as of its generator."""
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
    empty.severity[raters], empty.fair[groups] = model.severity(x), model.fair(x)
    empty.severity_without[:, raters] = model.severity(without)
    empty.fair_without[:, groups] = model.fair(without)
    return empty


def have_both_answers(code: IntArray, yes: BoolArray) -> BoolArray:
    """By code, whether it has both a yes and a no."""
    n, n_yes = np.bincount(code), np.bincount(code, weights=yes)
    return np.asarray((n_yes > 0) & (n_yes < n))


@dataclass(frozen=True)
class _Labels:
    """Parameters: severities (r,), means of groups (g,), log σ. A penalty (Σ severities)² / 2 settles their mean."""

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

    def read(self, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Severities, means of groups and σ of (…, parameters)."""
        return x[..., : self.n_raters], x[..., self.n_raters : -1], np.exp(x[..., -1])

    def severity(self, x: FloatArray) -> FloatArray:
        found = self.read(x)[0]
        return np.asarray(found - found.mean(axis=-1, keepdims=True))

    def fair(self, x: FloatArray) -> FloatArray:
        """(…, g) share of yes by the mean rater over items of the group."""
        severity, level, sigma = self.read(x)
        nodes, weights = self.nodes
        logit = (level + severity.mean(axis=-1, keepdims=True))[..., None] + sigma[..., None, None] * nodes
        return np.asarray(expit(logit) @ weights)

    def likelihood(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Minus the marginal log-likelihood, and its gradient by text (k, parameters)."""
        n_texts, slope = int(self.text.max()) + 1, self.read(x)[2] * self.nodes[0]
        of_text, of_group = self.text[self.item], self.group[self.item]
        logit = self.logits(x, self.item, self.rater)
        marginal, posterior = self.weigh_nodes(logit, self.yes, self.item, len(self.text))
        pull = posterior[self.item] * (self.yes[:, None] - expit(logit))
        by_label = pull.sum(axis=1)

        def add(code: IntArray, size: int, values: FloatArray) -> FloatArray:
            found = np.bincount(of_text * size + code, weights=values, minlength=n_texts * size)
            return found.astype(np.float64).reshape(n_texts, size)

        spread = add(np.zeros(len(self.item), dtype=np.int64), 1, pull @ slope)
        gradient = np.concatenate(
            [add(self.rater, self.n_raters, by_label), add(of_group, self.n_groups, by_label), spread], axis=1
        )
        return -float(marginal.sum()), -gradient

    def logits(self, x: FloatArray, item: IntArray, rater: IntArray) -> FloatArray:
        """(labels, nodes)"""
        severity, level, sigma = self.read(x)
        return np.asarray((severity[rater] + level[self.group[item]])[:, None] + sigma * self.nodes[0])

    def weigh_nodes(self, logit: FloatArray, yes: FloatArray, item: IntArray, n: int) -> tuple[FloatArray, FloatArray]:
        """The log marginal likelihood of n items (n,), and the posterior weights of the nodes (n, nodes)."""
        single = yes[:, None] * logit + log_expit(-logit)
        labels = np.stack([np.bincount(item, weights=each, minlength=n) for each in single.T], axis=1)
        joint = np.log(self.nodes[1]) + labels
        top = joint.max(axis=1, keepdims=True)
        weights = np.exp(joint - top)
        total = weights.sum(axis=1, keepdims=True)
        return (top + np.log(total))[:, 0], weights / total

    def hessians(self, x: FloatArray) -> FloatArray:
        """(k, parameters, parameters) of minus the marginal log-likelihood, by text.

        By Louis (1982): at each node the curvature of the labels, less the covariance of their scores.
        """
        order = np.argsort(self.text[self.item], kind="stable")
        n_texts = int(self.text.max()) + 1
        starts = np.searchsorted(self.text[self.item][order], np.arange(1, n_texts))
        return np.stack([self.hessian_of(x, labels) for labels in np.split(order, starts)])

    def hessian_of(self, x: FloatArray, labels: IntArray) -> FloatArray:
        """(parameters, parameters) from these labels, which are all of their items."""
        items, item = np.unique(self.item[labels], return_inverse=True)
        rater, group = self.rater[labels], self.n_raters + self.group[self.item[labels]]
        last = np.full(len(labels), len(x) - 1)
        logit = self.logits(x, self.item[labels], rater)
        _marginal, posterior = self.weigh_nodes(logit, self.yes[labels], item, len(items))
        slope = self.read(x)[2] * self.nodes[0]  # of a logit by log σ
        pull = self.yes[labels][:, None] - expit(logit)
        scores, at = np.zeros((len(items), len(slope), len(x))), np.arange(len(slope))
        for parameter, values in ((rater, pull), (group, pull), (last, pull * slope)):
            np.add.at(scores, (item[:, None], at, parameter[:, None]), values)
        means = np.einsum("ik,ikp->ip", posterior, scores)
        apart = (np.sqrt(posterior)[..., None] * scores).reshape(-1, len(x))
        found = means.T @ means - apart.T @ apart
        bent = posterior[item] * expit(logit) * expit(-logit)
        whole, tilted = bent.sum(axis=1), bent @ slope
        np.add.at(found, (rater, rater), whole)
        np.add.at(found, (group, group), whole)
        np.add.at(found, (last, last), bent @ slope**2 - (posterior[item] * pull) @ slope)
        for one, other, values in ((rater, group, whole), (rater, last, tilted), (group, last, tilted)):
            np.add.at(found, (one, other), values)
            np.add.at(found, (other, one), values)
        return np.asarray(found)

    def maximize(self) -> FloatArray:
        def add_penalty(x: FloatArray) -> tuple[float, FloatArray]:
            value, by_text = self.likelihood(x)
            excess = x[: self.n_raters].sum()
            gradient = by_text.sum(axis=0)
            gradient[: self.n_raters] += excess
            return value + excess**2 / 2, gradient

        bounds = [(None, None)] * (self.n_raters + self.n_groups) + [(np.log(NO_ITEM_SPREAD), None)]
        found = minimize(
            add_penalty, np.zeros(self.n_raters + self.n_groups + 1), jac=True, method="L-BFGS-B", bounds=bounds,
            options={"maxiter": 500, "ftol": 1e-13, "gtol": 1e-7},
        )  # fmt: skip
        return np.asarray(found.x, dtype=np.float64)

    def steps_without_texts(self, x: FloatArray) -> FloatArray:
        """(k, parameters) where the solution moves when a text is left out; σ stays where it is at its bound."""
        free = len(x) - (self.read(x)[2] <= 2 * NO_ITEM_SPREAD)
        left = self.hessians(x)[:, :free, :free]
        whole = left.sum(axis=0)
        np.subtract(whole, left, out=left)
        left[:, : self.n_raters, : self.n_raters] += 1
        gradient = self.likelihood(x)[1][:, :free]
        found = np.zeros((len(gradient), len(x)))
        found[:, :free] = [solve(each, pull) for each, pull in zip(left, gradient, strict=True)]
        return found


def solve(matrix: FloatArray, values: FloatArray) -> FloatArray:
    """NaN where the matrix has no inverse to speak of."""
    if np.linalg.cond(matrix) >= 1e12:
        return np.full(len(values), np.nan)
    return np.asarray(np.linalg.solve(matrix, values))
