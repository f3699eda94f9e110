"""How far people agree on each dimension: Krippendorff's α at interval level, for each round."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from django.utils.translation import gettext as _

from analysis.choices import ANNOTATORS, PUBLISHED, READERS
from analysis.frames.evidence import Evidence
from analysis.measures.alpha import INTERVAL, clustered_alpha, krippendorff_alpha
from analysis.measures.reader_coefficients import readers_alpha
from analysis.protocols.dimension_ratings.scores import dimensions_of, matrix_of, rounds_of, scores_of, unknown_round
from analysis.reports.estimates import Estimate, skewed_note
from analysis.tables.spec import Crossing, Shown, Table, make_table

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
               "take items as independent."), skewed_note(), *unknown_round(evidence)]  # fmt: skip
    if len(rounds_of(evidence)) > 1:
        notes.append(_("Round 1 is reliability. Scores of round 2 are not independent of each other: they are "
                       "adjudicated, over all cells, each with its latest score."))  # fmt: skip
    return make_table(
        "alpha", COLUMNS, rows, title=_("Agreement"), notes=tuple(notes), shown=shown(),
        named_by=("dimension", "round"), crossings=(Crossing("alpha", "dimension", "round"),),
    )  # fmt: skip


def variant_alpha(evidence: Evidence) -> Iterator[tuple[Any, ...]]:
    """Of each dimension what a row of the table `variants` says, in the first known round.

    n are items that two or more scored.
    """
    first = rounds_of(evidence)[0]
    scores = scores_of(evidence, first)
    for dimension in dimensions_of(evidence):
        row = alpha_row(evidence, dimension, first, scores[scores["dimension"] == dimension])
        yield dimension, "", "alpha", row["alpha"], row["intervals"]["alpha"], row["n_units"], row["reason"]


def alpha_row(evidence: Evidence, dimension: str, number: int, scores: pd.DataFrame) -> dict[str, Any]:
    values, texts = matrix_of(scores)
    found = krippendorff_alpha(values, INTERVAL)
    intervals = {
        READERS: readers_alpha(values, INTERVAL, texts),
        ANNOTATORS: clustered_alpha(values, INTERVAL, texts, seed=evidence.choices.seed),
        PUBLISHED: found.interval(),
    }
    estimate = Estimate(found.value, intervals, _(found.reason) if found.reason else "")
    low, high, reason = estimate.ends(evidence.choices.convention)
    return {
        "dimension": dimension,
        "round": number,
        "alpha": found.value,
        "low": low,
        "high": high,
        "level": found.level,
        "n_units": found.n_units,
        "n_values": found.n_values,
        "reason": reason,
        "intervals": {"alpha": estimate.as_json()},
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
