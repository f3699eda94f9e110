"""Behind agreement: what both annotators of a pair judged, pair by pair, and what each of them said."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.frames.responses import judgments_of
from analysis.measures.agreement import Pairwise, pairwise
from analysis.protocols.guess_then_read.agreement import TICKED_OR_NOT, lines_of, ratings_in
from analysis.reports.drill_down import list_rows as listed
from analysis.reports.drill_down import name_pairs as codes_of
from analysis.reports.drill_down import pair_answers as shared
from analysis.reports.drill_down import say_same as same_said
from analysis.tables.spec import Row, Table

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


def pairs_listed(evidence: Evidence, found: Pairwise, entering: np.ndarray, raters: Sequence[str]) -> Table:
    """Pairs of annotators with their own agreement."""
    rows = pd.DataFrame(codes_of(found.pairs, raters), columns=["annotator_a", "annotator_b"]).assign(
        n_shared=found.n, n_same=found.agreed, kappa=found.kappa, ac1=found.ac1
    )
    return listed(evidence, rows[entering], OF_PAIR, _("The pairs"))


SOURCES = {"agreement_with_humans": agreement_with_humans}
