"""Shares, means and differences with intervals over readers and texts, the default convention.

An arm is one group of judgments, such as those of one generator's items with the text. All arms of a difference share
the codes of texts and annotators. Win rates are shares whose sums count a tie as a half.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from analysis.measures.contrasts import JointInfluence
from analysis.measures.intervals import (
    LEVEL,
    NO_SPREAD,
    NO_VARIATION,
    ONE_TEXT,
    TEXT,
    UNDEFINED_FIGURE,
    Bounds,
    Interval,
)
from analysis.measures.types import FloatArray, IntArray, gettext_noop
from analysis.measures.variance_parts import (
    UNDEFINED_WITHOUT_PART,
    Cells,
    Figure,
    VarianceParts,
    effective_sample_size,
    parts_of_influence,
    parts_of_leaving_out,
    shared_variance,
)

MOST_POSSIBLE_CELLS = 5_000_000  # above it cells are found by sorting instead of one counter per possible cell
EMPTY_ARM = gettext_noop("One of the groups to compare has no judgment, so there is no difference.")
ONE, DIFFERENCE = (0.0, 1.0), (-1.0, 1.0)


@dataclass(frozen=True)
class Arm:
    """Judgments by text and annotator: codes from 0 (m,), the sum of the judgments' values (m,) and how many (m,).

    A text and annotator may occur more than once, in any order, so single judgments work, too.
    """

    text: IntArray
    annotator: IntArray
    total: FloatArray
    n: FloatArray

    @classmethod
    def of_judgments(cls, text: IntArray, annotator: IntArray, values: FloatArray | IntArray) -> Arm:
        """From one value per judgment, all (m,): 1 for right, a rating, or .5 for a tie."""
        return cls(text, annotator, np.asarray(values, dtype=np.float64), np.ones(len(text)))

    @classmethod
    def of_tables(cls, total: FloatArray | IntArray, n: FloatArray | IntArray) -> Arm:
        """From tables (texts, annotators) of sums and of counts."""
        text, annotator = np.nonzero(n)
        sums, counts = (np.asarray(table, dtype=np.float64)[text, annotator] for table in (total, n))
        return cls(text, annotator, sums, counts)

    @property
    def n_judgments(self) -> int:
        return int(self.n.sum())

    def mean(self) -> float:
        """Σ total / Σ n; NaN without judgments."""
        n = float(self.n.sum())
        return float(self.total.sum()) / n if n else float("nan")


def readers_share(arm: Arm, *, fixed: bool = False, level: float = LEVEL) -> Interval:
    """Interval of a share or win rate, on the logit scale; fixed: the evaluators are models or baselines."""
    return share_parts(arm, fixed=fixed).interval(level)


def readers_mean(arm: Arm, bounds: Bounds, *, fixed: bool = False, level: float = LEVEL) -> Interval:
    """Interval of a mean of values within `bounds`, on the logit scale of its place between them."""
    return mean_parts(arm, bounds, fixed=fixed).interval(level)


def readers_contrast(
    added: Sequence[Arm],
    subtracted: Sequence[Arm],
    *,
    bounds: Bounds = DIFFERENCE,
    fixed: bool = False,
    level: float = LEVEL,
) -> Interval:
    """Interval of the sum of some arms' means minus that of others', clipped to `bounds`.

    A - G: added (read,), subtracted (guess,). Difference of two generators' A - G: (read_a, guess_b), (guess_a, read_b)
    with bounds (-2, 2).
    """
    return contrast_parts(added, subtracted, bounds=bounds, fixed=fixed).interval(level)


def share_parts(arm: Arm, *, fixed: bool = False) -> VarianceParts:
    """The parts of a share's variance."""
    return mean_parts(arm, ONE, fixed=fixed)


def mean_parts(arm: Arm, bounds: Bounds, *, fixed: bool = False) -> VarianceParts:
    """The parts of a mean's variance."""
    return _parts([(1.0, arm)], bounds, fixed=fixed, on_logits=True)


def contrast_parts(
    added: Sequence[Arm], subtracted: Sequence[Arm], *, bounds: Bounds = DIFFERENCE, fixed: bool = False
) -> VarianceParts:
    """The parts of a difference's variance, which give its interval at any level and its p."""
    return weighted_parts([*((1.0, arm) for arm in added), *((-1.0, arm) for arm in subtracted)], bounds, fixed=fixed)


