"""Before anyone annotates: expected interval widths and power of a plan, by simulating studies.

A judgment is right with probability logistic(mean + text + annotator + item + option + text × stage), each a normal
deviation with a standard deviation that a researcher can set. Text and annotator are the same for all generators and in
both stages; an item's and an option's difficulty differ between the stages, and so does that of a generator's
items on a text (text × stage). Intervals are over texts, for these annotators only, always by the jackknife, even where
reports use percentiles; with `over_readers` they are over readers and texts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Literal, TypeVar

import numpy as np

from analysis.measures.distributions import t_quantile
from analysis.measures.intervals import LEVEL
from analysis.measures.reader_intervals import Arm, readers_contrast
from analysis.measures.types import BoolArray, FloatArray, IntArray

STUDIES = 1000
AT_ONCE = 4_000_000  # judgments that are drawn at once: some 50 MB


@dataclass(frozen=True)
class Components:
    """Standard deviations in logits, per text, item, option, annotator, and text × stage."""

    text: float = 0.5
    item: float = 0.8
    option: float = 0.6
    annotator: float = 0.4
    text_stage: float = 0.4

    @property
    def total(self) -> float:
        """The standard deviation of their sum."""
        return math.hypot(self.text, self.item, self.option, self.annotator, self.text_stage)


@dataclass(frozen=True)
class Plan:
    """The size of a study: how many texts, generators, items per text and generator, options per item, and people.

    annotators: how many people read each text. pool: how many people there are in all; None for as many as
    `annotators`, so that everybody reads everything. Before reading a text, each person guesses the items of one
    generator, which alternates over texts and people.
    """

    texts: int
    annotators: int
    generators: int = 3
    items: int = 3
    options: int = 3
    pool: int | None = None

    @property
    def judgments(self) -> int:
        """The number of answers about two generators that a simulated study draws, of both stages."""
        return 4 * self.texts * self.annotators * self.items * self.options


@dataclass(frozen=True)
class Outlook:
    """The prediction for a plan, from simulated studies.

    power: the share of studies that detect the difference, and power_error its standard error. width: mean width of the
    interval of informativity. difference_width: that of the interval of the difference. studies: how many were
    simulated. seed: the seed of the random numbers.
    """

    power: float
    power_error: float
    width: float
    difference_width: float
    studies: int
    seed: int


def informativity_outlook(
    plan: Plan,
    guess: float,
    read: tuple[float, float],
    *,
    seed: int,
    components: Components | None = None,
    studies: int = STUDIES,
) -> Outlook:
    """Two generators compared by informativity: answerability read[0] and read[1], guessability `guess` of both.

    The power is that of a text-clustered jackknife interval of the difference of the two informativities.
    """
    return informativity_curve(
        plan, ("texts", [plan.texts]), guess, read, seed=seed, components=components, studies=studies
    )[0]


def informativity_curve(
    plan: Plan,
    axis: tuple[Literal["texts", "annotators", "items"], Sequence[int]],
    guess: float,
    read: tuple[float, float],
    *,
    seed: int,
    components: Components | None = None,
    studies: int = STUDIES,
    over_readers: bool = False,
) -> list[Outlook]:
    """The outlook of the plan at each size along one axis, everything else as in the plan.

    Studies are drawn once at the largest size, and smaller ones are parts of them, so that a curve does not jump
    randomly from size to size. guess, read: as in `informativity_outlook`.
    """
    name, sizes = axis
    spread, rng = components or Components(), np.random.default_rng(seed)
    largest = replace(plan, **{name: max(sizes)})
    means = [logit_of(share, spread.total) for share in (guess, *read)]
    parts: list[list[FloatArray]] = [[] for _size in sizes]
    left = studies
    while left:
        n = min(left, max(1, AT_ONCE // largest.judgments))
        guess_right, read_right, guessed = _draw_studies(largest, means, spread, rng, n)
        for part, size in zip(parts, sizes, strict=True):
            counts = _part(guess_right, name, size), _part(read_right, name, size), _part(guessed, name, size)
            found = _measure_over_readers if over_readers else _measure_studies
            part.append(found(*counts, replace(plan, **{name: size})))
        left -= n
    return [_outlook(np.concatenate(part, axis=1), studies, seed) for part in parts]


@lru_cache(maxsize=4096)
def logit_of(share: float, spread: float) -> float:
    """The mean logit at which logistic(mean + normal(0, spread)) is `share` on average, 0 < share < 1; by bisection."""
    low, high = -40.0, 40.0
    for _halving in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if expected_share(middle, spread) < share else (low, middle)
    return (low + high) / 2


def expected_share(logit: float, spread: float) -> float:
    """Mean of logistic(logit + normal(0, spread)), by Gauss-Hermite quadrature."""
    nodes, weights = normal_nodes(80)
    return float((weights / (1 + np.exp(-logit - spread * nodes))).sum())


@cache
def normal_nodes(n: int) -> tuple[FloatArray, FloatArray]:
    """(n,) points of a standard normal and their weights, which add up to 1: Gauss-Hermite quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(n)
    return nodes, weights / weights.sum()


