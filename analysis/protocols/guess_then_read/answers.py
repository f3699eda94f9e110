"""Answers in the form that reports need: judgments of options, ratings of items, and accuracy by rating."""

from typing import Any

import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.protocols.guess_then_read.tables import BY_RATING, RATINGS
from analysis.reports.estimates import add_codes, build_arm, estimate_mean, estimate_share
from analysis.reports.evaluators import Evaluator, get_people, list_evaluators
from analysis.tables.spec import Table, count
from studies.services.declarations import get_declaration

GUESS, READ = "guess", "read"


def select_ratings(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per rating of an item; `value` is a whole number."""
    rated = frame[(frame["question"] == "rating") & (frame["stage"] == READ)]
    return rated[["annotator", "kind", "text_id", "item_id", "generator", "value"]].astype({"value": int})


def list_levels(evidence: Evidence) -> tuple[int, ...]:
    """The declared rating scale, whether or not each level was used."""
    return tuple(map(int, get_declaration(evidence.study).stage(READ).question("rating").levels))


def select_matched(judgments: pd.DataFrame) -> pd.DataFrame:
    """The judgments by annotators who judged the item both without and with the text."""
    stages = judgments.groupby(["annotator", "item_id"])["stage"].transform("nunique")
    return judgments[stages == 2]


def judge_whole_items(judgments: pd.DataFrame) -> pd.DataFrame:
    """One row per annotator, item and stage: `right` if every option of the item was judged correctly."""
    keys = ["stage", "text_id", "item_id", "generator", "annotator"]
    return judgments.groupby(keys, sort=False)["correct"].all().rename("right").reset_index()


# Ratings of items, and the accuracy of answers by rating.


def build_ratings(evidence: Evidence) -> Table:
    """One row per generator and evaluator: counts of each level of the scale, and the mean. Models without ratings are
    left out."""
    rated, levels = select_ratings(evidence.frame), list_levels(evidence)
    rows = [
        build_rating_row(evidence, generator, evaluator, mine[mine["generator"] == generator], levels)
        for evaluator in list_evaluators(evidence)
        for mine in [evaluator.select_rows(rated)]
        for generator in evidence.generators
        if len(mine) or evaluator.kind == "human"
    ]
    rows.sort(key=lambda row: evidence.generators.index(row["generator"]))
    counts = tuple(count(f"n_{level}", str(level), _("ratings of this level")) for level in levels)
    note = _("Ratings run from %(worst)s (worst) to %(best)s (best).") % {"worst": levels[0], "best": levels[-1]}
    return RATINGS.build(rows, evidence.choices.convention, (note,), {"evaluator": counts})


def build_rating_row(
    evidence: Evidence, generator: str, evaluator: Evaluator, rated: pd.DataFrame, levels: tuple[int, ...]
) -> dict[str, Any]:
    return {
        "generator": generator,
        "evaluator": evaluator.name,
        **{f"n_{level}": int((rated["value"] == level).sum()) for level in levels},
        "n": len(rated),
        "mean": estimate_mean(rated, (levels[0], levels[-1]), evidence.choices.seed, fixed=evaluator.is_fixed),
    }


def build_accuracy_by_rating(evidence: Evidence) -> Table:
    """One row per level and stage: people's accuracy on items to which they gave this rating, generators pooled."""
    own = find_rated_and_judged(evidence)
    rows = [
        build_accuracy_row(evidence, level, stage, own[(own["rating"] == level) & (own["stage"] == stage)])
        for level in list_levels(evidence)
        for stage in (GUESS, READ)
    ]
    return BY_RATING.build(rows, evidence.choices.convention)


def find_rated_and_judged(evidence: Evidence) -> pd.DataFrame:
    """People's judgments of options, with their own `rating` of the item; without judgments of unrated items."""
    people = get_people(evidence)
    judgments, rated = people.select_rows(evidence.judgments), people.select_rows(select_ratings(evidence.frame))
    return judgments.merge(
        rated[["annotator", "item_id", "value"]].rename(columns={"value": "rating"}), on=["annotator", "item_id"]
    )


def build_accuracy_row(evidence: Evidence, level: int, stage: str, judgments: pd.DataFrame) -> dict[str, Any]:
    arm = build_arm(add_codes(judgments))
    return {
        "rating": level,
        "stage": stage,
        "accuracy": estimate_share(arm, evidence.choices.seed, _("no answers with this rating")),
        "n": len(judgments),
        "n_texts": judgments["text_id"].nunique(),
    }
