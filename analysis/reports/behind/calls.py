"""Behind the numbers that rest on calls of models: each call with what was written, its label mass, and its order."""

from collections.abc import Mapping

import pandas as pd
from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.measures.calibration import LOW_MASS
from analysis.reports.behind.listing import listed, share_said
from analysis.tables import Row, Table
from evaluation.calls import replies_with_mass
from evaluation.judges.prompts import FIRST, SECOND
from evaluation.models import Evaluator
from evaluation.services.position import Reply, both_orders, decided, replies_of
from studies.models import UnitItem
from studies.protocols.pairwise import TIE

WITH_MASS = ("text_id", "item_id", "option_id", "probability", "mass", "raw_output", "call")
IN_BOTH_ORDERS = (
    "text_id", "item_a", "item_b", "better", "raw_output", "call", "better_swapped", "raw_output_swapped",
    "call_swapped", "flipped",
)  # fmt: skip
IN_ONE_ORDER = ("text_id", "shown_first", "shown_second", "better", "names_first", "raw_output", "call")
Pair = tuple[str, str, str]  # the id of a pair's text, of its first and of its second item


def of_label_mass(evidence: Evidence, row: Row, column: str) -> Table:
    """The calls of a model in a stage, the least mass first; for the count of little mass only those."""
    purposes = evidence.choices.purposes
    rows = pd.DataFrame(
        list(replies_with_mass(evidence.study, purposes, row["evaluator"], row["stage"])), columns=list(WITH_MASS)
    )
    rows = rows[rows["mass"] < LOW_MASS] if column == "low" else rows
    return listed(evidence, rows.sort_values("mass", kind="stable"), WITH_MASS, _("The calls"), in_bank_order=False)


def of_positions(evidence: Evidence, row: Row, column: str) -> Table:
    """The pairs with a reply in each order, or all replies that name a winner."""
    evaluator = Evaluator.objects.select_related("annotator__study").get(
        annotator__study=evidence.study, annotator__code=row["evaluator"]
    )
    replies, pairs = replies_of(evaluator), pairs_of(evidence)
    if column in ("n", "share_flipped"):
        rows = pd.DataFrame(
            [in_both_orders(one, other, pairs[one.unit]) for one, other in both_orders(replies)],
            columns=list(IN_BOTH_ORDERS),
        )
        notes = share_said(rows["flipped"], _("%(n_true)s of %(n)s pairs flipped, %(share)s"))
        return listed(evidence, rows, IN_BOTH_ORDERS, _("The pairs in both orders"), notes)
    rows = pd.DataFrame(
        [in_one_order(reply, pairs[reply.unit]) for reply in decided(replies)], columns=list(IN_ONE_ORDER)
    )
    notes = share_said(rows["names_first"], _("%(n_true)s of %(n)s replies name the item shown first, %(share)s"))
    return listed(evidence, rows, IN_ONE_ORDER, _("The replies with a winner"), notes)


def pairs_of(evidence: Evidence) -> dict[int, Pair]:
    """By the primary key of a unit."""
    found: dict[int, list[str]] = {}
    rows = UnitItem.objects.filter(unit__study=evidence.study).order_by("unit", "position")
    for unit, text, item in rows.values_list("unit_id", "unit__text__external_id", "item__external_id"):
        found.setdefault(unit, [text]).append(item)
    return {unit: (text, first, second) for unit, (text, first, second) in found.items()}


def in_both_orders(one: Reply, other: Reply, pair: Pair) -> dict[str, object]:
    text, first, second = pair
    values = (
        text, first, second, winner(one, pair), one.text, one.call, winner(other, pair), other.text, other.call,
        one.better != other.better,
    )  # fmt: skip
    return dict(zip(IN_BOTH_ORDERS, values, strict=True))


def in_one_order(reply: Reply, pair: Pair) -> dict[str, object]:
    text, *shown = pair
    shown = shown[::-1] if reply.is_swapped else shown
    values = (text, *shown, winner(reply, pair), reply.said == FIRST, reply.text, reply.call)
    return dict(zip(IN_ONE_ORDER, values, strict=True))


def winner(reply: Reply, pair: Pair) -> str:
    """The id of the item that the reply calls better, or the word for a tie."""
    _text, first, second = pair
    named: Mapping[str, str] = {FIRST: first, SECOND: second}
    return named.get(reply.better, TIE)


OF_ANSWERS = {"label_mass": of_label_mass}
OF_PAIRS = {"position_bias": of_positions}