Counts = TypeVar("Counts", IntArray, BoolArray)
AXES = {"texts": 2, "items": 3, "annotators": 4}  # of counts (studies, 2 generators, texts, items, annotators)


def _draw_studies(
    plan: Plan, means: list[float], spread: Components, rng: np.random.Generator, studies: int
) -> tuple[IntArray, IntArray, BoolArray]:
    """Right options without the text (0 where not guessed) and with it, (studies, 2, texts, items, annotators) each;
    and who guesses, (1, 2, texts, 1, annotators)."""
    people = _normal(rng, spread.annotator, (studies, plan.pool or plan.annotators))
    common = (
        _normal(rng, spread.text, (studies, 1, plan.texts, 1, 1, 1)) + people[:, _readers(plan)][:, None, :, None, None]
    )
    guessed = _assign_guesses(plan)
    guess_right = _draw_right(plan, means[:1] * 2, common, spread, rng) * guessed
    return guess_right, _draw_right(plan, means[1:], common, spread, rng), guessed


def _readers(plan: Plan) -> IntArray:
    """(texts, annotators): who of the pool reads each text, in turns."""
    place = np.arange(plan.texts)[:, None] * plan.annotators + np.arange(plan.annotators)
    return np.asarray(place % (plan.pool or plan.annotators))


def _assign_guesses(plan: Plan) -> BoolArray:
    """(1, 2, texts, 1, annotators): who guesses the items of the two generators, in turns over texts and annotators."""
    turn = (np.arange(plan.texts)[:, None] + np.arange(plan.annotators)[None, :]) % plan.generators
    return np.asarray(turn[None, None, :, None, :] == np.arange(2)[None, :, None, None, None])


def _draw_right(
    plan: Plan, means: list[float], common: FloatArray, spread: Components, rng: np.random.Generator
) -> IntArray:
    """(studies, 2 generators, texts, items, annotators): right options of one stage, as if everybody judged all."""
    many = len(common)
    logits = (
        np.array(means, dtype=np.float32)[:, None, None, None, None]
        + common
        + _normal(rng, spread.text_stage, (many, 2, plan.texts, 1, 1, 1))
        + _normal(rng, spread.item, (many, 2, plan.texts, plan.items, 1, 1))
        + _normal(rng, spread.option, (many, 2, plan.texts, plan.items, plan.options, 1))
    )
    return np.asarray((rng.random(logits.shape, dtype=np.float32) < _logistic(logits)).sum(axis=4))


def _normal(rng: np.random.Generator, spread: float, shape: tuple[int, ...]) -> FloatArray:
    return np.asarray(rng.standard_normal(shape, dtype=np.float32) * np.float32(spread))


def _part(counts: Counts, axis: str, size: int) -> Counts:
    """The first `size` along the axis."""
    return counts if counts.shape[AXES[axis]] == 1 else counts.take(np.arange(size), axis=AXES[axis])


def _measure_studies(guess_right: IntArray, read_right: IntArray, guessed: BoolArray, plan: Plan) -> FloatArray:
    """(3, studies): width of informativity's interval, of the difference's, and whether the latter leaves out 0."""
    _studies, _two, texts, items, annotators = read_right.shape
    n_read = np.full((1, 2, texts), items * plan.options * annotators)
    n_guess = items * plan.options * guessed.sum(axis=(3, 4))
    shares = _leave_one_out(read_right.sum(axis=(3, 4)), n_read) - _leave_one_out(guess_right.sum(axis=(3, 4)), n_guess)
    width, _sure = _intervals(shares[:, 0], 1)
    difference_width, sure = _intervals(shares[:, 0] - shares[:, 1], 2)
    return np.stack([width, difference_width, sure])


