"""The values of metrics: by generator, and whether that ranks them as people do; by the score that people gave."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.correlations import SPEARMAN, correlation, round_means
from analysis.measures.types import FloatArray
from analysis.protocols.dimension_ratings.metric_values import Judged, note_dropped, nothing
from analysis.protocols.dimension_ratings.scores import levels_of
from analysis.protocols.dimension_ratings.tables import METRIC_BY_SCORE, METRIC_MEANS
from analysis.reports.headlines import HIGHEST, mark_extremes
from analysis.tables.spec import Table


def metric_means(evidence: Evidence, data: Judged) -> Table:
    """One row per metric and generator. Means of several dimensions are means of unrounded means."""
    people = means_by_generator(evidence, data, data.scores)
    rows = [row for metric in data.values for row in metric_rows(evidence, data, metric, people)]
    notes = (
        _("Marked are the three highest means of a metric as printed (fewer where there are fewer than six "
          "generators); whether they differ from the others is not tested. Rank 1 is the highest; equal means share "
          "their rank. Where lower is better, read it the other way."),
        _("Rank correlation: Spearman's ρ, over generators, of a metric's means and the average of people's scores."),
    )  # fmt: skip
    return METRIC_MEANS.build(rows, notes=(*note_dropped(evidence), *(notes if rows else (nothing(),))))


def means_by_generator(evidence: Evidence, data: Judged, values: pd.DataFrame) -> pd.Series:
    """The mean over dimensions of a generator's means, NaN where it has no value."""
    means = values.groupby(data.items["generator"]).mean().mean(axis=1)
    return pd.Series(round_means(means.to_numpy(dtype=np.float64)), means.index).reindex(list(evidence.generators))


def metric_rows(evidence: Evidence, data: Judged, metric: str, people: pd.Series) -> list[dict[str, Any]]:
    values = data.values[metric]
    means = means_by_generator(evidence, data, values)
    counts = values.notna().any(axis=1).groupby(data.items["generator"]).sum()
    found = correlation(means.to_numpy(dtype=np.float64), people.to_numpy(dtype=np.float64), SPEARMAN)
    ranks, human = (each.rank(ascending=False, method="min") for each in (means, people))
    rows = [
        {
            "metric": metric,
            "generator": generator,
            "mean": means[generator],
            "mark": "",
            "rank_correlation": found.r,
            "n": int(counts.get(generator, 0)),
            "rank": whole(ranks[generator]),
            "human_mean": people[generator],
            "human_rank": whole(human[generator]),
            "reason": _(found.reason) if found.reason else "",
        }
        for generator in evidence.generators
    ]
    return mark_extremes(rows, by=lambda row: float(row["mean"]), words=(HIGHEST, ""))


def whole(rank: float) -> int | None:
    return None if np.isnan(rank) else int(rank)


def metric_by_score(evidence: Evidence, data: Judged) -> Table:
    """One row per metric, dimension and level of the scale, used or not."""
    rows = [row for metric in data.values for row in level_rows(data, metric, levels_of(evidence))]
    notes = (
        _("Score: the mean of people's scores of an item after the last round, rounded, halves up. Quartiles: linear "
          "between neighbours. r: Pearson's, of the metric with the rounded score, over all items."),
    )  # fmt: skip
    return METRIC_BY_SCORE.build(rows, notes=(*note_dropped(evidence), *(notes if rows else (nothing(),))))


def level_rows(data: Judged, metric: str, levels: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    for dimension in data.values[metric].columns:
        values, scores = data.value(metric, dimension), round_scores(data.score(dimension))
        found = correlation(values, scores)
        for level in levels:
            yield (
                {"metric": metric, "dimension": dimension, "score": level}
                | spread(values[(scores == level) & ~np.isnan(values)])
                | {"r": found.r, "reason": _(found.reason) if found.reason else ""}
            )


def round_scores(scores: FloatArray) -> FloatArray:
    """To the nearest level; a half goes up, not to the nearest even number."""
    return np.asarray(np.floor(scores + 0.5))


def spread(values: FloatArray) -> dict[str, Any]:
    """n, mean and quartiles of the values at one level."""
    if not len(values):
        return {"n": 0, "mean": None, "quartiles": "", "q1": None, "median": None, "q3": None}
    q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    parts = {"quartiles": f"{q1}; {median}; {q3}", "q1": q1, "median": median, "q3": q3}
    return {"n": len(values), "mean": float(values.mean())} | parts
