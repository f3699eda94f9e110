"""Least squares with text effects taken out: each column centered within its text, so that only differences between
items, or answers, of one text count. Sums over texts, so leaving one out is a subtraction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.measures.types import BoolArray, FloatArray, IntArray

ROUNDING = 1e-9


@dataclass(frozen=True)
class WithinText:
    """coefficients (c, y) of the columns by outcome, and without each text (k, c, y); NaN where not estimable."""

    coefficients: FloatArray
    without: FloatArray


def within_text(
    outcomes: FloatArray, columns: FloatArray, text: IntArray, of_interest: int | None = None
) -> WithinText:
    """outcomes (m, y) on columns (m, c), text (m,) codes from 0. of_interest: how many columns are given back, the
    first ones; the others, such as dummies of a type, may be collinear among themselves."""
    k, c = int(text.max()) + 1, columns.shape[1]
    n = np.bincount(text, minlength=k).astype(np.float64)
    both = np.concatenate([columns, outcomes], axis=1)
    mean = np.stack([np.bincount(text, weights=each, minlength=k) for each in both.T], axis=1) / n[:, None]
    centered = both - mean[text]
    wanted = c if of_interest is None else of_interest
    order = np.argsort(text, kind="stable")
    parts = np.split(centered[order], np.cumsum(n.astype(np.int64))[:-1])
    products = np.stack([part[:, :c].T @ part for part in parts])
    whole = products.sum(axis=0)
    without = np.stack([_solve(whole - product, c, wanted) for product in products])
    return WithinText(_solve(whole, c, wanted), without)


def _solve(products: FloatArray, c: int, wanted: int) -> FloatArray:
    """(wanted, y) from XᵀX and XᵀY side by side; NaN for a column that the others of it determine."""
    left, right = products[:, :c], products[:, c:]
    scale = np.sqrt(np.maximum(np.diag(left), ROUNDING))
    scaled = left / np.outer(scale, scale)
    roots, vectors = np.linalg.eigh(scaled)
    open_ = roots < ROUNDING * max(1.0, float(roots.max(initial=0)))
    inverse = (vectors[:, ~open_] / roots[~open_]) @ vectors[:, ~open_].T
    found = inverse @ (right / scale[:, None]) / scale[:, None]
    undetermined = (vectors[:, open_] ** 2).sum(axis=1) > 1e-6
    found[undetermined | (np.diag(left) <= ROUNDING)] = np.nan
    return np.asarray(found[:wanted])


def naive_difference(outcome: FloatArray, flawed: BoolArray) -> float:
    """Mean of the flawed minus mean of the others, whatever their texts."""
    if flawed.all() or not flawed.any():
        return np.nan
    return float(outcome[flawed].mean() - outcome[~flawed].mean())


def merge_equal_columns(columns: FloatArray) -> list[list[int]]:
    """Groups of columns (m, c) that are the same everywhere, such as flaws that always occur together, in order."""
    groups: dict[bytes, list[int]] = {}
    for place, column in enumerate(columns.T):
        groups.setdefault(np.ascontiguousarray(column).tobytes(), []).append(place)
    return list(groups.values())


def version_effects(
    outcome: FloatArray, text: IntArray, reader: IntArray, version: IntArray, n_versions: int
) -> WithinText:
    """Effects of versions 1 … against version 0 on answers (m,): outcome = text + reader + version, least squares.

    coefficients (n_versions - 1, 1). Readers who left early need no repair: their effect takes them.
    """
    versions = (version[:, None] == np.arange(1, n_versions)).astype(np.float64)
    readers = (reader[:, None] == np.arange(1, int(reader.max()) + 1)).astype(np.float64)
    return within_text(outcome[:, None], np.concatenate([versions, readers], axis=1), text, n_versions - 1)
