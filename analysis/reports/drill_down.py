"""Drill-down: the single answers behind a number of a report, so that anybody can check it.

Every `TableSpec` with keys has a function of evidence, row and column that lists exactly the answers that the number
counts. Its notes say how the rows add up. This module has the drill-down of tables of every protocol, and helpers.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.formatting import count, number
from analysis.frames.evidence import Evidence
from analysis.measures.stand_in import LOW_MASS
from analysis.reports.description import ALL, MINUTES, PEOPLE, keep_variant, split_by_source
from analysis.reports.evaluators import Evaluator, find_evaluator
from analysis.reports.tables import ANSWERS, DESCRIPTION, LABEL_MASS, VARIANTS
from analysis.tables.spec import Column, FrameRows, Row, Table
from evaluation.services.calls import iter_replies_with_mass
from studies.question_words import name_stage
from studies.services.declarations import get_declaration

ITEMS = ("item_id", "item_a", "item_b", "shown_first", "shown_second")
ORDER = (*ITEMS, "option_id", "stage", "annotator", "annotator_a", "annotator_b")
# For each count that lists what it counts: the column that identifies these things, and the columns of the list.
COUNTED: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "n_items": ("item_id", ("text_id", "item_id", "generator")),
    "n_texts": ("text_id", ("text_id",)),
    "n_annotators": ("annotator", ("annotator",)),
}


def list_rows(
    evidence: Evidence,
    rows: pd.DataFrame,
    columns: Sequence[str | Column],
    title: str,
    notes: Iterable[str] = (),
    *,
    in_bank_order: bool = True,
) -> Table:
    """A table of the frame's columns, each a name in `ANSWERS` or a column of its own; by default sorted by
    `sort_rows`."""
    found = tuple(ANSWERS[each].translate() if isinstance(each, str) else each for each in columns)
    names = tuple(column.name for column in found)
    if in_bank_order:  # only the columns that are needed: sorting a million rows takes long
        rows = sort_rows(evidence, rows[[name for name in rows.columns if name in names or name in ORDER]])
    return Table("answers", names, FrameRows(rows, names), title, tuple(notes), found)


def sort_rows(evidence: Evidence, rows: pd.DataFrame) -> pd.DataFrame:
    """Sort by the columns of `ORDER` that the rows have; items keep the study's order."""
    places = {item: place for place, item in enumerate(evidence.items["item_id"])}
    by = [name for name in ORDER if name in rows.columns]
    if not by:
        return rows
    return rows.sort_values(
        by, kind="stable", key=lambda column: column.map(places) if column.name in ITEMS else column
    )


def list_counted(evidence: Evidence, answers: pd.DataFrame, column: str) -> Table:
    """The items, texts or annotators of the answers, by a column of `COUNTED`, each with its number of answers."""
    key, columns = COUNTED[column]
    n = answers.groupby(key).size()
    kinds = answers.drop_duplicates(key)
    rows = kinds.assign(n_answers=kinds[key].map(n))
    titles = {"n_items": _("The items"), "n_texts": _("The texts"), "n_annotators": _("The annotators")}
    return list_rows(evidence, rows, (*columns, "n_answers"), titles[column])


def say_share(true: pd.Series, sentence: str) -> list[str]:
    """`sentence` with `n_true`, `n` and `share` of a boolean column; nothing if the column is empty."""
    if not len(true):
        return []
    return [sentence % {"n_true": count(int(true.sum())), "n": count(len(true)), "share": number(true.mean())}]


def name_pairs(pairs: np.ndarray, raters: Sequence[str]) -> list[tuple[str, str]]:
    return [(raters[one], raters[other]) for one, other in pairs]


