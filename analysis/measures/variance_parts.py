"""Intervals over readers and texts, from the variance between texts, that between annotators and that of single cells.

A cell is a text and an annotator with judgments, and h is the influence of a cell on the figure. The variance has three
parts: V_T is the sum over texts of the squared sums of h, V_A that over annotators, and V_C the sum of squares that
both of them contain. The interval reaches from value - reach to value + reach, with α = 1 - level and

    reach² = max( t²(T* - 1) V_T + t²(A* - 1) V_A - z² V_C, t²(T* - 1) V_T ),

where t(df) and z are the 1 - α/2 quantiles of Student's t and of the normal distribution. T* and A* are the effective
numbers of texts and annotators (Kish 1965). This is the two-way clustering of Cameron, Gelbach & Miller (2011); each
part has its own degrees of freedom, as in Cochran (1951) and Graybill & Wang (1980), instead of one pooled number
(Satterthwaite).
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
    TEXT_AND_ANNOTATOR,
    UNDEFINED_FIGURE,
    Bounds,
    Interval,
)
from analysis.measures.types import FloatArray, IntArray, gettext_noop

TWO_WAY = "two-way-t"
SWEEPS = 8  # how often the means of texts and annotators are subtracted if some cells are missing
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
    """The cells of a figure, (C,) each: codes of the text and of the annotator, and the number of judgments.

    Codes begin at 0 and have no gaps. An evaluator that is not treated as a sample, such as a model, has a code in
    `annotator` like a person.
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
        """(T,): the sum of values (C,) over the cells of each text."""
        return np.bincount(self.text, weights=values, minlength=self.n_texts).astype(np.float64)

    def by_annotator(self, values: FloatArray) -> FloatArray:
        """(A,): the sum of values (C,) over the cells of each annotator."""
        return np.bincount(self.annotator, weights=values, minlength=self.n_annotators).astype(np.float64)

    def effective(self) -> tuple[float, float]:
        """T* and A*, the effective numbers of texts and of annotators; see `effective_sample_size`."""
        return effective_sample_size(self.by_text(self.n)), effective_sample_size(self.by_annotator(self.n))

    def residuals(self, h: FloatArray) -> FloatArray:
        """(C,): h without the mean of its text and the mean of its annotator; approximate if some cells are missing."""
        complete = len(h) == self.n_texts * self.n_annotators
        of_text, of_annotator = (sums(np.ones(len(h))) for sums in (self.by_text, self.by_annotator))
        e = h
        for _sweep in range(1 if complete else SWEEPS):
            e = e - (self.by_text(e) / of_text)[self.text]
            e = e - (self.by_annotator(e) / of_annotator)[self.annotator]
        return e

    def freedom(self) -> int:
        """The degrees of freedom of the residuals: C - T - A + 1."""
        return len(self.text) - self.n_texts - self.n_annotators + 1


