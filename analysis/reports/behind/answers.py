"""Behind the numbers of a guess-then-read study: the judgments of options, and what they add up to."""

from collections.abc import Mapping

import pandas as pd
from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.formatting import count, number, stage_word
from analysis.reports.answers import GUESS, READ, judgments_of, matched
from analysis.reports.behind.rows import rows_of
from analysis.reports.evaluators import all_evaluators
from analysis.tables import Row, Shown, Table, make_table

STAGES: Mapping[str, tuple[str, ...]] = {"guessability": (GUESS,), "answerability": (READ,)}
COLUMNS = ("text_id", "item_id", "option_id", "generator", "annotator", "stage", "ticked", "key", "right")


def pooled(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments of a row of `informativity`: of one stage for an accuracy, else of both."""
    return of_informativity(evidence, row, column, judgments_of(evidence.frame))


def only_matched(evidence: Evidence, row: Row, column: str) -> Table:
    """The same of `informativity_matched`."""
    return of_informativity(evidence, row, column, matched(judgments_of(evidence.frame)))


def of_informativity(evidence: Evidence, row: Row, column: str, judgments: pd.DataFrame) -> Table:
    evaluator = next(each for each in all_evaluators(evidence) if each.name == row["evaluator"])
    mine = evaluator.rows_of(judgments)
    chosen = mine["stage"].isin(STAGES.get(column, (GUESS, READ))) & (mine["generator"] == row["generator"])
    return listed(evidence, mine[chosen])


def listed(evidence: Evidence, judgments: pd.DataFrame) -> Table:
    """Judgments of options in the order of the study, with how many of each stage are right."""
    found = judgments.assign(
        ticked=judgments["value"], key=judgments["value"] == judgments["correct"], right=judgments["correct"]
    )
    rows = rows_of(in_order(evidence, found), COLUMNS)
    return make_table(
        "judgments", COLUMNS, rows, title=_("The judgments"), notes=tuple(right_by_stage(found)), shown=shown()
    )


def in_order(evidence: Evidence, rows: pd.DataFrame) -> pd.DataFrame:
    """By item as the study has them, then by option, stage and annotator."""
    places = {item: place for place, item in enumerate(evidence.items["item_id"])}
    return rows.sort_values(
        ["item_id", "option_id", "stage", "annotator"],
        key=lambda column: column.map(places) if column.name == "item_id" else column,
    )


def right_by_stage(judgments: pd.DataFrame) -> list[str]:
    said = []
    for stage in (GUESS, READ):
        right = judgments[judgments["stage"] == stage]["right"]
        if len(right):
            counts = {"n_right": count(int(right.sum())), "n": count(len(right)), "share": number(right.mean())}
            sentence = _("%(n_right)s of %(n)s judgments are right, %(share)s") % counts
            said.append(f"{stage_word(stage)}: {sentence}")
    return said


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Text"), "text_id", "text id"),
        Shown(_("Item"), "item_id", "item id"),
        Shown(_("Option"), "option_id"),
        Shown(_("Annotator"), "annotator"),
        Shown(_("Stage"), "stage", "stage"),
        Shown(_("Ticked"), "ticked", "truth"),
        Shown(_("Key"), "key", "truth"),
        Shown(_("Right"), "right", "truth"),
    )


SOURCES = {"informativity": pooled, "informativity_matched": only_matched}
