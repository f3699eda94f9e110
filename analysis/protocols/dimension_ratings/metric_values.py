"""Values of metrics beside the scores of people: one row per item, and means by generator."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.choices import DUPLICATES, REFERENCES
from analysis.frames.evidence import Evidence
from analysis.measures.correlations import SPEARMAN, correlation, round_means
from analysis.measures.types import FloatArray, IntArray
from analysis.protocols.dimension_ratings.scores import dimensions_of, item_means, levels_of, rounds_of, scores_of
from analysis.protocols.dimension_ratings.tables import METRIC_BY_SCORE, METRIC_MEANS
from analysis.reports.evaluators import evaluators_in
from analysis.reports.headlines import HIGHEST, mark_extremes
from analysis.tables.spec import Table
from studies.protocols.second_round import same_wording

# Metrics beside the scores of people: one row per item, ready to be compared.


@dataclass(frozen=True)
class MetricPairs:
    """Three frames with the items as rows, in the order of the bank.

    `items`: text_id, generator, reference. `scores`: people's mean score on each dimension, after the last round.
    `values`: by metric, its value for each dimension it is about; most have one value for all of them. `families`: by
    metric the family of its base model, if known.
    """

    items: pd.DataFrame
    scores: pd.DataFrame
    values: dict[str, pd.DataFrame]
    families: dict[str, str]

    @property
    def texts(self) -> IntArray:
        return codes_of(self.items["text_id"])

    @property
    def generators(self) -> IntArray:
        return codes_of(self.items["generator"])

    def score(self, dimension: str) -> FloatArray:
        return self.scores[dimension].to_numpy(dtype=np.float64)

    def value(self, metric: str, dimension: str) -> FloatArray:
        return self.values[metric][dimension].to_numpy(dtype=np.float64)


def codes_of(names: pd.Series) -> IntArray:
    return pd.factorize(names)[0].astype(np.int64)


def pair_metrics(evidence: Evidence) -> MetricPairs:
    """All items of the study except those that the choices drop, and every metric and model judge with a value."""
    items, dimensions = drop_left_out_items(evidence), dimensions_of(evidence)
    scores = item_means(scores_of(evidence, rounds_of(evidence)[-1]), dimensions).reindex(items.index)
    values = {
        metric: table.reindex(index=items.index, columns=[name for name in dimensions if name in table.columns])
        for metric, table in tables_of(evidence, dimensions).items()
    }
    known = evidence.metric_families.items()
    families = {split_metric(name, dimensions)[0]: family for name, family in known if family}
    return MetricPairs(items, scores, values, families)


def drop_left_out_items(evidence: Evidence) -> pd.DataFrame:
    """Duplicates and references inflate correlations: a wording that occurs twice in a text, a reference compared with
    itself."""
    items = evidence.items
    if REFERENCES in evidence.choices.dropped:
        items = items[~items["reference"].astype(bool)]
    if DUPLICATES in evidence.choices.dropped:
        wordings = items.assign(stem=items["stem"].map(same_wording))
        items = items[~wordings.duplicated(["text_id", "stem"])]
    return items.set_index("item_id")[["text_id", "generator", "reference"]]


def tables_of(evidence: Evidence, dimensions: tuple[str, ...]) -> dict[str, pd.DataFrame]:
    """By metric its values, with items down and dimensions across; first the metrics, then the model judges."""
    long = pd.concat([evidence.metrics, judgments_of_models(evidence)], ignore_index=True)
    found: dict[str, dict[str, pd.Series]] = {}
    for name in dict.fromkeys([*evidence.metric_families, *long["metric"]]):
        values = long[long["metric"] == name].set_index("item_id")["value"].astype(float)
        metric, dimension = split_metric(name, dimensions)
        for each in (dimension,) if dimension else dimensions:
            if not values.empty:
                found.setdefault(metric, {})[each] = values
    return {metric: pd.DataFrame(columns) for metric, columns in found.items()}


def split_metric(name: str, dimensions: tuple[str, ...]) -> tuple[str, str]:
    """The metric and the one dimension that it is about, as in `UniEval:fluency`; no dimension if it has none."""
    metric, _colon, ending = name.rpartition(":")
    return (metric, ending) if metric and ending in dimensions else (name, "")


def judgments_of_models(evidence: Evidence) -> pd.DataFrame:
    """Scores that models gave as annotators, each named after the model and the dimension."""
    models = [each for each in evaluators_in(evidence) if each.kind != "human"]
    codes = frozenset().union(*(each.codes for each in models))
    rows = evidence.frame[
        evidence.frame["annotator"].isin(codes) & evidence.frame["question"].isin(dimensions_of(evidence))
    ]
    named = rows["annotator"].astype(str) + ":" + rows["question"].astype(str)
    return pd.DataFrame({"item_id": rows["item_id"], "metric": named, "value": rows["value"]})


def explain_no_metrics() -> str:
    return _("Empty, because no item of this study has a metric. Compute metrics with compute_metrics, "
             "or import them with import_metrics.")  # fmt: skip


def note_dropped(evidence: Evidence) -> list[str]:
    """Which items are left out, if any."""
    words = {
        DUPLICATES: _("Without repeated items of the same text."),
        REFERENCES: _("Without reference items."),
    }
    return [words[name] for name in evidence.choices.dropped]


# Values of metrics: by generator, and whether they rank generators as people do; by the score that people gave.


def metric_means(evidence: Evidence, data: MetricPairs) -> Table:
    """One row per metric and generator. Means of several dimensions are means of unrounded means."""
    people = means_by_generator(evidence, data, data.scores)
    rows = [row for metric in data.values for row in metric_rows(evidence, data, metric, people)]
    notes = (
        _("Marked are the three highest means of a metric as printed (fewer where there are fewer than six "
          "generators); whether they differ from the others is not tested. Rank 1 is the highest; equal means share "
          "their rank. Where lower is better, read it the other way."),
        _("Rank correlation: Spearman's ρ, over generators, of a metric's means and the average of people's scores."),
    )  # fmt: skip
    return METRIC_MEANS.build(rows, notes=(*note_dropped(evidence), *(notes if rows else (explain_no_metrics(),))))


def means_by_generator(evidence: Evidence, data: MetricPairs, values: pd.DataFrame) -> pd.Series:
    """By generator the mean over dimensions of its means, NaN if it has no value."""
    means = values.groupby(data.items["generator"]).mean().mean(axis=1)
    return pd.Series(round_means(means.to_numpy(dtype=np.float64)), means.index).reindex(list(evidence.generators))


def metric_rows(evidence: Evidence, data: MetricPairs, metric: str, people: pd.Series) -> list[dict[str, Any]]:
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
            "rank": int_or_none(ranks[generator]),
            "human_mean": people[generator],
            "human_rank": int_or_none(human[generator]),
            "reason": _(found.reason) if found.reason else "",
        }
        for generator in evidence.generators
    ]
    return mark_extremes(rows, by=lambda row: float(row["mean"]), words=(HIGHEST, ""))


def int_or_none(rank: float) -> int | None:
    return None if np.isnan(rank) else int(rank)


def metric_by_score(evidence: Evidence, data: MetricPairs) -> Table:
    """One row per metric, dimension and level of the scale, used or not."""
    rows = [row for metric in data.values for row in level_rows(data, metric, levels_of(evidence))]
    notes = (
        _("Score: the mean of people's scores of an item after the last round, rounded, halves up. Quartiles: linear "
          "between neighbours. r: Pearson's, of the metric with the rounded score, over all items."),
    )  # fmt: skip
    return METRIC_BY_SCORE.build(rows, notes=(*note_dropped(evidence), *(notes if rows else (explain_no_metrics(),))))


def level_rows(data: MetricPairs, metric: str, levels: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    for dimension in data.values[metric].columns:
        values, scores = data.value(metric, dimension), round_scores(data.score(dimension))
        found = correlation(values, scores)
        for level in levels:
            yield (
                {"metric": metric, "dimension": dimension, "score": level}
                | describe_spread(values[(scores == level) & ~np.isnan(values)])
                | {"r": found.r, "reason": _(found.reason) if found.reason else ""}
            )


def round_scores(scores: FloatArray) -> FloatArray:
    """To the nearest level; a half goes up, not to the nearest even number."""
    return np.asarray(np.floor(scores + 0.5))


def describe_spread(values: FloatArray) -> dict[str, Any]:
    """n, mean and quartiles of the values at one level."""
    if not len(values):
        return {"n": 0, "mean": None, "quartiles": "", "q1": None, "median": None, "q3": None}
    q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    parts = {"quartiles": f"{q1}; {median}; {q3}", "q1": q1, "median": median, "q3": q3}
    return {"n": len(values), "mean": float(values.mean())} | parts
