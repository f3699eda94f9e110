"""Before anyone annotates: expected width of intervals and power of a plan, by simulating studies.

A judgment is right with probability logistic(mean + text + annotator + item + option + text × stage), each a normal
deviation with a standard deviation that a researcher can set. Text and annotator are the same for all generators and in
both stages; an item's and option's difficulty is another one without the text, and so is that of a generator's items on
a text (text × stage). Intervals are text-clustered jackknives, also where reports would take percentiles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from analysis.measures.intervals import LEVEL
from analysis.measures.types import BoolArray, FloatArray, IntArray

STUDIES = 1000


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
        """Of all of them together."""
        return math.hypot(self.text, self.item, self.option, self.annotator, self.text_stage)


@dataclass(frozen=True)
class Plan:
    """texts that each have `generators` × `items` × `options`; every annotator reads all, and guesses one generator."""

    texts: int
    annotators: int
    generators: int = 3
    items: int = 3
    options: int = 3


@dataclass(frozen=True)
class Outlook:
    """What a plan would give: power of the difference being seen as other than 0, with the simulation's own error.

    width: mean width of the interval of informativity. difference_width: of the interval of the difference. studies:
    simulated ones, seed: of the draws.
    """

    power: float
    power_error: float
    width: float
    difference_width: float
    studies: int
    seed: int


def guess_then_read_outlook(
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
    spread, rng = components or Components(), np.random.default_rng(seed)
    means = [logit_of(share, spread.total) for share in (guess, *read)]
    drawn = [_study(plan, means, spread, rng) for _ in range(studies)]
    widths, differences, seen = (np.array([one[place] for one in drawn]) for place in range(3))
    power = float(seen.mean())
    error = math.sqrt(power * (1 - power) / studies)
    return Outlook(power, error, float(np.nanmean(widths)), float(np.nanmean(differences)), studies, seed)


def logit_of(share: float, spread: float) -> float:
    """The mean logit at which logistic(mean + normal(0, spread)) is `share` on average, 0 < share < 1; by bisection."""
    low, high = -40.0, 40.0
    for _halving in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if expected_share(middle, spread) < share else (low, middle)
    return (low + high) / 2


def expected_share(logit: float, spread: float) -> float:
    """Mean of logistic(logit + normal(0, spread)), by Gauss-Hermite quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    return float((weights / (1 + np.exp(-logit - spread * nodes))).sum() / weights.sum())


def _study(plan: Plan, means: list[float], spread: Components, rng: np.random.Generator) -> tuple[float, float, bool]:
    """Width of informativity's interval, of the difference's, and whether the latter leaves out 0."""
    common = rng.normal(0, spread.text, (1, plan.texts, 1, 1, 1)) + rng.normal(0, spread.annotator, plan.annotators)
    guessed = _guessed(plan)
    guess_right = _right(plan, means[:1] * 2, common, spread, rng) & guessed
    read_right = _right(plan, means[1:], common, spread, rng)
    inner, each = (2, 3, 4), plan.items * plan.options
    n_read = np.full((2, plan.texts), each * plan.annotators)
    shares = _left_out(read_right.sum(axis=inner), n_read) - _left_out(
        guess_right.sum(axis=inner), each * guessed.sum(axis=inner)
    )
    width, _sure = _interval(shares[0])
    difference_width, sure = _interval(shares[0] - shares[1])
    return width, difference_width, sure


def _right(
    plan: Plan, means: list[float], common: FloatArray, spread: Components, rng: np.random.Generator
) -> BoolArray:
    """(2 generators, texts, items, options, annotators): right judgments of one stage, as if everybody judged all."""
    logits = (
        np.array(means)[:, None, None, None, None]
        + common
        + rng.normal(0, spread.text_stage, (2, plan.texts, 1, 1, 1))
        + rng.normal(0, spread.item, (2, plan.texts, plan.items, 1, 1))
        + rng.normal(0, spread.option, (2, plan.texts, plan.items, plan.options, 1))
    )
    return np.asarray(rng.random(logits.shape) < _logistic(logits))


def _guessed(plan: Plan) -> BoolArray:
    """(2, texts, 1, 1, annotators): who guesses the items of the two generators, in turns over texts and annotators."""
    turn = (np.arange(plan.texts)[:, None] + np.arange(plan.annotators)[None, :]) % plan.generators
    return np.asarray(turn[None, :, None, None, :] == np.arange(2)[:, None, None, None, None])


def _left_out(right: IntArray, n: IntArray) -> FloatArray:
    """(2, texts + 1) shares right: of all texts, then without each; from counts (2, texts)."""
    totals = [part.sum(axis=1, keepdims=True) for part in (right, n)]
    sums = [np.concatenate([total, total - part], axis=1) for total, part in zip(totals, (right, n), strict=True)]
    return np.asarray(sums[0] / np.where(sums[1] > 0, sums[1], np.nan))


def _interval(values: FloatArray) -> tuple[float, bool]:
    """Width of the jackknife interval, and whether it leaves out 0; from the whole and the leave-one-outs."""
    without, k = values[1:], len(values) - 1
    error = math.sqrt((k - 1) / k * float(((without - without.mean()) ** 2).sum()))
    reach = float(student.ppf((1 + LEVEL) / 2, k - 1)) * error
    return 2 * reach, bool(abs(values[0]) > reach > 0)


def _logistic(logits: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-logits)))


def pairwise_outlook(
    texts: int, judgments: int, share: float, *, text_spread: float = 0.5, seed: int, studies: int = STUDIES
) -> Outlook:
    """Two generators compared item by item: how surely is one seen as preferred to the other.

    texts: each with `judgments` untied ones of this pair of generators. share: how often the first is preferred, over
    texts whose own logits spread by text_spread. width and difference_width are both the share's.
    """
    rng = np.random.default_rng(seed)
    logits = logit_of(share, text_spread) + rng.normal(0, text_spread, (studies, texts))
    preferred = rng.binomial(judgments, _logistic(logits))
    n = np.full((studies, texts), judgments)
    found = [_interval(row) for row in _left_out(preferred, n) - 0.5]
    widths, seen = np.array([one[0] for one in found]), np.array([one[1] for one in found])
    power = float(seen.mean())
    width = float(np.nanmean(widths))
    return Outlook(power, math.sqrt(power * (1 - power) / studies), width, width, studies, seed)
