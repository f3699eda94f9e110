"""Agreement of a questionnaire that stops within one variant, with intervals over texts."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.measures.agreement import cohen_kappa, gwet_ac1, percent_agreement
from analysis.measures.intervals import NO_JUDGMENT, clustered
from analysis.measures.types import FloatArray, IntArray
from analysis.reports.category_agreement import both_got_to, pair_table, pairs_of
from analysis.reports.judged import judgments_in

MEASURES: dict[str, tuple[Callable[[FloatArray | IntArray], FloatArray], tuple[float, float]]] = {
    "percent": (percent_agreement, (0.0, 1.0)),
    "kappa": (cohen_kappa, (-1.0, 1.0)),
    "ac1": (gwet_ac1, (-1.0, 1.0)),
}


def category_agreement(evidence: Evidence) -> Iterator[tuple[Any, ...]]:
    """Of each category, view and measure what a row of `variants` says; n are pairs of judgments of one item."""
    judgments = judgments_in(evidence)
    pairs = pairs_of(judgments)
    texts = evidence.items.set_index("item_id")["text_id"]
    about = judgments.frame["item_id"].map(texts).to_numpy()[pairs[:, 0]]
    for category in judgments.categories:
        by_text = [pair_table(judgments, category, pairs[about == text]) for text in pd.unique(about)]
        views = {"all": by_text, "applicable": [both_got_to(table, category) for table in by_text]}
        for view, tables in views.items():
            for name in MEASURES:
                yield (category.name, view, name, *measured(tables, name, evidence.choices.seed))


def measured(by_text: Sequence[IntArray], name: str, seed: int) -> tuple[float | None, float, float, int, str]:
    """value, low, high, n and reason from the pairs of each text, (c, c) counts; texts without pairs do not enter."""
    measure, bounds = MEASURES[name]
    entering = [table for table in by_text if table.any()]
    if not entering:
        return None, np.nan, np.nan, 0, _(NO_JUDGMENT)
    tables = np.array(entering, dtype=np.float64)
    n, value = int(tables.sum()), float(measure(tables.sum(axis=0)))
    found = clustered(
        lambda weights: measure(np.tensordot(weights, tables, axes=1)), len(tables), n, bounds=bounds, seed=seed
    )
    return value, found.low, found.high, n, _(found.reason) if found.reason else ""
