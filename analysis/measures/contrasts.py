"""Tests of several generators: adjusted p-values of a family, Friedman's test and Nemenyi's comparison of ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc

from analysis.measures.distributions import chi_squared_above, t_above, t_quantile
from analysis.measures.intervals import (
    LEVEL,
    NO_SPREAD,
    NO_VARIATION,
    ONE_TEXT,
    TEXT,
    UNDEFINED_FIGURE,
    UNDEFINED_WITHOUT_ONE,
    Bounds,
)
from analysis.measures.types import BoolArray, FloatArray, IntArray, gettext_noop
from analysis.measures.variance_parts import Cells, VarianceParts

# Adjusted p-values of a family of tests.

HOLM, BENJAMINI_HOCHBERG, BENJAMINI_YEKUTIELI = "holm", "bh", "by"
PROCEDURES = (HOLM, BENJAMINI_HOCHBERG, BENJAMINI_YEKUTIELI)


def adjust_p_values(p: FloatArray, procedure: str = HOLM) -> FloatArray:
    """(m,) adjusted p-values; NaN stays NaN and does not count in the family.

    holm: family-wise error (Holm 1979). bh: false discovery rate of independent tests (Benjamini & Hochberg 1995). by:
    the same of any tests (Benjamini & Yekutieli 2001).
    """
    if procedure not in PROCEDURES:
        raise ValueError(f"There is no procedure called {procedure}; choose one of {', '.join(PROCEDURES)}.")
    result = np.full(p.shape, np.nan)
    tested = ~np.isnan(p)
    result[tested] = _adjust(p[tested], procedure)
    return result


def _adjust(p: FloatArray, procedure: str) -> FloatArray:
    m, order = len(p), np.argsort(p)
    place = np.arange(1, m + 1)
    if procedure == HOLM:
        stepped = np.maximum.accumulate((m - place + 1) * p[order])
    else:
        factor = (1 / place).sum() if procedure == BENJAMINI_YEKUTIELI else 1.0
        stepped = np.minimum.accumulate((factor * m / place * p[order])[::-1])[::-1]
    result = np.empty(m)
    result[order] = np.minimum(stepped, 1.0)
    return result


MAX_T = "max-t"
MAX_T_DRAWS = 100_000
ROWS = 10_000  # draws held at once
FEWEST_TEXTS = 5
TOO_FEW_TEXTS = gettext_noop("Fewer than 5 texts cannot carry a comparison of all pairs.")


@dataclass(frozen=True)
class AdjustedContrast:
    """A contrast with 95 % interval and p, unadjusted and adjusted for a family of family_size; NaN where undefined.

    reason: why the contrast has no interval, or why it is not adjusted.
    """

    value: float
    low: float
    high: float
    low_adjusted: float
    high_adjusted: float
    p: float
    p_adjusted: float
    adjustment: str
    family_size: int
    reason: str = ""


def list_pairs(generators: int) -> IntArray:
    """(m, 2): every pair of generators, the earlier first."""
    return np.stack(np.triu_indices(generators, 1), axis=1).astype(np.int64)


def adjust_reader_contrasts(
    family: Sequence[VarianceParts], n_texts: Sequence[int] | None = None
) -> list[AdjustedContrast]:
    """Adjust contrasts over readers and texts by Holm; p as in `VarianceParts.p_of_zero`, ends at 1 - .05 / m.

    n_texts: for each contrast, how many texts its generator with fewer texts has; by default those of the contrast.
    Below 5 a contrast is not adjusted and not a member of the family.
    """
    texts = [parts.n_texts for parts in family] if n_texts is None else n_texts
    is_enough = np.array([n >= FEWEST_TEXTS for n in texts], dtype=bool)
    p = np.array([parts.p_of_zero() for parts in family])
    p_adjusted = adjust_p_values(np.where(is_enough, p, np.nan), HOLM)
    size = int((~np.isnan(p_adjusted)).sum())
    simultaneous = 1 - (1 - LEVEL) / max(size, 1)
    return [
        AdjustedContrast(
            parts.value, *parts.ends(), *(parts.ends(simultaneous) if is_enough[at] else (math.nan, math.nan)),
            float(p[at]), float(p_adjusted[at]), HOLM, size,
            parts.reason or ("" if is_enough[at] else TOO_FEW_TEXTS),
        )
        for at, parts in enumerate(family)
    ]  # fmt: skip


def adjust_text_contrasts(
    values: FloatArray, without: FloatArray, *, bounds: Bounds, seed: int, alone: bool = False
) -> list[AdjustedContrast]:
    """Adjust contrasts for these annotators only, from a delete-one-text jackknife with t(k - 1).

    By max-T, or by Holm if there are more contrasts than texts. values: (m,) contrasts. without: (k, m) the same
    without each of the k texts. Adjusted p: the share of 100,000 draws of a multivariate t, with the contrasts'
    correlations, whose largest |t| reaches the contrast's. Max-T takes the correlations as known and one scale for all
    standard errors; with more contrasts than texts it is too liberal. alone: skip the adjustment, which leaves NaN.
    """
    k, errors = len(without), jackknife_errors(without)
    reasons = [_why_not(*about) for about in zip(values, without.T, errors, strict=True)]
    member = np.array([not reason for reason in reasons], dtype=bool)
    freedom = max(k - 1, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(member, np.abs(values) / errors, np.nan)
    p = 2 * t_above(t, freedom)
    adjustment = choose_adjustment(int(member.sum()), k)
    critical, p_adjusted = math.nan, np.full(len(t), np.nan)
    if not alone and k >= FEWEST_TEXTS and member.any():
        critical, p_adjusted = _holm(p, member, k) if adjustment == HOLM else _max_t(t, p, without, member, seed)
    return [
        AdjustedContrast(
            float(value), *_ends(value, error, _critical(freedom), bounds, member[at]),
            *_ends(value, error, critical, bounds, member[at]), float(p[at]), float(p_adjusted[at]), adjustment,
            int(member.sum()), reasons[at] or (TOO_FEW_TEXTS if k < FEWEST_TEXTS else ""),
        )
        for at, (value, error) in enumerate(zip(values, errors, strict=True))
    ]  # fmt: skip


def choose_adjustment(contrasts: int, texts: int) -> str:
    """Max-T; Holm where more contrasts than texts leave their correlations unknown."""
    return HOLM if contrasts > texts >= FEWEST_TEXTS else MAX_T


def largest_t(correlation: FloatArray, freedom: int, seed: int) -> FloatArray:
    """(100,000,) draws of max |T|, T multivariate t with a correlation (m, m), which may be singular."""
    rng = np.random.default_rng(seed)
    roots, vectors = np.linalg.eigh(correlation)
    some = roots > NO_SPREAD * roots.max()
    factor = (vectors[:, some] * np.sqrt(roots[some])).T
    drawn = []
    for _start in range(0, MAX_T_DRAWS, ROWS):
        normal = rng.standard_normal((ROWS, len(factor))) @ factor
        scale = np.sqrt(rng.chisquare(freedom, ROWS) / freedom)
        drawn.append(np.abs(normal).max(axis=1) / scale)
    return np.concatenate(drawn)


def jackknife_errors(without: FloatArray) -> FloatArray:
    """(m,) standard errors from the values without each of k texts, (k, m)."""
    k = len(without)
    if k < 2:
        return np.full(without.shape[1], np.nan)
    return np.asarray(np.sqrt((k - 1) / k * ((without - without.mean(axis=0)) ** 2).sum(axis=0)))


def _max_t(t: FloatArray, p: FloatArray, without: FloatArray, member: BoolArray, seed: int) -> tuple[float, FloatArray]:
    """The critical value and the adjusted p of the members."""
    k, p_adjusted = len(without), np.full(len(t), np.nan)
    apart = without[:, member] - without[:, member].mean(axis=0)
    scaled = apart / np.sqrt((apart**2).sum(axis=0))
    drawn = np.sort(largest_t(scaled.T @ scaled, k - 1, seed))
    reached = (len(drawn) - np.searchsorted(drawn, t[member])) / len(drawn)
    p_adjusted[member] = np.maximum(reached, p[member])
    return max(float(np.quantile(drawn, LEVEL)), _critical(k - 1)), p_adjusted


def _holm(p: FloatArray, member: BoolArray, k: int) -> tuple[float, FloatArray]:
    """The critical value of Bonferroni's intervals and Holm's adjusted p of the members."""
    return _critical(k - 1, 1 - (1 - LEVEL) / member.sum()), adjust_p_values(np.where(member, p, np.nan), HOLM)


def _critical(freedom: int, level: float = LEVEL) -> float:
    return float(t_quantile((1 + level) / 2, freedom))


def _ends(value: float, error: float, critical: float, bounds: Bounds, defined: bool) -> Bounds:
    if not defined or math.isnan(critical):
        return math.nan, math.nan
    return max(float(value - critical * error), bounds[0]), min(float(value + critical * error), bounds[1])


def _why_not(value: float, without: FloatArray, error: float) -> str:
    """Why a contrast has no interval over texts; empty where it has one."""
    if np.isnan(value):
        return UNDEFINED_FIGURE
    if len(without) < 2:
        return ONE_TEXT
    if np.isnan(without).any():
        return UNDEFINED_WITHOUT_ONE
    return NO_VARIATION if error <= NO_SPREAD * max(1.0, abs(value)) else ""


# Friedman's test of treatments over blocks, and Nemenyi's comparison of their mean ranks (Demšar 2006).
#
# scores: (blocks, treatments), complete. A block is a question that every dimension scored, or a data set that every
# method ran on. Ties within a block share their mean rank.

TOO_SMALL = gettext_noop("A comparison of ranks needs at least two blocks and three columns.")
ALL_TIED = gettext_noop("In every block all scores are equal, so there are no ranks to compare.")


@dataclass(frozen=True)
class Friedman:
    """Friedman's test of k columns. mean_ranks: (k,), 1 is best. chi2: not corrected for ties (as in Demšar 2006).

    chi2_ties: corrected for ties (what scipy prints), p its p-value. iman_davenport: F from the uncorrected χ², with
    its p. critical_difference: of two mean ranks at 5 %. n: blocks. NaN where undefined, and `reason` says why.
    """

    mean_ranks: FloatArray
    chi2: float
    chi2_ties: float
    p: float
    iman_davenport: float
    iman_davenport_p: float
    critical_difference: float
    n: int
    reason: str = ""


def friedman(scores: FloatArray, *, higher_is_better: bool = True) -> Friedman:
    """Friedman's (1937) χ² and Iman & Davenport's (1980) F of mean ranks; blocks with a missing score are left out."""
    complete = scores[~np.isnan(scores).any(axis=1)]
    n, k = complete.shape
    if n < 2 or k < 3:
        return _make_undefined(np.full(k, np.nan), n, TOO_SMALL)
    ranks = block_ranks(complete, higher_is_better=higher_is_better)
    means = ranks.mean(axis=0)
    chi2 = 12 * n / (k * (k + 1)) * float(((means - (k + 1) / 2) ** 2).sum())
    spread = float(((ranks - (k + 1) / 2) ** 2).sum())
    if spread == 0:
        return _make_undefined(means, n, ALL_TIED)
    corrected = n**2 * (k - 1) * float(((means - (k + 1) / 2) ** 2).sum()) / spread
    left = n * (k - 1) - chi2
    ratio = (n - 1) * chi2 / left if left > 0 else math.inf
    return Friedman(
        means,
        chi2,
        corrected,
        float(chi_squared_above(corrected, k - 1)),
        ratio,
        float(fdtrc(k - 1, (k - 1) * (n - 1), ratio)),
        critical_difference(n, k),
        n,
    )


def _make_undefined(mean_ranks: FloatArray, n: int, reason: str) -> Friedman:
    nan = math.nan
    return Friedman(mean_ranks, nan, nan, nan, nan, nan, nan, n, reason)


def nemenyi(scores: FloatArray) -> FloatArray:
    """(k, k) p-values for each pair of columns having equal mean ranks (Nemenyi 1963), diagonal 1; NaN where too small.

    Studentized range with infinite degrees of freedom of the difference over √(k (k + 1) / 6n) · √2.
    """
    from scipy.stats import studentized_range  # a second to load

    complete = scores[~np.isnan(scores).any(axis=1)]
    n, k = complete.shape
    if n < 2 or k < 2:
        return np.full((k, k), np.nan)
    means = block_ranks(complete).mean(axis=0)
    one, other = np.triu_indices(k, 1)
    apart = np.abs(means[one] - means[other]) / math.sqrt(k * (k + 1) / (6 * n)) * math.sqrt(2)
    p = np.ones((k, k))
    p[one, other] = p[other, one] = np.clip(studentized_range.sf(apart, k, np.inf), 0.0, 1.0)
    return p


def critical_difference(blocks: int, treatments: int) -> float:
    """The smallest difference of two mean ranks at 5 %: q √(k (k + 1) / 6n), q the studentized range's over √2."""
    return compute_nemenyi_quantile(treatments) * math.sqrt(treatments * (treatments + 1) / (6 * blocks))


