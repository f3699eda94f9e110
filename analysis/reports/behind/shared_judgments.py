"""Behind agreement: what both annotators of a pair judged, pair by pair, and what each of them said."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.measures.agreement import Pairwise, pairwise
from analysis.reports.agreement import TICKED_OR_NOT, lines_of, ratings_in
from analysis.reports.answers import judgments_of
from analysis.reports.behind.listing import listed, share_said
from analysis.tables import Row, Table

OPTION = ("item_id", "option_id")
COLUMNS = ("text_id", "item_id", "option_id", "generator", "stage", "annotator_a", "annotator_b")
OF_PAIR = ("annotator_a", "annotator_b", "n_shared", "n_same", "kappa", "ac1")
OVER_ALL_PAIRS = ("percent", "ac1", "n_judgments")  # the others are over pairs whose κ is defined


def agreement_with_humans(evidence: Evidence, row: Row, column: str) -> Table:
    """The pairs themselves for their number, else the judgments that they share."""
    judgments = judgments_of(evidence.frame)
    judgments = judgments[judgments["stage"] == row["stage"]]
    ratings = ratings_in(judgments)
    line = next(each for each in lines_of(evidence, ratings) if each.evaluator.name == row["evaluator"])
    found = pairwise(ratings.values, TICKED_OR_NOT, line.pairs)
    entering = found.n > 0 if column in OVER_ALL_PAIRS else ~np.isnan(found.kappa)
    if column == "n_pairs":
        return pairs_listed(evidence, found, entering, ratings.raters)
    both = shared(judgments, codes_of(found.pairs[entering], ratings.raters), OPTION)
    rows = both.rename(columns={"value_a": "ticked_a", "value_b": "ticked_b"})
    return listed(
        evidence, rows, (*COLUMNS, "ticked_a", "ticked_b", "same"), _("The shared judgments"), same_said(rows)
    )


def codes_of(pairs: np.ndarray, raters: Sequence[str]) -> list[tuple[str, str]]:
    return [(raters[one], raters[other]) for one, other in pairs]


def shared(answers: pd.DataFrame, pairs: Iterable[tuple[str, str]], unit: Sequence[str]) -> pd.DataFrame:
    """One row per pair of annotators and unit that both judged: annotator_a, value_a, annotator_b, value_b and same.

    `answers`: at most one row per annotator and unit, with annotator, value and the columns that name a unit.
    """
    renamed = answers.rename(columns={"annotator": "annotator_a", "value": "value_a"})
    first = dict(iter(renamed.groupby("annotator_a", sort=False)))
    second = dict(
        iter(
            answers[["annotator", "value", *unit]]
            .rename(columns={"annotator": "annotator_b", "value": "value_b"})
            .groupby("annotator_b", sort=False)
        )
    )
    parts = [first[one].merge(second[other], on=list(unit)) for one, other in pairs]
    nothing = renamed.iloc[:0].assign(annotator_b="", value_b=None)
    both = pd.concat(parts, ignore_index=True) if parts else nothing
    return both.assign(same=both["value_a"] == both["value_b"])


def same_said(both: pd.DataFrame) -> list[str]:
    return share_said(both["same"], _("%(n_true)s of %(n)s shared judgments are the same, %(share)s"))


def pairs_listed(evidence: Evidence, found: Pairwise, entering: np.ndarray, raters: Sequence[str]) -> Table:
    """Pairs of annotators with their own agreement."""
    rows = pd.DataFrame(codes_of(found.pairs, raters), columns=["annotator_a", "annotator_b"]).assign(
        n_shared=found.n, n_same=found.agreed, kappa=found.kappa, ac1=found.ac1
    )
    return listed(evidence, rows[entering], OF_PAIR, _("The pairs"))


SOURCES = {"agreement_with_humans": agreement_with_humans}
