"""Items that most people get right without the text, or wrong with it."""

import pandas as pd
from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.reports.answers import GUESS, READ, items_right, judgments_of
from analysis.reports.evaluators import people_in
from analysis.tables import Shown, Table, make_table

COLUMNS = ("text_id", "item_id", "generator", "n_annotators", "n_right", "share_right", "codes")


def guessable_items(evidence: Evidence) -> Table:
    """Right for more than half of the people who answered without the text."""
    counted = right_by_item(evidence, GUESS)
    note = _("Right means that all options of the item were judged correctly; listed if that holds for more than half "
             "of the people who answered it without the text.")  # fmt: skip
    return listed(evidence, "guessable_items", _("Guessable items"), counted[2 * counted.n_right > counted.n], note)


def unanswerable_items(evidence: Evidence) -> Table:
    """Wrong for more than half of the people who answered with the text."""
    counted = right_by_item(evidence, READ)
    note = _("Wrong means that some option of the item was judged incorrectly; listed if that holds for more than half "
             "of the people who answered it with the text.")  # fmt: skip
    wrong = counted[2 * (counted.n - counted.n_right) > counted.n]
    return listed(evidence, "unanswerable_items", _("Unanswerable items"), wrong, note)


def right_by_item(evidence: Evidence, stage: str) -> pd.DataFrame:
    """Columns item_id, n and n_right: how many people answered each item in that stage, and how many rightly."""
    judged = judgments_of(people_in(evidence).rows_of(evidence.frame))
    found = items_right(judged[judged["stage"] == stage])
    return found.groupby("item_id")["right"].agg(n="size", n_right="sum").astype(int).reset_index()


def listed(evidence: Evidence, name: str, title: str, counted: pd.DataFrame, note: str) -> Table:
    """The items in the order of the study."""
    items = evidence.items.merge(counted, on="item_id")
    found = zip(
        *(items[column].tolist() for column in ("text_id", "item_id", "generator", "n", "n_right")), strict=True
    )
    rows = [
        dict(zip(COLUMNS, (text_id, item_id, generator, n, n_right, n_right / n, ""), strict=True))
        for text_id, item_id, generator, n, n_right in found
    ]
    return make_table(name, COLUMNS, rows, title=title, notes=(note,), shown=shown())


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Text"), "text_id", "text id"),
        Shown(_("Item"), "item_id", "item id"),
        Shown(_("Generator"), "generator"),
        Shown(_("People"), "n_annotators", "count"),
        Shown(_("Right"), "n_right", "count"),
        Shown(_("Share right"), "share_right", "number"),
    )
