"""What values a metric has for items that people scored 1, 2, 3: does it tell them apart?"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.correlations import correlation
from analysis.measures.types import FloatArray
from analysis.protocols.dimension_ratings.metric_values import Judged, dropped_note, nothing
from analysis.protocols.dimension_ratings.scores import levels_of
from analysis.tables.spec import Crossing, Shown, Table, make_table

COLUMNS = ("metric", "dimension", "score", "n", "mean", "quartiles", "q1", "median", "q3", "r", "reason")


def metric_by_score(evidence: Evidence, data: Judged) -> Table:
    """One row per metric, dimension and level of the scale, used or not."""
    rows = [row for metric in data.values for row in metric_rows(data, metric, levels_of(evidence))]
    notes = (
        _("Score: the mean of people's scores of an item after the last round, rounded, halves up. Quartiles: linear "
          "between neighbours. r: Pearson's, of the metric with the rounded score, over all items."),
    )  # fmt: skip
    return make_table(
        "metric_by_score",
        COLUMNS,
        rows,
        title=_("Metrics by rounded score"),
        notes=(*dropped_note(evidence), *(notes if rows else (nothing(),))),
        shown=shown(),
        named_by=("metric", "dimension", "score"),
        crossings=(Crossing("mean", "metric", "score", apart=("dimension",), beneath=("n",), along=("r",)),),
    )


def metric_rows(data: Judged, metric: str, levels: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    for dimension in data.values[metric].columns:
        values, scores = data.value(metric, dimension), rounded(data.score(dimension))
        found = correlation(values, scores)
        for level in levels:
            yield (
                {"metric": metric, "dimension": dimension, "score": level}
                | spread(values[(scores == level) & ~np.isnan(values)])
                | {"r": found.r, "reason": _(found.reason) if found.reason else ""}
            )


def rounded(scores: FloatArray) -> FloatArray:
    """To the nearest level; a half goes up, not to the nearest even number."""
    return np.asarray(np.floor(scores + 0.5))


def spread(values: FloatArray) -> dict[str, Any]:
    """n, mean and quartiles of the values at one level."""
    if not len(values):
        return {"n": 0, "mean": None, "quartiles": "", "q1": None, "median": None, "q3": None}
    q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    parts = {"quartiles": f"{q1}; {median}; {q3}", "q1": q1, "median": median, "q3": q3}
    return {"n": len(values), "mean": float(values.mean())} | parts


def shown() -> tuple[Shown, ...]:
    of_values = _("of the metric's values of these items")
    return (
        Shown(_("Metric"), "metric"),
        Shown(_("Dimension"), "dimension", "question"),
        Shown(_("Score"), "score", "count"),
        Shown(_("Items"), "n", "count", about=_("items with this rounded score and a value")),
        Shown(_("Mean"), "mean", "number", about=of_values),
        Shown(_("First quartile"), "q1", "number", about=of_values),
        Shown(_("Median"), "median", "number", about=of_values),
        Shown(_("Third quartile"), "q3", "number", about=of_values),
        Shown(
            _("r with the rounded score"),
            "r",
            "number",
            reason="reason",
            about=_("Pearson's r over the items of all rounded scores"),
        ),
    )