def weighted_parts(arms: Sequence[tuple[float, Arm]], bounds: Bounds, *, fixed: bool = False) -> VarianceParts:
    """The parts of a sum of arms' means, each times its weight, such as one generator minus the mean of the others."""
    return _parts(arms, bounds, fixed=fixed, on_logits=False)


def family_parts(
    contrasts: Sequence[Sequence[tuple[float, Arm]]], bounds: Bounds, *, fixed: bool = False
) -> tuple[list[VarianceParts], JointInfluence]:
    """The variance parts of contrasts that weight the same arms in the same order, and their joint influence."""
    arms = [arm for _weight, arm in contrasts[0]]
    text, annotator, n = (np.concatenate([getattr(arm, name) for arm in arms]) for name in ("text", "annotator", "n"))
    cells, at = find_cells(text, annotator, n)
    places = np.split(at, np.cumsum([len(arm.n) for arm in arms])[:-1])
    h = np.stack([
        np.bincount(place, weights=_influence(arm), minlength=len(cells.text))
        for place, arm in zip(places, arms, strict=True)
    ], axis=1)  # fmt: skip
    weights = np.array([[weight for weight, _arm in contrast] for contrast in contrasts])
    parts = [weighted_parts(contrast, bounds, fixed=fixed) for contrast in contrasts]
    return parts, JointInfluence.of_cells(cells, h @ weights.T)


def parts_of_sums(
    statistic: Callable[[FloatArray], FloatArray],
    text: IntArray,
    annotator: IntArray,
    sums: FloatArray,
    n: FloatArray,
    *,
    bounds: Bounds,
    fixed: bool = False,
) -> VarianceParts:
    """The parts for any function of sums over judgments, by leaving out each text, annotator and cell.

    sums: (m, q) of the groups of judgments whose text, annotator (m,) and number n (m,) are given. statistic: (b, q)
    sums give (b,) values, NaN where undefined. For a mean of means, a ratio, strengths.
    """
    cells, at = find_cells(text, annotator, n)
    by_cell = add_up(sums, at, len(cells.text))
    total = by_cell.sum(axis=0)
    figure = Figure(float(statistic(total[None])[0]), bounds, cells, int(n.sum()), fixed)
    groups = (add_up(by_cell, cells.text, cells.n_texts), add_up(by_cell, cells.annotator, cells.n_annotators), by_cell)
    return parts_of_leaving_out(figure, *(statistic(total - group) for group in groups))


