"""Correlations over all rows, within texts and of generators' means; and least squares within texts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analysis.measures.intervals import CELLS
from analysis.measures.types import BoolArray, FloatArray, IntArray, gettext_noop

PEARSON, SPEARMAN, KENDALL = "pearson", "spearman", "kendall"
FEWEST = 3
LONG = 100  # from this length on sorting a row is faster than comparing all pairs of its numbers


def text_correlations(x: FloatArray, y: FloatArray, text: IntArray, coefficient: str) -> tuple[FloatArray, IntArray]:
    """r and n of each text that has a correlation, (k,) both; texts with fewer than three rows have none.

    x, y: (n,) without NaN; text: (n,) whole numbers. Texts with equally many rows are computed together.
    """
    order = np.argsort(text, kind="stable")
    _texts, starts, counts = np.unique(text[order], return_index=True, return_counts=True)
    r = np.full(len(counts), np.nan)
    for n in np.unique(counts[counts >= FEWEST]):
        same = counts == n
        rows = order[starts[same][:, None] + np.arange(n)]
        one, other = (column[rows] - column[rows].mean(axis=1, keepdims=True) for column in (x, y))
        r[same] = row_correlations(one, other, coefficient)
    defined = ~np.isnan(r)
    return r[defined], counts[defined].astype(np.int64)


def row_correlations(x: FloatArray, y: FloatArray, coefficient: str) -> FloatArray:
    """(b,): the coefficient of each row of x and y, (b, g); NaN where a row is constant or has a NaN."""
    if coefficient == KENDALL:
        return _kendall(x, y)
    if coefficient == SPEARMAN:
        from scipy.stats import rankdata  # a second to load

        x, y = rankdata(x, axis=1, nan_policy="propagate"), rankdata(y, axis=1, nan_policy="propagate")
    ones = np.ones(x.shape)
    return pearson_of(np.stack([(ones * part).sum(axis=1) for part in moments(x, y)], axis=1))


def _kendall(x: FloatArray, y: FloatArray) -> FloatArray:
    """τ-b of each row, from the signs of all differences in blocks of rows; long rows one by one by sorting."""
    b, g = x.shape
    if g > LONG:
        from scipy.stats import kendalltau

        return np.array([kendalltau(*pair, nan_policy="propagate").statistic for pair in zip(x, y, strict=True)])
    rows = max(1, CELLS // max(1, g * g))
    return np.concatenate([_by_signs(x[at : at + rows], y[at : at + rows]) for at in range(0, max(b, 1), rows)])


def _by_signs(x: FloatArray, y: FloatArray) -> FloatArray:
    signs = [np.sign(column[:, :, None] - column[:, None, :]) for column in (x, y)]
    return divide_by_root((signs[0] * signs[1]).sum(axis=(1, 2)), *(np.abs(sign).sum(axis=(1, 2)) for sign in signs))


def round_means(values: FloatArray) -> FloatArray:
    """(…, g) means rounded to 12 digits of the largest in their row, so that equal means get equal ranks."""
    largest = np.where(np.isnan(values), 0.0, np.abs(values)).max(axis=-1, keepdims=True, initial=0.0)
    scale = np.where(largest > 0, largest, 1.0)
    return np.asarray(np.round(values / scale, 12) * scale)


def moments(x: FloatArray, y: FloatArray) -> tuple[FloatArray, ...]:
    return np.ones_like(x), x, y, x * x, y * y, x * y


def pearson_of(sums: FloatArray) -> FloatArray:
    """r from (b, 6) sums of 1, x, y, x², y², xy; NaN where x or y varies only by rounding errors."""
    n, x, y, xx, yy, xy = sums.T
    spread_x, spread_y = n * xx - x * x, n * yy - y * y
    rounding = 1e-12 * n
    spread_x = np.where(spread_x > rounding * xx, spread_x, 0.0)
    spread_y = np.where(spread_y > rounding * yy, spread_y, 0.0)
    return divide_by_root(n * xy - x * y, spread_x, spread_y)


def divide_by_root(above: FloatArray, one: FloatArray, other: FloatArray) -> FloatArray:
    """above / √(one · other) within -1 and 1; NaN where the root is 0."""
    below = np.sqrt(one * other)
    return np.clip(above / np.where(below > 0, below, np.nan), -1.0, 1.0)


COEFFICIENTS = (PEARSON, SPEARMAN, KENDALL)

TOO_FEW = gettext_noop("A correlation needs at least three rows with both numbers.")
CONSTANT = gettext_noop("One of the two columns is constant, so a correlation is undefined.")
NO_TEXT_VARIES = gettext_noop("No text has variation in both columns, so correlations within texts are undefined.")


@dataclass(frozen=True)
class Correlation:
    """r from -1 to 1, two-sided p of independent rows, n rows; NaN where undefined, and `reason` says why."""

    r: float
    p: float
    n: int
    reason: str = ""


def correlation(x: FloatArray, y: FloatArray, coefficient: str = PEARSON) -> Correlation:
    """One of COEFFICIENTS over all rows. p: t with n - 2 for Pearson and Spearman, scipy's test for Kendall's τ-b."""
    both = ~(np.isnan(x) | np.isnan(y))
    return _of_complete(x[both], y[both], coefficient)


def within_texts(x: FloatArray, y: FloatArray, text: IntArray, coefficient: str = PEARSON) -> Correlation:
    """Mean over texts of each text's own correlation, weighted by its rows; texts where it is undefined are left out.

    text: (n,) any whole numbers. n: rows of the texts that count. No p: rows of a text are too few for one.
    """
    both = ~(np.isnan(x) | np.isnan(y))
    r, n = text_correlations(x[both], y[both], text[both], coefficient)
    if not len(r):
        return Correlation(math.nan, math.nan, 0, NO_TEXT_VARIES)
    return Correlation(float(np.average(r, weights=n)), math.nan, int(n.sum()))


def center_within(x: FloatArray, text: IntArray) -> FloatArray:
    """(n,): numbers minus the mean of their text; their Pearson correlation is the pooled one within texts."""
    _texts, code = np.unique(text, return_inverse=True)
    return np.asarray(x - (np.bincount(code, weights=x) / np.bincount(code))[code])


def by_generator(x: FloatArray, y: FloatArray, generator: IntArray, coefficient: str = PEARSON) -> Correlation:
    """Correlation of the generators' means; generator: (n,) any whole numbers. n: generators."""
    both = ~(np.isnan(x) | np.isnan(y))
    groups = rows_of_groups(generator, both)
    mean_x, mean_y = (round_means(np.array([column[rows].mean() for rows in groups])) for column in (x, y))
    return _of_complete(mean_x, mean_y, coefficient)


