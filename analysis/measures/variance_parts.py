"""The interval over readers and texts: each part of the variance with its own t.

Cells are the pairs of a text and an annotator with judgments. h is the influence of a cell on the figure; V_T sums the
squares of h by text, V_A by annotator, and V_C is what both count. With α = 1 - level

    reach² = max( t²(T* - 1) V_T + t²(A* - 1) V_A - z² V_C, t²(T* - 1) V_T ),

T* and A* after Kish (1965). Two-way clustering as in Cameron, Gelbach & Miller (2011); every part keeps its own degrees
of freedom, as in Cochran (1951) and Graybill & Wang (1980), instead of one mixed number (Satterthwaite).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from analysis.measures.intervals import (
    ANNOTATOR,
    LEVEL,
    NO_JUDGMENT,
    NO_SPREAD,
    NO_VARIATION,
    ONE_TEXT,
    TEXT,
    UNDEFINED_FIGURE,
    Bounds,
    Interval,
)
from analysis.measures.share_intervals import TEXT_AND_ANNOTATOR
from analysis.measures.types import FloatArray, IntArray, gettext_noop

TWO_WAY = "two-way-t"
SWEEPS = 8  # of row and column means, where cells are missing
SMALLEST_P = 1e-300
HALVINGS = 200

ONE_TEXT_FEW_ANNOTATORS = gettext_noop("One text and fewer than three annotators: the spread cannot be estimated.")
AT_AN_END = gettext_noop("All judgments are at the same end of the scale, so their spread cannot be estimated.")
UNDEFINED_WITHOUT_PART = gettext_noop(
    "The value is undefined when a certain text or annotator is left out, so a jackknife is not possible."
)

THIS_ANNOTATOR_ONLY = gettext_noop("This interval covers other texts, but only this annotator.")
THESE_TWO_ONLY = gettext_noop("This interval covers other texts, but only these two annotators.")
THIS_MODEL_ONLY = gettext_noop("This interval covers other texts, but only this model.")
THIS_TEXT_ONLY = gettext_noop("This interval covers other annotators, but only this text.")
THREE_READERS = gettext_noop("3 readers are few to draw conclusions about other readers.")
RARE_LABELS = gettext_noop(
    "Fewer than 30 texts, and at least 85 % of the judgments have one label: the interval is too narrow. In simulations"
    " with 4 and 10 texts it held the true value in 71 to 77 of 100 studies."
)
AT_LEAST = gettext_noop("All judgments are at the upper end of the scale: the value is at least the bound.")
AT_MOST = gettext_noop("All judgments are at the lower end of the scale: the value is at most the bound.")


@dataclass(frozen=True)
class Cells:
    """The cells of a figure: text and annotator of each as codes from 0 without gaps, (C,), and its judgments, (C,).

    Annotators are those treated as a sample; a fixed evaluator, such as a model, has a code like the others.
    """

    text: IntArray
    annotator: IntArray
    n: FloatArray

    @property
    def n_texts(self) -> int:
        return int(self.text.max()) + 1 if len(self.text) else 0

    @property
    def n_annotators(self) -> int:
        return int(self.annotator.max()) + 1 if len(self.annotator) else 0

    def by_text(self, values: FloatArray) -> FloatArray:
        """(T,) sums of values (C,)."""
        return np.bincount(self.text, weights=values, minlength=self.n_texts).astype(np.float64)

    def by_annotator(self, values: FloatArray) -> FloatArray:
        """(A,) sums of values (C,)."""
        return np.bincount(self.annotator, weights=values, minlength=self.n_annotators).astype(np.float64)

    def effective(self) -> tuple[float, float]:
        """T* and A*: (Σ n)² / Σ n² over the loads of texts and of annotators."""
        return kish(self.by_text(self.n)), kish(self.by_annotator(self.n))

    def residuals(self, h: FloatArray) -> FloatArray:
        """h (C,) without its row means and column means."""
        complete = len(h) == self.n_texts * self.n_annotators
        of_text, of_annotator = (sums(np.ones(len(h))) for sums in (self.by_text, self.by_annotator))
        e = h
        for _sweep in range(1 if complete else SWEEPS):
            e = e - (self.by_text(e) / of_text)[self.text]
            e = e - (self.by_annotator(e) / of_annotator)[self.annotator]
        return e

    def freedom(self) -> int:
        """C - T - A + 1."""
        return len(self.text) - self.n_texts - self.n_annotators + 1


@dataclass(frozen=True)
class VarianceParts:
    """A figure and the parts of its variance, from which its interval follows at any level.

    value, texts (V_T), annotators (V_A), cells (V_C): in the unit of the figure and its square. drawn: what stands for
    others (texts and annotators, texts only, annotators only). on_logits: the reach is applied to the logit of the
    value's place within `bounds`. log_noise: of a reliability, the log of 1 - value, negative components as they are;
    the reach is applied to it, and the value stays inside. at_least_either: the reach is never below that of annotators
    alone, too. reason: why there is no interval; bound: for a figure at an end of its scale.
    """

    value: float
    bounds: Bounds
    n_texts: int
    n_annotators: int
    n_responses: int
    drawn: str = TEXT_AND_ANNOTATOR
    texts: float = math.nan
    annotators: float = math.nan
    cells: float = math.nan
    n_texts_effective: float = math.nan
    n_annotators_effective: float = math.nan
    on_logits: bool = False
    log_noise: float | None = None
    at_least_either: bool = False
    caveats: tuple[str, ...] = ()
    reason: str = ""
    bound: float | None = None

    def reach(self, alpha: float) -> float:
        """Half the width at level 1 - alpha before any transformation."""
        texts = _scale(self.texts, self.n_texts_effective, alpha)
        if self.drawn == TEXT:
            return math.sqrt(texts)
        annotators = _scale(self.annotators, self.n_annotators_effective, alpha)
        if self.drawn == ANNOTATOR:
            return math.sqrt(annotators)
        both = texts + annotators - float(ndtri(alpha / 2)) ** 2 * self.cells
        return math.sqrt(max(both, texts, annotators if self.at_least_either else 0.0))

    def ends(self, level: float = LEVEL) -> Bounds:
        """The ends at any level, within the bounds; NaN where there is no interval."""
        if self.reason:
            return math.nan, math.nan
        reach = self.reach(1 - level)
        if self.on_logits:
            return _on_logits(self.value, reach, self.bounds)
        low, high = self.value - reach, self.value + reach
        if self.log_noise is not None:
            low, high = (1 - math.exp(self.log_noise + sign * reach) for sign in (1, -1))
            low, high = min(low, self.value), max(high, self.value)
        return max(low, self.bounds[0]), min(high, self.bounds[1])

    def interval(self, level: float = LEVEL) -> Interval:
        """The interval with all its caveats."""
        low, high = self.ends(level)
        n_units = self.n_annotators if self.drawn == ANNOTATOR else self.n_texts
        return Interval(
            low, high, TWO_WAY, self.drawn, n_units, self.n_responses, 0, None, self.reason,
            n_texts_effective=_or_none(self.n_texts_effective),
            n_annotators_effective=_or_none(self.n_annotators_effective),
            share_from_readers=None if self.reason else self.share_from_readers(),
            caveats=self.caveats, bound=self.bound,
        )  # fmt: skip

    def share_from_readers(self) -> float | None:
        """V_A' / (V_T' + V_A' + V_C), where primes are without V_C and at least 0; None unless both are drawn."""
        if self.drawn != TEXT_AND_ANNOTATOR:
            return None
        texts, annotators = max(self.texts - self.cells, 0.0), max(self.annotators - self.cells, 0.0)
        total = texts + annotators + self.cells
        return annotators / total if total > 0 else None

    def p_of_zero(self) -> float:
        """Two-sided p that the figure is 0: the smallest α at which the interval leaves out 0; NaN without one.

        t and z are both taken at α. The reach falls as α grows, so halving the range of log α finds it.
        """
        if self.reason:
            return math.nan
        low, high = math.log(SMALLEST_P), 0.0
        for _halving in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if self.reach(math.exp(middle)) < abs(self.value) else (middle, high)
            if high - low < 1e-12:
                break
        return math.exp(high)


