"""The answers behind the numbers of a pairwise study: judgments of pairs, with winner and side, and models' replies."""

from collections.abc import Iterable

import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.strengths import NO_TIES, TIE
from analysis.protocols.pairwise.agreement import TIES_MISSING, WITHOUT_TIES
from analysis.protocols.pairwise.ranking import (
    ALL,
    KEY,
    find_winner,
    keep_known_sides,
    select_counted,
    select_judgments,
    select_judgments_by,
)
from analysis.protocols.pairwise.tables import (
    AGREEMENT,
    CONTRASTS,
    CRITERIA,
    JUDGE_AGREEMENT,
    JUDGE_WINS,
    POSITION_BIAS,
    RANKING,
    SIDES,
    TABLES,
    WINS,
)
from analysis.reports.drill_down import COUNTED, list_counted, list_rows, say_same_pairs, say_share
from analysis.reports.evaluators import find_evaluator, get_people
from analysis.tables.spec import Row, Table, TableSpec
from evaluation.judges.prompts import FIRST, SECOND
from evaluation.models import Evaluator
from evaluation.services.calls import Reply, get_replies, list_decided, pair_replies
from studies.models import UnitItem
from studies.protocols.pairwise.declaration import TIE as TIE_WORD

JUDGMENT = ("text_id", "item_a", "generator_a", "item_b", "generator_b", "annotator", "better", "shown_left")
IN_BOTH_ORDERS = (
    "text_id", "item_a", "item_b", "better", "raw_output", "call", "better_swapped", "raw_output_swapped",
    "call_swapped", "flipped",
)  # fmt: skip
IN_ONE_ORDER = ("text_id", "shown_first", "shown_second", "better", "names_first", "raw_output", "call")

Pair = tuple[str, str, str]  # the id of a pair's text, of its first and of its second item


def list_tables() -> tuple[TableSpec, ...]:
    return TABLES


