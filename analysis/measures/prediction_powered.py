"""Estimates for all texts, from people's judgments of a random sample of texts and a predictor's of all texts.

The difference estimator of survey sampling with a fitted slope (GREG; Särndal, Swensson & Wretman 1992); for a mean it
is PPI++ (Angelopoulos, Duchi & Zrnic, arXiv 2311.01453). The unit is the text. With the texts u that people judged, out
of N, weights a = 1 / π and values z of people, f of the predictor

    λ = Σu a (z - z̄)(f - f̄) / Σu a (f - f̄)²        θ = λ · mean of f over all N + Σu a (z - λ f) / Σu a

and V = (n-1)/n Σu (θ₍ᵢ₎ - mean)² + (m-1)/m Σrest (…)², λ fitted anew without each text, t(n - 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from analysis.measures.contrasts import JointInfluence
from analysis.measures.intervals import NO_SPREAD, Bounds
from analysis.measures.reader_intervals import FIXED, RANDOM, ReaderInfluence, Readers, find_cells, variance_parts
from analysis.measures.types import BoolArray, FloatArray, IntArray
from analysis.measures.variance_parts import VarianceParts


@dataclass(frozen=True)
class Judgments:
    """People's judgments of one cell by text and annotator: codes, how many are right and how many there are, (m,)."""

    text: IntArray
    annotator: IntArray
    right: FloatArray
    n: FloatArray

    def share(self, n_texts: int) -> FloatArray:
        """(n_texts,) share right of each text; NaN without judgments."""
        right, n = (np.bincount(self.text, weights=each, minlength=n_texts) for each in (self.right, self.n))
        return np.asarray(right / np.where(n > 0, n, np.nan))


@dataclass(frozen=True)
class Cell:
    """One stage of one generator over all N texts: people's share (NaN where they did not judge), the predictor's
    share, the probability with which each text was drawn, and its weight, such as its number of options; all (N,).

    Texts with weight 0 hold nothing of the generator. judgments: for the variance between readers.
    """

    people: FloatArray
    predicted: FloatArray
    chance: FloatArray
    weight: FloatArray
    judgments: Judgments | None = None

    @property
    def is_done(self) -> BoolArray:
        """(N,): texts that people did."""
        return np.asarray(~np.isnan(self.people) & (self.weight > 0))


_NOBODY = ReaderInfluence(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0))
SLOPE_FITTED, PEOPLE_ONLY, SLOPE_ONE = None, 0.0, 1.0


@dataclass(frozen=True)
class PoweredEstimate:
    """An estimate. slope: λ. r: of people and predictor in the n texts of people. n_all: N. apart: (N,) scaled
    deviations of the leave-one-out values, whose sum of squares is the variance. influence: of readers."""

    value: float
    slope: float
    r: float
    n: int
    n_all: int
    apart: FloatArray
    influence: ReaderInfluence | None = None

    @property
    def gain(self) -> float:
        """n_eff / n = 1 / (1 - (1 - n/N) r²)."""
        return gain(self.r, self.n, self.n_all)


def gain(r: float, n: int, n_all: int) -> float:
    """The factor by which the number of people's texts would have to grow for the same precision without the
    predictor."""
    return 1 / (1 - (1 - n / n_all) * r**2)


def fit(cell: Cell, slope: float | None = SLOPE_FITTED) -> PoweredEstimate:
    """The estimate of one cell; slope: None to fit it, 0 for people only, 1 for plain prediction-powered inference.

    Undefined (NaN) below two texts with people.
    """
    there = cell.weight > 0
    scale = cell.weight / cell.weight[there].mean() if there.any() else cell.weight
    u, rest = cell.is_done, there & ~cell.is_done
    n, n_all = int(u.sum()), int(there.sum())
    if n < 2:
        return PoweredEstimate(np.nan, np.nan, np.nan, n, n_all, np.full(len(u), np.nan))
    weights = np.asarray(1 / cell.chance[u], dtype=np.float64)
    sums = _Sums.of(weights, (cell.people * scale)[u], (cell.predicted * scale)[u])
    of_all = float((cell.predicted * scale)[there].sum()) if slope != PEOPLE_ONLY else 0.0
    value, used = sums.estimate(of_all, n_all, slope)
    apart = np.zeros(len(u))
    without, _slopes = sums.without_each().estimate(of_all - sums.f, n_all - 1, slope)
    apart[u] = _scale_jackknife(without)
    if rest.any() and used != 0:
        left = used * (of_all - (cell.predicted * scale)[rest]) / (n_all - 1) + sums.rest(used)
        apart[rest] = _scale_jackknife(left)
    found = PoweredEstimate(float(value), float(used), sums.correlation(), n, n_all, apart)
    return replace(found, influence=_influence(cell, scale, found, sums))


def combine(
    cells: Sequence[PoweredEstimate], signs: Sequence[float], bounds: Bounds, readers: Readers = RANDOM
) -> VarianceParts:
    """A sum of cells with signs, such as answerability minus guessability, with its variance; t(n - 2) of the cell with
    fewest texts, t(n - 1) where no slope was fitted."""
    value = float(sum(sign * cell.value for sign, cell in zip(signs, cells, strict=True)))
    n = min(cell.n for cell in cells)
    apart = np.array(signs) @ np.stack([cell.apart for cell in cells])
    variance = float((apart**2).sum())
    one_less = any(cell.slope != PEOPLE_ONLY for cell in cells)
    influence = _join_cells(cells, signs) if readers != FIXED else None
    return variance_parts(value, variance, n - one_less, n, bounds, influence)


