"""Metrics beside the scores of people: values by item, means by generator, correlations, and two checks."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.choices import DUPLICATES, REFERENCES
from analysis.frames.evidence import Evidence
from analysis.measures import correlation_intervals as intervals
from analysis.measures import correlations
from analysis.measures.contrasts import adjust_p_values
from analysis.measures.correlations import COEFFICIENTS, SPEARMAN, Correlation, correlation, round_means
from analysis.measures.intervals import (
    JACKKNIFE,
    UNDEFINED_FIGURE,
    Interval,
    clip_interval,
    p_of_zero,
    undefined_interval,
)
from analysis.measures.stand_in import clustered_preference, preference
from analysis.measures.types import BoolArray, FloatArray, IntArray
from analysis.protocols.dimension_ratings.scores import (
    average_by_item,
    list_dimension_names,
    list_levels,
    list_rounds,
    select_scores,
)
from analysis.protocols.dimension_ratings.tables import (
    METRIC_BY_SCORE,
    METRIC_CHECKS,
    METRIC_CORRELATIONS,
    METRIC_MEANS,
)
from analysis.reports.estimates import describe_intervals, note_texts_only, repeat_interval, repeat_text_interval
from analysis.reports.evaluators import list_evaluators
from analysis.reports.headlines import HIGHEST, LOWEST, mark_extremes
from analysis.tables.spec import Table
from studies.protocols.second_round import normalize_wording


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
        return encode_names(self.items["text_id"])

    @property
    def generators(self) -> IntArray:
        return encode_names(self.items["generator"])

    def score(self, dimension: str) -> FloatArray:
        return self.scores[dimension].to_numpy(dtype=np.float64)

    def value(self, metric: str, dimension: str) -> FloatArray:
        return self.values[metric][dimension].to_numpy(dtype=np.float64)


def encode_names(names: pd.Series) -> IntArray:
    return pd.factorize(names)[0].astype(np.int64)


def pair_metrics(evidence: Evidence) -> MetricPairs:
    """All items of the study except those that the choices drop, and every metric and model judge with a value."""
    items, dimensions = drop_left_out_items(evidence), list_dimension_names(evidence)
    scores = average_by_item(select_scores(evidence, list_rounds(evidence)[-1]), dimensions).reindex(items.index)
    values = {
        metric: table.reindex(index=items.index, columns=[name for name in dimensions if name in table.columns])
        for metric, table in build_value_tables(evidence, dimensions).items()
    }
    known = evidence.metric_families.items()
    families = {split_metric(name, dimensions)[0]: family for name, family in known if family}
    return MetricPairs(items, scores, values, families)


def drop_left_out_items(evidence: Evidence) -> pd.DataFrame:
    """The items without those that the choices drop: repeated wordings, references. Both inflate correlations."""
    items = evidence.items
    if REFERENCES in evidence.choices.dropped:
        items = items[~items["reference"].astype(bool)]
    if DUPLICATES in evidence.choices.dropped:
        wordings = items.assign(stem=items["stem"].map(normalize_wording))
        items = items[~wordings.duplicated(["text_id", "stem"])]
    return items.set_index("item_id")[["text_id", "generator", "reference"]]


def build_value_tables(evidence: Evidence, dimensions: tuple[str, ...]) -> dict[str, pd.DataFrame]:
    """A frame of values, items × dimensions, by metric; first the metrics, then the model judges."""
    long = pd.concat([evidence.metrics, read_model_scores(evidence)], ignore_index=True)
    found: dict[str, dict[str, pd.Series]] = {}
    for name in dict.fromkeys([*evidence.metric_families, *long["metric"]]):
        values = long[long["metric"] == name].set_index("item_id")["value"].astype(float)
        metric, dimension = split_metric(name, dimensions)
        for each in (dimension,) if dimension else dimensions:
            if not values.empty:
                found.setdefault(metric, {})[each] = values
    return {metric: pd.DataFrame(columns) for metric, columns in found.items()}


def split_metric(name: str, dimensions: tuple[str, ...]) -> tuple[str, str]:
    """The metric and the dimension it is about, as in `UniEval:fluency`; "" if it is about all dimensions."""
    metric, _colon, ending = name.rpartition(":")
    return (metric, ending) if metric and ending in dimensions else (name, "")


def read_model_scores(evidence: Evidence) -> pd.DataFrame:
    """Scores that models gave as annotators, each named after the model and the dimension."""
    models = [each for each in list_evaluators(evidence) if each.kind != "human"]
    codes = frozenset().union(*(each.codes for each in models))
    rows = evidence.frame[
        evidence.frame["annotator"].isin(codes) & evidence.frame["question"].isin(list_dimension_names(evidence))
    ]
    named = rows["annotator"].astype(str) + ":" + rows["question"].astype(str)
    return pd.DataFrame({"item_id": rows["item_id"], "metric": named, "value": rows["value"]})


def explain_no_metrics() -> str:
    return _("Empty, because no item of this study has a metric. Compute metrics with compute_metrics, "
             "or import them with import_metrics.")  # fmt: skip


def note_dropped(evidence: Evidence) -> list[str]:
    """Notes on the items that are left out."""
    words = {
        DUPLICATES: _("Without repeated items of the same text."),
        REFERENCES: _("Without reference items."),
    }
    return [words[name] for name in evidence.choices.dropped]


# Metric values by generator, and whether they rank generators as people do; metric values by the score people gave.


def build_metric_means(evidence: Evidence, data: MetricPairs) -> Table:
    """One row per metric and generator. Means of several dimensions are means of unrounded means."""
    people = average_by_generator(evidence, data, data.scores)
    rows = [row for metric in data.values for row in build_metric_rows(evidence, data, metric, people)]
    notes = (
        _("Marked are the three highest means of a metric as printed (fewer where there are fewer than six "
          "generators); whether they differ from the others is not tested. Rank 1 is the highest; equal means share "
          "their rank. Where lower is better, read it the other way."),
        _("Rank correlation: Spearman's ρ, over generators, of a metric's means and the average of people's scores."),
    )  # fmt: skip
    return METRIC_MEANS.build(rows, notes=(*note_dropped(evidence), *(notes if rows else (explain_no_metrics(),))))


def average_by_generator(evidence: Evidence, data: MetricPairs, values: pd.DataFrame) -> pd.Series:
    """The mean over dimensions of each generator's means, NaN if it has no value."""
    means = values.groupby(data.items["generator"]).mean().mean(axis=1)
    return pd.Series(round_means(means.to_numpy(dtype=np.float64)), means.index).reindex(list(evidence.generators))


