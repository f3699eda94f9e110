"""Intervals of figures whose variance over texts is a delete-one-text jackknife, with or without that of readers.

readers="fixed": these readers only, θ ± t(freedom) √V. readers="random": the variance between readers is added with its
own t, as in `variance_parts`; below three readers texts only, which the caveats say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from analysis.measures.intervals import NO_SPREAD, NO_VARIATION, ONE_TEXT, TEXT, UNDEFINED_FIGURE, Bounds
from analysis.measures.reader_intervals import find_cells
from analysis.measures.types import FloatArray, IntArray
from analysis.measures.variance_parts import UNDEFINED_WITHOUT_PART, Figure, VarianceParts, kish, shared_variance

Readers = Literal["random", "fixed"]
RANDOM: Readers = "random"
FIXED: Readers = "fixed"
UNBOUNDED: Bounds = (-np.inf, np.inf)


@dataclass(frozen=True)
class ReaderInfluence:
    """What each judgment, or sum of judgments, changes a figure: text, annotator, n and h, all (m,)."""

    text: IntArray
    annotator: IntArray
    n: FloatArray
    h: FloatArray

    def parts(self, figure_value: float, bounds: Bounds) -> tuple[Figure, float, float, float]:
        """The figure with its cells, the variance between readers, what it shares with that of texts, and A*."""
        cells, at = find_cells(self.text, self.annotator, self.n)
        h = np.bincount(at, weights=self.h, minlength=len(cells.text)).astype(np.float64)
        effective = kish(cells.by_annotator(cells.n))
        readers = float((cells.by_annotator(h) ** 2).sum()) * (effective / (effective - 1) if effective > 1 else np.nan)
        shared = shared_variance(cells, h, capped=True)
        return Figure(figure_value, bounds, cells, int(self.n.sum())), readers, shared, effective


def jackknife_parts(
    value: float,
    without: FloatArray,
    *,
    bounds: Bounds = UNBOUNDED,
    freedom: float | None = None,
    influence: ReaderInfluence | None = None,
) -> VarianceParts:
    """From the values without each of k texts (k,); freedom: k - 1 unless given. influence: of readers, if random."""
    k = len(without)
    if np.isnan(value) or np.isnan(without).any() or k < 2:
        reason = UNDEFINED_FIGURE if np.isnan(value) else ONE_TEXT if k < 2 else UNDEFINED_WITHOUT_PART
        return VarianceParts(value, bounds, k, 0, 0, TEXT, reason=reason)
    variance = (k - 1) / k * float(((without - without.mean()) ** 2).sum())
    return variance_parts(value, variance, k if freedom is None else freedom + 1, k, bounds, influence)


def variance_parts(
    value: float, variance: float, effective: float, k: int, bounds: Bounds, influence: ReaderInfluence | None = None
) -> VarianceParts:
    """From a variance over k texts whose t has `effective` - 1 degrees of freedom."""
    if not np.sqrt(variance) > NO_SPREAD * max(1.0, abs(value)):
        return VarianceParts(value, bounds, k, 0, 0, TEXT, reason=NO_VARIATION)
    if influence is None:
        return VarianceParts(value, bounds, k, 0, 0, TEXT, texts=variance, n_texts_effective=effective)
    figure, readers, shared, of_readers = influence.parts(value, bounds)
    drawn = TEXT if figure.cells.n_annotators < 3 or np.isnan(readers) else figure.drawn()
    return VarianceParts(
        value, bounds, k, figure.cells.n_annotators, figure.n_responses, drawn, variance, readers, shared, effective,
        of_readers, caveats=figure.caveats(),
    )  # fmt: skip
