"""Behind biases, p(true) and the methods of intervals of a guess-then-read study: its judgments, seen otherwise."""

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.frames.responses import judgments_of
from analysis.measures.informativity import LEAST
from analysis.protocols.guess_then_read.answers import GUESS, READ, items_right
from analysis.protocols.guess_then_read.beside_accuracy import both_stages, with_keys
from analysis.protocols.guess_then_read.rows_of_answers import judgments_by, pooled
from analysis.reports.drill_down import COUNTED
from analysis.reports.drill_down import list_counted as counted
from analysis.reports.drill_down import list_judgments as judged
from analysis.reports.drill_down import list_rows as listed
from analysis.reports.drill_down import say_share as share_said
from analysis.tables.spec import Row, Table

ITEMS = ("text_id", "item_id", "generator", "annotator", "right")
OPTIONS = ("text_id", "item_id", "option_id", "annotator", "key", "p_guess", "p_read")


def biases(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments of a stage; for items as a whole one row for each annotator and item."""
    mine = judgments_by(evidence, row, judgments_of(evidence.frame))
    mine = mine[mine["stage"] == row["stage"]]
    if column in COUNTED:
        return counted(evidence, mine, column)
    if column != "items_right":
        return judged(evidence, mine)
    whole = items_right(mine)
    notes = share_said(whole["right"], _("%(n_true)s of %(n)s items are right as a whole, %(share)s"))
    return listed(evidence, whole, ITEMS, _("The items as a whole"), notes)


def probabilities(evidence: Evidence, row: Row, column: str) -> Table:
    """The options with p(true): of one stage for its area, in both for what compares them."""
    known = with_keys(evidence)
    mine = judgments_by(evidence, row, known[known["probability"].notna()])
    if column in COUNTED:
        return counted(evidence, mine, column)
    wide = both_stages(mine).rename(columns={GUESS: "p_guess", READ: "p_read"})
    return listed(evidence, wide[entering(wide, column)], OPTIONS, _("The options"))


def entering(wide: pd.DataFrame, column: str) -> "pd.Series[bool]":
    """Which options a column of `informativity_probability` counts."""
    guessed, read = wide["p_guess"].notna(), wide["p_read"].notna()
    if column == "auc_guess":
        return guessed
    if column == "auc_read":
        return read
    if column == "auc_difference":
        return guessed | read
    if column == "n_floored":
        right = wide[["p_guess", "p_read"]].where(wide["key"], 1 - wide[["p_guess", "p_read"]])
        return (right.astype(np.float64) < LEAST).any(axis=1)
    return guessed & read


SOURCES = {
    "beside_accuracy": biases,
    "informativity_probability": probabilities,
    "informativity_intervals": pooled,
}
