"""Behind the numbers of single items: who got an item right as a whole, and the judgments of an option."""

import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.frames.responses import judgments_of
from analysis.protocols.guess_then_read.answers import GUESS, READ
from analysis.reports.drill_down import list_rows as listed
from analysis.reports.drill_down import say_share as share_said
from analysis.reports.evaluators import people_in
from analysis.tables.spec import Row, Table

OF_ITEM = ("text_id", "item_id", "generator", "annotator", "stage", "ticked_options", "keys", "right")
OF_OPTION = ("text_id", "item_id", "option_id", "annotator", "stage", "ticked", "key", "right", "unsure")
OF_PERSON = ("annotator", "right", "n_others", "n_others_right", "share_others")
OF_KEY = ("text_id", "item_id", "option_id", "generator", "n_judged", "n_right", "this")


def guessable(evidence: Evidence, row: Row, column: str) -> Table:
    return of_item(evidence, row, column, GUESS)


def unanswerable(evidence: Evidence, row: Row, column: str) -> Table:
    return of_item(evidence, row, column, READ)


def of_item(evidence: Evidence, row: Row, column: str, stage: str) -> Table:
    """Each person's answer to the item, and whether all of its options are judged rightly."""
    judged = judgments_of(people_in(evidence).rows_of(evidence.frame))
    judged = judged[(judged["stage"] == stage) & (judged["item_id"] == row["item_id"])]
    options = evidence.options[evidence.options["item_id"] == row["item_id"]]
    answers = judged.groupby("annotator", sort=False).agg(
        text_id=("text_id", "first"), item_id=("item_id", "first"), generator=("generator", "first"),
        stage=("stage", "first"), right=("correct", "all"),
    )  # fmt: skip
    ticked = judged[judged["value"]].groupby("annotator")["option_id"].agg(lambda ids: ", ".join(sorted(ids)))
    rows = answers.assign(
        ticked_options=ticked.reindex(answers.index).fillna(""),
        keys=", ".join(options[options["key"]]["option_id"]),
    ).reset_index()
    notes = share_said(rows["right"], _("%(n_true)s of %(n)s people are right, %(share)s"))
    return listed(evidence, rows[rows["right"] | (column != "n_right")], OF_ITEM, _("The answers"), notes)


def of_option(evidence: Evidence, row: Row, column: str) -> Table:
    """Behind a row of `item_analysis`: people's judgments of the option, or what else enters its number."""
    frame = people_in(evidence).rows_of(evidence.frame)
    asked = frame[(frame["question"] == "answer") & (frame["stage"] == row["stage"]) & frame["correct"].notna()]
    this = (asked["item_id"] == row["item_id"]) & (asked["option_id"] == row["option_id"])
    if column == "discrimination":
        return beside_the_rest(evidence, asked, this)
    if column == "miskey":
        return every_option(evidence, asked, row)
    rows = asked[this].assign(ticked=asked["value"], right=asked["correct"])
    notes = share_said(rows["right"], _("%(n_true)s of %(n)s judgments are right, %(share)s"))
    return listed(evidence, rows, OF_OPTION, _("The judgments"), notes)


def beside_the_rest(evidence: Evidence, asked: pd.DataFrame, this: pd.Series) -> Table:
    """Each person who judged the option and something else: right here, and the share right of all the rest."""
    mine = asked[this].set_index("annotator")["correct"].astype(bool)
    rest = asked[~this].groupby("annotator")["correct"].agg(["size", "sum"]).reindex(mine.index).dropna()
    rows = pd.DataFrame(
        {
            "annotator": rest.index,
            "right": mine[rest.index].to_numpy(),
            "n_others": rest["size"].astype(int).to_numpy(),
            "n_others_right": rest["sum"].astype(int).to_numpy(),
        }
    )
    rows["share_others"] = rows["n_others_right"] / rows["n_others"]
    return listed(evidence, rows, OF_PERSON, _("The people"))


def every_option(evidence: Evidence, asked: pd.DataFrame, row: Row) -> Table:
    """All options with how many judgments of them are right: how probable a wrong key is rests on the others too."""
    found = asked.groupby(["item_id", "option_id"])["correct"].agg(n_judged="size", n_right="sum").astype(int)
    rows = evidence.options.merge(found.reset_index(), on=["item_id", "option_id"])
    this = (rows["item_id"] == row["item_id"]) & (rows["option_id"] == row["option_id"])
    return listed(evidence, rows.assign(this=this), OF_KEY, _("The options"))


SOURCES = {"guessable_items": guessable, "unanswerable_items": unanswerable, "item_analysis": of_option}
