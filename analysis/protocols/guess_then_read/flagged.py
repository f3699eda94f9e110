"""Items that most people get right without the text, or wrong with it."""

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.frames.responses import judgments_of
from analysis.items.codes import GUESSABLE, TAG, UNANSWERABLE, joined, titles
from analysis.measures.item_analysis import certainty_above
from analysis.protocols.guess_then_read.answers import GUESS, READ, items_right
from analysis.reports.evaluators import people_in
from analysis.tables.spec import Shown, Table, make_table

COLUMNS = ("text_id", "item_id", "generator", "n_annotators", "n_right", "share_right", "codes")


def guessable_items(evidence: Evidence) -> Table:
    """Right for more than half of the people who answered without the text."""
    counted = right_by_item(evidence, GUESS)
    note = _("Right means that all options of the item were judged correctly; listed if that holds for more than half "
             "of the people who answered it without the text.")  # fmt: skip
    listed = counted[2 * counted.n_right > counted.n]
    return list_of(evidence, "guessable_items", _("Guessable items"), listed, GUESSABLE, note)


def unanswerable_items(evidence: Evidence) -> Table:
    """Wrong for more than half of the people who answered with the text."""
    counted = right_by_item(evidence, READ)
    note = _("Wrong means that some option of the item was judged incorrectly; listed if that holds for more than half "
             "of the people who answered it with the text.")  # fmt: skip
    wrong = counted[2 * (counted.n - counted.n_right) > counted.n]
    return list_of(evidence, "unanswerable_items", _("Unanswerable items"), wrong, UNANSWERABLE, note)


def right_by_item(evidence: Evidence, stage: str) -> pd.DataFrame:
    """Columns item_id, n and n_right: how many people answered each item in that stage, and how many rightly."""
    judged = judgments_of(people_in(evidence).rows_of(evidence.frame))
    found = items_right(judged[judged["stage"] == stage])
    return found.groupby("item_id")["right"].agg(n="size", n_right="sum").astype(int).reset_index()


def list_of(evidence: Evidence, name: str, title: str, counted: pd.DataFrame, kind: str, note: str) -> Table:
    """The items with the codes that say why; those first of which it is surest that they belong here."""
    items = evidence.items.merge(counted, on="item_id")
    above = certainty_above(items["n_right"].to_numpy(dtype=np.int64), items["n"].to_numpy(dtype=np.int64))
    items["certainty"] = above if kind == GUESSABLE else 1 - above
    found = items.sort_values("certainty", ascending=False, kind="stable")
    rows = [
        {
            "text_id": row["text_id"],
            "item_id": row["item_id"],
            "generator": row["generator"],
            "n_annotators": row["n"],
            "n_right": row["n_right"],
            "share_right": row["n_right"] / row["n"],
            "codes": joined(evidence.study.protocol, evidence.codes.get(row["item_id"], set()), kind, TAG),
            "certainty": row["certainty"],
        }
        for row in found.to_dict("records")
    ]
    rows = [row | {"codes_said": titles(evidence.study.protocol, row["codes"])} for row in rows]
    said = _("Sure: how probable it is that this holds for more than half of all such people, by these answers alone "
             "(Jeffreys' prior); the list is sorted by it.")  # fmt: skip
    return make_table(name, COLUMNS, rows, title=title, notes=(note, said), shown=shown(), named_by=("item_id",))


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Text"), "text_id", "text id"),
        Shown(_("Item"), "item_id", "item id"),
        Shown(_("Generator"), "generator"),
        Shown(_("People"), "n_annotators", "count", about=_("people who answered the item in this stage")),
        Shown(_("Right"), "n_right", "count", about=_("people who judged all of its options rightly")),
        Shown(
            _("Share right"), "share_right", "number", about=_("share of people who judged all of its options rightly")
        ),
        Shown(
            _("Sure"),
            "certainty",
            "number",
            about=_("probability that it holds for most such people (Jeffreys' prior)"),
        ),
        Shown(_("Codes"), "codes_said"),
    )
