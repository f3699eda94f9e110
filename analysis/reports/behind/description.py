"""Behind the description of a study: its texts, its items, and who answered what in how many minutes."""

import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.frames.responses import judgments_of
from analysis.reports.behind.listing import counted, judged, listed
from analysis.reports.description import ALL, by_source
from analysis.reports.evaluators import Evaluator, evaluator_named
from analysis.tables.spec import Row, Table

TEXT = ("text_id", "source", "tokens")
ITEM = ("text_id", "item_id", "generator", "source", "n_options", "n_keys")
ANNOTATOR = ("annotator", "group", "n_answers")
ANSWER = ("text_id", "item_id", "annotator", "stage", "question", "value")


def description(evidence: Evidence, row: Row, _column: str) -> Table:
    if row["about"] == "texts":
        return listed(evidence, of_source(evidence.texts, row), TEXT, _("The texts"))
    if row["about"] == "items":
        items = evidence.items
        mine = items if row["name"] == ALL else items[items["generator"] == row["name"]]
        return listed(evidence, of_source(mine, row), ITEM, _("The items"))
    evaluator = evaluator_named(evidence, row["name"])
    if row["quantity"] == "minutes_median":
        return listed(evidence, evaluator.rows_of(evidence.minutes), ("annotator", "minutes"), _("The minutes"))
    if row["quantity"] == "n_annotators":
        return annotators(evidence, evaluator)
    return answers(evidence, evaluator, row["quantity"])


def of_source(frame: pd.DataFrame, row: Row) -> pd.DataFrame:
    return dict(by_source(frame))[row["source"]]


def annotators(evidence: Evidence, evaluator: Evaluator) -> Table:
    """Everybody of the evaluator who handed something in, with the number of their answers."""
    n = evidence.frame.groupby("annotator").size()
    mine = evaluator.rows_of(evidence.annotators)
    rows = mine.assign(n_answers=mine["annotator"].map(n).fillna(0).astype(int))
    return listed(evidence, rows, ANNOTATOR, _("The annotators"))


def answers(evidence: Evidence, evaluator: Evaluator, quantity: str) -> Table:
    """The judgments of options, or all answers where the study asks for none; or the texts that they are about."""
    judgments = judgments_of(evidence.frame)
    if judgments.empty:
        mine = evaluator.rows_of(evidence.frame)
        whole = listed(evidence, mine, ANSWER, _("The answers"))
    else:
        mine = evaluator.rows_of(judgments)
        whole = judged(evidence, mine)
    return counted(evidence, mine, "n_texts") if quantity == "n_texts" else whole


SOURCES = {"description": description}
