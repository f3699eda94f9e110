"""The scores on each dimension: how far people agree, how dimensions go together, how often each score was given."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.choices import ANNOTATORS, PUBLISHED, READERS
from analysis.frames.evidence import Evidence
from analysis.measures.alpha import INTERVAL, clustered_alpha, krippendorff_alpha
from analysis.measures.contrasts import TOO_SMALL, nemenyi
from analysis.measures.correlations import correlation
from analysis.measures.reader_coefficients import readers_alpha
from analysis.measures.types import FloatArray
from analysis.protocols.dimension_ratings.scores import (
    dimensions_of,
    item_means,
    levels_of,
    matrix_of,
    rounds_of,
    scores_of,
    unknown_round,
)
from analysis.protocols.dimension_ratings.tables import ALPHA, CORRELATIONS, DISTRIBUTIONS
from analysis.reports.estimates import Estimate, skewed_note
from analysis.tables.spec import Table

ALL, NONE = "all", "(none)"  # data sets


def alpha(evidence: Evidence) -> Table:
    """One row per dimension and round. Units are items that at least two people scored."""
    rows = [
        alpha_row(evidence, dimension, number, scores[scores["dimension"] == dimension])
        for number in rounds_of(evidence)
        for scores in [scores_of(evidence, number)]
        for dimension in dimensions_of(evidence)
    ]
    notes = [skewed_note(), *unknown_round(evidence)]
    if len(rounds_of(evidence)) > 1:
        notes.append(_("Only round 1 measures reliability. Scores after round 2 are not independent, "
                       "because annotators had seen disagreements; they cover all cells, each with its "
                       "latest score."))  # fmt: skip
    return ALPHA.build(rows, evidence.choices.convention, notes)


def variant_alpha(evidence: Evidence) -> Iterator[tuple[Any, ...]]:
    """The rows of the table `variants` for each dimension, in the first known round; n are items that at least two
    people scored.
    """
    first = rounds_of(evidence)[0]
    scores = scores_of(evidence, first)
    for dimension in dimensions_of(evidence):
        row = alpha_row(evidence, dimension, first, scores[scores["dimension"] == dimension])
        found, reason = row["alpha"], row["alpha"].ends(evidence.choices.convention)[2]
        yield dimension, "", "alpha", found.value, found.as_json(), row["n_units"], reason


def alpha_row(evidence: Evidence, dimension: str, number: int, scores: pd.DataFrame) -> dict[str, Any]:
    values, texts = matrix_of(scores)
    found = krippendorff_alpha(values, INTERVAL)
    intervals = {
        READERS: readers_alpha(values, INTERVAL, texts),
        ANNOTATORS: clustered_alpha(values, INTERVAL, texts, seed=evidence.choices.seed),
        PUBLISHED: found.interval(),
    }
    return {
        "dimension": dimension,
        "round": number,
        "alpha": Estimate(found.value, intervals, _(found.reason) if found.reason else ""),
        "level": found.level,
        "n_units": found.n_units,
        "n_values": found.n_values,
    }


def dimension_correlations(evidence: Evidence) -> Table:
    """One row per pair of dimensions and round. Pearson over the items that have both; Nemenyi over complete items."""
    rows = [row for number in rounds_of(evidence) for row in round_rows(evidence, number)]
    return CORRELATIONS.build(rows)


def round_rows(evidence: Evidence, number: int) -> list[dict[str, Any]]:
    dimensions = dimensions_of(evidence)
    means = item_means(scores_of(evidence, number), dimensions).to_numpy(dtype=np.float64)
    p = nemenyi_of_scored(means)
    rows = []
    for one, other in combinations(range(len(dimensions)), 2):
        found = correlation(means[:, one], means[:, other])
        reason = found.reason or (TOO_SMALL if np.isnan(p[one, other]) else "")
        rows.append(
            {
                "dimension_a": dimensions[one],
                "dimension_b": dimensions[other],
                "round": number,
                "pearson": found.r,
                "nemenyi_p": p[one, other],
                "n": found.n,
                "reason": _(reason) if reason else "",
            }
        )
    return rows


def nemenyi_of_scored(means: FloatArray) -> FloatArray:
    """(k, k) p-values between the dimensions that have scores; others have NaN."""
    scored = np.flatnonzero(~np.isnan(means).all(axis=0))
    p = np.full((means.shape[1], means.shape[1]), np.nan)
    p[np.ix_(scored, scored)] = nemenyi(means[:, scored])
    return p


def distributions(evidence: Evidence) -> Table:
    """One row per level of the scale; all data sets together come first."""
    rows = [
        row
        for number in rounds_of(evidence)
        for name, scores in datasets(scores_of(evidence, number))
        for dimension in dimensions_of(evidence)
        for row in level_rows(evidence, name, dimension, number, scores[scores["dimension"] == dimension])
    ]
    return DISTRIBUTIONS.build(rows)


def datasets(scores: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """All scores, and those of each data set if there are several."""
    found = [(ALL, scores)]
    if scores["dataset"].nunique() > 1:
        found += [(name or NONE, scores[scores["dataset"] == name]) for name in scores["dataset"].unique()]
    return found


def level_rows(
    evidence: Evidence, dataset: str, dimension: str, number: int, scores: pd.DataFrame
) -> list[dict[str, Any]]:
    counts, n = scores["value"].value_counts(), len(scores)
    return [
        {
            "dataset": dataset,
            "dimension": dimension,
            "round": number,
            "score": level,
            "n": int(counts.get(level, 0)),
            "share": counts.get(level, 0) / n if n else None,
        }
        for level in levels_of(evidence)
    ]
