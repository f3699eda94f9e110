"""Behind the numbers of dimension ratings that count single scores: a row per score, each the latest up to a round."""

from collections.abc import Iterable
from functools import partial

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.formatting import count, number
from analysis.frames.evidence import Evidence
from analysis.protocols.dimension_ratings.distributions import datasets
from analysis.protocols.dimension_ratings.flagged_cells import second_scores
from analysis.protocols.dimension_ratings.scores import AVERAGE, CELL, dimensions_of, rounds_of, scores_by, scores_of
from analysis.reports.drill_down import COUNTED
from analysis.reports.drill_down import list_counted as counted
from analysis.reports.evaluators import evaluator_named
from analysis.tables.spec import FrameRows, Row, Shown, Table, make_table
from studies.protocols.second_round import wording_key
from studies.question_words import name_question
from studies.services.declarations import get_declaration

COLUMNS = ("text_id", "item_id", "generator", "annotator", "dimension", "round", "score")


def of_alpha(evidence: Evidence, row: Row, column: str) -> Table:
    """The scores of items with two or more; the others are in no pair."""
    scores = on_dimension(scores_of(evidence, row["round"]), row["dimension"])
    paired = scores[scores.groupby("item_id")["annotator"].transform("size") > 1]
    items, single = paired["item_id"].nunique(), len(scores) - len(paired)
    notes = (
        _("Items with two or more scores: %(items)s. Not here, as nothing is beside them: single scores of %(single)s "
          "items.") % {"items": count(items), "single": count(single)},
    )  # fmt: skip
    return listed(evidence, paired, notes)


def of_means(evidence: Evidence, row: Row, column: str) -> Table:
    """The scores of a generator's items on a dimension, for the average on all."""
    scores = scores_of(evidence, row["round"])
    mine = on_dimension(scores[scores["generator"] == row["generator"]], row["dimension"])
    return listed(evidence, mine, means_said(evidence, mine))


def of_contrasts(evidence: Evidence, row: Row, column: str) -> Table:
    """The scores of either generator's items on a dimension after the last round, for the average on all."""
    scores = scores_of(evidence, rounds_of(evidence)[-1])
    scores = scores[scores["generator"].isin([row["generator_a"], row["generator_b"]])]
    mine = on_dimension(scores, row["measure"])
    return counted(evidence, mine, column) if column in COUNTED else listed(evidence, mine)


def of_distributions(evidence: Evidence, row: Row, column: str) -> Table:
    """The scores of one level, for its share all scores on the dimension in the data set."""
    scores = dict(datasets(scores_of(evidence, row["round"])))[row["dataset"]]
    every = on_dimension(scores, row["dimension"])
    level = every["value"] == row["score"]
    said = {"score": row["score"], "n": count(int(level.sum())), "all": count(len(every))}
    notes = (_("%(n)s of %(all)s scores are %(score)s.") % said,)
    return listed(evidence, every if column == "share" else every[level], notes)


def of_flagged(evidence: Evidence, row: Row, column: str) -> Table:
    """All scores of the item on the dimension, and the annotator's own of the same wording in the text."""
    scores = on_dimension(scores_of(evidence, 1), row["dimension"])
    items = evidence.items.set_index("item_id")
    is_exact = get_declaration(evidence.study).exact_wording
    wordings = items["stem"].map(partial(wording_key, is_exact=is_exact))
    alike = scores["text_id"] == items["text_id"][row["item_id"]]
    alike &= scores["item_id"].map(wordings) == wordings[row["item_id"]]
    found = scores[(scores["item_id"] == row["item_id"]) | (alike & (scores["annotator"] == row["annotator"]))]
    again = second_scores(evidence)
    later = [again.get(tuple(cell)) for cell in found[CELL].to_numpy()]
    return listed(evidence, found.assign(score_2=pd.Series(later, found.index, dtype=object)), more=("score_2",))


def of_judge_means(evidence: Evidence, row: Row, column: str) -> Table:
    """The scores of one model."""
    scores = scores_by(evidence, evaluator_named(evidence, row["evaluator"]), 1)
    mine = on_dimension(scores[scores["generator"] == row["generator"]], row["dimension"])
    return listed(evidence, mine, means_said(evidence, mine))


def on_dimension(scores: pd.DataFrame, dimension: str) -> pd.DataFrame:
    """The scores on it; all of them for the average."""
    return scores if dimension == AVERAGE else scores[scores["dimension"] == dimension]


def means_said(evidence: Evidence, scores: pd.DataFrame) -> tuple[str, ...]:
    """The mean on each dimension, and that of these means where there are several."""
    means = scores.groupby("dimension")["value"].mean().reindex(dimensions_of(evidence)).dropna()
    said = [f"{name_question(str(dimension))}: {number(mean)}" for dimension, mean in means.items()]
    if len(means) > 1:
        said.append(_("Mean of these means: %(mean)s") % {"mean": number(float(means.mean()))})
    return tuple(said)


def listed(evidence: Evidence, scores: pd.DataFrame, notes: Iterable[str] = (), more: tuple[str, ...] = ()) -> Table:
    """Scores in the order of the bank: by item, dimension and annotator; `more` names further columns of theirs."""
    columns = (*COLUMNS, *more)
    rows = FrameRows(in_order(evidence, scores.rename(columns={"value": "score"})), columns)
    return make_table("scores", columns, rows, title=_("The scores"), notes=tuple(notes), shown=shown(more))


def in_order(evidence: Evidence, rows: pd.DataFrame) -> pd.DataFrame:
    places = {item: place for place, item in enumerate(evidence.items["item_id"])}
    dimensions = {name: place for place, name in enumerate(dimensions_of(evidence))}
    order = np.lexsort((
        pd.factorize(rows["annotator"], sort=True)[0],
        rows["dimension"].map(dimensions).to_numpy(),
        rows["item_id"].map(places).to_numpy(),
    ))  # fmt: skip
    return rows.iloc[order]


def shown(more: tuple[str, ...] = ()) -> tuple[Shown, ...]:
    columns = (
        Shown(_("Text"), "text_id", "text id"),
        Shown(_("Item"), "item_id", "item id"),
        Shown(_("Generator"), "generator"),
        Shown(_("Annotator"), "annotator"),
        Shown(_("Dimension"), "dimension", "question"),
        Shown(_("Round"), "round", "count"),
        Shown(_("Score"), "score", "count"),
    )
    return (*columns, *(Shown(_("Round 2"), name, "optional") for name in more))


SOURCES = {
    "alpha": of_alpha,
    "generator_means": of_means,
    "contrasts": of_contrasts,
    "distributions": of_distributions,
    "flagged_cells": of_flagged,
    "judge_means": of_judge_means,
}