@dataclass(frozen=True)
class Figure:
    """A figure before its variance is known: its value, range and scale, and which reader judged which unit."""

    value: float
    bounds: Bounds
    cells: Cells
    n_responses: int
    fixed: bool = False  # the evaluators stand for themselves, as models do
    on_logits: bool = False
    more_caveats: tuple[str, ...] = ()

    def random_factor(self) -> str:
        """Which factor is treated as a sample."""
        if self.fixed or self.cells.n_annotators < 3:
            return TEXT
        return ANNOTATOR if self.cells.n_texts == 1 else TEXT_AND_ANNOTATOR

    def caveats(self) -> tuple[str, ...]:
        """The caveats of the interval."""
        if self.fixed:
            return (THIS_MODEL_ONLY, *self.more_caveats)
        few = {1: THIS_ANNOTATOR_ONLY, 2: THESE_TWO_ONLY, 3: THREE_READERS}.get(self.cells.n_annotators)
        one_text = (THIS_TEXT_ONLY,) if self.random_factor() == ANNOTATOR else ()
        return (*one_text, *((few,) if few else ()), *self.more_caveats)

    def without_interval(self, reason: str) -> VarianceParts:
        """The figure with the reason why it has no interval."""
        bound, notes = self._bound()
        return self._parts(caveats=(*self.caveats(), *notes), reason=reason, bound=bound)

    def with_parts(self, texts: float, annotators: float, cells: float, *, either: bool = False) -> VarianceParts:
        """The figure with its variances, or the reason why they give no interval."""
        reason = self.why_undefined()
        if reason:
            return self.without_interval(reason)
        of_texts, of_annotators = self.cells.effective()
        parts = self._parts(
            texts=texts, annotators=annotators, cells=cells, at_least_either=either, caveats=self.caveats(),
            n_texts_effective=of_texts, n_annotators_effective=of_annotators,
        )  # fmt: skip
        spread = parts.reach(1 - LEVEL) > NO_SPREAD * max(1.0, abs(self.value))
        return parts if spread else self.without_interval(NO_VARIATION)

    def why_undefined(self) -> str:
        """Why there is no interval whatever the variances are; empty where there is one."""
        if not len(self.cells.text):
            return NO_JUDGMENT
        if math.isnan(self.value):
            return UNDEFINED_FIGURE
        if self.cells.n_texts == 1 and self.random_factor() == TEXT:
            return ONE_TEXT if self.fixed else ONE_TEXT_FEW_ANNOTATORS
        return AT_AN_END if self.on_logits and self.value in self.bounds else ""

    def _parts(self, **known: object) -> VarianceParts:
        return VarianceParts(
            self.value, self.bounds, self.cells.n_texts, self.cells.n_annotators, self.n_responses,
            self.random_factor(), on_logits=self.on_logits, **known,  # type: ignore[arg-type]
        )  # fmt: skip

    def _bound(self) -> tuple[float | None, tuple[str, ...]]:
        """What n units all at one end of the scale leave possible, at .975: .025 ^ (1 / n) from the other end."""
        if not self.on_logits or self.value not in self.bounds:
            return None, ()
        low, high = self.bounds
        n = self.cells.n_annotators if self.random_factor() == ANNOTATOR else self.cells.n_texts
        place = ((1 - LEVEL) / 2) ** (1 / n)
        if self.value == high:
            return low + (high - low) * place, (AT_LEAST,)
        return high - (high - low) * place, (AT_MOST,)


