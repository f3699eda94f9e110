"""How often each score was given, on each dimension and in each data set."""

from typing import Any

import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.protocols.dimension_ratings.scores import dimensions_of, levels_of, rounds_of, scores_of
from analysis.tables.spec import Crossing, Shown, Table, make_table

COLUMNS = ("dataset", "dimension", "round", "score", "n", "share")
ALL, NONE = "all", "(none)"


def distributions(evidence: Evidence) -> Table:
    """One row per level of the scale; all data sets together come first."""
    rows = [
        row
        for number in rounds_of(evidence)
        for name, scores in datasets(scores_of(evidence, number))
        for dimension in dimensions_of(evidence)
        for row in level_rows(evidence, name, dimension, number, scores[scores["dimension"] == dimension])
    ]
    note = _("A data set is the one that a text's metadata names, or else the source of the text.")
    return make_table(
        "distributions", COLUMNS, rows, title=_("Distribution of scores"), notes=(note,), shown=shown(),
        named_by=("dataset", "dimension", "round", "score"),
        crossings=(Crossing("share", "dimension", "score", apart=("dataset", "round")),),
    )  # fmt: skip


def datasets(scores: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """All scores, and those of each data set where there are several."""
    found = [(ALL, scores)]
    if scores["dataset"].nunique() > 1:
        found += [(name or NONE, scores[scores["dataset"] == name]) for name in scores["dataset"].unique()]
    return found


def level_rows(
    evidence: Evidence, dataset: str, dimension: str, number: int, scores: pd.DataFrame
) -> list[dict[str, Any]]:
    counts, n = scores["value"].value_counts(), len(scores)
    return [
        {
            "dataset": dataset,
            "dimension": dimension,
            "round": number,
            "score": level,
            "n": int(counts.get(level, 0)),
            "share": counts.get(level, 0) / n if n else None,
        }
        for level in levels_of(evidence)
    ]


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Data set"), "dataset", "dataset"),
        Shown(_("Dimension"), "dimension", "question"),
        Shown(_("Round"), "round", "count"),
        Shown(_("Score"), "score", "count"),
        Shown("n", "n", "count", about=_("scores of this level")),
        Shown(_("Share"), "share", "number", about=_("share of all scores on the dimension that are of this level")),
    )
