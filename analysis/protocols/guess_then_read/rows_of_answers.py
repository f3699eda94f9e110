"""Behind the accuracies of a guess-then-read study: the judgments of options, and what they add up to."""

from collections.abc import Mapping

import pandas as pd
from django.utils.translation import gettext as _

from analysis.formatting import number
from analysis.frames.evidence import Evidence
from analysis.frames.responses import judgments_of
from analysis.protocols.guess_then_read.answers import GUESS, READ, matched
from analysis.protocols.guess_then_read.ratings import rated_and_judged
from analysis.protocols.guess_then_read.standardised import ALL, mixes
from analysis.reports.categories import categories_in
from analysis.reports.drill_down import COUNTED
from analysis.reports.drill_down import list_counted as counted
from analysis.reports.drill_down import list_judgments as judged
from analysis.reports.drill_down import list_rows as listed
from analysis.reports.drill_down import say_share as share_said
from analysis.reports.evaluators import evaluator_named
from analysis.tables.spec import Row, Table

STAGES: Mapping[str, tuple[str, ...]] = {"guessability": (GUESS,), "answerability": (READ,)}


def pooled(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments of a row of `informativity`: of one stage for an accuracy, else of both."""
    return of_informativity(evidence, row, column, judgments_of(evidence.frame))


def only_matched(evidence: Evidence, row: Row, column: str) -> Table:
    """The same of `informativity_matched`."""
    return of_informativity(evidence, row, column, matched(judgments_of(evidence.frame)))


def of_informativity(evidence: Evidence, row: Row, column: str, judgments: pd.DataFrame) -> Table:
    mine = judgments_by(evidence, row, judgments)
    if column in COUNTED:
        return counted(evidence, mine, column)
    return judged(evidence, mine[mine["stage"].isin(STAGES.get(column, (GUESS, READ)))])


def of_contrasts(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments about the items of either generator, of one stage for an accuracy, else of both."""
    judgments = evaluator_named(evidence, row["evaluator"]).rows_of(judgments_of(evidence.frame))
    mine = judgments[judgments["generator"].isin([row["generator_a"], row["generator_b"]])]
    mine = mine[mine["stage"].isin(STAGES.get(row["measure"], (GUESS, READ)))]
    return counted(evidence, mine, column) if column in COUNTED else judged(evidence, mine)


def judgments_by(evidence: Evidence, row: Row, judgments: pd.DataFrame) -> pd.DataFrame:
    """Those of the row's evaluator about the items of its generator."""
    evaluator = evaluator_named(evidence, row["evaluator"])
    return evaluator.rows_of(judgments[judgments["generator"] == row["generator"]])


def standardised(evidence: Evidence, row: Row, column: str) -> Table:
    """Behind a row of `informativity_standardised`: the items of a share, else the judgments by category."""
    way = next(each for each in categories_in(evidence) if each.kind == row["category_kind"])
    if column in ("share_items", "share_items_common"):
        own = evidence.items["generator"] == row["generator"]
        return of_category(evidence, row, evidence.items[own | (column == "share_items_common")], way.of)
    mine = judgments_by(evidence, row, judgments_of(evidence.frame))
    mine = mine.assign(category=mine["item_id"].map(way.of))
    mine = mine if row["category"] == ALL else mine[mine["category"] == row["category"]]
    if column in COUNTED:
        return counted(evidence, mine, column)
    weights = mixes(evidence, way)[ALL]
    notes = [
        _("Weight of %(category)s: %(weight)s") % {"category": way.worded(name), "weight": number(weights[name])}
        for name in way.names
        if row["category"] == ALL
    ]
    return judged(evidence, mine, notes, ("category",))


def of_category(evidence: Evidence, row: Row, items: pd.DataFrame, category: Mapping[str, str]) -> Table:
    """Items with their category, and whether it is that of the row."""
    of = items["item_id"].map(category)
    rows = items.assign(category=of, counted=(of == row["category"]) | (row["category"] == ALL))
    notes = share_said(rows["counted"], _("%(n_true)s of %(n)s items are counted, %(share)s"))
    return listed(evidence, rows, ("text_id", "item_id", "generator", "category", "counted"), _("The items"), notes)


def by_rating(evidence: Evidence, row: Row, column: str) -> Table:
    """Behind a row of `accuracy_by_rating`: people's judgments of what they themselves rated so."""
    own = rated_and_judged(evidence)
    mine = own[(own["rating"] == row["rating"]) & (own["stage"] == row["stage"])]
    return counted(evidence, mine, column) if column in COUNTED else judged(evidence, mine, (), ("rating",))


SOURCES = {
    "contrasts": of_contrasts,
    "informativity": pooled,
    "informativity_matched": only_matched,
    "informativity_standardised": standardised,
    "accuracy_by_rating": by_rating,
}