def find_cells(text: IntArray, annotator: IntArray, n: FloatArray) -> tuple[Cells, IntArray]:
    """The cells that have judgments, and for each entry (m,) its cell."""
    text, annotator = without_gaps(text), without_gaps(annotator)
    if not len(text):
        return Cells(text, annotator, np.zeros(0)), text
    width = int(annotator.max()) + 1
    index = text * width + annotator
    possible = (int(text.max()) + 1) * width
    if possible > MOST_POSSIBLE_CELLS:
        found, at = np.unique(index, return_inverse=True)
    else:
        judged = np.bincount(index, minlength=possible) > 0
        found, at = np.flatnonzero(judged), (np.cumsum(judged) - 1)[index]
    return Cells(found // width, found % width, np.bincount(at, weights=n).astype(np.float64)), at


def add_up(values: FloatArray, groups: IntArray, n_groups: int) -> FloatArray:
    """(n_groups, q) sums of the rows of values (m, q)."""
    columns = [np.bincount(groups, weights=column, minlength=n_groups) for column in values.T]
    return np.stack(columns, axis=1) if columns else np.zeros((n_groups, 0))


def without_gaps(codes: IntArray) -> IntArray:
    """The codes, whole numbers from 0, renumbered so that none is unused."""
    present = np.bincount(codes) > 0 if len(codes) else np.zeros(0, dtype=bool)
    return np.asarray(codes if present.all() else (np.cumsum(present) - 1)[codes], dtype=np.int64)


def _parts(arms: Sequence[tuple[float, Arm]], bounds: Bounds, *, fixed: bool, on_logits: bool) -> VarianceParts:
    """Closed form: a cell's influence is Σ ± (s - (S / N) n) / N over the arms."""
    judged = [(sign, _with_judgments(arm)) for sign, arm in arms]
    text, annotator, n = (
        np.concatenate([getattr(arm, name) for _sign, arm in judged]) for name in ("text", "annotator", "n")
    )
    cells, at = find_cells(text, annotator, n)
    value = sum(sign * arm.mean() for sign, arm in judged)
    figure = Figure(value, bounds, cells, int(n.sum()), fixed, on_logits)
    if not all(len(arm.n) for _sign, arm in judged):
        return figure.explain_no_interval(EMPTY_ARM if len(judged) > 1 else figure.why_undefined())
    parts = [sign * _influence(arm) for sign, arm in judged]
    return parts_of_influence(figure, np.bincount(at, weights=np.concatenate(parts)).astype(np.float64))


def _influence(arm: Arm) -> FloatArray:
    """(m,) the influence of each entry on the mean; 0 without judgments."""
    n = float(arm.n.sum())
    return (arm.total - arm.mean() * arm.n) / n if n else np.zeros(len(arm.n))


def _with_judgments(arm: Arm) -> Arm:
    some = arm.n > 0
    return arm if some.all() else Arm(arm.text[some], arm.annotator[some], arm.total[some], arm.n[some])


# Intervals of figures whose variance over texts is a delete-one-text jackknife, with or without that of readers.
#
# readers="fixed": these readers only, θ ± t(freedom) √V. readers="random": the variance between readers is added with
# its own t, as in `variance_parts`; with fewer than three readers only texts count, which the caveats say.

Readers = Literal["random", "fixed"]
RANDOM: Readers = "random"
FIXED: Readers = "fixed"
UNBOUNDED: Bounds = (-np.inf, np.inf)


@dataclass(frozen=True)
class ReaderInfluence:
    """The influence h of each judgment, or sum of n judgments, on a figure; text, annotator, n and h are (m,)."""

    text: IntArray
    annotator: IntArray
    n: FloatArray
    h: FloatArray

    def parts(self, figure_value: float, bounds: Bounds) -> tuple[Figure, float, float, float]:
        """The figure with its cells, the variance between readers, its overlap with that of texts, and A*."""
        cells, at = find_cells(self.text, self.annotator, self.n)
        h = np.bincount(at, weights=self.h, minlength=len(cells.text)).astype(np.float64)
        effective = effective_sample_size(cells.by_annotator(cells.n))
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
    """The variance parts from the values without each of k texts; freedom: default k - 1. influence: if random."""
    k = len(without)
    if np.isnan(value) or np.isnan(without).any() or k < 2:
        reason = UNDEFINED_FIGURE if np.isnan(value) else ONE_TEXT if k < 2 else UNDEFINED_WITHOUT_PART
        return VarianceParts(value, bounds, k, 0, 0, TEXT, reason=reason)
    variance = (k - 1) / k * float(((without - without.mean()) ** 2).sum())
    return variance_parts(value, variance, k if freedom is None else freedom + 1, k, bounds, influence)


def reliability_parts(value: float, noise: float, noise_without: FloatArray) -> VarianceParts:
    """The parts of signal / (signal + noise), from the noise's share of the sum, and the same without each of k texts.

    The noise shares include negative components, which the value sets to 0. The jackknife is of their logarithm, so
    the interval also holds if there is hardly any signal; without noise, the shares themselves are used.
    """
    shares = np.append(noise_without, noise)
    if np.isnan(value) or not (shares.min() > 0 and np.ptp(shares) > NO_SPREAD):
        return jackknife_parts(value, noise_without, bounds=(0.0, 1.0))
    found = jackknife_parts(float(np.log(noise)), np.log(noise_without))
    return replace(found, value=value, bounds=(0.0, 1.0), log_noise=found.value)


def variance_parts(
    value: float, variance: float, effective: float, k: int, bounds: Bounds, influence: ReaderInfluence | None = None
) -> VarianceParts:
    """The variance parts from a variance over k texts whose t has `effective` - 1 degrees of freedom."""
    if not np.sqrt(variance) > NO_SPREAD * max(1.0, abs(value)):
        return VarianceParts(value, bounds, k, 0, 0, TEXT, reason=NO_VARIATION)
    if influence is None:
        return VarianceParts(value, bounds, k, 0, 0, TEXT, texts=variance, n_texts_effective=effective)
    figure, readers, shared, of_readers = influence.parts(value, bounds)
    drawn = TEXT if figure.cells.n_annotators < 3 or np.isnan(readers) else figure.sampled_factor()
    return VarianceParts(
        value, bounds, k, figure.cells.n_annotators, figure.n_responses, drawn, variance, readers, shared, effective,
        of_readers, caveats=figure.caveats(),
    )  # fmt: skip
