"""How items were rated, and how rightly they were answered by those who rated them so."""

from typing import Any

import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.frames.responses import judgments_of
from analysis.protocols.guess_then_read.answers import GUESS, READ, levels_of, ratings_of
from analysis.protocols.guess_then_read.tables import BY_RATING, RATINGS
from analysis.reports.estimates import arm_of, mean_of, share_of, with_codes
from analysis.reports.evaluators import Evaluator, evaluators_in, people_in
from analysis.tables.spec import Table, count


def ratings(evidence: Evidence) -> Table:
    """Counts of each level of the declared scale, and the mean. Models that rated nothing are left out."""
    rated, levels = ratings_of(evidence.frame), levels_of(evidence)
    rows = [
        rating_row(evidence, generator, evaluator, mine[mine["generator"] == generator], levels)
        for evaluator in evaluators_in(evidence)
        for mine in [evaluator.rows_of(rated)]
        for generator in evidence.generators
        if len(mine) or evaluator.kind == "human"
    ]
    rows.sort(key=lambda row: evidence.generators.index(row["generator"]))
    counts = tuple(count(f"n_{level}", str(level), _("ratings of this level")) for level in levels)
    note = _("Ratings run from %(worst)s (worst) to %(best)s (best).") % {"worst": levels[0], "best": levels[-1]}
    return RATINGS.build(rows, evidence.choices.convention, (note,), {"evaluator": counts})


def rating_row(
    evidence: Evidence, generator: str, evaluator: Evaluator, rated: pd.DataFrame, levels: tuple[int, ...]
) -> dict[str, Any]:
    return {
        "generator": generator,
        "evaluator": evaluator.name,
        **{f"n_{level}": int((rated["value"] == level).sum()) for level in levels},
        "n": len(rated),
        "mean": mean_of(rated, (levels[0], levels[-1]), evidence.choices.seed, fixed=evaluator.is_fixed),
    }


def accuracy_by_rating(evidence: Evidence) -> Table:
    """For each level: the people's own answers to the items that they themselves rated so, generators pooled."""
    own = rated_and_judged(evidence)
    rows = [
        accuracy_row(evidence, level, stage, own[(own["rating"] == level) & (own["stage"] == stage)])
        for level in levels_of(evidence)
        for stage in (GUESS, READ)
    ]
    return BY_RATING.build(rows, evidence.choices.convention)


def rated_and_judged(evidence: Evidence) -> pd.DataFrame:
    """People's judgments of options with `rating`, their own of that item; without those of items not rated."""
    people = people_in(evidence)
    judgments, rated = (people.rows_of(found(evidence.frame)) for found in (judgments_of, ratings_of))
    return judgments.merge(
        rated[["annotator", "item_id", "value"]].rename(columns={"value": "rating"}), on=["annotator", "item_id"]
    )


def accuracy_row(evidence: Evidence, level: int, stage: str, judgments: pd.DataFrame) -> dict[str, Any]:
    arm = arm_of(with_codes(judgments))
    return {
        "rating": level,
        "stage": stage,
        "accuracy": share_of(arm, evidence.choices.seed, _("no answers with this rating")),
        "n": len(judgments),
        "n_texts": judgments["text_id"].nunique(),
    }
