"""How far people agree on each dimension: Krippendorff's α at interval level, for each round."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pandas as pd
from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.measures.alpha import INTERVAL, clustered_alpha, krippendorff_alpha
from analysis.reports.estimates import skewed_note
from analysis.reports.scores import dimensions_of, matrix_of, rounds_of, scores_of
from analysis.tables import Crossing, Shown, Table, make_table

COLUMNS = ("dimension", "round", "alpha", "low", "high", "level", "n_units", "n_values", "reason")


def alpha(evidence: Evidence) -> Table:
    """One row per dimension and round. Units are items that at least two people scored."""
    rows = [
        alpha_row(evidence, dimension, number, scores[scores["dimension"] == dimension])
        for number in rounds_of(evidence)
        for scores in [scores_of(evidence, number)]
        for dimension in dimensions_of(evidence)
    ]
    notes = [_("Krippendorff's α, interval level. Units are items that at least two people scored; published intervals "
               "take items as independent."), skewed_note()]  # fmt: skip
    if len(rounds_of(evidence)) > 1:
        notes.append(_("Round 1 is reliability. Scores of round 2 are not independent of each other: they are "
                       "adjudicated, over all cells, each with its latest score."))  # fmt: skip
    return make_table(
        "alpha", COLUMNS, rows, title=_("Agreement"), notes=tuple(notes), shown=shown(),
        named_by=("dimension", "round"), crossings=(Crossing("alpha", "dimension", "round"),),
    )  # fmt: skip


def variant_alpha(evidence: Evidence) -> Iterator[tuple[Any, ...]]:
    """Of each dimension what a row of the table `variants` says, in round 1; n are items that two or more scored."""
    scores = scores_of(evidence, 1)
    for dimension in dimensions_of(evidence):
        row = alpha_row(evidence, dimension, 1, scores[scores["dimension"] == dimension])
        yield dimension, "", "alpha", row["alpha"], row["low"], row["high"], row["n_units"], row["reason"]


def alpha_row(evidence: Evidence, dimension: str, number: int, scores: pd.DataFrame) -> dict[str, Any]:
    values, texts = matrix_of(scores)
    found = krippendorff_alpha(values, INTERVAL)
    intervals = {
        "clustered": clustered_alpha(values, INTERVAL, texts, seed=evidence.choices.seed),
        "published": found.interval(),
    }
    chosen = intervals[evidence.choices.convention]
    reason = found.reason or chosen.reason
    return {
        "dimension": dimension,
        "round": number,
        "alpha": found.value,
        "low": chosen.low,
        "high": chosen.high,
        "level": found.level,
        "n_units": found.n_units,
        "n_values": found.n_values,
        "reason": _(reason) if reason else "",
        "intervals": {"alpha": {name: asdict(interval) for name, interval in intervals.items()}},
    }


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Dimension"), "dimension", "question"),
        Shown(_("Round"), "round", "count"),
        Shown(
            "α",
            "alpha",
            "number",
            "low",
            "high",
            "reason",
            counts="scores",
            about=_("Krippendorff's α, interval level, over items with two or more scores"),
        ),
        Shown(_("Items"), "n_units", "count", about=_("items with two or more scores")),
        Shown(_("Scores"), "n_values", "count", about=_("scores of these items")),
    )
