"""The mean score of each generator on each dimension, the best and the worst marked."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.evidence import Evidence
from analysis.measures.intervals import Interval, clustered, undefined
from analysis.measures.types import FloatArray
from analysis.reports.estimates import Estimate, mean_of
from analysis.reports.marks import marked
from analysis.reports.scores import AVERAGE, dimensions_of, levels_of, rounds_of, scores_of
from analysis.tables import Crossing, Shown, Table, make_table
from studies.question_words import question_word

COLUMNS = ("generator", "dimension", "round", "mean", "low", "high", "n", "mark", "reason")
NO_SCORE = "There is no judgment to compute this from."
NO_PUBLISHED = gettext_noop("An average of dimensions has an interval by texts only.")


def generator_means(evidence: Evidence) -> Table:
    """One row per generator, dimension and round, and one for the average of the generator's unrounded means."""
    rows: list[dict[str, Any]] = []
    for number in rounds_of(evidence):
        scores = scores_of(evidence, number)
        for dimension in (*dimensions_of(evidence), AVERAGE):
            mine = scores if dimension == AVERAGE else scores[scores["dimension"] == dimension]
            rows += marked([
                mean_row(evidence, generator, dimension, number, mine[mine["generator"] == generator])
                for generator in evidence.generators
            ])  # fmt: skip
    notes = (
        _("%(average)s is the mean of the generator's unrounded means on the dimensions that were scored.")
        % {"average": question_word(AVERAGE)},
        _("Marked are the three best and the three worst on a dimension (fewer where there are fewer than six)."),
    )
    return make_table(
        "generator_means", COLUMNS, rows, title=_("Means by generator"), notes=notes, shown=shown(),
        named_by=("generator", "dimension", "round"),
        crossings=(Crossing("mean", "generator", "dimension", apart=("round",), mark="mark"),),
    )  # fmt: skip


def mean_row(evidence: Evidence, generator: str, dimension: str, number: int, scores: pd.DataFrame) -> dict[str, Any]:
    levels, seed = levels_of(evidence), evidence.choices.seed
    bounds = (float(levels[0]), float(levels[-1]))
    if dimension == AVERAGE:
        found = average_of(scores, bounds, seed)
    else:
        found = mean_of(scores["value"], scores["text_id"], bounds, seed)
    low, high, reason = found.ends(evidence.choices.convention)
    return {
        "generator": generator,
        "dimension": dimension,
        "round": number,
        "mean": found.value,
        "low": low,
        "high": high,
        "n": len(scores),
        "mark": "",
        "reason": reason,
        "intervals": {"mean": found.as_json()},
    }


def average_of(scores: pd.DataFrame, bounds: tuple[float, float], seed: int) -> Estimate:
    """The mean over dimensions of their means, and its interval by texts."""
    about = ("text", scores["text_id"].nunique(), len(scores), None)
    nowhere = undefined("", about, NO_SCORE if scores.empty else NO_PUBLISHED)
    if scores.empty:
        return Estimate(float("nan"), {"clustered": nowhere, "published": nowhere}, _(NO_SCORE))
    by_text = scores.groupby(["text_id", "dimension"])["value"].agg(["sum", "count"]).unstack(fill_value=0)
    average = average_statistic(*(by_text[part].to_numpy(dtype=np.float64) for part in ("sum", "count")))
    value = float(average(np.ones((1, len(by_text))))[0])
    by_texts: Interval = clustered(average, len(by_text), len(scores), bounds=bounds, seed=seed)
    return Estimate(value, {"clustered": by_texts, "published": nowhere})


def average_statistic(sums: FloatArray, counts: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """The average as a function of the weights (b, texts); sums, counts: (texts, dimensions)."""

    def statistic(weights: FloatArray) -> FloatArray:
        n = weights @ counts
        return np.asarray(((weights @ sums) / np.where(n > 0, n, np.nan)).mean(axis=1))

    return statistic


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Generator"), "generator"),
        Shown(_("Dimension"), "dimension", "question"),
        Shown(_("Round"), "round", "count"),
        Shown(
            _("Mean"),
            "mean",
            "number",
            "low",
            "high",
            "reason",
            counts="scores",
            about=_("mean of people's scores; the average is the mean of the means on the dimensions"),
        ),
        Shown(_("Scores"), "n", "count", about=_("scores of people")),
        Shown(_("Mark"), "mark", "mark"),
    )
