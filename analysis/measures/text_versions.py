"""What a version of a text changes: outcome = text + reader + version, least squares.

The effects of texts are removed by centering within each text, which leaves one equation for each reader and version
(Frisch & Waugh 1933); a text, a reader or a reading is left out by subtracting what it adds to these equations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from analysis.measures.contrasts import JointInfluence
from analysis.measures.correlations import solve_products
from analysis.measures.distributions import t_quantile
from analysis.measures.intervals import LEVEL, Bounds
from analysis.measures.reader_intervals import FIXED, RANDOM, Readers
from analysis.measures.types import FloatArray, IntArray
from analysis.measures.variance_parts import Cells, Figure, VarianceParts, parts_of_leaving_out

ROUNDING = 1e-9


@dataclass(frozen=True)
class VersionEffects:
    """effects: (v,) of each version compared with version 0, whose own is 0; NaN if readers do not link the two.
    without_text (T, v), without_reader (R, v), without_reading (m, v): without each. reader: (R,) readers' effects."""

    effects: FloatArray
    without_text: FloatArray
    without_reader: FloatArray
    without_reading: FloatArray
    reader: FloatArray
    cells: Cells

    def joint_influence(self, pairs: Sequence[tuple[int, int]]) -> JointInfluence:
        """The joint influence on contrasts of these pairs of versions."""
        one, other = (np.array(side) for side in zip(*pairs, strict=True))
        apart = (
            each[:, one] - each[:, other] - (each[:, one] - each[:, other]).mean(axis=0)
            for each in (self.without_text, self.without_reader)
        )
        texts, readers = (np.asarray(each, dtype=np.float64) for each in apart)
        h = self.without_reading - self.effects
        left = [self.cells.residuals(h[:, a] - h[:, b]) for a, b in pairs]
        return JointInfluence(texts, readers, np.stack(left, axis=1))

    def contrast(self, one: int, other: int, bounds: Bounds, readers: Readers = RANDOM) -> VarianceParts:
        """Version `one` minus version `other`. A single reader, such as a model, is fixed."""
        known = (self.effects, self.without_text, self.without_reader, self.without_reading)
        value, *without = (np.asarray(each[..., one] - each[..., other], dtype=np.float64) for each in known)
        is_fixed = readers == FIXED or self.cells.n_annotators == 1
        figure = Figure(float(value), bounds, self.cells, len(self.cells.text), fixed=is_fixed)
        return parts_of_leaving_out(figure, *without)


def version_effects(
    outcome: FloatArray, text: IntArray, reader: IntArray, version: IntArray, n_versions: int
) -> VersionEffects:
    """The effects from readings (m,), each of one version of a text by one reader; codes from 0 without gaps. The
    effect of a reader also corrects for readers who left early."""
    readings = _Readings(outcome, text, reader, version, n_versions)
    left, right = readings.equations
    whole = _solve(left, right, n_versions - 1)
    without_text = [_solve(*readings.without(at, weighted=False), n_versions - 1) for at in readings.places(text)]
    without_reader = [_solve(*readings.without(at, weighted=True), n_versions - 1) for at in readings.places(reader)]
    coefficients: FloatArray = np.asarray(np.linalg.lstsq(left, right, rcond=None)[0], dtype=np.float64)
    return VersionEffects(
        _with_baseline(whole),
        _with_baseline(np.stack(without_text)),
        _with_baseline(np.stack(without_reader)),
        _with_baseline(whole - readings.changes(coefficients)),
        coefficients[n_versions - 1 :],
        Cells(text, reader, np.ones(len(text))),
    )


