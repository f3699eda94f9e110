"""Metrics beside the scores of people: one row per item, ready to be compared."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.choices import DUPLICATES, REFERENCES
from analysis.frames.evidence import Evidence
from analysis.measures.types import FloatArray, IntArray
from analysis.protocols.dimension_ratings.scores import dimensions_of, item_means, rounds_of, scores_of
from analysis.reports.evaluators import evaluators_in
from studies.protocols.second_round import same_wording


@dataclass(frozen=True)
class Judged:
    """Items as rows, in the order of the bank, in all three.

    `items`: text_id, generator, reference. `scores`: people's mean score on each dimension, after the last round.
    `values`: of each metric its value for each dimension that it is about; most have one value for all of them.
    `families`: of each metric that of its base model, where one is known.
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


def pair_metrics(evidence: Evidence) -> Judged:
    """All items of the study but those that the choices drop, and every metric and model judge that has a value."""
    items, dimensions = drop_left_out_items(evidence), dimensions_of(evidence)
    scores = item_means(scores_of(evidence, rounds_of(evidence)[-1]), dimensions).reindex(items.index)
    values = {
        metric: table.reindex(index=items.index, columns=[name for name in dimensions if name in table.columns])
        for metric, table in tables_of(evidence, dimensions).items()
    }
    known = evidence.metric_families.items()
    families = {split_metric(name, dimensions)[0]: family for name, family in known if family}
    return Judged(items, scores, values, families)


def drop_left_out_items(evidence: Evidence) -> pd.DataFrame:
    """Duplicates and references inflate: a wording that stands twice in a text, a reference held against itself."""
    items = evidence.items
    if REFERENCES in evidence.choices.dropped:
        items = items[~items["reference"].astype(bool)]
    if DUPLICATES in evidence.choices.dropped:
        wordings = items.assign(stem=items["stem"].map(same_wording))
        items = items[~wordings.duplicated(["text_id", "stem"])]
    return items.set_index("item_id")[["text_id", "generator", "reference"]]


def tables_of(evidence: Evidence, dimensions: tuple[str, ...]) -> dict[str, pd.DataFrame]:
    """By metric its values, items down, dimensions across; first the metrics, then the model judges."""
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
    """The metric, and the one dimension that it is about: `UniEval:fluency`; else nothing."""
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


def nothing() -> str:
    return _("Empty, because no item of this study has a metric. Compute metrics with compute_metrics, "
             "or import them with import_metrics.")  # fmt: skip


def note_dropped(evidence: Evidence) -> list[str]:
    """Which items are left out, if any are."""
    words = {
        DUPLICATES: _("Without repeated items of the same text."),
        REFERENCES: _("Without reference items."),
    }
    return [words[name] for name in evidence.choices.dropped]
