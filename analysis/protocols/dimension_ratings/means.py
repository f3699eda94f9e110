"""Mean scores of each generator on each dimension by people, and of models that judge beside them."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.choices import CONVENTIONS
from analysis.frames.evidence import Evidence
from analysis.measures.correlations import correlation
from analysis.measures.intervals import undefined_interval
from analysis.measures.types import FloatArray
from analysis.protocols.dimension_ratings.scores import (
    AVERAGE,
    dimensions_of,
    item_means,
    levels_of,
    rating_families,
    rounds_of,
    scores_by,
    scores_of,
)
from analysis.protocols.dimension_ratings.tables import JUDGE_AGREEMENT, JUDGE_MEANS, MEANS
from analysis.reports.contrasts import compare_all, find
from analysis.reports.estimates import Estimate, figure_of, mean_of, with_codes
from analysis.reports.evaluators import HUMAN, Evaluator, judges_in
from analysis.reports.headlines import mark_ends
from analysis.tables.spec import Table
from studies.question_words import name_question

# The mean score of each generator on each dimension, the best and the worst marked.

NO_SCORE = "There are no judgments to compute this from."
NO_PUBLISHED = gettext_noop("An average of dimensions has no published interval.")


def generator_means(evidence: Evidence) -> Table:
    """One row per generator, dimension and round, and one for the average of the generator's unrounded means."""
    rows: list[dict[str, Any]] = []
    for number in rounds_of(evidence):
        scores = scores_of(evidence, number)
        comparisons = compare_all(rating_families(evidence, number), evidence.choices)
        for dimension in (*dimensions_of(evidence), AVERAGE):
            mine = scores if dimension == AVERAGE else scores[scores["dimension"] == dimension]
            of_dimension = [
                mean_row(evidence, generator, dimension, number, mine[mine["generator"] == generator])
                for generator in evidence.generators
            ]
            rows += mark_ends(of_dimension, find(comparisons, dimension, HUMAN))
    notes = (
        _("%(average)s is the mean of the generator's unrounded means on the dimensions that were scored.")
        % {"average": name_question(AVERAGE)},
        _(
            "Marked best (worst): the largest group of at most three generators whose scores are higher (lower) than "
            "those of each generator outside the group, after adjustment for multiple comparisons."
        ),
    )
    return MEANS.build(rows, evidence.choices.convention, notes)


def mean_row(evidence: Evidence, generator: str, dimension: str, number: int, scores: pd.DataFrame) -> dict[str, Any]:
    levels, seed = levels_of(evidence), evidence.choices.seed
    bounds = (float(levels[0]), float(levels[-1]))
    found = (average_of if dimension == AVERAGE else mean_of)(scores, bounds, seed)
    return {
        "generator": generator,
        "dimension": dimension,
        "round": number,
        "mean": found,
        "n": len(scores),
        "mark": "",
    }


def average_of(scores: pd.DataFrame, bounds: tuple[float, float], seed: int) -> Estimate:
    """The mean over dimensions of their means."""
    if scores.empty:
        nowhere = undefined_interval("", ("text", 0, 0, None), NO_SCORE)
        return Estimate(float("nan"), dict.fromkeys(CONVENTIONS, nowhere), _(NO_SCORE))
    dimensions = scores["dimension"].unique()
    return figure_of(
        mean_of_means, with_codes(scores), sums_by_dimension(scores, dimensions), bounds=bounds, seed=seed,
        not_published=NO_PUBLISHED,
    )  # fmt: skip


def sums_by_dimension(scores: pd.DataFrame, dimensions: Iterable[str]) -> FloatArray:
    """(scores, 2 · dimensions): the value of each score in the column of its dimension, then a 1 in the same place."""
    on = np.stack([(scores["dimension"] == dimension).to_numpy() for dimension in dimensions], axis=1).astype(float)
    return np.concatenate([on * scores["value"].to_numpy(dtype=np.float64)[:, None], on], axis=1)


def mean_of_means(sums: FloatArray) -> FloatArray:
    """(b,): the mean over dimensions of their means, from (b, 2 · dimensions) sums and numbers of scores."""
    total, n = np.split(sums, 2, axis=1)
    return np.asarray((total / np.where(n > 0, n, np.nan)).mean(axis=1))


# Models that score on the study's dimensions, beside people: their means, and how far they agree with people.


def judges_of_scores(evidence: Evidence) -> tuple[Table, ...]:
    """Two tables if a model has scored, else none. Models score in round 1 only, so they are compared with people's
    first known round."""
    judged = [(judge, scores_by(evidence, judge, 1)) for judge in judges_in(evidence)]
    judged = [(judge, scores) for judge, scores in judged if not scores.empty]
    if not judged:
        return ()
    dimensions, people = dimensions_of(evidence), scores_of(evidence, rounds_of(evidence)[0])
    means = [
        judge_row(judge, generator, dimension, scores)
        for judge, scores in judged
        for generator in evidence.generators
        for dimension in dimensions
    ]
    agreement = [
        agreement_row(judge, dimension, scores, people) for judge, scores in judged for dimension in dimensions
    ]
    return (JUDGE_MEANS.build(means), JUDGE_AGREEMENT.build(agreement))


def judge_row(judge: Evaluator, generator: str, dimension: str, scores: pd.DataFrame) -> dict[str, Any]:
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