def _measure_over_readers(guess_right: IntArray, read_right: IntArray, guessed: BoolArray, plan: Plan) -> FloatArray:
    """The same as `_measure_studies`, with intervals over readers and texts."""
    _studies, _two, texts, items, annotators = read_right.shape
    readers = _readers(plan)
    text = np.repeat(np.arange(texts), annotators)
    n_guess = np.broadcast_to(items * plan.options * guessed.sum(axis=3)[0], (2, texts, annotators))
    n_read = np.full((2, texts, annotators), items * plan.options)

    def arms(right: IntArray, n: IntArray) -> list[Arm]:
        return [
            Arm(text, readers.ravel(), of.ravel().astype(np.float64), count.ravel().astype(np.float64))
            for of, count in zip(right, n, strict=True)
        ]

    found = np.empty((3, len(read_right)))
    for study, (guess, read) in enumerate(zip(guess_right.sum(axis=3), read_right.sum(axis=3), strict=True)):
        (g_one, g_other), (r_one, r_other) = arms(guess, n_guess), arms(read, n_read)
        own = readers_contrast((r_one,), (g_one,))
        difference = readers_contrast((r_one, g_other), (g_one, r_other), bounds=(-2.0, 2.0))
        sure = difference.low > 0 or difference.high < 0
        found[:, study] = own.high - own.low, difference.high - difference.low, sure
    return found


def _leave_one_out(right: IntArray, n: IntArray) -> FloatArray:
    """(…, texts + 1) shares right: of all texts, then without each; from counts (…, texts)."""
    totals = [part.sum(axis=-1, keepdims=True) for part in (right, n)]
    sums = [np.concatenate([total, total - part], axis=-1) for total, part in zip(totals, (right, n), strict=True)]
    return np.asarray(sums[0] / np.where(sums[1] > 0, sums[1], np.nan))


def _intervals(values: FloatArray, most: float) -> tuple[FloatArray, BoolArray]:
    """Widths of jackknife intervals (studies,), and whether they leave out 0; from values (studies, 1 + texts).

    No value is outside -most and most, so intervals are clipped there, as in reports.
    """
    without, k = values[:, 1:], values.shape[1] - 1
    if k < 2:
        return np.full(len(values), np.nan), np.zeros(len(values), dtype=bool)
    deviations = without - without.mean(axis=1, keepdims=True)
    reach = float(t_quantile((1 + LEVEL) / 2, k - 1)) * np.sqrt((k - 1) / k * (deviations**2).sum(axis=1))
    width = np.minimum(values[:, 0] + reach, most) - np.maximum(values[:, 0] - reach, -most)
    return width, (np.abs(values[:, 0]) > reach) & (reach > 0)


def _outlook(found: FloatArray, studies: int, seed: int) -> Outlook:
    """The means over studies, from (3, studies); NaN where no study has an interval."""
    width, difference_width = (float(np.nanmean(row)) if not np.isnan(row).all() else math.nan for row in found[:2])
    power = math.nan if math.isnan(width + difference_width) else float(found[2].mean())
    return Outlook(power, math.sqrt(power * (1 - power) / studies), width, difference_width, studies, seed)


def _logistic(logits: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-logits)))


def preference_outlook(
    texts: int, judgments: int, share: float, *, text_spread: float = 0.5, seed: int, studies: int = STUDIES
) -> Outlook:
    """The outlook for two generators whose items are compared in pairs: the power of detecting that one is preferred.

    judgments: how many judgments of this pair of generators each text has, without ties. share: how often the first
    generator is preferred on average. text_spread: the standard deviation of this preference over texts, in logits.
    width and difference_width are both the mean width of the interval of the share.
    """
    rng = np.random.default_rng(seed)
    logits = logit_of(share, text_spread) + rng.normal(0, text_spread, (studies, texts))
    preferred = rng.binomial(judgments, _logistic(logits))
    widths, seen = _intervals(_leave_one_out(preferred, np.full((studies, texts), judgments)) - 0.5, 0.5)
    return _outlook(np.stack([widths, widths, seen]), studies, seed)
