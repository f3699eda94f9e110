"""Which generator's items people preferred: wins and ties, the side on which winners stood, and what decided."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.strengths import TIE, pair_counts
from analysis.protocols.pairwise.judged_pairs import PLACE, calibration_note, encode, select_counted, winner
from analysis.protocols.pairwise.tables import CRITERIA, SIDES, WINS
from analysis.reports.estimates import arm_of, share_of, with_codes
from analysis.reports.evaluators import people_in
from analysis.tables.spec import Table
from studies.services.declarations import get_declaration

ALL = "all"


def wins(evidence: Evidence) -> Table:
    """One row per two generators, in the order of the bank, also where they never met."""
    return WINS.build(win_rows(evidence, select_counted(evidence)), notes=calibration_note(evidence))


def win_rows(evidence: Evidence, judgments: pd.DataFrame) -> Iterator[dict[str, Any]]:
    first, second, outcome, _text = encode(evidence, judgments)
    names, once = evidence.generators, np.zeros(len(first), dtype=np.int64)
    counts = pair_counts(first, second, outcome, len(names), once, 1).total()
    for a, b in combinations(range(len(names)), 2):
        yield {
            "generator_a": names[a],
            "generator_b": names[b],
            "wins_a": int(counts.wins[a, b]),
            "wins_b": int(counts.wins[b, a]),
            "ties": int(counts.ties[a, b]),
            "n": int(counts.n[a, b]),
        }


def sides(evidence: Evidence) -> Table:
    """A row for all wins whose side is known, and one for those of each generator. By lot alone it is .5."""
    won = wins_of(select_counted(evidence))
    groups = [(ALL, won)] + [(name, won[won["generator"] == name]) for name in evidence.generators]
    rows = [side_row(evidence, name, mine) for name, mine in groups]
    return SIDES.build(rows, evidence.choices.convention, calibration_note(evidence))


def wins_of(judgments: pd.DataFrame) -> pd.DataFrame:
    """One row per judgment with a winner and a known side: text_id, annotator, generator of the winner, on_left."""
    won = of_known_sides(judgments)
    found = {"generator": winner(won, "generator_"), "on_left": winner(won) == won["left"]}
    return won[["text_id", "annotator"]].assign(**found)


def of_known_sides(judgments: pd.DataFrame) -> pd.DataFrame:
    """The judgments with a winner of which it is known what stood on the left."""
    return judgments[(judgments["outcome"] != TIE) & judgments["left"].notna()]


def side_row(evidence: Evidence, name: str, won: pd.DataFrame) -> dict[str, Any]:
    arm = arm_of(with_codes(won), "on_left")
    return {
        "generator": name,
        "share_left": share_of(arm, evidence.choices.seed, _("There are no judgments to compute this from.")),
        "n": len(won),
        "generator_said": _("all generators") if name == ALL else name,
    }


def criteria(evidence: Evidence) -> Table:
    """One row per criterion: in how many of the judgments with a winner it was ticked."""
    stage = get_declaration(evidence.study).stages[0]
    names = [question.name for question in stage.questions if question.kind == "tick"]
    answers = people_in(evidence).rows_of(evidence.frame).merge(select_counted(evidence)[PLACE], on=PLACE)
    rows = []
    for name in names:
        ticked = answers[answers["question"] == name]["value"]
        n, decided = int(ticked.astype(bool).sum()), len(ticked)
        rows.append({"criterion": name, "n": n, "n_decided": decided, "share": n / decided if decided else None})
    return CRITERIA.build(rows, notes=calibration_note(evidence))
