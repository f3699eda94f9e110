"""How far people agree on which item of a pair is better, and how far models agree with people.

An answer is coded by the item that was chosen, whichever side of the page it was on.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.choices import ANNOTATORS, PUBLISHED, READERS
from analysis.frames.evidence import Evidence
from analysis.measures.agreement import MISSING
from analysis.measures.coefficients import (
    CONGER,
    PERCENT,
    Coefficient,
    category_counts,
    clustered_coefficient,
    conger_kappa,
    percent,
)
from analysis.measures.kappa import name_strength
from analysis.measures.reader_coefficients import readers_coefficient
from analysis.measures.strengths import TIE, ties_missing
from analysis.measures.types import IntArray
from analysis.protocols.pairwise.ranking import (
    build_rating_matrix,
    iter_win_rows,
    select_judgments,
    select_judgments_by,
)
from analysis.protocols.pairwise.tables import AGREEMENT, JUDGE_AGREEMENT, JUDGE_WINS, POSITION_BIAS
from analysis.reports.estimates import Estimate
from analysis.reports.evaluators import Evaluator, list_judges
from analysis.reports.labels import measure_labels
from analysis.tables.spec import Row, Table
from studies.services.selection import CALIBRATION

WITH_TIES, WITHOUT_TIES, TIES_MISSING = "with_ties", "without_ties", "ties_missing"


def build_pair_agreement(evidence: Evidence) -> Table:
    """One row per treatment of ties, over all pairs that at least two people judged, including the calibration."""
    return AGREEMENT.build(build_agreement_rows(evidence, select_judgments(evidence)), evidence.choices.convention)


def build_agreement_rows(evidence: Evidence, judgments: pd.DataFrame) -> list[dict[str, Any]]:
    """One row per treatment of ties, over these judgments."""
    ratings, texts = build_rating_matrix(judgments)
    untied = ~(ratings == TIE).any(axis=0)
    views = {
        WITH_TIES: (ratings, texts, 3),
        WITHOUT_TIES: (ratings[:, untied], texts[untied], 2),
        TIES_MISSING: (ties_missing(ratings), texts, 2),
    }
    return [
        build_agreement_row(view, *keep_judged_twice(*given), evidence.choices.seed) for view, given in views.items()
    ]


def build_calibration_rows(evidence: Evidence) -> Sequence[Row]:
    """The rows of `build_pair_agreement` over the pairs of the calibration only; empty if none of them was judged."""
    judgments = select_judgments(evidence)
    judgments = judgments[judgments["part"] == CALIBRATION]
    if judgments.empty:
        return ()
    return AGREEMENT.build(build_agreement_rows(evidence, judgments), evidence.choices.convention).rows


def iter_variant_agreement(evidence: Evidence) -> Iterator[tuple[Any, ...]]:
    """The rows of the table `variants` per treatment of ties and measure; n: pairs that at least two people judged."""
    for row in build_pair_agreement(evidence).rows:
        for measure in ("percent", "conger_kappa"):
            intervals = row["intervals"][measure]
            reason = row["reason"] or intervals[evidence.choices.convention]["reason"]
            yield ("better", row["view"], measure, row[measure], intervals, row["n_units"], reason)


def keep_judged_twice(ratings: IntArray, texts: IntArray, categories: int) -> tuple[IntArray, IntArray, int]:
    """The arguments, reduced to pairs with at least two judgments."""
    twice = (ratings != MISSING).sum(axis=0) > 1
    return ratings[:, twice], texts[twice], categories


def build_agreement_row(view: str, ratings: IntArray, texts: IntArray, categories: int, seed: int) -> dict[str, Any]:
    counts = category_counts(ratings, categories)
    shares, kappa = percent(counts), conger_kappa(ratings, categories)
    word = name_strength(kappa.value)
    return {
        "view": view,
        "percent": estimate_coefficient(PERCENT, shares, ratings, texts, categories, seed),
        "conger_kappa": estimate_coefficient(CONGER, kappa, ratings, texts, categories, seed),
        "n_units": shares.n_units,
        "n_annotators": (ratings != MISSING).any(axis=1).sum(),
        "strength": _(word) if word else "",
        "expected": kappa.expected,
        "prevalence": measure_prevalence(counts),
    }


def estimate_coefficient(
    measure: str, found: Coefficient, ratings: IntArray, texts: IntArray, categories: int, seed: int
) -> Estimate:
    """A coefficient with its intervals; measure: its name in `clustered_coefficient`."""
    intervals = {
        READERS: readers_coefficient(measure, ratings, categories, texts),
        ANNOTATORS: clustered_coefficient(measure, ratings, categories, texts, seed=seed),
        PUBLISHED: found.interval(),
    }
    return Estimate(found.value, intervals, _(found.reason) if found.reason else "")


def measure_prevalence(counts: IntArray) -> float:
    """The share of the commonest label among all judgments."""
    totals = counts.sum(axis=0)
    return float(totals.max() / totals.sum()) if totals.sum() else float(np.nan)


OUTCOMES = 3  # first, second, tie


def build_judge_tables(evidence: Evidence) -> tuple[Table, ...]:
    """The tables on models that judged pairs: wins, agreement with people, and position bias if it is known.

    Empty if no model has judged.
    """
    judged = [(judge, select_judgments_by(evidence, judge)) for judge in list_judges(evidence)]
    judged = [(judge, rows) for judge, rows in judged if not rows.empty]
    if not judged:
        return ()
    people = select_judgments(evidence)
    wins = [fill_evaluator_columns(judge) | row for judge, rows in judged for row in iter_win_rows(evidence, rows)]
    agreement = [fill_evaluator_columns(judge) | measure_labels(count_pairs(rows, people)) for judge, rows in judged]
    positions = [build_position_row(evidence, judge) for judge, _rows in judged if judge.name in evidence.positions]
    return (
        JUDGE_WINS.build(wins),
        JUDGE_AGREEMENT.build(agreement),
        *([POSITION_BIAS.build(positions)] if positions else []),
    )


def fill_evaluator_columns(judge: Evaluator) -> dict[str, str]:
    return {"evaluator": judge.name, "evaluator_kind": judge.kind}


def count_pairs(judgments: pd.DataFrame, people: pd.DataFrame) -> IntArray:
    """(3, 3) counts: the model's outcome × a person's, over people's judgments of pairs that the model judged."""
    both = judgments[["unit", "outcome"]].merge(people[["unit", "outcome"]], on="unit", suffixes=("_model", "_human"))
    cells = both["outcome_model"].to_numpy() * OUTCOMES + both["outcome_human"].to_numpy()
    return np.bincount(cells, minlength=OUTCOMES**2).reshape(OUTCOMES, OUTCOMES).astype(np.int64)


def build_position_row(evidence: Evidence, judge: Evaluator) -> dict[str, Any]:
    found = evidence.positions[judge.name]
    return {
        "evaluator": judge.name,
        "n": found.n,
        "share_flipped": found.share_flipped,
        "share_first": found.share_first,
        "n_decided": found.n_decided,
        "reason": "" if found.n and found.n_decided else _("No reply names a winner, or no pair has both orders."),
    }
