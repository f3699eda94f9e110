"""Informativity and its parts from counts, AUC, bits, signal detection, and how guessing changes later answers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analysis.measures.distributions import normal_quantile
from analysis.measures.intervals import Interval, cluster_interval
from analysis.measures.reader_intervals import FIXED, RANDOM, ReaderInfluence, Readers, jackknife_parts
from analysis.measures.types import BoolArray, FloatArray, IntArray, gettext_noop
from analysis.measures.variance_parts import VarianceParts


def tally(right: BoolArray, text: IntArray, texts: int) -> tuple[IntArray, IntArray]:
    """Right judgments and all judgments per text.

    right: (n,), whether each judgment was right. text: (n,), codes 0 to texts - 1. Gives two arrays (texts,) of
    counts; a text without judgments has 0 and 0. Their sums are the counts of the whole.
    """
    n = np.bincount(text, minlength=texts)
    return np.bincount(text[right], minlength=texts).astype(np.int64), n.astype(np.int64)


def share(right: int, n: int) -> float:
    """Right of n judgments, 0 to 1; NaN where n is 0. One division of pooled counts, not a mean of shares."""
    return int(right) / int(n) if n else math.nan


def informativity(read_right: int, read_n: int, guess_right: int, guess_n: int) -> float:
    """Answerability minus guessability, -1 to 1 (Säuberli & Clematide 2024); NaN where either has no judgment."""
    return share(read_right, read_n) - share(guess_right, guess_n)


LEAST = 2.0**-20  # smaller probabilities count as this one, so that one judgment costs at most 20 bits

NO_BOTH_KINDS = gettext_noop("There are no keys, or only keys, so keys and distractors cannot be compared.")


def auc(p: FloatArray, key: BoolArray) -> float:
    """Probability that a key gets a higher p(true) than a distractor, ties half; 0 to 1, NaN unless both occur.

    p: (n,) p(true) without NaN. key: (n,). Mann & Whitney's U over the number of pairs.
    """
    from scipy.stats import rankdata  # a second to load

    keys = int(key.sum())
    pairs = keys * (len(key) - keys)
    if not pairs:
        return math.nan
    return float((rankdata(p)[key].sum() - keys * (keys + 1) / 2) / pairs)


def auc_informativity(guess_p: FloatArray, read_p: FloatArray, key: BoolArray) -> float:
    """AUC with the text minus AUC without, -1 to 1, which needs no threshold; all (n,), NaN where p is missing."""
    guessed, judged = ~np.isnan(guess_p), ~np.isnan(read_p)
    return auc(read_p[judged], key[judged]) - auc(guess_p[guessed], key[guessed])


def clustered_auc(p: FloatArray, key: BoolArray, text: IntArray, *, seed: int) -> Interval:
    """Text-clustered interval of `auc`; text: (n,) whole numbers."""
    texts, groups = np.unique(text, return_inverse=True)
    area = _Area(p, key, groups, len(texts))
    return cluster_interval(area, len(texts), len(p), bounds=(0.0, 1.0), seed=seed)


def clustered_auc_informativity(
    guess_p: FloatArray, read_p: FloatArray, key: BoolArray, text: IntArray, *, seed: int
) -> Interval:
    """Text-clustered interval of `auc_informativity`, both areas recomputed in every replicate."""
    guessed, judged = ~np.isnan(guess_p), ~np.isnan(read_p)
    texts, groups = np.unique(text[guessed | judged], return_inverse=True)
    code = np.zeros(len(text), dtype=np.int64)
    code[guessed | judged] = groups
    read = _Area(read_p[judged], key[judged], code[judged], len(texts))
    guess = _Area(guess_p[guessed], key[guessed], code[guessed], len(texts))
    n = int(guessed.sum() + judged.sum())
    return cluster_interval(
        lambda weights: read(weights) - guess(weights), len(texts), n, bounds=(-1.0, 1.0), seed=seed
    )


class _Area:
    """AUC as a function of weights of texts; keys and distractors of each two texts are compared once, at the start."""

    def __init__(self, p: FloatArray, key: BoolArray, groups: IntArray, n_groups: int) -> None:
        order = np.argsort(p[key])
        keys, of_keys = p[key][order], groups[key][order]
        others, of_others = p[~key], groups[~key]
        self.above = np.zeros((n_groups, n_groups))
        for code in range(n_groups):
            # a distractor is below the keys from its insertion point up, ties half
            ends = [np.searchsorted(keys, others[of_others == code], side) for side in ("left", "right")]
            higher = np.add(*(np.bincount(end, minlength=len(keys) + 1) for end in ends)).cumsum()[:-1]
            self.above[:, code] = np.bincount(of_keys, weights=higher / 2, minlength=n_groups)
        self.keys = np.bincount(of_keys, minlength=n_groups).astype(np.float64)
        self.others = np.bincount(of_others, minlength=n_groups).astype(np.float64)

    def __call__(self, weights: FloatArray) -> FloatArray:
        pairs = (weights @ self.keys) * (weights @ self.others)
        return np.asarray(((weights @ self.above) * weights).sum(axis=1) / np.where(pairs > 0, pairs, np.nan))


@dataclass(frozen=True)
class Bits:
    """gain: (n,) bits that the text adds to the right label of each judgment, NaN where a p is missing.

    floored: how many probabilities of the right label were below 2^-20 and taken as that.
    """

    gain: FloatArray
    floored: int

    @property
    def mean(self) -> float:
        """Mean over the judgments that have both probabilities; NaN without any."""
        defined = self.gain[~np.isnan(self.gain)]
        return float(defined.mean()) if len(defined) else math.nan


def bits(guess_p: FloatArray, read_p: FloatArray, key: BoolArray) -> Bits:
    """log2 p(right label | text) - log2 p(right label): pointwise information of the text, all (n,); p is p(true)."""
    right = [np.where(key, p, 1 - p) for p in (read_p, guess_p)]
    with_text, without = (np.log2(np.maximum(p, LEAST)) for p in right)
    return Bits(np.asarray(with_text - without), int(sum((p < LEAST).sum() for p in right)))


@dataclass(frozen=True)
class Detection:
    """Ticking keys as a detection task; NaN where keys or distractors are missing, and `reason` says why.

    balanced: mean of the shares right on keys and on distractors. d_prime: separation. criterion: above 0 is a bias to
    leave unticked, below 0 one to tick. constant: accuracy of always leaving unticked. n_keys, n_others: judgments.
    """

    balanced: float
    d_prime: float
    criterion: float
    constant: float
    n_keys: int
    n_others: int
    reason: str = ""


def detection(ticked: BoolArray, key: BoolArray) -> Detection:
    """The detection measures of (n,) judgments; d′ and criterion add half a judgment to each count (Hautus 1995)."""
    n_keys, n_others = int(key.sum()), int((~key).sum())
    hits, false_alarms = int(ticked[key].sum()), int(ticked[~key].sum())
    constant = n_others / len(key) if len(key) else math.nan
    if not n_keys or not n_others:
        return Detection(math.nan, math.nan, math.nan, constant, n_keys, n_others, NO_BOTH_KINDS)
    hit, alarm = (normal_quantile((x + 0.5) / (n + 1)) for x, n in ((hits, n_keys), (false_alarms, n_others)))
    balanced = (hits / n_keys + (n_others - false_alarms) / n_others) / 2
    return Detection(balanced, float(hit - alarm), float(-(hit + alarm) / 2), constant, n_keys, n_others)


# Whether guessing an item changes how one answers it with the text.
#
# Per item: share right of those who had guessed it minus share right of those who had not, weighted by
# w = n₁n₀ / (n₁ + n₀); the plan decides at random who guesses, so this is an experiment.


@dataclass(frozen=True)
class CarryOver:
    """parts: the effect with its variance. n_items: items that both kinds of readers read; n_texts: their texts.
    others_only: share right of those who had not guessed, over all items."""

    parts: VarianceParts
    n_items: int
    n_texts: int
    others_only: float


def carry_over(
    item: IntArray,
    text: IntArray,
    annotator: IntArray,
    guessed: BoolArray,
    right: FloatArray,
    n: FloatArray,
    readers: Readers = RANDOM,
    bounds: tuple[float, float] = (-1.0, 1.0),
) -> CarryOver:
    """The carry-over, from sums by item and annotator with the text, all (m,): right of n judgments, guessed before or
    not. For times, right = minutes and n = 1. NaN where no item has both kinds of readers."""
    side = guessed.astype(np.int64)
    n_items = int(item.max(initial=-1)) + 1
    judged, hit = (
        np.bincount(2 * item + side, weights=each, minlength=2 * n_items).astype(np.float64).reshape(-1, 2)
        for each in (n, right)
    )
    both: BoolArray = np.asarray((judged > 0).all(axis=1))
    share = hit / np.where(judged > 0, judged, np.nan)
    weight = np.where(both, judged.prod(axis=1) / np.where(both, judged.sum(axis=1), 1.0), 0.0)
    difference = np.where(both, share[:, 1] - share[:, 0], 0.0)
    of_item = np.zeros(n_items, dtype=np.int64)
    of_item[item] = text
    texts, group = np.unique(of_item[both], return_inverse=True)
    total, weights = (
        np.bincount(group, weights=each[both], minlength=len(texts)).astype(np.float64)
        for each in (weight * difference, weight)
    )
    value, without = _mean_and_without(total, weights)
    others = judged[:, 0].sum()
    influence = None
    if readers != FIXED and both.any():
        at = both[item]
        pull = np.where(side == 1, 1.0, -1.0) * weight[item] / weights.sum()
        own = pull * (right - share[item, side] * n) / judged[item, side]
        deviation = weight[item] / weights.sum() * (difference[item] - value) * n / judged[item].sum(axis=1)
        influence = ReaderInfluence(text[at], annotator[at], n[at], (own + deviation)[at])
    parts = jackknife_parts(value, without, bounds=bounds, influence=influence)
    return CarryOver(parts, int(both.sum()), len(texts), float(hit[:, 0].sum() / others) if others else np.nan)


def _mean_and_without(total: FloatArray, weight: FloatArray) -> tuple[float, FloatArray]:
    """Σ total / Σ weight, and the same without each text."""
    if not weight.sum():
        return np.nan, np.zeros(0)
    left = weight.sum() - weight
    without = np.divide(total.sum() - total, left, out=np.full(len(left), np.nan), where=left > 0)
    return float(total.sum() / weight.sum()), without
