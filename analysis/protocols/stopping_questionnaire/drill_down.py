"""The answers behind the numbers of a stopping questionnaire: judgments with their labels, and pairs of them."""

from collections.abc import Iterable

import pandas as pd
from django.utils.translation import gettext as _

from analysis.formatting import count
from analysis.frames.evidence import Evidence
from analysis.measures.types import IntArray
from analysis.protocols.stopping_questionnaire.agreement import list_judgment_pairs, pair_with_people
from analysis.protocols.stopping_questionnaire.judgments import (
    Judgments,
    get_group,
    has_label,
    list_groups,
    read_judgments,
)
from analysis.protocols.stopping_questionnaire.tables import (
    AGREEMENT,
    CONTRASTS,
    FLOW,
    JUDGE_AGREEMENT,
    LABELS,
    NOT_STOPPED,
    STOPS,
    TABLES,
)
from analysis.reports.drill_down import COUNTED, list_counted, list_rows, say_same_pairs
from analysis.reports.evaluators import find_evaluator, get_people
from analysis.tables.spec import Row, Table, TableSpec
from studies.question_words import name_label

ABOUT = ("text_id", "item_id", "generator", "source")
SINGLE = (*ABOUT, "annotator", "label")
PAIR = (*ABOUT, "annotator_a", "label_a", "annotator_b", "label_b", "same")


def list_tables() -> tuple[TableSpec, ...]:
    return TABLES


@FLOW.drill_down
def list_flow(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments that answered a category, or those that stopped at its answer."""
    frame = select_judgments(evidence, row).frame
    kept = frame["stopped"] == row["category"] if column == "stopped" else has_label(frame, row["category"])
    return list_labels(evidence, frame[kept], row["category"])


@STOPS.drill_down
def list_stops(evidence: Evidence, row: Row, column: str) -> Table:
    """People's judgments of the generator's items: those that stopped at the category, or all."""
    frame = read_judgments(evidence).select(get_people(evidence)).frame
    mine = frame[frame["generator"] == row["generator"]]
    mine = mine.assign(stopped=mine["stopped"].fillna(NOT_STOPPED))
    return list_labels(evidence, mine[mine["stopped"] == row["category"]] if column == "n" else mine, "stopped")


@CONTRASTS.drill_down
def list_contrasts(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments of both generators' items, with the category at which they stopped, if they did."""
    frame = read_judgments(evidence).select(find_evaluator(evidence, row["evaluator"])).frame
    mine = frame[frame["generator"].isin([row["generator_a"], row["generator_b"]])]
    if column in COUNTED:
        return list_counted(evidence, mine, column)
    return list_labels(evidence, mine.assign(stopped=mine["stopped"].fillna("")), "stopped")


@LABELS.drill_down
def list_distribution(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments with the label; for a share, all judgments in its denominator."""
    frame, category, label = select_judgments(evidence, row).frame, row["category"], row["label"]
    given = frame[category]
    kept = {"n": given == label, "share_all": given.notna(), "share_applicable": has_label(frame, category)}[column]
    counted = frame[kept]
    n_label = int((counted[category] == label).sum())
    values = {"n": count(n_label), "of": count(len(counted)), "label": name_label(label)}
    return list_labels(evidence, counted, category, () if column == "n" else [_("%(n)s of %(of)s: %(label)s") % values])


@AGREEMENT.drill_down
def list_agreement(evidence: Evidence, row: Row, column: str) -> Table:
    """The pairs of people's judgments of one item that the row compares."""
    judgments = select_judgments(evidence, row)
    return list_pairs(evidence, judgments, list_judgment_pairs(judgments), row)


@JUDGE_AGREEMENT.drill_down
def list_judges(evidence: Evidence, row: Row, column: str) -> Table:
    """Each person's judgment of an item beside the model's."""
    judge = find_evaluator(evidence, row["evaluator"])
    judgments = read_judgments(evidence)
    codes = judge.codes | get_people(evidence).codes
    both = Judgments(judgments.categories, judgments.frame[judgments.frame["annotator"].isin(codes)])
    return list_pairs(evidence, both, pair_with_people(both, judge.codes), row)


def select_judgments(evidence: Evidence, row: Row) -> Judgments:
    """The judgments by the row's group about the items of its generator and source, if it names them."""
    evaluator = next(each for each in list_groups(evidence) if get_group(each) == row["group"])
    return read_judgments(evidence).select(evaluator, row.get("generator", ""), row.get("source", ""))


def list_labels(evidence: Evidence, frame: pd.DataFrame, category: str, notes: Iterable[str] = ()) -> Table:
    rows = frame.rename(columns={category: "label"})
    return list_rows(evidence, rows, SINGLE, _("The judgments"), notes, in_bank_order=False)


def list_pairs(evidence: Evidence, judgments: Judgments, pairs: IntArray, row: Row) -> Table:
    """The pairs that the row's view counts for its category, and how many of them have equal labels."""
    frame = judgments.frame.rename(columns={row["category"]: "label"})
    one, other = (frame.iloc[pairs[:, side]].reset_index(drop=True) for side in (0, 1))
    kept = one["label"].notna() & other["label"].notna()
    if row["view"] == "applicable":
        kept &= has_label(one, "label") & has_label(other, "label")
    found = one[list(ABOUT)].assign(
        annotator_a=one["annotator"], label_a=one["label"], annotator_b=other["annotator"], label_b=other["label"],
        same=one["label"] == other["label"],
    )[kept]  # fmt: skip
    notes = say_same_pairs(found["same"])
    return list_rows(evidence, found, PAIR, _("The pairs of judgments"), notes, in_bank_order=False)
