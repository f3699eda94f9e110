"""95 % intervals of fitted variance components: each text is left out in turn, for annotators each annotator.

The delete-one jackknife with t (Tukey 1958; Efron & Stein 1981), of more than `MOST_GROUPS` units the delete-a-group
jackknife (Kott 2001): SE² = (g-1)/g · Σ(θ₍ᵢ₎ - mean θ₍ᵢ₎)², θ ± t.975(g-1) · SE, not below 0. The covariances of
`analysis.measures.components` are computed anew each time; how they become variances stays as fitted on all answers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields

import numpy as np
from scipy.stats import t as student

from analysis.measures.components import (
    FittedComponents,
    Judgments,
    covariances,
    pair_covariance,
    pair_link,
)
from analysis.measures.intervals import JACKKNIFE, LEVEL, NO_SPREAD, TEXT, Interval, undefined
from analysis.measures.power import Components
from analysis.measures.types import BoolArray, FloatArray, IntArray, gettext_noop

MOST_GROUPS, FEWEST = 40, 3
MOST_JUDGMENTS = 200_000  # beyond which leaving parts out takes long, and components are known well anyway
ANNOTATOR = "annotator"

NOT_FITTED = gettext_noop("The answers do not tell it, so it stays as assumed.")
TOO_FEW = gettext_noop("An interval needs at least three texts, and for annotators at least three annotators.")
UNTOLD_WITHOUT = gettext_noop("Without some of the answers it cannot be fitted.")
TOO_MANY = gettext_noop("With so many judgments its interval is not computed, as somebody waits.")
SAME = gettext_noop("It is the same whatever is left out, so its spread cannot be estimated.")


def component_intervals(judgments: Judgments, fitted: FittedComponents) -> dict[str, Interval]:
    """By the name of each component; undefined with a reason where it was not fitted or too little is left."""
    names = [each.name for each in fields(Components)]
    values = {name: math.nan if name in fitted.assumed else getattr(fitted.components, name) for name in names}

    def without(kept: BoolArray) -> dict[str, float]:
        some = Judgments(*(getattr(judgments, each.name)[kept] for each in fields(Judgments)))
        return fitted.link.variances(covariances(some)) if fitted.link else {}

    found = {}
    many = len(judgments.right) > MOST_JUDGMENTS
    for unit, codes in ((TEXT, judgments.text), (ANNOTATOR, judgments.annotator)):
        replicates = [without(kept) for kept in left_out(codes)] if fitted.link and not many else []
        for name in names:
            if (name == ANNOTATOR) == (unit == ANNOTATOR):
                variances = np.array([each.get(name, math.nan) for each in replicates])
                found[name] = jackknife(values[name], np.sqrt(variances), unit, codes)
    return found


def text_spread_interval(text: IntArray, cell: IntArray, right: BoolArray, spread: float | None) -> Interval:
    """The same of what `fit_text_spread` found in the judgments of pairs."""
    covariance = pair_covariance(text, cell, right)
    if spread is None or covariance is None:
        return jackknife(math.nan, np.empty(0), TEXT, text)
    link = pair_link(text, cell, right, covariance)
    without = [pair_covariance(text[kept], cell[kept], right[kept]) for kept in left_out(text)]
    values = [math.nan if each is None else math.sqrt(link.shared_variance(each)) for each in without]
    return jackknife(spread, np.array(values), TEXT, text)


def left_out(codes: IntArray) -> Iterator[BoolArray]:
    """What is kept without each unit in turn, or without each of `MOST_GROUPS` groups; nothing of too few units."""
    units, place = np.unique(codes, return_inverse=True)
    if len(units) >= FEWEST:
        group = place % MOST_GROUPS
        yield from (group != left for left in range(group.max() + 1))


def jackknife(value: float, without: FloatArray, unit: str, codes: IntArray) -> Interval:
    """θ ± t · SE from θ without each group, (g,); empty where there are too few units."""
    g, about = len(without), (unit, len(np.unique(codes)), len(codes), None)
    if math.isnan(value):
        return undefined(JACKKNIFE, about, NOT_FITTED)
    if not g:
        return undefined(JACKKNIFE, about, TOO_MANY if len(codes) > MOST_JUDGMENTS else TOO_FEW)
    if np.isnan(without).any():
        return undefined(JACKKNIFE, about, UNTOLD_WITHOUT)
    error = math.sqrt((g - 1) / g * float(((without - without.mean()) ** 2).sum()))
    if error < NO_SPREAD:
        return undefined(JACKKNIFE, about, SAME)
    reach = float(student.ppf((1 + LEVEL) / 2, g - 1)) * error
    return Interval(max(value - reach, 0.0), value + reach, JACKKNIFE, *about[:3], g, None)
