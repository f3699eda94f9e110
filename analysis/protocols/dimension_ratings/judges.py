"""Models that score on the study's dimensions, beside people: their means, and how far they agree with people."""

from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.correlations import correlation
from analysis.protocols.dimension_ratings.scores import dimensions_of, item_means, rounds_of, scores_by, scores_of
from analysis.protocols.dimension_ratings.tables import JUDGE_AGREEMENT, JUDGE_MEANS
from analysis.reports.evaluators import Evaluator, judges_in
from analysis.tables.spec import Table


def judges_of_scores(evidence: Evidence) -> tuple[Table, ...]:
    """Two tables where a model has scored, else none. Models score in round 1 only: it is held against people's
    first known round."""
    judged = [(judge, scores_by(evidence, judge, 1)) for judge in judges_in(evidence)]
    judged = [(judge, scores) for judge, scores in judged if not scores.empty]
    if not judged:
        return ()
    dimensions, people = dimensions_of(evidence), scores_of(evidence, rounds_of(evidence)[0])
    means = [
        mean_row(judge, generator, dimension, scores)
        for judge, scores in judged
        for generator in evidence.generators
        for dimension in dimensions
    ]
    agreement = [
        agreement_row(judge, dimension, scores, people) for judge, scores in judged for dimension in dimensions
    ]
    return (JUDGE_MEANS.build(means), JUDGE_AGREEMENT.build(agreement))


def mean_row(judge: Evaluator, generator: str, dimension: str, scores: pd.DataFrame) -> dict[str, Any]:
    mine = scores[(scores["generator"] == generator) & (scores["dimension"] == dimension)]["value"]
    return {
        "evaluator": judge.name,
        "evaluator_kind": judge.kind,
        "generator": generator,
        "dimension": dimension,
        "mean": mine.mean() if len(mine) else None,
        "n": len(mine),
        "reason": "" if len(mine) else _("There are no judgments to compute this from."),
    }


def agreement_row(judge: Evaluator, dimension: str, scores: pd.DataFrame, people: pd.DataFrame) -> dict[str, Any]:
    """r with people's mean score of each item; the share of people's scores that equal the model's."""
    own, theirs = (frame[frame["dimension"] == dimension] for frame in (scores, people))
    both = pd.concat([item_means(frame, (dimension,))[dimension] for frame in (own, theirs)], axis=1, join="inner")
    model, human = both.to_numpy(dtype=np.float64).T
    found = correlation(model, human)
    pairs = own[["item_id", "value"]].merge(theirs[["item_id", "value"]], on="item_id", suffixes=("_model", "_human"))
    return {
        "evaluator": judge.name,
        "evaluator_kind": judge.kind,
        "dimension": dimension,
        "pearson": found.r,
        "percent": (pairs["value_model"] == pairs["value_human"]).mean() if len(pairs) else None,
        "difference": (model - human).mean() if len(both) else None,
        "n_items": len(both),
        "n_pairs": len(pairs),
        "reason": _(found.reason) if found.reason else "",
    }