def compute_nemenyi_quantile(treatments: int) -> float:
    """q.05 of the studentized range of k means, infinite degrees of freedom, over √2 (Demšar 2006, table 5)."""
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(LEVEL, treatments, np.inf)) / math.sqrt(2)


def block_ranks(scores: FloatArray, *, higher_is_better: bool = True) -> FloatArray:
    """(n, k) ranks within each block, ties sharing their mean rank."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-scores if higher_is_better else scores, axis=1), dtype=np.float64)


# Max-T of contrasts over readers and texts ----------------------------------------------------------------------------

# The covariance of a family is that of texts plus that of readers, minus what both contain (`variance_parts`); its
# correlations give the joint distribution of the largest |t|. Each contrast keeps its own interval, in which every
# part has its own t: the critical value is turned into a level 1 - α that all contrasts share, and their intervals are
# computed at that level. With texts alone this is max-T by the jackknife (`adjust_text_contrasts`).


@dataclass(frozen=True)
class JointInfluence:
    """Influence of each text (T, m), reader (A, m) and cell (C, m) on m figures; the scale of a column does not matter.
    cells: without the means of their texts and readers."""

    texts: FloatArray
    readers: FloatArray
    cells: FloatArray

    @classmethod
    def of_cells(cls, cells: Cells, h: FloatArray) -> JointInfluence:
        """From the influence (C, m) of each cell."""
        columns = list(h.T)
        texts, readers, residuals = (
            np.stack([part(column) for column in columns], axis=1)
            for part in (cells.by_text, cells.by_annotator, cells.residuals)
        )
        return cls(texts, readers, residuals)

    def combine(self, weights: FloatArray) -> JointInfluence:
        """The joint influence on sums of the figures with weights (m, contrasts)."""
        return JointInfluence(self.texts @ weights, self.readers @ weights, self.cells @ weights)


def adjust_joint_contrasts(
    family: Sequence[VarianceParts], influence: JointInfluence, *, seed: int, alone: bool = False
) -> list[AdjustedContrast]:
    """Adjust contrasts by max-T with 100,000 draws, or by Holm if there are more contrasts than texts.

    p as in `VarianceParts.p_of_zero`. alone: skip the adjustment; adjusted numbers are NaN.
    """
    p = np.array([parts.p_of_zero() for parts in family])
    member = ~np.isnan(p)
    n_texts = min((parts.n_texts for parts in family), default=0)
    if not alone and choose_adjustment(int(member.sum()), n_texts) == HOLM:
        return adjust_reader_contrasts(family)
    p_adjusted, level = np.full(len(p), np.nan), np.nan
    if not alone and member.any() and n_texts >= FEWEST_TEXTS:
        level, p_adjusted[member] = draw_simultaneous_level(family, influence, p, member, seed)
    return [
        AdjustedContrast(
            parts.value, *parts.ends(), *((np.nan, np.nan) if np.isnan(level) else parts.ends(level)), float(p[at]),
            float(p_adjusted[at]), MAX_T, int(member.sum()),
            parts.reason or (TOO_FEW_TEXTS if n_texts < FEWEST_TEXTS else ""),
        )
        for at, parts in enumerate(family)
    ]  # fmt: skip


def draw_simultaneous_level(
    family: Sequence[VarianceParts], influence: JointInfluence, p: FloatArray, member: BoolArray, seed: int
) -> tuple[float, FloatArray]:
    """The simultaneous level, at least .95, and the adjusted p of the members.

    t has the degrees of freedom of the part with the most: with fewer, the draws would share more of their errors.
    """
    chosen = [parts for parts, is_member in zip(family, member, strict=True) if is_member]
    freedom = max(count_freedom(parts) for parts in chosen)
    drawn = np.sort(largest_t(correlate_errors(chosen, influence, member), freedom, seed))  # type: ignore[arg-type]
    reached = (len(drawn) - np.searchsorted(drawn, -t_quantile(p[member] / 2, freedom))) / len(drawn)
    critical = float(np.quantile(drawn, LEVEL))
    return max(1 - 2 * float(t_above(critical, freedom)), LEVEL), np.maximum(reached, p[member])


def count_freedom(parts: VarianceParts) -> float:
    """Degrees of freedom of texts or of annotators, whichever are more; at least 1."""
    found = [parts.n_texts_effective, np.nan if parts.drawn == TEXT else parts.n_annotators_effective]
    return max(float(np.nanmax(found)) - 1, 1.0)


def correlate_errors(family: Sequence[VarianceParts], influence: JointInfluence, member: BoolArray) -> FloatArray:
    """(m, m) correlations of the members' errors, made positive semidefinite."""
    drawn = np.array([parts.drawn != TEXT for parts in family])
    texts, readers, cells = (
        np.nan_to_num([getattr(parts, name) for parts in family]) for name in ("texts", "annotators", "cells")
    )
    covariance = (
        _scale_to(influence.texts[:, member], texts)
        + _scale_to(influence.readers[:, member], readers * drawn)
        - _scale_to(influence.cells[:, member], cells * drawn)
    )
    roots, vectors = np.linalg.eigh(covariance)
    possible = (vectors * np.clip(roots, 0, None)) @ vectors.T
    spread = np.sqrt(np.clip(np.diag(possible), np.finfo(float).tiny, None))
    return np.asarray(possible / np.outer(spread, spread))


def _scale_to(influence: FloatArray, variances: FloatArray) -> FloatArray:
    """(m, m) covariance with these variances and the correlations of the columns; NaN counts as 0, as the influence of
    a part that is not a sample (a single model as reader) is undefined."""
    influence = np.nan_to_num(influence)
    products = influence.T @ influence
    norm = np.sqrt(np.diag(products))
    norm = np.where(norm > 0, norm, 1.0)
    scale = np.sqrt(variances) / norm
    return np.asarray(products * np.outer(scale, scale))