def parts_of_influence(figure: Figure, h: FloatArray) -> VarianceParts:
    """The parts from the influences h (C,) of the cells, whose sum is 0: the closed form of means and shares."""
    if figure.why_undefined():
        return figure.without_interval(figure.why_undefined())
    cells = figure.cells
    of_texts, of_annotators = cells.effective()
    texts = _correct((cells.by_text(h) ** 2).sum(), of_texts)
    annotators = _correct((cells.by_annotator(h) ** 2).sum(), of_annotators)
    return figure.with_parts(texts, annotators, shared_variance(cells, h, capped=True))


def parts_of_leaving_out(
    figure: Figure, without_text: FloatArray, without_annotator: FloatArray, without_cell: FloatArray
) -> VarianceParts:
    """The parts of any figure from its values without each text (T,), annotator (A,) and cell (C,).

    without_annotator or without_cell is not called if only texts are treated as a sample, and vice versa.
    """
    reason = figure.why_undefined() or _undefined_without(
        figure.random_factor(), without_text, without_annotator, without_cell
    )
    if reason:
        return figure.without_interval(reason)
    drawn = figure.random_factor()
    texts = float(jackknife_variance(without_text)) if drawn != ANNOTATOR else math.nan
    annotators = float(jackknife_variance(without_annotator)) if drawn != TEXT else math.nan
    both = drawn == TEXT_AND_ANNOTATOR
    cells = shared_variance(figure.cells, without_cell - figure.value, capped=False) if both else math.nan
    return figure.with_parts(texts, annotators, cells, either=True)