def build_metric_rows(evidence: Evidence, data: MetricPairs, metric: str, people: pd.Series) -> list[dict[str, Any]]:
    values = data.values[metric]
    means = average_by_generator(evidence, data, values)
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
            "rank": convert_to_int(ranks[generator]),
            "human_mean": people[generator],
            "human_rank": convert_to_int(human[generator]),
            "reason": _(found.reason) if found.reason else "",
        }
        for generator in evidence.generators
    ]
    return mark_extremes(rows, by=lambda row: float(row["mean"]), words=(HIGHEST, ""))


def convert_to_int(rank: float) -> int | None:
    return None if np.isnan(rank) else int(rank)


def build_metric_by_score(evidence: Evidence, data: MetricPairs) -> Table:
    """One row per metric, dimension and level of the scale, used or not."""
    rows = [row for metric in data.values for row in iter_level_rows(data, metric, list_levels(evidence))]
    notes = (
        _("Score: the mean of people's scores of an item after the last round, rounded, halves up. Quartiles: linear "
          "between neighbours. r: Pearson's, of the metric with the rounded score, over all items."),
    )  # fmt: skip
    return METRIC_BY_SCORE.build(rows, notes=(*note_dropped(evidence), *(notes if rows else (explain_no_metrics(),))))


def iter_level_rows(data: MetricPairs, metric: str, levels: tuple[int, ...]) -> Iterator[dict[str, Any]]:
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
    """The scores rounded to the nearest level; halves go up, not to the nearest even number."""
    return np.asarray(np.floor(scores + 0.5))


def describe_spread(values: FloatArray) -> dict[str, Any]:
    """n, mean and quartiles of the values at one level."""
    if not len(values):
        return {"n": 0, "mean": None, "quartiles": "", "q1": None, "median": None, "q3": None}
    q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    parts = {"quartiles": f"{q1}; {median}; {q3}", "q1": q1, "median": median, "q3": q3}
    return {"n": len(values), "mean": float(values.mean())} | parts


