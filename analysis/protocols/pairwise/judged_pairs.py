"""Judgments of pairs in the form that reports need: one row per annotator and pair. Results count those of people."""

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.agreement import MISSING
from analysis.measures.strengths import FIRST, SECOND, TIE
from analysis.measures.types import IntArray
from analysis.reports.evaluators import Evaluator, people_in
from analysis.science.scores import sum_scores
from studies.protocols.pairwise.declaration import BETTER
from studies.protocols.pairwise.declaration import TIE as TIE_WORD
from studies.services.selection import CALIBRATION

PLACE = ["annotator", "unit", "round"]


def judgments_of(evidence: Evidence) -> pd.DataFrame:
    """People's judgments; see `judgments_by`."""
    return judgments_by(evidence, people_in(evidence))


def judgments_by(evidence: Evidence, evaluator: Evaluator) -> pd.DataFrame:
    """The evaluator's judgments, those of the calibration included.

    Columns: annotator, unit, round, part, text_id, first, second, generator_first, generator_second, outcome, left.
    outcome: FIRST, SECOND or TIE, by the order of the pair rather than by side. left: the item on the left; missing if
    that is unknown.
    """
    rows = evaluator.rows_of(evidence.frame)
    rows = rows[rows["question"] == BETTER][[*PLACE, "part", "text_id", "value"]]
    found = rows.merge(evidence.pairs, on=PLACE, how="left")
    outcome = np.select([found["value"] == TIE_WORD, found["value"] == found["first"]], [TIE, FIRST], SECOND)
    return found.drop(columns="value").assign(outcome=outcome.astype(np.int64))


def select_counted(evidence: Evidence, evaluator: Evaluator | None = None) -> pd.DataFrame:
    """The judgments that enter the results, by default people's: without the calibration where that was chosen."""
    found = judgments_by(evidence, evaluator or people_in(evidence))
    return found if evidence.choices.calibration else found[found["part"] != CALIBRATION].reset_index(drop=True)


def calibration_note(evidence: Evidence) -> list[str]:
    """The note of a table if the study has answers to a calibration."""
    if not (judgments_of(evidence)["part"] == CALIBRATION).any():
        return []
    if evidence.choices.calibration:
        return [_("Judgments of the calibration are counted.")]
    return [_("Judgments of the calibration are not counted.")]


def winner(judgments: pd.DataFrame, prefix: str = "") -> pd.Series:
    """The winning item of each judgment, or its generator; missing for a tie."""
    won = judgments[f"{prefix}first"].where(judgments["outcome"] == FIRST)
    return won.where(judgments["outcome"] != SECOND, judgments[f"{prefix}second"])


def ratings_of(judgments: pd.DataFrame) -> tuple[IntArray, IntArray]:
    """Outcomes as (raters, pairs), MISSING where nobody judged, and the text of each pair, (pairs,).

    Without judgments there is one rater, who has judged nothing.
    """
    if judgments.empty:
        return np.full((1, 0), MISSING, dtype=np.int64), np.empty(0, dtype=np.int64)
    # Sorted by content, not by time, so that sums come out the same to the last digit.
    units = judgments.drop_duplicates("unit").sort_values(["text_id", "first", "second"]).set_index("unit")
    table, texts = judgments.pivot(index="annotator", columns="unit", values="outcome")[units.index], units["text_id"]
    ratings = table.fillna(MISSING).to_numpy(dtype=np.int64)
    return ratings, pd.factorize(texts, sort=True)[0].astype(np.int64)


def encode(evidence: Evidence, judgments: pd.DataFrame) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """first, second: (n,) codes of generators in the order of the bank; outcome, text: (n,)."""
    codes = {name: code for code, name in enumerate(evidence.generators)}
    first, second = (judgments[f"generator_{side}"].map(codes).to_numpy() for side in ("first", "second"))
    outcome, text = judgments["outcome"].to_numpy(), pd.factorize(judgments["text_id"], sort=True)[0]
    return first.astype(np.int64), second.astype(np.int64), outcome.astype(np.int64), text.astype(np.int64)


def score_items(evidence: Evidence) -> pd.DataFrame:
    """The share of comparisons that each item wins, a tie as half; see `analysis.science.scores`."""
    judged = select_counted(evidence)
    won = judged["outcome"].map({FIRST: 1.0, SECOND: 0.0, TIE: 0.5})
    sides = [
        judged[["text_id"]].assign(item_id=judged[side], generator=judged[f"generator_{side}"], value=value)
        for side, value in (("first", won), ("second", 1 - won))
    ]
    both = pd.concat(sides, ignore_index=True)
    return sum_scores(both, both["value"], "win_rate")
