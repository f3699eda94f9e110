"""Intervals of shares, means and differences of shares, from sums per text or from plain counts."""

from __future__ import annotations

import numpy as np

from analysis.measures.intervals import (
    CELLS,
    DRAWS,
    JUDGMENT,
    NO_JUDGMENT,
    PERCENTILE,
    TEXT,
    Bounds,
    Interval,
    Statistic,
    cluster_interval,
    from_draws,
    method_for,
    resample_interval,
    undefined_interval,
    unit_by_unit,
)
from analysis.measures.types import FloatArray, IntArray, gettext_noop

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
    """Text-clustered interval of A - G, -1 to 1, with both shares recomputed in every replicate.

    All (texts,) counts. A text with judgments of one stage only counts among the k texts and moves that stage's share.
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
    """Interval of Σ right / Σ n from counts (texts, annotators), 0 to 1; unit n is the texts with judgments."""
    reason = _why_not([n])
    if reason:
        return undefined_interval(PERCENTILE, _interval_facts([n], seed), reason)
    values = [_ratio(*block) for block in _draws([right, n], seed)]
    return from_draws(np.concatenate(values), _interval_facts([n], seed))


def two_way_contrast(
    read_right: IntArray, read_n: IntArray, guess_right: IntArray, guess_n: IntArray, *, seed: int
) -> Interval:
    """Interval of A - G, -1 to 1, from counts (texts, annotators), with both shares recomputed in every draw."""
    about = _interval_facts([read_n, guess_n], seed)
    reason = NO_READ if not read_n.sum() else NO_GUESS if not guess_n.sum() else _why_not([read_n, guess_n])
    if reason:
        return undefined_interval(PERCENTILE, about, reason)
    values = [
        _ratio(read, of_read) - _ratio(guess, of_guess)
        for read, of_read, guess, of_guess in _draws([read_right, read_n, guess_right, guess_n], seed)
    ]
    return from_draws(np.concatenate(values), about)


def _draws(tables: list[IntArray], seed: int) -> list[list[FloatArray]]:
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
            unit_by_unit(np.ones(k, dtype=np.int64), b, rng).astype(np.float64) for k in (texts, annotators)
        )
        blocks.append([((of_text @ table) * of_annotator).sum(axis=1) for table in kept])
    return blocks


def _ratio(right: FloatArray, n: FloatArray) -> FloatArray:
    return np.asarray(right / np.where(n > 0, n, np.nan))


def _interval_facts(counts: list[IntArray], seed: int) -> tuple[str, int, int, int]:
    judged = np.sum(counts, axis=0)
    return TEXT_AND_ANNOTATOR, int(judged.any(axis=1).sum()), int(judged.sum()), seed


def _why_not(counts: list[IntArray]) -> str:
    judged = np.sum(counts, axis=0) > 0
    enough = judged.any(axis=1).sum() > 1 and judged.any(axis=0).sum() > 1
    return "" if enough else TOO_FEW_OF_EITHER