# How metrics and model judges correlate with people's scores, on each dimension.

POOLED, WITHIN, BY_GENERATOR = "pooled", "within text", "by generator"
SCOPES = (POOLED, WITHIN, BY_GENERATOR)
NOT_WITHIN = gettext_noop("A mean of texts' correlations has an interval by texts only.")


def build_metric_correlations(evidence: Evidence, data: MetricPairs) -> Table:
    """One row per metric, dimension, coefficient and scope; p is adjusted within each coefficient and scope."""
    families = [(coefficient, scope) for scope in SCOPES for coefficient in COEFFICIENTS]
    rows = [row for family in families for row in build_family_rows(evidence, data, *family)]
    notes = (
        _("Over items with the metric's value and the mean of people's scores after the last round. Pooled: all items; "
          "within text: the mean over texts of each text's own correlation, weighted by its items, without texts in "
          "which it is undefined; by generator: of generators' means."),
        _("Intervals and p by texts leave out each text in turn whatever their number (t); published ones take rows as "
          "independent (intervals by Fisher's z). p is adjusted by Holm over all metrics and dimensions of a "
          "coefficient and scope. Marked are the three highest and the three lowest |r| on a dimension as printed; "
          "whether they differ from the others is not tested."),
        note_texts_only(_("correlations")),
    )  # fmt: skip
    return METRIC_CORRELATIONS.build(
        rows, notes=(*note_dropped(evidence), *(notes if rows else (explain_no_metrics(),)))
    )


def build_family_rows(evidence: Evidence, data: MetricPairs, coefficient: str, scope: str) -> list[dict[str, Any]]:
    rows = list(iter_rows(evidence, data, coefficient, scope))
    for row, p in zip(rows, adjust_p_values(np.array([row["p"] for row in rows], dtype=np.float64)), strict=True):
        row["p_adjusted"] = p
    for dimension in data.scores.columns:
        same = [row for row in rows if row["dimension"] == dimension]
        mark_extremes(same, by=lambda row: abs(row["r"]), words=(HIGHEST, LOWEST))
    return rows


def iter_rows(evidence: Evidence, data: MetricPairs, coefficient: str, scope: str) -> Iterator[dict[str, Any]]:
    for metric, table in data.values.items():
        for dimension in table.columns:
            x, y = data.value(metric, dimension), data.score(dimension)
            found = correlate_by_scope(x, y, data, coefficient, scope)
            both, p = compute_intervals(found, x, y, data, coefficient, scope, evidence.choices.seed)
            chosen = both[evidence.choices.convention]
            reason = found.reason or chosen.reason
            yield {
                "metric": metric,
                "dimension": dimension,
                "coefficient": coefficient,
                "scope": scope,
                "r": found.r,
                "low": chosen.low,
                "high": chosen.high,
                "p": p[evidence.choices.convention],
                "p_adjusted": np.nan,
                "n": found.n,
                "mark": "",
                "reason": _(reason) if reason else "",
                "intervals": {"r": describe_intervals(both)},
            }


def correlate_by_scope(x: Any, y: Any, data: MetricPairs, coefficient: str, scope: str) -> Correlation:
    if scope == POOLED:
        return correlations.correlation(x, y, coefficient)
    if scope == WITHIN:
        return correlations.within_texts(x, y, data.texts, coefficient)
    return correlations.by_generator(x, y, data.generators, coefficient)


def compute_intervals(
    found: Correlation, x: Any, y: Any, data: MetricPairs, coefficient: str, scope: str, seed: int
) -> tuple[dict[str, Interval], dict[str, float]]:
    """The interval and p under each convention. Those over texts use the jackknife, as ranks of 10,000 bootstrap draws
    would take minutes."""
    whole = estimate_over_texts(x, y, data, coefficient, scope, seed)
    independent = intervals.independent_correlation(found, coefficient, unit="item" if scope == POOLED else "generator")
    if scope == WITHIN:
        independent = undefined_interval(intervals.FISHER, ("item", found.n, found.n, None), NOT_WITHIN)
    return repeat_text_interval(clip_interval(whole, intervals.BOUNDS), independent), repeat_text_interval(
        p_of_zero(found.r, whole), found.p
    )