@dataclass(frozen=True)
class _Readings:
    outcome: FloatArray
    text: IntArray
    reader: IntArray
    version: IntArray
    n_versions: int

    @property
    def n_columns(self) -> int:
        """The number of columns: the versions except the first, then the readers."""
        return self.n_versions - 1 + int(self.reader.max()) + 1

    @cached_property
    def of_text(self) -> FloatArray:
        """(T,) readings of each text."""
        return np.bincount(self.text).astype(np.float64)

    @cached_property
    def means(self) -> FloatArray:
        """(T, columns) mean of each column within a text."""
        found = np.zeros((len(self.of_text), self.n_columns))
        np.add.at(found, (self.text, self.n_versions - 1 + self.reader), 1.0)
        later = self.version > 0
        np.add.at(found, (self.text[later], self.version[later] - 1), 1.0)
        return found / self.of_text[:, None]

    @cached_property
    def centered_outcome(self) -> FloatArray:
        """(m,) the outcome minus its mean within the text."""
        mean = np.bincount(self.text, weights=self.outcome) / self.of_text
        return np.asarray(self.outcome - mean[self.text])

    @cached_property
    def equations(self) -> tuple[FloatArray, FloatArray]:
        left, right = np.zeros((self.n_columns, self.n_columns)), np.zeros(self.n_columns)
        for at in self.places(self.text):
            rows = self.rows(at)
            left += rows.T @ rows
            right += rows.T @ self.centered_outcome[at]
        return left, right

    def places(self, codes: IntArray) -> Iterator[IntArray]:
        """The places of the readings with each code."""
        order = np.argsort(codes, kind="stable")
        return iter(np.split(order, np.cumsum(np.bincount(codes))[:-1]))

    def rows(self, at: IntArray) -> FloatArray:
        """(readings, columns) centered within their texts."""
        found = -self.means[self.text[at]]
        place = np.arange(len(at))
        found[place, self.n_versions - 1 + self.reader[at]] += 1
        later = self.version[at] > 0
        found[place[later], self.version[at][later] - 1] += 1
        return found

    def weights(self, at: IntArray) -> FloatArray:
        """n / (n - 1): by how much leaving out one of a text's n readings reduces its sums of squares."""
        n = self.of_text[self.text[at]]
        return np.divide(n, n - 1, out=np.zeros(len(at)), where=n > 1)

    def without(self, at: IntArray, *, weighted: bool) -> tuple[FloatArray, FloatArray]:
        """The equations without these readings: all of one text, or (weighted) each of a different text."""
        rows, (left, right) = self.rows(at), self.equations
        taken = rows * self.weights(at)[:, None] if weighted else rows
        return left - taken.T @ rows, right - taken.T @ self.centered_outcome[at]

    def changes(self, coefficients: FloatArray) -> FloatArray:
        """(m, versions - 1) how much the effects fall when each reading is left out."""
        inverse = np.linalg.pinv(self.equations[0], rcond=ROUNDING, hermitian=True)
        found = np.zeros((len(self.text), self.n_versions - 1))
        for at in self.places(self.text):
            rows, weight = self.rows(at), self.weights(at)
            pulled = rows @ inverse
            remaining = 1 - weight * (pulled * rows).sum(axis=1)
            residual = self.centered_outcome[at] - rows @ coefficients
            factor = np.divide(weight * residual, remaining, out=np.zeros(len(at)), where=remaining > ROUNDING)
            found[at] = pulled[:, : self.n_versions - 1] * factor[:, None]
        return found


def _solve(left: FloatArray, right: FloatArray, wanted: int) -> FloatArray:
    """(wanted,) the first coefficients; NaN where the others determine one. Effects of readers are determined up to a
    constant, which adding 1 to their equations fixes, unless some readers share no texts with the others."""
    used = np.diag(left) > ROUNDING
    found = np.full(wanted, np.nan)
    of_reader = np.flatnonzero(used) >= wanted
    if used.any():
        try:
            factor = cho_factor(left[np.ix_(used, used)] + np.outer(of_reader, of_reader))
            if np.diag(factor[0]).min() ** 2 > ROUNDING * np.diag(left).max():
                found[used[:wanted]] = cho_solve(factor, right[used])[: int(used[:wanted].sum())]
                return found
        except LinAlgError:
            pass
    return np.asarray(solve_products(np.column_stack([left, right]), len(left), wanted)[:, 0])


def _with_baseline(effects: FloatArray) -> FloatArray:
    """With version 0 in front, whose effect is 0."""
    return np.concatenate([np.zeros((*effects.shape[:-1], 1)), effects], axis=-1)


@dataclass(frozen=True)
class TextDifference:
    """A version minus version 0 on one text, over its readers: Welch's interval, NaN below two readers of either."""

    value: float
    low: float
    high: float
    n: int
    n_baseline: int


def text_difference(version: FloatArray, baseline: FloatArray) -> TextDifference:
    """The contrast from reader-adjusted outcomes: readers of the version against readers of version 0."""
    a, b = len(version), len(baseline)
    value = float(version.mean() - baseline.mean()) if a and b else np.nan
    if min(a, b) < 2:
        return TextDifference(value, np.nan, np.nan, a, b)
    parts = np.array([version.var(ddof=1) / a, baseline.var(ddof=1) / b])
    if not parts.sum() > 0:
        return TextDifference(value, np.nan, np.nan, a, b)
    freedom = parts.sum() ** 2 / (parts[0] ** 2 / (a - 1) + parts[1] ** 2 / (b - 1))
    reach = float(t_quantile((1 + LEVEL) / 2, freedom) * parts.sum() ** 0.5)
    return TextDifference(value, value - reach, value + reach, a, b)
