"""Intervals that take both texts and annotators as drawn; a judgment counts as often as its text and annotator come up.

Owen (2007), the pigeonhole bootstrap: somewhat too wide rather than too narrow.
"""

from __future__ import annotations

import numpy as np

from analysis.measures.intervals import CELLS, DRAWS, PERCENTILE, Interval, from_draws, undefined_interval, unit_by_unit
from analysis.measures.share_intervals import NO_GUESS, NO_READ
from analysis.measures.types import FloatArray, IntArray, gettext_noop

TEXT_AND_ANNOTATOR = "text × annotator"
TOO_FEW_OF_EITHER = gettext_noop("Resampling both needs at least two texts and two annotators with judgments.")


def two_way_share(right: IntArray, n: IntArray, *, seed: int) -> Interval:
    """Interval of Σ right / Σ n from counts (texts, annotators), 0 to 1; unit n is the texts with judgments."""
    reason = _why_not([n])
    if reason:
        return undefined_interval(PERCENTILE, _about([n], seed), reason)
    values = [_ratio(*block) for block in _draws([right, n], seed)]
    return from_draws(np.concatenate(values), _about([n], seed))


def two_way_contrast(
    read_right: IntArray, read_n: IntArray, guess_right: IntArray, guess_n: IntArray, *, seed: int
) -> Interval:
    """Interval of A - G, -1 to 1, from counts (texts, annotators), with both shares recomputed in every draw."""
    about = _about([read_n, guess_n], seed)
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


def _about(counts: list[IntArray], seed: int) -> tuple[str, int, int, int]:
    judged = np.sum(counts, axis=0)
    return TEXT_AND_ANNOTATOR, int(judged.any(axis=1).sum()), int(judged.sum()), seed


def _why_not(counts: list[IntArray]) -> str:
    judged = np.sum(counts, axis=0) > 0
    enough = judged.any(axis=1).sum() > 1 and judged.any(axis=0).sum() > 1
    return "" if enough else TOO_FEW_OF_EITHER