def shared_variance(cells: Cells, h: FloatArray, *, capped: bool) -> float:
    """V_C: Σ e² · C / f from the residuals e of h; Σ h² without degrees of freedom, as texts lie within annotators.

    capped: with few degrees of freedom, f < C / 4, at most Σ h².
    """
    f, count, raw = cells.freedom(), len(h), float((h**2).sum())
    if f < 1:
        return raw
    found = float((cells.residuals(h) ** 2).sum()) * count / f
    return min(found, raw) if capped and f < count / 4 else found


def jackknife_variance(without: FloatArray) -> FloatArray:
    """(k - 1) / k · Σ (θ₍ᵢ₎ - mean)², of the last axis."""
    k = without.shape[-1]
    return np.asarray((k - 1) / k * ((without - without.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1))


def kish(loads: FloatArray) -> float:
    """(Σ n)² / Σ n², the number of equal loads that would be as good."""
    squares = float((loads**2).sum())
    return float(loads.sum()) ** 2 / squares if squares else math.nan


def _undefined_without(drawn: str, text: FloatArray, annotator: FloatArray, cell: FloatArray) -> str:
    needed = {TEXT: (text,), ANNOTATOR: (annotator,)}.get(drawn, (text, annotator, cell))
    return UNDEFINED_WITHOUT_PART if any(np.isnan(values).any() for values in needed) else ""


def _correct(squares: float, effective: float) -> float:
    return float(squares) * effective / (effective - 1) if effective > 1 else math.nan


def _scale(variance: float, effective: float, alpha: float) -> float:
    """t² · variance; no variance gives 0 also where t is without bound."""
    return variance * float(stdtrit(effective - 1, alpha / 2)) ** 2 if variance > 0 else 0.0


def _on_logits(value: float, reach: float, bounds: Bounds) -> Bounds:
    """logit θ ± reach / (θ (1 - θ)), transformed back, θ the place of the value within the bounds."""
    low, high = bounds
    place = (value - low) / (high - low)
    centre, step = math.log(place / (1 - place)), reach / (high - low) / (place * (1 - place))
    ends = (low + (high - low) * _expit(centre + sign * step) for sign in (-1, 1))
    return next(ends), next(ends)


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
