"""Behind the position bias of models that judge pairs: each call with what was written, and its order."""

from collections.abc import Mapping

import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.reports.behind.listing import listed, share_said
from analysis.tables.spec import Row, Table
from evaluation.judges.prompts import FIRST, SECOND
from evaluation.models import Evaluator
from evaluation.services.position import Reply, get_replies, list_decided, pair_replies
from studies.models import UnitItem
from studies.protocols.pairwise.declaration import TIE

IN_BOTH_ORDERS = (
    "text_id", "item_a", "item_b", "better", "raw_output", "call", "better_swapped", "raw_output_swapped",
    "call_swapped", "flipped",
)  # fmt: skip


IN_ONE_ORDER = ("text_id", "shown_first", "shown_second", "better", "names_first", "raw_output", "call")


Pair = tuple[str, str, str]  # the id of a pair's text, of its first and of its second item


def of_positions(evidence: Evidence, row: Row, column: str) -> Table:
    """The pairs with a reply in each order, or all replies that name a winner."""
    evaluator = Evaluator.objects.select_related("annotator__study").get(
        annotator__study=evidence.study, annotator__code=row["evaluator"]
    )
    replies, pairs = get_replies(evaluator), pairs_of(evidence)
    if column in ("n", "share_flipped"):
        rows = pd.DataFrame(
            [in_both_orders(one, other, pairs[one.unit]) for one, other in pair_replies(replies)],
            columns=list(IN_BOTH_ORDERS),
        )
        notes = share_said(rows["flipped"], _("%(n_true)s of %(n)s pairs flipped, %(share)s"))
        return listed(evidence, rows, IN_BOTH_ORDERS, _("The pairs in both orders"), notes)
    rows = pd.DataFrame(
        [in_one_order(reply, pairs[reply.unit]) for reply in list_decided(replies)], columns=list(IN_ONE_ORDER)
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


OF_PAIRS = {"position_bias": of_positions}
