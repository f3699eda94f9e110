"""Who marks high or low, and what the means would be had all raters seen all items: x = item + severity + error.

Least squares (Searle 1971). Items are taken out within themselves, which leaves one equation per rater; these sum over
texts, so leaving a text out is a subtraction. Severities sum to 0; positive: higher marks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from analysis.measures.types import FloatArray, IntArray


@dataclass(frozen=True)
class Severity:
    """severity (r,) and fair: mean of items as if all raters had seen all, by group of items (g,); the same without
    each text, (k, r) and (k, g); raw: plain means (g,). residual (m,): of each rating."""

    severity: FloatArray
    fair: FloatArray
    raw: FloatArray
    severity_without: FloatArray
    fair_without: FloatArray
    residual: FloatArray


def linked_raters(item: IntArray, rater: IntArray) -> IntArray:
    """(r,) the part of the design that each rater belongs to; one number for all where shared items link them."""
    n_items, n_raters = int(item.max()) + 1, int(rater.max()) + 1
    ends = (item, n_items + rater)
    size = n_items + n_raters
    _n, labels = connected_components(coo_matrix((np.ones(len(item)), ends), shape=(size, size)), directed=False)
    return np.asarray(labels[n_items:], dtype=np.int64)


def rater_severity(item: IntArray, rater: IntArray, value: FloatArray, text: IntArray, group: IntArray) -> Severity:
    """From ratings (m,) whose raters are linked. text, group: of each item, codes from 0, such as of its generator."""
    n_items, n_raters = int(item.max()) + 1, int(rater.max()) + 1
    n = np.bincount(item, minlength=n_items).astype(np.float64)
    mean = np.bincount(item, weights=value, minlength=n_items) / n
    design = coo_matrix((np.ones(len(item)), (item, rater)), shape=(n_items, n_raters)).tocsr()
    sums = coo_matrix((value, (item, rater)), shape=(n_items, n_raters)).tocsr()
    share = design.multiply(1 / n[:, None]).tocsr()
    equations = _Equations(design, share, sums, mean)
    whole = equations.over(np.arange(n_items))
    severity = _solve(*whole)
    k, g = int(text.max()) + 1, int(group.max()) + 1
    of_groups = _Groups(group, g, mean, share)
    severity_without, fair_without = np.empty((k, n_raters)), np.empty((k, g))
    for one in range(k):
        inside = np.flatnonzero(text == one)
        left = tuple(total - part for total, part in zip(whole, equations.over(inside), strict=True))
        severity_without[one] = _solve(*left)
        fair_without[one] = of_groups.fair(severity_without[one], inside)
    raw = np.bincount(group[item], weights=value, minlength=g) / np.bincount(group[item], minlength=g)
    fair = of_groups.fair(severity, np.zeros(0, dtype=np.int64))
    ability = mean - share @ severity
    return Severity(
        severity, fair, raw, severity_without, fair_without, np.asarray(value - ability[item] - severity[rater])
    )


@dataclass(frozen=True)
class _Equations:
    design: coo_matrix
    share: coo_matrix
    sums: coo_matrix
    mean: FloatArray

    def over(self, items: IntArray) -> tuple[FloatArray, FloatArray]:
        """Σ over items of diag(n) - n nᵀ / n., and of s - n · mean."""
        design, share = self.design[items], self.share[items]
        left = np.diag(np.asarray(design.sum(axis=0)).ravel()) - np.asarray((design.T @ share).todense())
        right = np.asarray(self.sums[items].sum(axis=0)).ravel() - design.T @ self.mean[items]
        return left, np.asarray(right)


def _solve(left: FloatArray, right: FloatArray) -> FloatArray:
    """The solution that sums to 0; NaN where raters are not linked."""
    used = np.diag(left) > 1e-9
    found = np.full(len(right), np.nan)
    m = int(used.sum())
    if m < 2:
        return found
    bordered = left[np.ix_(used, used)] + 1.0 / m  # adds the equation Σ = 0 along the only direction left open
    if np.linalg.cond(bordered) > 1e12:
        return found
    solved = np.linalg.solve(bordered, right[used])
    found[used] = solved - solved.mean()
    return found


@dataclass(frozen=True)
class _Groups:
    group: IntArray
    n_groups: int
    mean: FloatArray
    share: coo_matrix

    def fair(self, severity: FloatArray, left_out: IntArray) -> FloatArray:
        """(g,) means of mean - severity of those who rated, over the items that stay."""
        ability = self.mean - self.share @ np.nan_to_num(severity, nan=np.nan)
        kept = np.ones(len(ability))
        kept[left_out] = 0
        n = np.bincount(self.group, weights=kept, minlength=self.n_groups)
        total = np.bincount(self.group, weights=np.where(kept > 0, ability, 0.0), minlength=self.n_groups)
        return np.asarray(total / np.where(n > 0, n, np.nan))
