"""Scores of round 1 that a rule of the second round names, and what became of them."""

from typing import Any

import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.protocols.dimension_ratings.scores import CELL, FIRST, rounds_of, scores_of, unknown_round
from analysis.tables.spec import Shown, Table, make_table
from studies.protocols.second_round import Flag, Score, flags_of
from studies.services.declarations import get_declaration

COLUMNS = ("annotator", "item_id", "dimension", "rule", "score", "others", "score_2")


def flagged_cells(evidence: Evidence) -> Table:
    """One row per cell and rule, by the rules of the study; `score_2` is the score after round 2, if it was given."""
    scores = scores_of(evidence, FIRST)
    stems = dict(evidence.items[["item_id", "stem"]].to_numpy())
    cells = scores[["annotator", "text_id", "item_id", "dimension", "value"]].to_numpy()
    given = (Score(who, text, item, dimension, stems[item], int(value)) for who, text, item, dimension, value in cells)
    declaration = get_declaration(evidence.study)
    flags = flags_of(given, declaration.rules, is_exact=declaration.exact_wording)
    again = second_scores(evidence)
    rows = [row_of(flag, again) for flag in flags]
    return make_table(
        "flagged_cells", COLUMNS, rows, title=_("Scores that stand out"),
        notes=(*notes(rows, again), *unknown_round(evidence)), shown=shown(),
        named_by=("annotator", "item_id", "dimension", "rule"),
    )  # fmt: skip


def second_scores(evidence: Evidence) -> dict[tuple[str, str, str], int]:
    """What was scored in round 2, by annotator, item and dimension."""
    if 2 not in rounds_of(evidence):
        return {}
    rows = evidence.every_round[evidence.every_round["round"] == 2].rename(columns={"question": "dimension"})
    return {(who, item, dimension): value for who, item, dimension, value in rows[[*CELL, "value"]].to_numpy()}


def row_of(flag: Flag, again: dict[tuple[str, str, str], int]) -> dict[str, Any]:
    return {
        "annotator": flag.annotator,
        "item_id": flag.item,
        "dimension": flag.question,
        "rule": flag.rule,
        "score": flag.score,
        "others": ", ".join(map(str, flag.others)),
        "score_2": again.get((flag.annotator, flag.item, flag.question)),
    }


def notes(rows: list[dict[str, Any]], again: dict[tuple[str, str, str], int]) -> tuple[str, ...]:
    """What the rules are, and how many cells were scored again and changed."""
    said = [_("(a) the same annotator scored the same wording in a text differently; (b) at least 2 away from all "
              "others, of whom at least two agree; (c) three or more scores, all different.")]  # fmt: skip
    if again:
        cells = pd.DataFrame(rows, columns=list(COLUMNS)).drop_duplicates(CELL)  # columns: none may stand out
        scored = cells[cells["score_2"].notna()]
        changed = int((scored["score_2"] != scored["score"]).sum())
        said.append(
            _("Of %(cells)d cells, %(scored)d were scored again in round 2, and %(changed)d of these changed.")
            % {"cells": len(cells), "scored": len(scored), "changed": changed}
        )
    return tuple(said)


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Annotator"), "annotator"),
        Shown(_("Item"), "item_id", "item id"),
        Shown(_("Dimension"), "dimension", "question"),
        Shown(_("Rule"), "rule"),
        Shown(_("Score"), "score", "number", about=_("score in round 1; behind it: those it stands out from")),
        Shown(_("Others"), "others"),
        Shown(_("Round 2"), "score_2", "optional"),
    )
