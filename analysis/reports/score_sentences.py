"""What the scores say in words: who scores highest and lowest, and whether that is more than chance."""

from collections.abc import Callable
from math import isnan

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.formatting import count, number, texts_counted, with_interval
from analysis.measures.intervals import clustered
from analysis.measures.types import FloatArray
from analysis.reports.contrasts import Contrast
from analysis.reports.generator_means import average_statistic
from analysis.reports.narrowing import scattered
from analysis.reports.scores import AVERAGE, levels_of, scores_of
from analysis.reports.sentences import EQUAL, largest, untold, without
from analysis.tables import Row, Table


def ordered(means: Table) -> list[Row]:
    """The averages of the generators after the last round, the lowest first."""
    last = max((row["round"] for row in means.rows), default=1)
    rows = [row for row in means.rows if row["dimension"] == AVERAGE and row["round"] == last]
    return sorted((row for row in rows if row["mean"] is not None), key=lambda row: row["mean"])


def compared(evidence: Evidence, means: Table) -> list[str]:
    """The difference between the two ends, if it has an interval: both averages anew in every replicate."""
    defined = ordered(means)
    if len(defined) < 2 or len(dimensions_scored(means, defined)) > 1:
        return []
    scores, levels = scores_of(evidence, defined[0]["round"]), levels_of(evidence)
    ends = defined[0]["generator"], defined[-1]["generator"]
    found = difference(scores, *ends, float(levels[-1] - levels[0]), evidence.choices.seed)
    if isnan(found.interval.low):
        return [untold(found)]
    clause = scattered(scores, found.less, found.more)
    said = [difference_worded(found, clause)]
    return [*said, largest(len(defined))] if len(defined) > 2 else said


def dimensions_scored(means: Table, generators: list[Row]) -> set[frozenset[str]]:
    """On which dimensions each of the generators has scores; one set where all have them on the same."""
    scored: dict[str, set[str]] = {row["generator"]: set() for row in generators}
    for row in means.rows:
        if row["round"] == generators[0]["round"] and row["generator"] in scored and row["n"]:
            scored[row["generator"]].add(row["dimension"])
    return {frozenset(names) for names in scored.values()}


def difference(scores: pd.DataFrame, less: str, more: str, span: float, seed: int) -> Contrast:
    """Average of `less` minus that of `more`, over the texts of either, with its text-clustered interval.

    span: of the declared scale, which no difference exceeds.
    """
    texts = pd.Index(scores[scores["generator"].isin([less, more])]["text_id"].unique())
    averages = [average_by_text(scores[scores["generator"] == name], texts) for name in (less, more)]

    def statistic(weights: FloatArray) -> FloatArray:
        return np.asarray(averages[0](weights) - averages[1](weights))

    n = int(scores["generator"].isin([less, more]).sum())
    interval = clustered(statistic, len(texts), n, bounds=(-span, span), seed=seed)
    return Contrast(less, more, float(statistic(np.ones((1, len(texts))))[0]), interval, len(texts))


def average_by_text(scores: pd.DataFrame, texts: pd.Index) -> Callable[[FloatArray], FloatArray]:
    """The mean of the dimensions' means as a function of how often each text is taken."""
    by_text = scores.groupby(["text_id", "dimension"])["value"].agg(["sum", "count"]).unstack(fill_value=0)
    by_text = by_text.reindex(texts, fill_value=0)
    return average_statistic(*(by_text[part].to_numpy(dtype=np.float64) for part in ("sum", "count")))


def difference_worded(found: Contrast, clause: str = "") -> str:
    values = {
        "less": found.less,
        "more": found.more,
        "difference": with_interval(found.value, found.interval.low, found.interval.high),
        "texts": f"{texts_counted(found.n_texts)}; {clause}" if clause else texts_counted(found.n_texts),
    }
    if found.interval.high < 0:
        return _("Items by %(less)s score lower than those by %(more)s: %(difference)s, %(texts)s.") % values
    return (
        _("Whether items by %(less)s score lower than those by %(more)s cannot be told: %(difference)s, %(texts)s.")
        % values
    )


def printed(row: Row) -> str:
    """2.68 [2.61, 2.75]"""
    ends = row["intervals"]["mean"]["clustered"]
    return with_interval(row["mean"], ends["low"], ends["high"])


def sentences(means: Table) -> list[str]:
    """Which generator has the highest and the lowest average, after the last round; who has none."""
    defined = ordered(means)
    if len(defined) < 2:
        return []
    unscored = sorted({row["generator"] for row in means.rows} - {row["generator"] for row in defined})
    apart = [without(unscored, _("no scores"))] if unscored else []
    if len(dimensions_scored(means, defined)) > 1:
        said = _("Generators were not scored on the same dimensions, so their averages are not compared.")
        return [said, *apart]
    worst, best = defined[0], defined[-1]
    n = count(sum(row["n"] for row in defined))
    if best["mean"] - worst["mean"] < EQUAL:
        values = {"names": ", ".join(row["generator"] for row in defined), "mean": number(best["mean"]), "n": n}
        said = _("Averaged over dimensions, items by %(names)s score the same (%(mean)s), by %(n)s scores of people.")
        return [said % values, *apart]
    return [
        _(
            "Averaged over dimensions, items by %(best)s score highest (%(high)s), those by %(worst)s lowest (%(low)s),"
            " by %(n)s scores of people."
        )
        % {
            "best": best["generator"],
            "high": printed(best),
            "worst": worst["generator"],
            "low": printed(worst),
            "n": n,
        },
        *apart,
    ]
