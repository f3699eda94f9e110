"""Max-T of a family of contrasts over readers and texts: what contrasts share of each part of the variance.

The covariance of a family is that of texts, plus that of readers, minus what both count (`variance_parts`); its
correlations give the joint distribution of the largest |t|. Each contrast keeps its own interval, in which every part
has its own t: the critical value is turned into a level 1 - α that all contrasts share, and each is read at that level.
With texts alone this is max-T by the jackknife (`contrasts.adjust_text_contrasts`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from analysis.measures.contrasts import (
    FEWEST_TEXTS,
    HOLM,
    MAX_T,
    TOO_FEW_TEXTS,
    AdjustedContrast,
    adjust_reader_contrasts,
    choose_adjustment,
    largest_t,
)
from analysis.measures.intervals import LEVEL, TEXT
from analysis.measures.types import BoolArray, FloatArray
from analysis.measures.variance_parts import Cells, VarianceParts


@dataclass(frozen=True)
class JointInfluence:
    """What each text (T, m), reader (A, m) and cell (C, m) changes each of m figures; only directions count. cells:
    without the means of their texts and readers."""

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
        """The variance parts of sums of the figures with weights (m, contrasts)."""
        return JointInfluence(self.texts @ weights, self.readers @ weights, self.cells @ weights)


def adjust_joint_contrasts(
    family: Sequence[VarianceParts], influence: JointInfluence, *, seed: int, alone: bool = False
) -> list[AdjustedContrast]:
    """p as in `VarianceParts.p_of_zero`; adjusted p and simultaneous ends by max-T with 100,000 draws, and
    by Holm of more contrasts than texts.

    alone: nothing is drawn, and what is adjusted is NaN.
    """
    p = np.array([parts.p_of_zero() for parts in family])
    member = ~np.isnan(p)
    n_texts = min((parts.n_texts for parts in family), default=0)
    if not alone and choose_adjustment(int(member.sum()), n_texts) == HOLM:
        return adjust_reader_contrasts(family)
    p_adjusted, level = np.full(len(p), np.nan), np.nan
    if not alone and member.any() and n_texts >= FEWEST_TEXTS:
        level, p_adjusted[member] = draw_level(family, influence, p, member, seed)
    return [
        AdjustedContrast(
            parts.value, *parts.ends(), *((np.nan, np.nan) if np.isnan(level) else parts.ends(level)), float(p[at]),
            float(p_adjusted[at]), MAX_T, int(member.sum()),
            parts.reason or (TOO_FEW_TEXTS if n_texts < FEWEST_TEXTS else ""),
        )
        for at, parts in enumerate(family)
    ]  # fmt: skip


def draw_level(
    family: Sequence[VarianceParts], influence: JointInfluence, p: FloatArray, member: BoolArray, seed: int
) -> tuple[float, FloatArray]:
    """The simultaneous level, at least .95, and the adjusted p of the members.

    t has the degrees of freedom of the part that has most: fewer would take more of the contrasts' errors for one.
    """
    chosen = [parts for parts, is_member in zip(family, member, strict=True) if is_member]
    freedom = max(count_freedom(parts) for parts in chosen)
    drawn = np.sort(largest_t(correlate(chosen, influence, member), freedom, seed))  # type: ignore[arg-type]
    reached = (len(drawn) - np.searchsorted(drawn, student.isf(p[member] / 2, freedom))) / len(drawn)
    critical = float(np.quantile(drawn, LEVEL))
    return max(1 - 2 * float(student.sf(critical, freedom)), LEVEL), np.maximum(reached, p[member])


def count_freedom(parts: VarianceParts) -> float:
    found = [parts.n_texts_effective, np.nan if parts.drawn == TEXT else parts.n_annotators_effective]
    return max(float(np.nanmax(found)) - 1, 1.0)


def correlate(family: Sequence[VarianceParts], influence: JointInfluence, member: BoolArray) -> FloatArray:
    """(m, m) correlations of the members' errors; the nearest that are possible where parts leave none."""
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
    """(m, m) covariance with these variances and the correlations of the columns. A part that is not drawn, such as a
    single model as reader, is undefined without itself and has no variance."""
    influence = np.nan_to_num(influence)
    products = influence.T @ influence
    norm = np.sqrt(np.diag(products))
    norm = np.where(norm > 0, norm, 1.0)
    scale = np.sqrt(variances) / norm
    return np.asarray(products * np.outer(scale, scale))