@WINS.drill_down
def list_wins(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments of two generators' pairs: those that one of them won, the ties, or all."""
    return list_judgments(evidence, select_meetings(select_counted(evidence), row, column))


@JUDGE_WINS.drill_down
def list_judge_wins(evidence: Evidence, row: Row, column: str) -> Table:
    judgments = select_judgments_by(evidence, find_evaluator(evidence, row["evaluator"]))
    return list_judgments(evidence, select_meetings(judgments, row, column))


@AGREEMENT.drill_down
def list_agreement(evidence: Evidence, row: Row, column: str) -> Table:
    """All judgments of the pairs that at least two people judged, with ties treated as in the row."""
    judgments = select_judgments(evidence)
    if row["view"] == TIES_MISSING:
        judgments = judgments[judgments["outcome"] != TIE]
    if row["view"] == WITHOUT_TIES:
        tied = judgments.loc[judgments["outcome"] == TIE, "unit"]
        judgments = judgments[~judgments["unit"].isin(tied)]
    shared = judgments[judgments.groupby("unit")["annotator"].transform("nunique") > 1]
    return list_counted(evidence, shared, column) if column in COUNTED else list_judgments(evidence, shared)


@RANKING.drill_down
def list_ranking(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments of the generator's pairs that the row's method uses."""
    judgments = select_counted(evidence)
    mine = (judgments[["generator_first", "generator_second"]] == row["generator"]).any(axis=1)
    return list_judgments(evidence, judgments[mine & ((row["method"] != NO_TIES) | (judgments["outcome"] != TIE))])


@CONTRASTS.drill_down
def list_contrasts(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments of pairs of different generators that include either of the two."""
    judgments = select_counted(evidence, find_evaluator(evidence, row["evaluator"]))
    sides = judgments[["generator_first", "generator_second"]]
    either = sides.isin([row["generator_a"], row["generator_b"]]).any(axis=1)
    mine = judgments[either & (sides["generator_first"] != sides["generator_second"])]
    return list_counted(evidence, mine, column) if column in COUNTED else list_judgments(evidence, mine)


@SIDES.drill_down
def list_sides(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments that the generator's items won where the side is known."""
    won = keep_known_sides(select_counted(evidence))
    mine = won if row["generator"] == ALL else won[find_winner(won, "generator_") == row["generator"]]
    return list_judgments(evidence, mine)


@CRITERIA.drill_down
def list_criteria(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments with a winner, and whether the criterion was ticked; for the count only the ticked ones."""
    answers = get_people(evidence).select_rows(evidence.frame)
    answers = answers[answers["question"] == row["criterion"]][[*KEY, "value"]]
    found = select_counted(evidence).merge(answers.rename(columns={"value": "ticked"}), on=KEY).astype({"ticked": bool})
    return list_judgments(evidence, found[found["ticked"]] if column == "n" else found, "ticked")


@JUDGE_AGREEMENT.drill_down
def list_judges(evidence: Evidence, row: Row, column: str) -> Table:
    """Each judgment by a person beside the model's of the same pair."""
    model = select_judgments_by(evidence, find_evaluator(evidence, row["evaluator"]))
    by_unit = pd.Series(name_preferred(model).to_numpy(), index=model["unit"])
    people = select_judgments(evidence)
    both = people[people["unit"].isin(by_unit.index)]
    both = both.assign(model_better=both["unit"].map(by_unit))
    both["same"] = both["model_better"] == name_preferred(both)
    return list_judgments(evidence, both, "model_better", "same", notes=say_same_pairs(both["same"]))


def select_meetings(judgments: pd.DataFrame, row: Row, column: str) -> pd.DataFrame:
    """The judgments in which the two generators of a row met and which the column counts."""
    a, b = row["generator_a"], row["generator_b"]
    first, second = judgments["generator_first"], judgments["generator_second"]
    both = judgments[((first == a) & (second == b)) | ((first == b) & (second == a))]
    if column == "ties":
        return both[both["outcome"] == TIE]
    if column in ("wins_a", "wins_b"):
        return both[find_winner(both, "generator_") == row[column.replace("wins", "generator")]]
    return both


def name_preferred(judgments: pd.DataFrame) -> pd.Series:
    """The winner's id, or the word for a tie."""
    return find_winner(judgments).fillna(TIE_WORD)


def list_judgments(evidence: Evidence, judgments: pd.DataFrame, *more: str, notes: Iterable[str] = ()) -> Table:
    named = {"first": "item_a", "second": "item_b", "left": "shown_left"}
    named |= {"generator_first": "generator_a", "generator_second": "generator_b"}
    found = judgments.assign(better=name_preferred(judgments)).rename(columns=named)
    found = found.sort_values(["text_id", "item_a", "item_b", "annotator"])
    return list_rows(evidence, found, (*JUDGMENT, *more), _("The judgments"), notes, in_bank_order=False)


# Replies of models ----------------------------------------------------------------------------------------------------


@POSITION_BIAS.drill_down
def list_positions(evidence: Evidence, row: Row, column: str) -> Table:
    """The pairs with a reply in each order, or all replies that name a winner."""
    evaluator = Evaluator.objects.select_related("annotator__study").get(
        annotator__study=evidence.study, annotator__code=row["evaluator"]
    )
    replies, pairs = get_replies(evaluator), load_pairs(evidence)
    if column in ("n", "share_flipped"):
        found = [build_both_orders_row(one, other, pairs[one.unit]) for one, other in pair_replies(replies)]
        rows = pd.DataFrame(found, columns=list(IN_BOTH_ORDERS))
        notes = say_share(rows["flipped"], _("%(n_true)s of %(n)s pairs flipped, %(share)s"))
        return list_rows(evidence, rows, IN_BOTH_ORDERS, _("The pairs in both orders"), notes)
    found = [build_one_order_row(reply, pairs[reply.unit]) for reply in list_decided(replies)]
    rows = pd.DataFrame(found, columns=list(IN_ONE_ORDER))
    notes = say_share(rows["names_first"], _("%(n_true)s of %(n)s replies name the item shown first, %(share)s"))
    return list_rows(evidence, rows, IN_ONE_ORDER, _("The replies with a winner"), notes)


def load_pairs(evidence: Evidence) -> dict[int, Pair]:
    """The pair of each unit, by the primary key of the unit."""
    found: dict[int, list[str]] = {}
    rows = UnitItem.objects.filter(unit__study=evidence.study).order_by("unit", "position")
    for unit, text, item in rows.values_list("unit_id", "unit__text__external_id", "item__external_id"):
        found.setdefault(unit, [text]).append(item)
    return {unit: (text, first, second) for unit, (text, first, second) in found.items()}


def build_both_orders_row(one: Reply, other: Reply, pair: Pair) -> tuple[object, ...]:
    """The values of the columns `IN_BOTH_ORDERS` for a pair."""
    replies = [(name_winner(reply, pair), reply.text, reply.call) for reply in (one, other)]
    return (*pair, *replies[0], *replies[1], one.better != other.better)


def build_one_order_row(reply: Reply, pair: Pair) -> tuple[object, ...]:
    """The values of the columns `IN_ONE_ORDER` for a reply."""
    text, *shown = pair
    shown = shown[::-1] if reply.is_swapped else shown
    return (text, *shown, name_winner(reply, pair), reply.choice == FIRST, reply.text, reply.call)


def name_winner(reply: Reply, pair: Pair) -> str:
    """The id of the item that the reply calls better, or the word for a tie."""
    _text, first, second = pair
    return {FIRST: first, SECOND: second}.get(reply.better, TIE_WORD)
