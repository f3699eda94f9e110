"""How items were rated, and how rightly they were answered by those who rated them so."""

from typing import Any

import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.frames.responses import judgments_of
from analysis.protocols.guess_then_read.answers import GUESS, READ, levels_of, ratings_of
from analysis.reports.estimates import arm_of, mean_of, share_of, with_codes
from analysis.reports.evaluators import Evaluator, evaluators_in, people_in
from analysis.tables.spec import Shown, Table, make_table


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
    columns = ("generator", "evaluator", *(f"n_{level}" for level in levels), "n", "mean", "low", "high", "reason")
    note = _("Ratings run from %(worst)s (worst) to %(best)s (best).") % {"worst": levels[0], "best": levels[-1]}
    named_by = ("generator", "evaluator")
    return make_table(
        "ratings", columns, rows, title=_("Ratings"), notes=(note,), shown=shown_ratings(levels), named_by=named_by
    )


def rating_row(
    evidence: Evidence, generator: str, evaluator: Evaluator, rated: pd.DataFrame, levels: tuple[int, ...]
) -> dict[str, Any]:
    mean = mean_of(rated, (levels[0], levels[-1]), evidence.choices.seed, fixed=evaluator.is_fixed)
    low, high, reason = mean.ends(evidence.choices.convention)
    counts = {f"n_{level}": int((rated["value"] == level).sum()) for level in levels}
    return {
        "generator": generator,
        "evaluator": evaluator.name,
        **counts,
        "n": len(rated),
        "mean": mean.value,
        "low": low,
        "high": high,
        "reason": reason,
        "intervals": {"mean": mean.as_json()},
    }


def accuracy_by_rating(evidence: Evidence) -> Table:
    """For each level: the people's own answers to the items that they themselves rated so, generators pooled."""
    own = rated_and_judged(evidence)
    rows = [
        accuracy_row(evidence, level, stage, own[(own["rating"] == level) & (own["stage"] == stage)])
        for level in levels_of(evidence)
        for stage in (GUESS, READ)
    ]
    columns = ("rating", "stage", "accuracy", "low", "high", "n", "n_texts", "reason")
    note = _("A person's own rating with the same person's answers to that item; without the text only the items that "
             "this person guessed. Generators pooled.")  # fmt: skip
    title, named_by = _("Accuracy by rating"), ("rating", "stage")
    return make_table(
        "accuracy_by_rating", columns, rows, title=title, notes=(note,), shown=shown_accuracy(), named_by=named_by
    )


def rated_and_judged(evidence: Evidence) -> pd.DataFrame:
    """People's judgments of options with `rating`, their own of that item; without those of items not rated."""
    people = people_in(evidence)
    judgments, rated = (people.rows_of(found(evidence.frame)) for found in (judgments_of, ratings_of))
    return judgments.merge(
        rated[["annotator", "item_id", "value"]].rename(columns={"value": "rating"}), on=["annotator", "item_id"]
    )


def accuracy_row(evidence: Evidence, level: int, stage: str, judgments: pd.DataFrame) -> dict[str, Any]:
    estimate = share_of(arm_of(with_codes(judgments)), evidence.choices.seed, _("no answers with this rating"))
    low, high, reason = estimate.ends(evidence.choices.convention)
    return {
        "rating": level,
        "stage": stage,
        "accuracy": estimate.value,
        "low": low,
        "high": high,
        "n": len(judgments),
        "n_texts": judgments["text_id"].nunique(),
        "reason": reason,
        "intervals": {"accuracy": estimate.as_json()},
    }


def shown_ratings(levels: tuple[int, ...]) -> tuple[Shown, ...]:
    return (
        Shown(_("Generator"), "generator"),
        Shown(_("Ratings by"), "evaluator", "evaluator"),
        *(Shown(str(level), f"n_{level}", "count", about=_("ratings of this level")) for level in levels),
        Shown(_("Ratings"), "n", "count", about=_("ratings of items")),
        Shown(_("Mean"), "mean", "number", "low", "high", "reason", "texts", "high", _("mean of the ratings")),
    )


def shown_accuracy() -> tuple[Shown, ...]:
    return (
        Shown(_("Rating"), "rating"),  # it names the row
        Shown(_("Stage"), "stage", "stage"),
        Shown(
            _("Share right"),
            "accuracy",
            "number",
            "low",
            "high",
            "reason",
            "texts",
            about=_("share of judgments right"),
        ),
        Shown(_("Judgments"), "n", "count", about=_("judgments of options of items rated so")),
        Shown(_("Texts"), "n_texts", "count", about=_("texts with judgments")),
    )