@dataclass(frozen=True)
class VarianceParts:
    """A figure and the three parts of its variance, from which its interval can be computed at any level.

    value: in the unit of the figure; texts (V_T), annotators (V_A) and cells (V_C): in its square. drawn: what is
    treated as a sample: texts and annotators, texts only, or annotators only. at_least_either: the reach is at least
    that of annotators alone, not only that of texts alone. reason: why there is no interval; empty if there is one.
    bound: a bound on the true value, for a figure at an end of its scale.

    The reach applies to the value itself, with two exceptions. on_logits: it applies to the logit of the value's place
    within `bounds`. log_noise: it applies to this number, the logarithm of 1 - value of a reliability whose negative
    components were not set to 0; the interval then always contains the value.
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
        """Half the width of the interval at level 1 - alpha, before any transformation."""
        texts = _scale(self.texts, self.n_texts_effective, alpha)
        if self.drawn == TEXT:
            return math.sqrt(texts)
        annotators = _scale(self.annotators, self.n_annotators_effective, alpha)
        if self.drawn == ANNOTATOR:
            return math.sqrt(annotators)
        both = texts + annotators - float(ndtri(alpha / 2)) ** 2 * self.cells
        return math.sqrt(max(both, texts, annotators if self.at_least_either else 0.0))

    def ends(self, level: float = LEVEL) -> Bounds:
        """The ends of the interval at a level, kept within the bounds; both NaN if there is no interval."""
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
        """The interval at a level, with effective numbers, caveats, or the reason why there is none."""
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
        """The share of the variance that annotators cause; None unless texts and annotators are both a sample.

        V_A' / (V_T' + V_A' + V_C), where V_A' and V_T' are V_A and V_T minus V_C, at least 0.
        """
        if self.drawn != TEXT_AND_ANNOTATOR:
            return None
        texts, annotators = max(self.texts - self.cells, 0.0), max(self.annotators - self.cells, 0.0)
        total = texts + annotators + self.cells
        return annotators / total if total > 0 else None

    def p_of_zero(self) -> float:
        """Two-sided p-value of the hypothesis that the figure is 0: the smallest α whose interval excludes 0.

        The reach falls as α grows, so bisection over log α finds it. NaN if there is no interval.
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
    """A figure before its variance is known: its value, its bounds, and the cells that it was computed from."""

    value: float
    bounds: Bounds
    cells: Cells
    n_responses: int
    fixed: bool = False  # the evaluators are not a sample of others: models, for instance
    on_logits: bool = False
    more_caveats: tuple[str, ...] = ()

    def sampled_factor(self) -> str:
        """What is treated as a sample: texts, annotators or both."""
        if self.fixed or self.cells.n_annotators < 3:
            return TEXT
        return ANNOTATOR if self.cells.n_texts == 1 else TEXT_AND_ANNOTATOR

    def caveats(self) -> tuple[str, ...]:
        """The caveats of the interval: whom or what it does not cover, then `more_caveats`."""
        if self.fixed:
            return (THIS_MODEL_ONLY, *self.more_caveats)
        few = {1: THIS_ANNOTATOR_ONLY, 2: THESE_TWO_ONLY, 3: THREE_READERS}.get(self.cells.n_annotators)
        one_text = (THIS_TEXT_ONLY,) if self.sampled_factor() == ANNOTATOR else ()
        return (*one_text, *((few,) if few else ()), *self.more_caveats)

    def explain_no_interval(self, reason: str) -> VarianceParts:
        """The figure with the reason why it has no interval."""
        bound, notes = self._bound()
        return self._parts(caveats=(*self.caveats(), *notes), reason=reason, bound=bound)

    def with_parts(self, texts: float, annotators: float, cells: float, *, either: bool = False) -> VarianceParts:
        """The figure with its variances, or with the reason why it has no interval. either: see `at_least_either`."""
        reason = self.why_undefined()
        if reason:
            return self.explain_no_interval(reason)
        of_texts, of_annotators = self.cells.effective()
        parts = self._parts(
            texts=texts, annotators=annotators, cells=cells, at_least_either=either, caveats=self.caveats(),
            n_texts_effective=of_texts, n_annotators_effective=of_annotators,
        )  # fmt: skip
        spread = parts.reach(1 - LEVEL) > NO_SPREAD * max(1.0, abs(self.value))
        return parts if spread else self.explain_no_interval(NO_VARIATION)

    def why_undefined(self) -> str:
        """Why there is no interval, whatever the variances are; empty if nothing rules it out."""
        if not len(self.cells.text):
            return NO_JUDGMENT
        if math.isnan(self.value):
            return UNDEFINED_FIGURE
        if self.cells.n_texts == 1 and self.sampled_factor() == TEXT:
            return ONE_TEXT if self.fixed else ONE_TEXT_FEW_ANNOTATORS
        return AT_AN_END if self.on_logits and self.value in self.bounds else ""

    def _parts(self, **known: object) -> VarianceParts:
        return VarianceParts(
            self.value, self.bounds, self.cells.n_texts, self.cells.n_annotators, self.n_responses,
            self.sampled_factor(), on_logits=self.on_logits, **known,  # type: ignore[arg-type]
        )  # fmt: skip

    def _bound(self) -> tuple[float | None, tuple[str, ...]]:
        """For a figure at an end of its scale: the one-sided bound on the true value, and the caveat that states it.

        If n texts (or annotators) all lie at one end, the bound lies at .025 ^ (1 / n) of the scale, counted from the
        other end (level .975).
        """
        if not self.on_logits or self.value not in self.bounds:
            return None, ()
        low, high = self.bounds
        n = self.cells.n_annotators if self.sampled_factor() == ANNOTATOR else self.cells.n_texts
        place = ((1 - LEVEL) / 2) ** (1 / n)
        if self.value == high:
            return low + (high - low) * place, (AT_LEAST,)
        return high - (high - low) * place, (AT_MOST,)


