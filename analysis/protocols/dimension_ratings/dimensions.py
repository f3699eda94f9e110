"""The tables of scores on each dimension: means of generators, agreement of people, correlations of dimensions, how
often each score was given, and the scores of models beside those of people.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.choices import ANNOTATORS, CONVENTIONS, PUBLISHED, READERS
from analysis.frames.evidence import Evidence
from analysis.measures.alpha import INTERVAL, clustered_alpha, krippendorff_alpha
from analysis.measures.contrasts import TOO_SMALL, nemenyi
from analysis.measures.correlations import correlation
from analysis.measures.intervals import undefined_interval
from analysis.measures.reader_coefficients import readers_alpha
from analysis.measures.types import FloatArray
from analysis.protocols.dimension_ratings.scores import (
    AVERAGE,
    average_by_item,
    build_score_matrix,
    iter_rating_families,
    list_dimension_names,
    list_levels,
    list_rounds,
    note_unknown_round,
    select_scores,
    select_scores_by,
)
from analysis.protocols.dimension_ratings.tables import (
    ALPHA,
    CORRELATIONS,
    DISTRIBUTIONS,
    JUDGE_AGREEMENT,
    JUDGE_MEANS,
    MEANS,
)
from analysis.reports.contrasts import compare_all, find_comparison
from analysis.reports.estimates import Estimate, add_codes, estimate_figure, estimate_mean, note_skewed_intervals
from analysis.reports.evaluators import HUMAN, Evaluator, list_judges
from analysis.reports.headlines import mark_ends
from analysis.tables.spec import Table
from studies.question_words import name_question

ALL, NONE = "all", "(none)"  # data sets


def build_alpha(evidence: Evidence) -> Table:
    """One row per dimension and round. Units are items that at least two people scored."""
    rows = [
        build_alpha_row(evidence, dimension, round_number, scores[scores["dimension"] == dimension])
        for round_number in list_rounds(evidence)
        for scores in [select_scores(evidence, round_number)]
        for dimension in list_dimension_names(evidence)
    ]
    notes = [note_skewed_intervals(), *note_unknown_round(evidence)]
    if len(list_rounds(evidence)) > 1:
        notes.append(_("Only round 1 measures reliability. Scores after round 2 are not independent, "
                       "because annotators had seen disagreements; they cover all cells, each with its "
                       "latest score."))  # fmt: skip
    return ALPHA.build(rows, evidence.choices.convention, notes)


def iter_variant_alpha(evidence: Evidence) -> Iterator[tuple[Any, ...]]:
    """The rows of the table `variants` for each dimension, in the first known round; n counts items that at least two
    people scored."""
    first = list_rounds(evidence)[0]
    scores = select_scores(evidence, first)
    for dimension in list_dimension_names(evidence):
        row = build_alpha_row(evidence, dimension, first, scores[scores["dimension"] == dimension])
        found, reason = row["alpha"], row["alpha"].ends(evidence.choices.convention)[2]
        yield dimension, "", "alpha", found.value, found.as_json(), row["n_units"], reason


def build_alpha_row(evidence: Evidence, dimension: str, round_number: int, scores: pd.DataFrame) -> dict[str, Any]:
    values, texts = build_score_matrix(scores)
    found = krippendorff_alpha(values, INTERVAL)
    intervals = {
        READERS: readers_alpha(values, INTERVAL, texts),
        ANNOTATORS: clustered_alpha(values, INTERVAL, texts, seed=evidence.choices.seed),
        PUBLISHED: found.interval(),
    }
    return {
        "dimension": dimension,
        "round": round_number,
        "alpha": Estimate(found.value, intervals, _(found.reason) if found.reason else ""),
        "level": found.level,
        "n_units": found.n_units,
        "n_values": found.n_values,
    }


def build_dimension_correlations(evidence: Evidence) -> Table:
    """One row per pair of dimensions and round: Pearson over items with both scores, Nemenyi over complete items."""
    rows = [row for round_number in list_rounds(evidence) for row in build_round_rows(evidence, round_number)]
    return CORRELATIONS.build(rows)


def build_round_rows(evidence: Evidence, round_number: int) -> list[dict[str, Any]]:
    dimensions = list_dimension_names(evidence)
    means = average_by_item(select_scores(evidence, round_number), dimensions).to_numpy(dtype=np.float64)
    p = compare_scored_dimensions(means)
    rows = []
    for one, other in combinations(range(len(dimensions)), 2):
        found = correlation(means[:, one], means[:, other])
        reason = found.reason or (TOO_SMALL if np.isnan(p[one, other]) else "")
        rows.append(
            {
                "dimension_a": dimensions[one],
                "dimension_b": dimensions[other],
                "round": round_number,
                "pearson": found.r,
                "nemenyi_p": p[one, other],
                "n": found.n,
                "reason": _(reason) if reason else "",
            }
        )
    return rows


def compare_scored_dimensions(means: FloatArray) -> FloatArray:
    """(k, k) p-values between the dimensions that have scores; others have NaN."""
    scored = np.flatnonzero(~np.isnan(means).all(axis=0))
    p = np.full((means.shape[1], means.shape[1]), np.nan)
    p[np.ix_(scored, scored)] = nemenyi(means[:, scored])
    return p


def build_distributions(evidence: Evidence) -> Table:
    """One row per round, data set, dimension and level of the scale; all data sets together come first in a round."""
    rows = [
        row
        for round_number in list_rounds(evidence)
        for name, scores in split_datasets(select_scores(evidence, round_number))
        for dimension in list_dimension_names(evidence)
        for row in build_level_rows(evidence, name, dimension, round_number, scores[scores["dimension"] == dimension])
    ]
    return DISTRIBUTIONS.build(rows)


def split_datasets(scores: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """All scores, and those of each data set if there are several."""
    found = [(ALL, scores)]
    if scores["dataset"].nunique() > 1:
        found += [(name or NONE, scores[scores["dataset"] == name]) for name in scores["dataset"].unique()]
    return found


def build_level_rows(
    evidence: Evidence, dataset: str, dimension: str, round_number: int, scores: pd.DataFrame
) -> list[dict[str, Any]]:
    counts, n = scores["value"].value_counts(), len(scores)
    return [
        {
            "dataset": dataset,
            "dimension": dimension,
            "round": round_number,
            "score": level,
            "n": int(counts.get(level, 0)),
            "share": counts.get(level, 0) / n if n else None,
        }
        for level in list_levels(evidence)
    ]


# The mean score of each generator on each dimension, the best and the worst marked.

NO_SCORE = "There are no judgments to compute this from."
NO_PUBLISHED = gettext_noop("An average of dimensions has no published interval.")


def build_generator_means(evidence: Evidence) -> Table:
    """One row per generator, dimension and round, and one for the average of the generator's unrounded means."""
    rows: list[dict[str, Any]] = []
    for round_number in list_rounds(evidence):
        scores = select_scores(evidence, round_number)
        comparisons = compare_all(iter_rating_families(evidence, round_number), evidence.choices)
        for dimension in (*list_dimension_names(evidence), AVERAGE):
            mine = scores if dimension == AVERAGE else scores[scores["dimension"] == dimension]
            of_dimension = [
                build_mean_row(evidence, generator, dimension, round_number, mine[mine["generator"] == generator])
                for generator in evidence.generators
            ]
            rows += mark_ends(of_dimension, find_comparison(comparisons, dimension, HUMAN))
    notes = (
        _("%(average)s is the mean of the generator's unrounded means on the dimensions that were scored.")
        % {"average": name_question(AVERAGE)},
        _(
            "Marked best (worst): the largest group of at most three generators whose scores are higher (lower) than "
            "those of each generator outside the group, after adjustment for multiple comparisons."
        ),
    )
    return MEANS.build(rows, evidence.choices.convention, notes)


