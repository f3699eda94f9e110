"""The same items under two protocols: whether both rank them alike, and what an hour of people's time buys in each."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from analysis.measures.reliability import lengthen
from analysis.measures.text_parts import jackknife_parts
from analysis.measures.types import FloatArray, IntArray
from analysis.measures.variance_parts import VarianceParts

HOUR = 60.0


def rank_correlation(one: FloatArray, other: FloatArray) -> float:
    """Spearman's ρ; NaN below three pairs or where one side does not vary."""
    both = ~(np.isnan(one) | np.isnan(other))
    if both.sum() < 3:
        return np.nan
    x, y = rankdata(one[both]), rankdata(other[both])
    if not (x.std() > 0 and y.std() > 0):
        return np.nan
    return float(np.corrcoef(x, y)[0, 1])


def item_correlation(one: FloatArray, other: FloatArray, text: IntArray) -> VarianceParts:
    """ρ of items' scores (m,), with a jackknife over their texts (m,)."""
    texts = np.unique(text)
    without = np.array([rank_correlation(one[text != each], other[text != each]) for each in texts])
    return jackknife_parts(rank_correlation(one, other), without, bounds=(-1.0, 1.0))


def generator_correlation(one: FloatArray, other: FloatArray) -> VarianceParts:
    """ρ of generators' means, from sums and counts by text: (2, texts, generators) each, texts left out in turn."""
    value = rank_correlation(_means(one.sum(axis=1)), _means(other.sum(axis=1)))
    without = np.array(
        [
            rank_correlation(_means(one.sum(axis=1) - one[:, at]), _means(other.sum(axis=1) - other[:, at]))
            for at in range(one.shape[1])
        ]
    )
    return jackknife_parts(value, without, bounds=(-1.0, 1.0))


def _means(sums: FloatArray) -> FloatArray:
    return np.asarray(sums[0] / np.where(sums[1] > 0, sums[1], np.nan))


def reliability_of_an_hour(reliability: float, minutes: float) -> float:
    """α over texts of a set that takes so many minutes, stepped to one hour; NaN for α at most 0."""
    return lengthen(reliability, HOUR / minutes) if minutes > 0 and reliability > 0 else np.nan
