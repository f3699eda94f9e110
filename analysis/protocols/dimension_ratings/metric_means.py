"""The mean of each metric for each generator, and whether it ranks generators as people do."""

from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.correlations import SPEARMAN, correlation, settled
from analysis.protocols.dimension_ratings.metric_values import Judged, dropped_note, nothing
from analysis.reports.headlines import HIGHEST, mark_extremes
from analysis.tables.spec import Crossing, Shown, Table, make_table

COLUMNS = (
    "metric", "generator", "mean", "mark", "rank_correlation", "n", "rank", "human_mean", "human_rank", "reason",
)  # fmt: skip


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
    return make_table(
        "metric_means",
        COLUMNS,
        rows,
        title=_("Metrics by generator"),
        notes=(*dropped_note(evidence), *(notes if rows else (nothing(),))),
        shown=shown(),
        named_by=("metric", "generator"),
        crossings=(Crossing("mean", "metric", "generator", mark="mark", along=("rank_correlation",)),),
    )


def means_by_generator(evidence: Evidence, data: Judged, values: pd.DataFrame) -> pd.Series:
    """The mean over dimensions of a generator's means, NaN where it has no value."""
    means = values.groupby(data.items["generator"]).mean().mean(axis=1)
    return pd.Series(settled(means.to_numpy(dtype=np.float64)), means.index).reindex(list(evidence.generators))


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


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Metric"), "metric"),
        Shown(_("Generator"), "generator"),
        Shown(_("Mean"), "mean", "number", about=_("mean of the metric over the generator's items")),
        Shown(_("Mark"), "mark", "mark"),
        Shown(_("Items"), "n", "count", about=_("items with a value")),
        Shown(_("Rank"), "rank", "number", about=_("rank of the generator's mean, 1 is the highest")),
        Shown(
            _("Rank by people"),
            "human_rank",
            "number",
            about=_("rank of the average of people's scores, 1 is the highest"),
        ),
        Shown(
            _("Rank correlation"),
            "rank_correlation",
            "number",
            reason="reason",
            about=_("Spearman's ρ of generators' means by the metric and by people"),
        ),
    )