def build_mean_row(
    evidence: Evidence, generator: str, dimension: str, round_number: int, scores: pd.DataFrame
) -> dict[str, Any]:
    levels, seed = list_levels(evidence), evidence.choices.seed
    bounds = (float(levels[0]), float(levels[-1]))
    found = (estimate_average if dimension == AVERAGE else estimate_mean)(scores, bounds, seed)
    return {
        "generator": generator,
        "dimension": dimension,
        "round": round_number,
        "mean": found,
        "n": len(scores),
        "mark": "",
    }


def estimate_average(scores: pd.DataFrame, bounds: tuple[float, float], seed: int) -> Estimate:
    """The mean over dimensions of their means."""
    if scores.empty:
        undefined = undefined_interval("", ("text", 0, 0, None), NO_SCORE)
        return Estimate(float("nan"), dict.fromkeys(CONVENTIONS, undefined), _(NO_SCORE))
    dimensions = scores["dimension"].unique()
    return estimate_figure(
        average_means, add_codes(scores), sum_by_dimension(scores, dimensions), bounds=bounds, seed=seed,
        not_published=NO_PUBLISHED,
    )  # fmt: skip


def sum_by_dimension(scores: pd.DataFrame, dimensions: Iterable[str]) -> FloatArray:
    """(scores, 2 · dimensions): the value of each score in the column of its dimension, then a 1 in the same place."""
    on = np.stack([(scores["dimension"] == dimension).to_numpy() for dimension in dimensions], axis=1).astype(float)
    return np.concatenate([on * scores["value"].to_numpy(dtype=np.float64)[:, None], on], axis=1)


def average_means(sums: FloatArray) -> FloatArray:
    """(b,): the mean over dimensions of their means, from (b, 2 · dimensions) sums and numbers of scores."""
    total, n = np.split(sums, 2, axis=1)
    return np.asarray((total / np.where(n > 0, n, np.nan)).mean(axis=1))


# Models that score on the study's dimensions, beside people: their means, and how far they agree with people.


def build_judge_tables(evidence: Evidence) -> tuple[Table, ...]:
    """Two tables if a model has scored, else none. Models score in round 1 only, so they are compared with people's
    first known round."""
    judged = [(judge, select_scores_by(evidence, judge, 1)) for judge in list_judges(evidence)]
    judged = [(judge, scores) for judge, scores in judged if not scores.empty]
    if not judged:
        return ()
    dimensions, people = list_dimension_names(evidence), select_scores(evidence, list_rounds(evidence)[0])
    means = [
        build_judge_row(judge, generator, dimension, scores)
        for judge, scores in judged
        for generator in evidence.generators
        for dimension in dimensions
    ]
    agreement = [
        build_agreement_row(judge, dimension, scores, people) for judge, scores in judged for dimension in dimensions
    ]
    return (JUDGE_MEANS.build(means), JUDGE_AGREEMENT.build(agreement))


def build_judge_row(judge: Evaluator, generator: str, dimension: str, scores: pd.DataFrame) -> dict[str, Any]:
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


def build_agreement_row(judge: Evaluator, dimension: str, scores: pd.DataFrame, people: pd.DataFrame) -> dict[str, Any]:
    """Pearson's r with people's mean score of each item, and the share of people's scores that equal the model's."""
    own, theirs = (frame[frame["dimension"] == dimension] for frame in (scores, people))
    both = pd.concat([average_by_item(frame, (dimension,))[dimension] for frame in (own, theirs)], axis=1, join="inner")
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
