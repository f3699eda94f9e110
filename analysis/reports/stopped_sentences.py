"""Whose items are stopped at more often, in words, with an interval by texts."""

from math import isnan

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.formatting import texts_counted, with_interval
from analysis.measures.intervals import clustered
from analysis.measures.types import FloatArray
from analysis.reports.contrasts import Contrast
from analysis.reports.evaluators import people_in
from analysis.reports.judged import judgments_in
from analysis.reports.narrowing import scattered
from analysis.reports.sentences import largest, untold


def compared(evidence: Evidence) -> list[str]:
    """The generators whose items people stopped at most and least often; nothing without an interval."""
    frame = judgments_in(evidence).among(people_in(evidence)).frame
    texts = evidence.items.set_index("item_id")["text_id"]
    stopped = pd.DataFrame(
        {
            "text_id": frame["item_id"].map(texts),
            "annotator": frame["annotator"],
            "generator": frame["generator"],
            "stopped": frame["stopped"].notna().astype(float),
        }
    )
    shares = stopped.groupby("generator", sort=False)["stopped"].mean().sort_values(kind="stable")
    if len(shares) < 2:
        return []
    found = difference(stopped, shares.index[0], shares.index[-1], evidence.choices.seed)
    if isnan(found.interval.low):
        return [untold(found)]
    clause = scattered(stopped.rename(columns={"stopped": "value"}), found.less, found.more)
    return [worded(found, clause), *([largest(len(shares))] if len(shares) > 2 else [])]


def difference(stopped: pd.DataFrame, less: str, more: str, seed: int) -> Contrast:
    """Share stopped of `less` minus that of `more`, both anew in every replicate."""
    mine = stopped[stopped["generator"].isin([less, more])]
    sums = mine.groupby(["text_id", "generator"])["stopped"].agg(["sum", "count"]).unstack(fill_value=0)

    def share(name: str, weights: FloatArray) -> FloatArray:
        n = weights @ sums["count"][name].to_numpy(dtype=np.float64)
        return np.asarray(weights @ sums["sum"][name].to_numpy(dtype=np.float64) / np.where(n > 0, n, np.nan))

    def statistic(weights: FloatArray) -> FloatArray:
        return np.asarray(share(less, weights) - share(more, weights))

    ends = clustered(statistic, len(sums), len(mine), bounds=(-1.0, 1.0), seed=seed)
    return Contrast(less, more, float(statistic(np.ones((1, len(sums))))[0]), ends, len(sums))


def worded(found: Contrast, clause: str = "") -> str:
    values = {
        "less": found.less,
        "more": found.more,
        "difference": with_interval(found.value, found.interval.low, found.interval.high),
        "texts": f"{texts_counted(found.n_texts)}; {clause}" if clause else texts_counted(found.n_texts),
    }
    if found.interval.high < 0:
        return (
            _(
                "Judgments of items by %(less)s stop early less often than of those by %(more)s:"
                " %(difference)s, %(texts)s."
            )
            % values
        )
    return (
        _(
            "Whether items by %(less)s are stopped at less often than those by %(more)s cannot be told:"
            " %(difference)s, %(texts)s."
        )
        % values
    )
