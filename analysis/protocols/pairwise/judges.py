"""Models that judge pairs: what they prefer, how far they agree with people, and whether the order decides."""

from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.types import IntArray
from analysis.protocols.pairwise.judged_pairs import judgments_by, judgments_of
from analysis.protocols.pairwise.tables import JUDGE_AGREEMENT, JUDGE_WINS, POSITION_BIAS
from analysis.protocols.pairwise.wins import win_rows
from analysis.reports.evaluators import Evaluator, judges_in
from analysis.reports.label_agreement import measure_labels
from analysis.tables.spec import Table

OUTCOMES = 3  # first, second, tie


def judges_of_pairs(evidence: Evidence) -> tuple[Table, ...]:
    """Three tables where a model has judged, else none."""
    judged = [(judge, judgments_by(evidence, judge)) for judge in judges_in(evidence)]
    judged = [(judge, rows) for judge, rows in judged if not rows.empty]
    if not judged:
        return ()
    people = judgments_of(evidence)
    wins = [about(judge) | row for judge, rows in judged for row in win_rows(evidence, rows)]
    agreement = [about(judge) | measure_labels(with_people(rows, people)) for judge, rows in judged]
    positions = [position_row(evidence, judge) for judge, _rows in judged if judge.name in evidence.positions]
    return (
        JUDGE_WINS.build(wins),
        JUDGE_AGREEMENT.build(agreement),
        *([POSITION_BIAS.build(positions)] if positions else []),
    )


def about(judge: Evaluator) -> dict[str, str]:
    return {"evaluator": judge.name, "evaluator_kind": judge.kind}


def with_people(judgments: pd.DataFrame, people: pd.DataFrame) -> IntArray:
    """Counts of (the model's outcome, a person's) over all judgments of people about pairs that the model judged."""
    both = judgments[["unit", "outcome"]].merge(people[["unit", "outcome"]], on="unit", suffixes=("_model", "_human"))
    cells = both["outcome_model"].to_numpy() * OUTCOMES + both["outcome_human"].to_numpy()
    return np.bincount(cells, minlength=OUTCOMES**2).reshape(OUTCOMES, OUTCOMES).astype(np.int64)


def position_row(evidence: Evidence, judge: Evaluator) -> dict[str, Any]:
    found = evidence.positions[judge.name]
    return {
        "evaluator": judge.name,
        "n": found.n,
        "share_flipped": found.share_flipped,
        "share_first": found.share_first,
        "n_decided": found.n_decided,
        "reason": "" if found.n and found.n_decided else _("No reply names a winner, or no pair has both orders."),
    }