def joint_influence(cells: Sequence[PoweredEstimate]) -> JointInfluence:
    """The joint influence on the cells' estimates, one column each; cells without `judgments` have none of readers."""
    known = [cell.influence or _NOBODY for cell in cells]
    text, annotator, n, h = (
        np.concatenate([getattr(each, name) for each in known]) for name in ("text", "annotator", "n", "h")
    )
    table, at = find_cells(text, annotator, n)
    column = np.repeat(np.arange(len(known)), [len(each.h) for each in known])
    by_cell = np.zeros((len(table.text), len(known)))
    np.add.at(by_cell, (at, column), h)
    return replace(JointInfluence.of_cells(table, by_cell), texts=np.stack([cell.apart for cell in cells], axis=1))


def _join_cells(cells: Sequence[PoweredEstimate], signs: Sequence[float]) -> ReaderInfluence | None:
    """All cells in one table of texts and annotators."""
    known = [(sign, cell.influence) for sign, cell in zip(signs, cells, strict=True) if cell.influence is not None]
    if len(known) < len(cells):
        return None
    text, annotator, n = (
        np.concatenate([getattr(each, name) for _sign, each in known]) for name in ("text", "annotator", "n")
    )
    return ReaderInfluence(text, annotator, n, np.concatenate([sign * each.h for sign, each in known]))


def _influence(cell: Cell, scale: FloatArray, found: PoweredEstimate, sums: _Sums) -> ReaderInfluence | None:
    """Readers' influence h = a·w/w̄ (right - expected · n) / (n of the text · Σ a), beyond the predictor."""
    if cell.judgments is None:
        return None
    text, n = cell.judgments.text, cell.judgments.n
    a = np.where(cell.is_done, 1 / cell.chance, 0.0)
    of_text = np.bincount(text, weights=n, minlength=len(scale))
    f = np.where(cell.is_done, cell.predicted * scale, 0.0) if found.slope else np.zeros(len(scale))
    level = sums.rest(0.0) if not found.slope else sums.rest(found.slope)
    expected = np.where(cell.is_done, level + found.slope * f, 0.0)
    z = cell.judgments.right * scale[text] / of_text[text]
    return ReaderInfluence(
        text, cell.judgments.annotator, n, a[text] / a.sum() * (z - expected[text] * n / of_text[text])
    )


@dataclass(frozen=True)
class _Sums:
    """Weighted moments of texts with people; scalars, or (n,) without each text. single: the text's terms."""

    a: FloatArray
    az: FloatArray
    af: FloatArray
    azf: FloatArray
    aff: FloatArray
    azz: FloatArray
    f: FloatArray
    single: tuple[FloatArray, ...]

    @classmethod
    def of(cls, a: FloatArray, z: FloatArray, f: FloatArray) -> _Sums:
        single = (a, a * z, a * f, a * z * f, a * f * f, a * z * z)
        sum_a, az, af, azf, aff, azz = (np.asarray(each.sum()) for each in single)
        return cls(sum_a, az, af, azf, aff, azz, f, single)

    def without_each(self) -> _Sums:
        totals = (self.a, self.az, self.af, self.azf, self.aff, self.azz)
        a, az, af, azf, aff, azz = (np.asarray(total - one) for total, one in zip(totals, self.single, strict=True))
        return _Sums(a, az, af, azf, aff, azz, self.f, self.single)

    def estimate(self, of_all: FloatArray | float, n_all: int, slope: float | None) -> tuple[FloatArray, FloatArray]:
        """Value and slope; of_all: the sum of the predictor over n_all texts."""
        used = self.slope() if slope is None else np.full(np.shape(self.a), slope)
        return np.asarray(used * of_all / n_all + self.rest(used)), used

    def rest(self, slope: FloatArray | float) -> FloatArray:
        """The weighted mean of people's values minus slope · predictor."""
        return np.asarray((self.az - slope * self.af if np.any(slope) else self.az) / self.a)

    def slope(self) -> FloatArray:
        """λ; 0 where the predictor does not vary."""
        spread = self.aff - self.af**2 / self.a
        varies = spread > NO_SPREAD * np.maximum(self.aff, NO_SPREAD)
        shared = self.azf - self.az * self.af / self.a
        return np.asarray(np.where(varies, shared / np.where(varies, spread, 1.0), 0.0))

    def correlation(self) -> float:
        """Weighted r of people and predictor; 0 where one does not vary."""
        z, f = (self.azz - self.az**2 / self.a), (self.aff - self.af**2 / self.a)
        product = float(z * f)
        return float(self.azf - self.az * self.af / self.a) / product**0.5 if product > NO_SPREAD**2 else 0.0


def _scale_jackknife(without: FloatArray) -> FloatArray:
    k = len(without)
    return np.asarray(np.sqrt((k - 1) / k) * (without - without.mean()))
