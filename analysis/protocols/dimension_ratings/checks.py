"""What stands out in single scores by the rules of a second round, and what experts said of a sample of scores."""

from typing import Any

from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.protocols.dimension_ratings.scores import CELL, FIRST, dimensions_of, rounds_of, scores_of, unknown_round
from analysis.protocols.dimension_ratings.tables import EXPERT_CHECK, FLAGGED
from analysis.tables.spec import Table
from studies.protocols.dimension_ratings.declaration import RIGHT
from studies.protocols.second_round import Flag, Score, flags_of
from studies.services.declarations import get_declaration


def flagged_cells(evidence: Evidence) -> Table:
    """One row per cell and rule, by the rules of the study; `score_2` is the score after round 2, if it was given."""
    scores = scores_of(evidence, FIRST)
    stems = dict(evidence.items[["item_id", "stem"]].to_numpy())
    cells = scores[["annotator", "text_id", "item_id", "dimension", "value"]].to_numpy()
    given = (Score(who, text, item, dimension, stems[item], int(value)) for who, text, item, dimension, value in cells)
    declaration = get_declaration(evidence.study)
    flags = flags_of(given, declaration.rules, is_exact=declaration.exact_wording)
    again = second_scores(evidence)
    rows = [flag_row(flag, again) for flag in flags]
    return FLAGGED.build(rows, notes=(*note_changes(rows, again), *unknown_round(evidence)))


def second_scores(evidence: Evidence) -> dict[tuple[str, str, str], int]:
    """What was scored in round 2, by annotator, item and dimension."""
    if 2 not in rounds_of(evidence):
        return {}
    rows = evidence.every_round[evidence.every_round["round"] == 2].rename(columns={"question": "dimension"})
    return {(who, item, dimension): value for who, item, dimension, value in rows[[*CELL, "value"]].to_numpy()}


def flag_row(flag: Flag, again: dict[tuple[str, str, str], int]) -> dict[str, Any]:
    return {
        "annotator": flag.annotator,
        "item_id": flag.item,
        "dimension": flag.question,
        "rule": flag.rule,
        "score": flag.score,
        "others": ", ".join(map(str, flag.others)),
        "score_2": again.get((flag.annotator, flag.item, flag.question)),
    }


def note_changes(rows: list[dict[str, Any]], again: dict[tuple[str, str, str], int]) -> list[str]:
    """How many of the cells were scored again, and how many of these changed."""
    if not again:
        return []
    cells = {(row["annotator"], row["item_id"], row["dimension"]): row for row in rows}.values()
    scored = [row for row in cells if row["score_2"] is not None]
    changed = sum(row["score_2"] != row["score"] for row in scored)
    said = {"cells": len(cells), "scored": len(scored), "changed": changed}
    return [_("Of %(cells)d cells, %(scored)d were scored again in round 2, and %(changed)d of these changed.") % said]


def expert_check(evidence: Evidence) -> Table:
    """One row per dimension and expert: of the n scores that they judged on it, the share that they found right."""
    verdicts = evidence.verdicts
    experts = list(dict.fromkeys(verdicts["annotator"]))
    rows = [
        verdict_row(dimension, expert, on_it[on_it["annotator"] == expert])
        for dimension in dimensions_of(evidence)
        for on_it in [verdicts[verdicts["question"] == dimension]]
        for expert in experts
    ]
    return EXPERT_CHECK.build(rows, notes=note_verdicts(evidence))


def verdict_row(dimension: str, expert: str, verdicts: Any) -> dict[str, Any]:
    n = len(verdicts)
    right = int((verdicts["value"] == RIGHT).sum())
    return {"dimension": dimension, "expert": expert, "n": n, "accuracy": right / n if n else None}


def note_verdicts(evidence: Evidence) -> tuple[str, ...]:
    if evidence.verdicts.empty:
        return (_("Empty, because no expert has checked a sample of this study."),)
    both = evidence.verdicts.groupby(["item_id", "question"])["value"].agg(["nunique", "size"])
    both = both[both["size"] > 1]
    said = [_("Accuracy: the share of the checked scores that the expert found right. An item is drawn with the scores "
              "of one annotator.")]  # fmt: skip
    if len(both):
        counted = {"same": int((both["nunique"] == 1).sum()), "all": len(both)}
        said.append(_("The experts gave the same verdict on %(same)d of %(all)d scores.") % counted)
    return tuple(said)