def parts_of_influence(figure: Figure, h: FloatArray) -> VarianceParts:
    """The variance parts of a mean or a share, from the influence h (C,) of each cell; the influences add up to 0."""
    if figure.why_undefined():
        return figure.explain_no_interval(figure.why_undefined())
    cells = figure.cells
    of_texts, of_annotators = cells.effective()
    texts = _correct((cells.by_text(h) ** 2).sum(), of_texts)
    annotators = _correct((cells.by_annotator(h) ** 2).sum(), of_annotators)
    return figure.with_parts(texts, annotators, shared_variance(cells, h, capped=True))


def parts_of_leaving_out(
    figure: Figure, without_text: FloatArray, without_annotator: FloatArray, without_cell: FloatArray
) -> VarianceParts:
    """The variance parts of any figure by the jackknife, from its values without each text, annotator and cell.

    without_text: (T,), without_annotator: (A,), without_cell: (C,). If only texts are treated as a sample, only
    without_text is used; if only annotators are, only without_annotator.
    """
    reason = figure.why_undefined() or _undefined_without(
        figure.sampled_factor(), without_text, without_annotator, without_cell
    )
    if reason:
        return figure.explain_no_interval(reason)
    drawn = figure.sampled_factor()
    texts = float(jackknife_variance(without_text)) if drawn != ANNOTATOR else math.nan
    annotators = float(jackknife_variance(without_annotator)) if drawn != TEXT else math.nan
    both = drawn == TEXT_AND_ANNOTATOR
    cells = shared_variance(figure.cells, without_cell - figure.value, capped=False) if both else math.nan
    return figure.with_parts(texts, annotators, cells, either=True)


def shared_variance(cells: Cells, h: FloatArray, *, capped: bool) -> float:
    """V_C, the part of the variance that V_T and V_A both contain, from the influences h (C,).

    It is Σ e² · C / f, with the residuals e of h and their degrees of freedom f. Without degrees of freedom, for
    instance if each text has one annotator, it is Σ h². capped: with few degrees of freedom (f < C / 4), at most Σ h².
    """
    f, count, raw = cells.freedom(), len(h), float((h**2).sum())
    if f < 1:
        return raw
    found = float((cells.residuals(h) ** 2).sum()) * count / f
    return min(found, raw) if capped and f < count / 4 else found


def jackknife_variance(without: FloatArray) -> FloatArray:
    """The jackknife variance (k - 1) / k · Σ (θ₍ᵢ₎ - mean)² along the last axis, which holds the k values left out."""
    k = without.shape[-1]
    return np.asarray((k - 1) / k * ((without - without.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1))


def effective_sample_size(loads: FloatArray) -> float:
    """The effective number of units with these loads, (Σ n)² / Σ n² (Kish 1965); NaN if all loads are 0."""
    squares = float((loads**2).sum())
    return float(loads.sum()) ** 2 / squares if squares else math.nan


def _undefined_without(drawn: str, text: FloatArray, annotator: FloatArray, cell: FloatArray) -> str:
    """The reason why a jackknife is not possible: a value that it needs is undefined. Empty if none is."""
    needed = {TEXT: (text,), ANNOTATOR: (annotator,)}.get(drawn, (text, annotator, cell))
    return UNDEFINED_WITHOUT_PART if any(np.isnan(values).any() for values in needed) else ""


def _correct(squares: float, effective: float) -> float:
    """A sum of squares with the correction n / (n - 1) for a small number of units; NaN for one unit."""
    return float(squares) * effective / (effective - 1) if effective > 1 else math.nan


def _scale(variance: float, effective: float, alpha: float) -> float:
    """t² · variance with effective - 1 degrees of freedom; 0 without variance, even if t is infinite."""
    return variance * float(stdtrit(effective - 1, alpha / 2)) ** 2 if variance > 0 else 0.0


def _on_logits(value: float, reach: float, bounds: Bounds) -> Bounds:
    """The ends logit θ ± reach / (θ (1 - θ)), transformed back to the scale of the value.

    θ is the place of the value between the bounds, from 0 to 1; the reach is in the same unit.
    """
    low, high = bounds
    place = (value - low) / (high - low)
    center, step = math.log(place / (1 - place)), reach / (high - low) / (place * (1 - place))
    ends = (low + (high - low) * _expit(center + sign * step) for sign in (-1, 1))
    return next(ends), next(ends)


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