def estimate_over_texts(x: Any, y: Any, data: MetricPairs, coefficient: str, scope: str, seed: int) -> Interval:
    """The interval over texts of a correlation, not clipped to -1 and 1."""
    options: Any = {"seed": seed, "method": JACKKNIFE, "bounds": (-np.inf, np.inf)}
    if scope == POOLED:
        return intervals.clustered_correlation(x, y, data.texts, coefficient, **options)
    if scope == WITHIN:
        return intervals.clustered_within(x, y, data.texts, coefficient, **options)
    return intervals.clustered_by_generator(x, y, data.texts, data.generators, coefficient, **options)


# Two checks of a metric: does it rate references as high as people do, and does it favor its own model's family?

REFERENCE, FAMILY = "reference", "own_family"


def build_metric_checks(evidence: Evidence, data: MetricPairs) -> Table:
    """One row per metric and check: how much more than people the metric favors the checked items over others."""
    rows = [row for metric in data.values for row in build_check_rows(evidence, data, metric)]
    notes = (
        _("Metric and people's average score are each put on one scale (mean 0, standard deviation 1, over all items "
          "with both). Difference: metric minus people, of these items minus that of all others; 0 is as people see "
          "them, above 0 the metric favours them. Where a metric is better the lower it is, the sign is the other "
          "way."),
        note_texts_only(_("differences between a metric and people")),
        _("Family: that of a metric's base model, named at its import, against the factor family of the generators."),
    )  # fmt: skip
    return METRIC_CHECKS.build(rows, notes=(*note_dropped(evidence), *(notes if rows else (explain_no_metrics(),))))


def build_check_rows(evidence: Evidence, data: MetricPairs, metric: str) -> list[dict[str, Any]]:
    family = data.families.get(metric, "")
    no_family = _("No family is known of this metric's base model.")
    nobody = _("No generator of these items is of the family %(family)s.") % {"family": family}
    no_reference = _("None of these items is marked as reference.")
    return [
        build_check_row(evidence, data, metric, REFERENCE, no_reference),
        build_check_row(evidence, data, metric, FAMILY, nobody if family else no_family),
    ]


def select_checked(evidence: Evidence, data: MetricPairs, metric: str, check: str) -> BoolArray:
    """(n,): the items that a check is about: references, or items by generators of the metric's own model family."""
    if check == REFERENCE:
        return data.items["reference"].to_numpy(dtype=bool)
    family = data.families.get(metric, "")
    related = [name for name, known in evidence.families.items() if family and known.casefold() == family.casefold()]
    return data.items["generator"].isin(related).to_numpy(dtype=bool)


def build_check_row(evidence: Evidence, data: MetricPairs, metric: str, check: str, nobody: str) -> dict[str, Any]:
    chosen = select_checked(evidence, data, metric, check)
    x, y = average_rows(data.values[metric].to_numpy(dtype=np.float64)), average_rows(data.scores.to_numpy(np.float64))
    found = preference(x, y, chosen)
    by_texts = clustered_preference(x, y, chosen, data.texts, seed=evidence.choices.seed)
    both = ~(np.isnan(x) | np.isnan(y))
    reason = nobody if not chosen.any() else _(found.reason) if found.reason else ""
    if not reason and by_texts.reason:
        reason = _(by_texts.reason)
    return {
        "metric": metric,
        "check": check,
        "generators": ", ".join(dict.fromkeys(data.items["generator"][chosen])),
        "difference": found.difference,
        "low": by_texts.low,
        "high": by_texts.high,
        "n": int((both & chosen).sum()),
        "n_others": int((both & ~chosen).sum()),
        "reason": reason or (_(UNDEFINED_FIGURE) if math.isnan(found.difference) else ""),
        "intervals": {"difference": repeat_interval(by_texts)},
    }


def average_rows(values: FloatArray) -> FloatArray:
    """(n,): the mean of each row's numbers, NaN where it has none."""
    n = (~np.isnan(values)).sum(axis=1)
    return np.asarray(np.nansum(values, axis=1) / np.where(n > 0, n, np.nan))