def pair_answers(answers: pd.DataFrame, pairs: Iterable[tuple[str, str]], unit: Sequence[str]) -> pd.DataFrame:
    """One row per pair of annotators and unit that both judged: annotator_a, value_a, annotator_b, value_b and same.

    answers: at most one row per annotator and unit, with annotator, value and the columns `unit`, which name a unit.
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


def say_same_judgments(both: pd.DataFrame) -> list[str]:
    return say_share(both["same"], _("%(n_true)s of %(n)s shared judgments are the same, %(share)s"))


def say_same_pairs(same: "pd.Series[Any]") -> tuple[str, ...]:
    """A sentence on how many of the pairs gave the same answer."""
    if same.empty:
        return ()
    values = {"n": count(int(same.sum())), "of": count(len(same)), "share": number(float(same.mean()))}
    return (_("%(n)s of %(of)s pairs say the same, %(share)s") % values,)


JUDGED = ("text_id", "item_id", "option_id", "generator", "annotator", "stage", "ticked", "key", "right")


def list_judgments(
    evidence: Evidence, judgments: pd.DataFrame, notes: Iterable[str] = (), more: tuple[str, ...] = ()
) -> Table:
    """Judgments of options in the order of the bank, with how many of each stage are right."""
    rows = judgments.assign(
        ticked=judgments["value"], key=judgments["value"] == judgments["correct"], right=judgments["correct"]
    )
    sentences = (*notes, *say_right_by_stage(evidence, rows))
    return list_rows(evidence, rows, (*JUDGED, *more), _("The judgments"), sentences)


def say_right_by_stage(evidence: Evidence, judgments: pd.DataFrame) -> list[str]:
    return [
        f"{name_stage(stage)}: {sentence}"
        for stage in (each.name for each in get_declaration(evidence.study).stages)
        for sentence in say_share(
            judgments[judgments["stage"] == stage]["right"], _("%(n_true)s of %(n)s judgments are correct, %(share)s")
        )
    ]


# Tables of every protocol ---------------------------------------------------------------------------------------------


TEXT = ("text_id", "source", "tokens")
ITEM = ("text_id", "item_id", "generator", "source", "n_options", "n_keys")
ANNOTATOR = ("annotator", "group", "n_answers")
ANSWER = ("text_id", "item_id", "annotator", "stage", "question", "value")
WITH_MASS = ("text_id", "item_id", "option_id", "probability", "mass", "raw_output", "call")


@DESCRIPTION.drill_down
def list_described(evidence: Evidence, row: Row, _column: str) -> Table:
    """The texts, items, answers or minutes behind a number of the description."""
    if row["about"] == "texts":
        return list_rows(evidence, select_source(evidence.texts, row), TEXT, _("The texts"))
    if row["about"] == "items":
        items = evidence.items
        mine = items if row["name"] == ALL else items[items["generator"] == row["name"]]
        return list_rows(evidence, select_source(mine, row), ITEM, _("The items"))
    evaluator = find_evaluator(evidence, row["name"])
    if row["quantity"] == "minutes_median":
        return list_rows(evidence, evaluator.select_rows(evidence.minutes), ("annotator", "minutes"), _("The minutes"))
    if row["quantity"] == "n_annotators":
        return list_annotators(evidence, evaluator.select_rows(evidence.annotators))
    return list_answers_by(evidence, evaluator, row["quantity"])


def select_source(frame: pd.DataFrame, row: Row) -> pd.DataFrame:
    return dict(split_by_source(frame))[row["source"]]


def list_annotators(evidence: Evidence, annotators: pd.DataFrame) -> Table:
    """The annotators, each with the number of their answers."""
    n = evidence.frame.groupby("annotator").size()
    rows = annotators.assign(n_answers=annotators["annotator"].map(n).fillna(0).astype(int))
    return list_rows(evidence, rows, ANNOTATOR, _("The annotators"))


def list_answers_by(evidence: Evidence, evaluator: Evaluator, quantity: str) -> Table:
    """The evaluator's judgments of options (all answers if the study has none), or the texts they are about."""
    judgments = evidence.judgments
    mine = evaluator.select_rows(evidence.frame if judgments.empty else judgments)
    if quantity == "n_texts":
        return list_counted(evidence, mine, "n_texts")
    if judgments.empty:
        return list_rows(evidence, mine, ANSWER, _("The answers"))
    return list_judgments(evidence, mine)


@VARIANTS.drill_down
def list_variant(evidence: Evidence, row: Row, _column: str) -> Table:
    """The people of a variant, the minutes they took, or what they answered."""
    mine = keep_variant(evidence, row["variant"])
    if row["measure"] == PEOPLE:
        return list_annotators(mine, mine.annotators)
    if row["measure"] == MINUTES:
        return list_rows(evidence, mine.times, ("text_id", "annotator", "stage", "minutes"), _("The minutes"))
    first = mine.every_round[mine.every_round["round"] == 1]
    answers = first if row["measure"] == "alpha" else mine.frame  # α is of the first round, before any discussion
    return list_rows(evidence, answers[answers["question"] == row["category"]], ANSWER, _("The answers"))


@LABEL_MASS.drill_down
def list_calls(evidence: Evidence, row: Row, column: str) -> Table:
    """The calls of a model in a stage, the least label mass first; for the count of low masses only these calls."""
    replies = iter_replies_with_mass(evidence.study, evidence.choices.purposes, row["evaluator"], row["stage"])
    rows = pd.DataFrame(list(replies), columns=list(WITH_MASS))
    rows = rows[rows["mass"] < LOW_MASS] if column == "low" else rows
    return list_rows(evidence, rows.sort_values("mass", kind="stable"), WITH_MASS, _("The calls"), in_bank_order=False)


TABLES = (DESCRIPTION, VARIANTS, LABEL_MASS)
