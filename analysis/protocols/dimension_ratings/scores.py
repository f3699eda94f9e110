"""Scores on dimensions, flags by the rules of a second round, and experts' verdicts on single scores."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.types import FloatArray, IntArray
from analysis.protocols.dimension_ratings.tables import EXPERT_CHECK, FLAGGED
from analysis.reports.contrasts import Family, GeneratorFigure
from analysis.reports.estimates import add_codes, build_arm
from analysis.reports.evaluators import Evaluator, get_people, list_compared_evaluators
from analysis.tables.spec import Table
from studies.protocols import Question
from studies.protocols.dimension_ratings.declaration import RIGHT
from studies.protocols.second_round import Flag, Score, list_flags
from studies.services.declarations import get_declaration

# One row per annotator, item and dimension. Results count people's scores.

CELL = ["annotator", "item_id", "dimension"]
AVERAGE = "average"
FIRST, SECOND = 1, 2  # rounds


def list_scales(evidence: Evidence) -> tuple[Question, ...]:
    """The declared questions with a scale, in their order."""
    stages = get_declaration(evidence.study).stages
    return tuple(question for stage in stages for question in stage.questions if question.kind == "scale")


def list_dimension_names(evidence: Evidence) -> tuple[str, ...]:
    return tuple(question.name for question in list_scales(evidence))


def list_levels(evidence: Evidence) -> tuple[int, ...]:
    """The declared scale, whether or not each level was used."""
    return tuple(map(int, list_scales(evidence)[0].levels))


def list_rounds(evidence: Evidence) -> tuple[int, ...]:
    """(1,), or (1, 2) once somebody has scored again; (2,) if only the scores of round 2 are known."""
    rounds = get_people(evidence).select_rows(evidence.every_round)["round"]
    if not (rounds > FIRST).any():
        return (FIRST,)
    return (FIRST, SECOND) if (rounds == FIRST).any() else (SECOND,)


def note_unknown_round(evidence: Evidence) -> list[str]:
    """A note if people's scores of round 1 are unknown."""
    if FIRST in list_rounds(evidence):
        return []
    return [_("Round 1 is unknown: only scores of round 2 were imported, given after annotators had seen "
              "disagreements. Their agreement does not measure reliability.")]  # fmt: skip


def select_scores(evidence: Evidence, round_number: int) -> pd.DataFrame:
    """People's scores; see `select_scores_by`."""
    return select_scores_by(evidence, get_people(evidence), round_number)


def select_scores_by(evidence: Evidence, evaluator: Evaluator, round_number: int) -> pd.DataFrame:
    """The latest score of each cell up to that round.

    Columns: annotator, text_id, item_id, generator, dataset, dimension, round, value.
    """
    mine = evaluator.select_rows(evidence.every_round)
    rows = mine[(mine["round"] <= round_number) & mine["question"].isin(list_dimension_names(evidence))]
    rows = rows.rename(columns={"question": "dimension"}).sort_values("round", kind="stable")
    rows = rows.drop_duplicates(CELL, keep="last").sort_index()
    datasets = evidence.texts.set_index("text_id")["dataset"]
    found = rows[["annotator", "text_id", "item_id", "generator", "dimension", "round", "value"]].astype({"value": int})
    return found.assign(dataset=found["text_id"].map(datasets)).reset_index(drop=True)


def iter_rating_families(evidence: Evidence, round_number: int) -> Iterator[Family]:
    """Families of mean scores after a round, for each evaluator: one per scored dimension, and one of the average."""
    for evaluator in list_compared_evaluators(evidence):
        yield from iter_families(evidence, evaluator, round_number)


def iter_families(evidence: Evidence, evaluator: Evaluator, round_number: int) -> Iterator[Family]:
    scores, levels = add_codes(select_scores_by(evidence, evaluator, round_number)), list_levels(evidence)
    speaker, fixed, n_texts = evaluator.name, evaluator.is_fixed, scores["text_id"].nunique()
    names = [name for name in list_dimension_names(evidence) if (scores["dimension"] == name).any()]
    arms = {
        generator: tuple(
            build_arm(scores[(scores["generator"] == generator) & (scores["dimension"] == name)], "value")
            for name in names
        )
        for generator in evidence.generators
    }
    scored = {generator: mine for generator, mine in arms.items() if any(len(arm.n) for arm in mine)}
    span = float(levels[-1] - levels[0])
    for place, name in enumerate(names):
        figures = {generator: GeneratorFigure((mine[place],)) for generator, mine in scored.items()}
        yield Family(name, speaker, figures, n_texts, (-span, span), fixed)
    if names:
        figures = {generator: GeneratorFigure(mine) for generator, mine in scored.items()}
        scale = 1 / len(names)
        yield Family(AVERAGE, speaker, figures, n_texts, (-span, span), fixed, scale)


