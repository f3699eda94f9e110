"""Models that judge pairs: what they prefer, how far they agree with people, and whether the order decides."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.types import IntArray
from analysis.measures.wins import pair_counts
from analysis.protocols.pairwise.judged_pairs import coded, judgments_by, judgments_of
from analysis.protocols.pairwise.wins import win_matrix
from analysis.reports.evaluators import Evaluator, judges_in
from analysis.reports.label_agreement import agreement_columns, measured
from analysis.tables.spec import Shown, Table, make_table

OUTCOMES = 3  # first, second, tie
WINS = ("evaluator", "evaluator_kind", "generator_a", "generator_b", "wins_a", "wins_b", "ties", "n")
AGREEMENT = ("evaluator", "evaluator_kind", "percent", "kappa", "kappa_order_free", "ac1", "n_pairs", "reason")
POSITION = ("evaluator", "n", "share_flipped", "share_first", "n_decided", "reason")


def judges_of_pairs(evidence: Evidence) -> tuple[Table, ...]:
    """Three tables where a model has judged, else none."""
    judged = [(judge, judgments_by(evidence, judge)) for judge in judges_in(evidence)]
    judged = [(judge, rows) for judge, rows in judged if not rows.empty]
    if not judged:
        return ()
    wins = [row for judge, rows in judged for row in win_rows(evidence, judge, rows)]
    people = judgments_of(evidence)
    agreement = [agreement_row(judge, with_people(rows, people)) for judge, rows in judged]
    positions = [position_row(evidence, judge) for judge, _rows in judged if judge.name in evidence.positions]
    return (
        make_table(
            "judge_wins", WINS, wins, title=_("Wins and ties by models"), notes=win_notes(), shown=win_shown(),
            named_by=("evaluator", "generator_a", "generator_b"), crossings=(win_matrix(("evaluator",)),),
        ),
        make_table(
            "agreement_with_humans", AGREEMENT, agreement, title=_("Agreement of models with people"),
            notes=agreement_notes(), shown=agreement_shown(), named_by=("evaluator",),
        ),
        *([position_table(positions)] if positions else []),
    )  # fmt: skip


def win_rows(evidence: Evidence, judge: Evaluator, judgments: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """One row per two generators, in the order of the bank."""
    first, second, outcome, _text = coded(evidence, judgments)
    names, once = evidence.generators, np.zeros(len(first), dtype=np.int64)
    counts = pair_counts(first, second, outcome, len(names), once, 1).total()
    for a, b in combinations(range(len(names)), 2):
        yield {
            "evaluator": judge.name,
            "evaluator_kind": judge.kind,
            "generator_a": names[a],
            "generator_b": names[b],
            "wins_a": int(counts.wins[a, b]),
            "wins_b": int(counts.wins[b, a]),
            "ties": int(counts.ties[a, b]),
            "n": int(counts.n[a, b]),
        }


def with_people(judgments: pd.DataFrame, people: pd.DataFrame) -> IntArray:
    """Counts of (the model's outcome, a person's) over all judgments of people about pairs that the model judged."""
    both = judgments[["unit", "outcome"]].merge(people[["unit", "outcome"]], on="unit", suffixes=("_model", "_human"))
    cells = both["outcome_model"].to_numpy() * OUTCOMES + both["outcome_human"].to_numpy()
    return np.bincount(cells, minlength=OUTCOMES**2).reshape(OUTCOMES, OUTCOMES).astype(np.int64)


def agreement_row(judge: Evaluator, table: IntArray) -> dict[str, Any]:
    return dict(zip(AGREEMENT, (judge.name, judge.kind, *measured(table)), strict=True))


def position_row(evidence: Evidence, judge: Evaluator) -> dict[str, Any]:
    found = evidence.positions[judge.name]
    return {
        "evaluator": judge.name,
        "n": found.n,
        "share_flipped": found.share_flipped,
        "share_first": found.share_first,
        "n_decided": found.n_decided,
        "reason": "" if found.n and found.n_decided else _("No reply names a winner, or no pair has both orders."),
    }


def position_table(rows: list[dict[str, Any]]) -> Table:
    notes = (
        _("Each pair is asked in both orders. Flipped: the two orders got different answers, so the pair counts as a "
          "tie. Item shown first: of all replies that name a winner, those that name the item shown first; where the "
          "order does not matter it is near .50."),
    )  # fmt: skip
    shown = (
        Shown(_("Evaluator"), "evaluator", "evaluator"),
        Shown(_("Pairs in both orders"), "n", "count", about=_("pairs with a reply in each order")),
        Shown(
            _("Flipped"), "share_flipped", "number", reason="reason", about=_("share of pairs whose two orders differ")
        ),
        Shown(
            _("Item shown first"),
            "share_first",
            "number",
            reason="reason",
            about=_("share of replies with a winner that name the item shown first"),
        ),
        Shown(_("Replies with a winner"), "n_decided", "count", about=_("replies that name a winner")),
    )
    return make_table(
        "position_bias", POSITION, rows, title=_("Order of a pair"), notes=notes, shown=shown, named_by=("evaluator",)
    )


def win_notes() -> tuple[str, ...]:
    return (
        _("Judgments of models only; the tables above count people. A judgment that flips with the order is a tie."),
    )


def agreement_notes() -> tuple[str, ...]:
    return (
        _("Each judgment of a person about a pair that the model has judged is held against the model's, the "
          "calibration included."),
    )  # fmt: skip


def win_shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Evaluator"), "evaluator", "evaluator"),
        Shown(_("Generator A"), "generator_a"),
        Shown(_("Generator B"), "generator_b"),
        Shown(_("A wins"), "wins_a", "count", about=_("judgments that preferred A")),
        Shown(_("B wins"), "wins_b", "count", about=_("judgments that preferred B")),
        Shown(_("Ties"), "ties", "count", about=_("judgments that preferred neither")),
        Shown(_("Judgments"), "n", "count", about=_("judgments of pairs of these two")),
    )


def agreement_shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Evaluator"), "evaluator", "evaluator"),
        *agreement_columns(_("Cohen's κ of model and person")),
    )
