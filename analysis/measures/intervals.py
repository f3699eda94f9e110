"""95 % intervals with texts as the unit of resampling (these annotators only) and with single judgments (as published).

The default convention, readers and texts, is in reader_intervals.py.

A statistic is a function of weights: given (b, k) weights, row by row how often each of k units is taken, it gives (b,)
values, NaN where undefined. Contrasts and means of coefficients are recomputed inside every replicate that way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from analysis.measures.distributions import t_above, t_quantile
from analysis.measures.types import FloatArray, IntArray, gettext_noop

Statistic = Callable[[FloatArray], FloatArray]
Statistics = Callable[[FloatArray], FloatArray]  # several at once: (b, k) weights give (b, m)
Bounds = tuple[float, float]
About = tuple[str, int, int, int | None]  # unit, n_units, n_responses, seed

LEVEL = 0.95
DRAWS = 10_000
FEW_TEXTS = 40  # below this percentiles of draws of texts are too narrow
UNDEFINED_DRAWS = 0.01  # the largest share of the draws that may be undefined and left out
NO_SPREAD = 1e-12  # a standard error below this is a rounding error
CELLS = 4_000_000  # numbers held at once in a block of draws

MOST_KEPT = 800  # texts whose draws are kept for the next figure: 64 MB

JACKKNIFE, PERCENTILE = "jackknife-t", "bootstrap-percentile"
TEXT, ANNOTATOR, JUDGMENT = "text", "annotator", "judgment"

NO_JUDGMENT = gettext_noop("There are no judgments to compute this from.")
ONE_TEXT = gettext_noop("Only one text has judgments here; an interval needs at least two.")
NO_VARIATION = gettext_noop("The value is the same in every replicate, so its spread cannot be estimated.")
UNDEFINED_WITHOUT_ONE = gettext_noop(
    "The value is undefined without one of its texts, so a jackknife over texts is not possible."
)
UNDEFINED_IN_DRAWS = gettext_noop("The value is undefined in more than one of a hundred draws.")
UNDEFINED_FIGURE = gettext_noop("The value is undefined for these judgments.")


@dataclass(frozen=True)
class Interval:
    """A 95 % interval and how it was computed; where it is undefined, low and high are NaN and `reason` says why.

    unit: what was left out or drawn; n_units of it, holding n_responses judgments. replicates: leave-one-outs, or the
    draws in which the figure is defined. seed: of the draws, None without any. The other fields belong to intervals
    over readers and texts (reader_intervals.py): Kish's effective numbers, the share of the variance that comes from
    readers, caveats to print with the interval, and a one-sided `bound` where the figure is at an end of its scale.
    """

    low: float
    high: float
    method: str
    unit: str
    n_units: int
    n_responses: int
    replicates: int
    seed: int | None
    reason: str = ""
    n_texts_effective: float | None = None
    n_annotators_effective: float | None = None
    share_from_readers: float | None = None
    caveats: tuple[str, ...] = ()
    bound: float | None = None


def cluster_interval(
    statistic: Statistic, k: int, n_responses: int, *, bounds: Bounds, seed: int, method: str = ""
) -> Interval:
    """The interval over texts of any statistic of k texts that have judgments; `method` overrides the choice by k.

    k < 2: undefined. k < 40: delete-one-text jackknife with t (Tukey 1958; Efron & Stein 1981), SE² = (k-1)/k ·
    Σ(θ₍ᵢ₎ - mean θ₍ᵢ₎)², θ ± t.975(k-1) · SE, clipped to `bounds`. k ≥ 40: 2.5 and 97.5 percentiles of 10,000 draws of
    k texts with replacement (Efron 1979). Undefined, rather than of width 0, if the replicates do not vary.
    """
    if (method or method_for(k)) == JACKKNIFE or k < 2:
        return _jackknife(statistic, k, n_responses, bounds)
    return _percentile(statistic, np.ones(k, dtype=np.int64), (TEXT, k, n_responses, seed))


def resample_interval(statistic: Statistic, counts: IntArray, n_responses: int, *, seed: int) -> Interval:
    """Percentiles of 10,000 draws of single units, all taken as independent (the published convention).

    counts: (m,), how many units of each of m kinds there are; the statistic's weights are over kinds. A draw has as
    many units as there are. Where units share texts or annotators this is too narrow: see bench/coverage.py.
    """
    about = (JUDGMENT, int(counts.sum()), n_responses, seed)
    return _percentile(statistic, counts, about) if counts.sum() else undefined_interval(PERCENTILE, about, NO_JUDGMENT)


def method_for(k: int) -> str:
    """The default method for k texts."""
    return JACKKNIFE if k < FEW_TEXTS else PERCENTILE


def cluster_intervals_together(
    statistics: Statistics, k: int, n_responses: int, *, bounds: Bounds, seed: int
) -> list[Interval]:
    """The default intervals of m figures that are computed together, such as strengths: one per column.

    The same as `cluster_interval` column by column, with every replicate computed once.
    """
    about: About = (TEXT, k, n_responses, seed)
    whole = statistics(np.ones((1, k)))[0]
    if method_for(k) == JACKKNIFE:
        without = statistics(np.ones((k, k)) - np.eye(k)) if k > 1 else np.full((1, len(whole)), math.nan)
        return [_student(theta, column, k, n_responses, bounds) for theta, column in zip(whole, without.T, strict=True)]
    drawn = np.concatenate([statistics(weights) for weights in _draws(np.ones(k, dtype=np.int64), seed)])
    return [
        undefined_interval(PERCENTILE, about, UNDEFINED_FIGURE) if math.isnan(theta) else from_draws(column, about)
        for theta, column in zip(whole, drawn.T, strict=True)
    ]


def _jackknife(statistic: Statistic, k: int, n_responses: int, bounds: Bounds) -> Interval:
    """θ ± t · SE over the k leave-one-out values, clipped."""
    theta = float(statistic(np.ones((1, k)))[0]) if k > 1 else math.nan
    without = statistic(np.ones((k, k)) - np.eye(k)) if k > 1 else np.empty(0)
    return _student(theta, without, k, n_responses, bounds)


def _student(theta: float, without: FloatArray, k: int, n_responses: int, bounds: Bounds) -> Interval:
    """θ ± t · SE from the values without each of the k texts, (k,)."""
    about: About = (TEXT, k, n_responses, None)
    if k < 2:
        return undefined_interval(JACKKNIFE, about, ONE_TEXT if k else NO_JUDGMENT)
    error = math.sqrt((k - 1) / k * float(((without - without.mean()) ** 2).sum()))
    reason = _why_not(theta, without, error)
    if reason:
        return undefined_interval(JACKKNIFE, about, reason)
    reach = float(t_quantile((1 + LEVEL) / 2, k - 1)) * error
    return Interval(max(theta - reach, bounds[0]), min(theta + reach, bounds[1]), JACKKNIFE, *about[:3], k, None)


def clip_interval(interval: Interval, bounds: Bounds) -> Interval:
    """The interval clipped to the range of its measure."""
    return replace(interval, low=max(interval.low, bounds[0]), high=min(interval.high, bounds[1]))


def p_of_zero(theta: float, interval: Interval) -> float:
    """Two-sided p that the figure θ is 0, by the error of its jackknife interval with t.(n_units - 1).

    interval: not clipped. Below .05 exactly where the interval leaves out 0; NaN without an interval.
    """
    freedom = interval.n_units - 1
    if math.isnan(interval.low):
        return math.nan
    error = (interval.high - interval.low) / 2 / float(t_quantile((1 + LEVEL) / 2, freedom))
    return 2 * float(t_above(abs(theta) / error, freedom))


def _why_not(theta: float, without: FloatArray, error: float) -> str:
    """Why there is no jackknife interval; empty where there is one."""
    if math.isnan(theta):
        return UNDEFINED_FIGURE
    if np.isnan(without).any():
        return UNDEFINED_WITHOUT_ONE
    return NO_VARIATION if error <= NO_SPREAD * max(1.0, abs(theta)) else ""


def _percentile(statistic: Statistic, counts: IntArray, about: About) -> Interval:
    """Percentiles over draws with replacement from counts.sum() units."""
    if math.isnan(float(statistic(counts[None, :].astype(np.float64))[0])):
        return undefined_interval(PERCENTILE, about, UNDEFINED_FIGURE)
    return from_draws(np.concatenate([statistic(weights) for weights in _draws(counts, about[3])]), about)


def _draws(counts: IntArray, seed: int | None) -> Iterable[FloatArray]:
    """Weights of 10,000 draws of counts.sum() units with replacement, in blocks of bounded size."""
    if len(counts) <= MOST_KEPT and (counts == 1).all():
        return _draws_of_texts(len(counts), seed)
    return _draw_counts(counts, seed)


@lru_cache(maxsize=1)
def _draws_of_texts(k: int, seed: int | None) -> tuple[FloatArray, ...]:
    """The draws of k texts, cached because every figure of a report is recomputed on the same ones."""
    blocks = tuple(_draw_counts(np.ones(k, dtype=np.int64), seed))
    for block in blocks:
        block.setflags(write=False)
    return blocks


def _draw_counts(counts: IntArray, seed: int | None) -> Iterator[FloatArray]:
    rng = np.random.default_rng(seed)
    rows = max(1, CELLS // max(len(counts), 1))
    # multinomial counts pay off where each kind has many units, drawing unit by unit where kinds are nearly all single
    draw = draw_unit_by_unit if counts.sum() <= 4 * len(counts) else _draw_by_kind
    for start in range(0, DRAWS, rows):
        yield draw(counts, min(rows, DRAWS - start), rng).astype(np.float64)


def _draw_by_kind(counts: IntArray, rows: int, rng: np.random.Generator) -> IntArray:
    n = int(counts.sum())
    return rng.multinomial(n, counts / n, size=rows)


def draw_unit_by_unit(counts: IntArray, rows: int, rng: np.random.Generator) -> IntArray:
    """(rows, kinds): how often each kind is among counts.sum() draws with replacement of units, counts (kinds,)."""
    kinds, n = len(counts), int(counts.sum())
    drawn = np.repeat(np.arange(kinds), counts)[rng.integers(n, size=(rows, n))]
    drawn += kinds * np.arange(rows)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * kinds).reshape(rows, kinds)


def from_draws(values: FloatArray, about: About) -> Interval:
    """Percentiles of the defined draws; undefined if too many are not, or if all are equal."""
    defined = values[~np.isnan(values)]
    if len(values) - len(defined) > UNDEFINED_DRAWS * len(values):
        return undefined_interval(PERCENTILE, about, UNDEFINED_IN_DRAWS)
    if np.ptp(defined) <= NO_SPREAD * max(1.0, float(np.abs(defined).max())):
        return undefined_interval(PERCENTILE, about, NO_VARIATION)
    low, high = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return Interval(low, high, PERCENTILE, *about[:3], len(defined), about[3])


def undefined_interval(method: str, about: About, reason: str) -> Interval:
    """An interval without ends, and the reason."""
    return Interval(math.nan, math.nan, method, *about[:3], 0, about[3], reason)


# Shares, means and differences of shares, from sums per text or from plain counts -------------------------------------


NO_GUESS = gettext_noop("There is no judgment without the text, so there is no difference.")
NO_READ = gettext_noop("There is no judgment with the text, so there is no difference.")


def clustered_mean(
    total: FloatArray | IntArray, n: IntArray, *, bounds: Bounds = (0.0, 1.0), seed: int, method: str = ""
) -> Interval:
    """Text-clustered interval of Σ total / Σ n: a share (total = right judgments) or a mean (total = sum of ratings).

    total, n: (texts,) sums per text. A text without judgments does not count. Each replicate is one division of sums.
    """
    has = n > 0
    statistic = _mean(total[has], n[has])
    return cluster_interval(statistic, int(has.sum()), int(n.sum()), bounds=bounds, seed=seed, method=method)


def clustered_contrast(
    read_right: IntArray, read_n: IntArray, guess_right: IntArray, guess_n: IntArray, *, seed: int, method: str = ""
) -> Interval:
    """Text-clustered interval of answerability minus guessability (A - G), -1 to 1; each replicate recomputes both.

    All (texts,) counts. A text with judgments in only one stage is one of the k texts and affects that stage's share.
    method: jackknife or percentile whatever k is; the default goes by k.
    """
    has = (read_n + guess_n) > 0
    k, n_responses = int(has.sum()), int(read_n.sum() + guess_n.sum())
    missing = _missing_stage(read_n, guess_n)
    if missing:
        return undefined_interval(method_for(k), (TEXT, k, n_responses, None), missing)
    read, guess = _mean(read_right[has], read_n[has]), _mean(guess_right[has], guess_n[has])
    bounds = (-1.0, 1.0)
    return cluster_interval(
        lambda weights: read(weights) - guess(weights), k, n_responses, bounds=bounds, seed=seed, method=method
    )


def published_share(right: int, n: int, *, seed: int) -> Interval:
    """Percentiles of 10,000 draws of n single judgments: the number right in a draw is binomial(n, right / n)."""
    about = (JUDGMENT, int(n), int(n), seed)
    if n == 0:
        return undefined_interval(PERCENTILE, about, NO_JUDGMENT)
    return from_draws(_binomial_shares(np.random.default_rng(seed), right, n), about)


def published_contrast(read_right: int, read_n: int, guess_right: int, guess_n: int, *, seed: int) -> Interval:
    """A - G as published: judgments with and without the text are drawn separately and subtracted inside each draw."""
    n = int(read_n) + int(guess_n)
    about = (JUDGMENT, n, n, seed)
    missing = _missing_stage(np.array([read_n]), np.array([guess_n]))
    if missing:
        return undefined_interval(PERCENTILE, about, missing)
    rng = np.random.default_rng(seed)
    return from_draws(_binomial_shares(rng, read_right, read_n) - _binomial_shares(rng, guess_right, guess_n), about)


def published_mean(values: FloatArray | IntArray, counts: IntArray, *, seed: int) -> Interval:
    """Percentiles of 10,000 draws of single ratings; counts[i] of them have values[i], both (m,)."""
    return resample_interval(
        _mean(values.astype(np.float64), np.ones(len(values))), counts, int(counts.sum()), seed=seed
    )


def _mean(total: FloatArray | IntArray, n: FloatArray | IntArray) -> Statistic:
    """Σ w · total / Σ w · n, NaN where nothing is drawn. Whole numbers stay whole until the division."""
    both = np.stack([total, n], axis=1).astype(np.float64)

    def statistic(weights: FloatArray) -> FloatArray:
        sums = weights @ both
        with np.errstate(invalid="ignore"):
            return np.asarray(sums[:, 0] / np.where(sums[:, 1] > 0, sums[:, 1], np.nan))

    return statistic


def _missing_stage(read_n: IntArray, guess_n: IntArray) -> str:
    """Why a difference has no value; empty where it has one."""
    read, guess = int(read_n.sum()), int(guess_n.sum())
    if read and guess:
        return ""
    return NO_READ if guess else NO_GUESS if read else NO_JUDGMENT


def _binomial_shares(rng: np.random.Generator, right: int, n: int) -> FloatArray:
    """Shares right in 10,000 draws of n judgments."""
    return np.asarray(rng.binomial(n, right / n, size=DRAWS) / n)


# Intervals for which both texts and annotators are drawn; a judgment counts (times its text is drawn) × (times its
# annotator is drawn).
#
# Owen (2007), the pigeonhole bootstrap: somewhat too wide rather than too narrow.

TEXT_AND_ANNOTATOR = "text × annotator"
TOO_FEW_OF_EITHER = gettext_noop("Resampling both needs at least two texts and two annotators with judgments.")


def two_way_share(right: IntArray, n: IntArray, *, seed: int) -> Interval:
    """Interval of Σ right / Σ n from counts (texts, annotators), 0 to 1; n_units: the texts with judgments."""
    reason = _explain_no_interval([n])
    if reason:
        return undefined_interval(PERCENTILE, _interval_facts([n], seed), reason)
    values = [_ratio(*block) for block in _bootstrap_draws([right, n], seed)]
    return from_draws(np.concatenate(values), _interval_facts([n], seed))


def two_way_contrast(
    read_right: IntArray, read_n: IntArray, guess_right: IntArray, guess_n: IntArray, *, seed: int
) -> Interval:
    """Interval of A - G, -1 to 1, from counts (texts, annotators), with both shares recomputed in every draw."""
    about = _interval_facts([read_n, guess_n], seed)
    reason = NO_READ if not read_n.sum() else NO_GUESS if not guess_n.sum() else _explain_no_interval([read_n, guess_n])
    if reason:
        return undefined_interval(PERCENTILE, about, reason)
    values = [
        _ratio(read, of_read) - _ratio(guess, of_guess)
        for read, of_read, guess, of_guess in _bootstrap_draws([read_right, read_n, guess_right, guess_n], seed)
    ]
    return from_draws(np.concatenate(values), about)


def _bootstrap_draws(tables: list[IntArray], seed: int) -> list[list[FloatArray]]:
    """Blocks of draws: per table (b,) its sum with texts and annotators weighted by how often each was drawn."""
    rng = np.random.default_rng(seed)
    judged = np.sum(tables[1::2], axis=0)
    kept = [table[judged.any(axis=1)][:, judged.any(axis=0)].astype(np.float64) for table in tables]
    texts, annotators = kept[0].shape
    rows = max(1, CELLS // max(texts, annotators))
    blocks = []
    for start in range(0, DRAWS, rows):
        b = min(rows, DRAWS - start)
        of_text, of_annotator = (
            draw_unit_by_unit(np.ones(k, dtype=np.int64), b, rng).astype(np.float64) for k in (texts, annotators)
        )
        blocks.append([((of_text @ table) * of_annotator).sum(axis=1) for table in kept])
    return blocks


def _ratio(right: FloatArray, n: FloatArray) -> FloatArray:
    return np.asarray(right / np.where(n > 0, n, np.nan))


def _interval_facts(counts: list[IntArray], seed: int) -> tuple[str, int, int, int]:
    judged = np.sum(counts, axis=0)
    return TEXT_AND_ANNOTATOR, int(judged.any(axis=1).sum()), int(judged.sum()), seed


def _explain_no_interval(counts: list[IntArray]) -> str:
    judged = np.sum(counts, axis=0) > 0
    enough = judged.any(axis=1).sum() > 1 and judged.any(axis=0).sum() > 1
    return "" if enough else TOO_FEW_OF_EITHER