def build_score_matrix(scores: pd.DataFrame) -> tuple[FloatArray, IntArray]:
    """Scores on one dimension as (raters, items) with NaN for what is missing, and the text of each item, (items,)."""
    table = scores.pivot(index="annotator", columns="item_id", values="value")
    texts = scores.drop_duplicates("item_id").set_index("item_id")["text_id"].reindex(table.columns)
    return table.to_numpy(dtype=np.float64), pd.factorize(texts, sort=True)[0].astype(np.int64)


def average_by_item(scores: pd.DataFrame, dimensions: tuple[str, ...]) -> pd.DataFrame:
    """The mean score of each item on each dimension: items down, dimensions across, NaN where nobody scored."""
    means = scores.groupby(["item_id", "dimension"], sort=True)["value"].mean().unstack("dimension")
    return means.reindex(columns=list(dimensions))


# Scores flagged by the rules of a second round, and experts' verdicts on a sample of scores.


def find_flagged_cells(evidence: Evidence) -> Table:
    """One row per flagged cell and rule of the study; `score_2` is the score of round 2, if there is one."""
    scores = select_scores(evidence, FIRST)
    stems = dict(evidence.items[["item_id", "stem"]].to_numpy())
    cells = scores[["annotator", "text_id", "item_id", "dimension", "value"]].to_numpy()
    given = (Score(who, text, item, dimension, stems[item], int(value)) for who, text, item, dimension, value in cells)
    declaration = get_declaration(evidence.study)
    flags = list_flags(given, declaration.rules, is_exact=declaration.exact_wording)
    again = find_second_scores(evidence)
    rows = [build_flag_row(flag, again) for flag in flags]
    return FLAGGED.build(rows, notes=(*note_changes(rows, again), *note_unknown_round(evidence)))


def find_second_scores(evidence: Evidence) -> dict[tuple[str, str, str], int]:
    """The scores of round 2, by annotator, item and dimension."""
    if 2 not in list_rounds(evidence):
        return {}
    rows = evidence.every_round[evidence.every_round["round"] == 2].rename(columns={"question": "dimension"})
    return {(who, item, dimension): value for who, item, dimension, value in rows[[*CELL, "value"]].to_numpy()}


def build_flag_row(flag: Flag, again: dict[tuple[str, str, str], int]) -> dict[str, Any]:
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
    """A note on how many flagged cells were scored again, and how many of these scores changed."""
    if not again:
        return []
    cells = {(row["annotator"], row["item_id"], row["dimension"]): row for row in rows}.values()
    scored = [row for row in cells if row["score_2"] is not None]
    changed = sum(row["score_2"] != row["score"] for row in scored)
    values = {"cells": len(cells), "scored": len(scored), "changed": changed}
    return [
        _("Of %(cells)d cells, %(scored)d were scored again in round 2, and %(changed)d of these changed.") % values
    ]


def build_expert_check(evidence: Evidence) -> Table:
    """One row per dimension and expert: how many scores the expert checked, and the share found right."""
    verdicts = evidence.verdicts
    experts = list(dict.fromkeys(verdicts["annotator"]))
    rows = [
        build_verdict_row(dimension, expert, on_it[on_it["annotator"] == expert])
        for dimension in list_dimension_names(evidence)
        for on_it in [verdicts[verdicts["question"] == dimension]]
        for expert in experts
    ]
    return EXPERT_CHECK.build(rows, notes=note_verdicts(evidence))


def build_verdict_row(dimension: str, expert: str, verdicts: Any) -> dict[str, Any]:
    n = len(verdicts)
    right = int((verdicts["value"] == RIGHT).sum())
    return {"dimension": dimension, "expert": expert, "n": n, "accuracy": right / n if n else None}


def note_verdicts(evidence: Evidence) -> tuple[str, ...]:
    if evidence.verdicts.empty:
        return (_("Empty, because no expert has checked a sample of this study."),)
    both = evidence.verdicts.groupby(["item_id", "question"])["value"].agg(["nunique", "size"])
    both = both[both["size"] > 1]
    sentences = [_("Accuracy: the share of the checked scores that the expert found right. An item is drawn with the "
                   "scores of one annotator.")]  # fmt: skip
    if len(both):
        counted = {"same": int((both["nunique"] == 1).sum()), "all": len(both)}
        sentences.append(_("The experts gave the same verdict on %(same)d of %(all)d scores.") % counted)
    return tuple(sentences)