def correlation_matrix(columns: FloatArray, coefficient: str = PEARSON) -> FloatArray:
    """(m, m) of the columns (n, m), each pair over the rows that have both numbers; NaN where undefined."""
    m = columns.shape[1]
    found = np.full((m, m), np.nan)
    for one in range(m):
        for other in range(one, m):
            r = correlation(columns[:, one], columns[:, other], coefficient).r
            found[one, other] = found[other, one] = r
    return found


def _of_complete(x: FloatArray, y: FloatArray, coefficient: str) -> Correlation:
    if len(x) < FEWEST:
        return Correlation(math.nan, math.nan, len(x), TOO_FEW)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(math.nan, math.nan, len(x), CONSTANT)
    from scipy import stats

    r, p = getattr(stats, _TESTS[coefficient])(x, y)
    return Correlation(float(r), float(p), len(x))


def rows_of_groups(codes: IntArray, chosen: BoolArray) -> list[IntArray]:
    """The chosen rows of each group, the groups in ascending order of their codes (n,)."""
    rows = np.flatnonzero(chosen)
    rows = rows[np.argsort(codes[rows], kind="stable")]
    return [part for part in np.split(rows, np.flatnonzero(np.diff(codes[rows])) + 1) if len(part)]


_TESTS = {PEARSON: "pearsonr", SPEARMAN: "spearmanr", KENDALL: "kendalltau"}  # functions of scipy.stats


# Least squares with text effects taken out: each column centered within its text, so that only differences between
# items, or answers, of one text count. Sums over texts, so leaving one out is a subtraction.

ROUNDING = 1e-9


@dataclass(frozen=True)
class WithinTextCoefficients:
    """The coefficients (c, y) of columns by outcome, and the same without each text (k, c, y); NaN if not estimable."""

    coefficients: FloatArray
    without: FloatArray


def regress_within_texts(
    outcomes: FloatArray, columns: FloatArray, text: IntArray, of_interest: int | None = None
) -> WithinTextCoefficients:
    """Regress outcomes (m, y) on columns (m, c) within texts; text: (m,) codes from 0. of_interest: how many
    coefficients are returned, the first ones; other columns, such as dummies of a type, may be collinear."""
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
    without = np.stack([solve_products(whole - product, c, wanted) for product in products])
    return WithinTextCoefficients(solve_products(whole, c, wanted), without)


def solve_products(products: FloatArray, c: int, wanted: int) -> FloatArray:
    """(wanted, y) coefficients from XᵀX and XᵀY side by side; NaN for a column that the other columns determine."""
    left, right = products[:, :c], products[:, c:]
    scale = np.sqrt(np.maximum(np.diag(left), ROUNDING))
    scaled = left / np.outer(scale, scale)
    roots, vectors = np.linalg.eigh(scaled)
    is_singular = roots < ROUNDING * max(1.0, float(roots.max(initial=0)))
    inverse = (vectors[:, ~is_singular] / roots[~is_singular]) @ vectors[:, ~is_singular].T
    found = inverse @ (right / scale[:, None]) / scale[:, None]
    undetermined = (vectors[:, is_singular] ** 2).sum(axis=1) > 1e-6
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
