"""Scores on dimensions as reports read them: one row per annotator, item and dimension. Results are people's."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.types import FloatArray, IntArray
from analysis.reports.contrasts import Family, Measured
from analysis.reports.estimates import arm_of, with_codes
from analysis.reports.evaluators import HUMAN, Evaluator, people_in
from studies.protocols import Question
from studies.services.declarations import get_declaration

CELL = ["annotator", "item_id", "dimension"]
AVERAGE = "average"
FIRST, SECOND = 1, 2  # rounds


def scales_of(evidence: Evidence) -> tuple[Question, ...]:
    """The declared questions that are answered on a scale, in their order."""
    stages = get_declaration(evidence.study).stages
    return tuple(question for stage in stages for question in stage.questions if question.kind == "scale")


def dimensions_of(evidence: Evidence) -> tuple[str, ...]:
    return tuple(question.name for question in scales_of(evidence))


def levels_of(evidence: Evidence) -> tuple[int, ...]:
    """The declared scale, whether or not each level was used."""
    return tuple(map(int, scales_of(evidence)[0].levels))


def rounds_of(evidence: Evidence) -> tuple[int, ...]:
    """1, and 2 once somebody has scored again; 2 alone where only the scores after it are known."""
    rounds = people_in(evidence).rows_of(evidence.every_round)["round"]
    if not (rounds > FIRST).any():
        return (FIRST,)
    return (FIRST, SECOND) if (rounds == FIRST).any() else (SECOND,)


def unknown_round(evidence: Evidence) -> list[str]:
    """A note where people's scores of round 1 are unknown."""
    if FIRST in rounds_of(evidence):
        return []
    return [_("Round 1 is unknown: only scores of round 2 were imported, given after annotators had seen "
              "disagreements. Their agreement does not measure reliability.")]  # fmt: skip


def scores_of(evidence: Evidence, number: int) -> pd.DataFrame:
    """People's scores; see `scores_by`."""
    return scores_by(evidence, people_in(evidence), number)


def scores_by(evidence: Evidence, evaluator: Evaluator, number: int) -> pd.DataFrame:
    """annotator, text_id, item_id, generator, dataset, dimension, round, value: of each cell its latest by then."""
    mine = evaluator.rows_of(evidence.every_round)
    rows = mine[(mine["round"] <= number) & mine["question"].isin(dimensions_of(evidence))]
    rows = rows.rename(columns={"question": "dimension"}).sort_values("round", kind="stable")
    rows = rows.drop_duplicates(CELL, keep="last").sort_index()
    datasets = evidence.texts.set_index("text_id")["dataset"]
    found = rows[["annotator", "text_id", "item_id", "generator", "dimension", "round", "value"]].astype({"value": int})
    return found.assign(dataset=found["text_id"].map(datasets)).reset_index(drop=True)


def rating_families(evidence: Evidence, number: int) -> Iterator[Family]:
    """People's mean scores after a round: one family per dimension that was scored, and one of the average."""
    scores, levels = with_codes(scores_of(evidence, number)), levels_of(evidence)
    names = [name for name in dimensions_of(evidence) if (scores["dimension"] == name).any()]
    arms = {
        generator: tuple(
            arm_of(scores[(scores["generator"] == generator) & (scores["dimension"] == name)], "value")
            for name in names
        )
        for generator in evidence.generators
    }
    scored = {generator: mine for generator, mine in arms.items() if any(len(arm.n) for arm in mine)}
    span = float(levels[-1] - levels[0])
    for place, name in enumerate(names):
        figures = {generator: Measured((mine[place],)) for generator, mine in scored.items()}
        yield Family(name, HUMAN, figures, scores["text_id"].nunique(), (-span, span))
    if names:
        figures = {generator: Measured(mine) for generator, mine in scored.items()}
        scale = 1 / len(names)
        yield Family(AVERAGE, HUMAN, figures, scores["text_id"].nunique(), (-span, span), scale=scale)


def matrix_of(scores: pd.DataFrame) -> tuple[FloatArray, IntArray]:
    """Scores on one dimension as (raters, items) with NaN for what is missing, and the text of each item, (items,)."""
    table = scores.pivot(index="annotator", columns="item_id", values="value")
    texts = scores.drop_duplicates("item_id").set_index("item_id")["text_id"].reindex(table.columns)
    return table.to_numpy(dtype=np.float64), pd.factorize(texts, sort=True)[0].astype(np.int64)


def item_means(scores: pd.DataFrame, dimensions: tuple[str, ...]) -> pd.DataFrame:
    """The mean score of each item on each dimension: items down, dimensions across, NaN where nobody scored."""
    means = scores.groupby(["item_id", "dimension"], sort=True)["value"].mean().unstack("dimension")
    return means.reindex(columns=list(dimensions))
