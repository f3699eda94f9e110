"""Behind the numbers of dimension ratings that hold two numbers of an item against each other: one row per item."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.formatting import number
from analysis.frames.evidence import Evidence
from analysis.protocols.dimension_ratings.rows_of_scores import on_dimension
from analysis.protocols.dimension_ratings.scores import dimensions_of, item_means, rounds_of, scores_by, scores_of
from analysis.reports.evaluators import evaluator_named
from analysis.tables.spec import FrameRows, Row, Shown, Table, make_table
from studies.question_words import name_question

ABOUT = ("text_id", "item_id", "generator")


def of_dimensions(evidence: Evidence, row: Row, column: str) -> Table:
    """The items with a mean score on both dimensions; Nemenyi's p ranks all dimensions of the items that have all."""
    every = dimensions_of(evidence)
    names = every if column == "nemenyi_p" else (row["dimension_a"], row["dimension_b"])
    means = item_means(scores_of(evidence, row["round"]), every)[list(names)]
    return listed(evidence, means.dropna(), {name: name_question(name) for name in names})


def of_agreement(evidence: Evidence, row: Row, column: str) -> Table:
    """Items with a score of the model and the mean of people's; for the share of equal ones, each score of people."""
    own = on_dimension(scores_by(evidence, evaluator_named(evidence, row["evaluator"]), 1), row["dimension"])
    people = on_dimension(scores_of(evidence, rounds_of(evidence)[0]), row["dimension"])
    if column in ("percent", "n_pairs"):
        return pairs_of_scores(evidence, own, people)
    both = pd.DataFrame({
        "model": own.groupby("item_id")["value"].mean(), "people": people.groupby("item_id")["value"].mean(),
    }).dropna()  # fmt: skip
    titles = {"model": row["evaluator"], "people": _("People, mean")}
    means = {"model": number(both["model"].mean()), "people": number(both["people"].mean())} if len(both) else {}
    notes = (_("Mean of the model: %(model)s; of people: %(people)s.") % means,) if means else ()
    return listed(evidence, both, titles, notes)


def pairs_of_scores(evidence: Evidence, own: pd.DataFrame, people: pd.DataFrame) -> Table:
    """One row per score of people on an item that the model scored."""
    pairs = people.merge(own[["item_id", "value"]], on="item_id", suffixes=("", "_model"))
    found = pairs.set_index("item_id")[["annotator", "value", "value_model"]].rename(columns={"value": "score"})
    found = found.assign(equal=found["score"] == found["value_model"])
    shown = (
        Shown(_("Annotator"), "annotator"),
        Shown(_("Score"), "score", "count"),
        Shown(_("Score of the model"), "value_model", "count"),
        Shown(_("Equal"), "equal", "truth"),
    )
    return item_table(evidence, found, shown)


def listed(evidence: Evidence, numbers: pd.DataFrame, titles: Mapping[str, str], notes: tuple[str, ...] = ()) -> Table:
    """numbers: items down, by id; `titles` names those of its columns that are shown, in their order."""
    shown = tuple(Shown(title, column, "number") for column, title in titles.items())
    return item_table(evidence, numbers, shown, notes)


def item_table(evidence: Evidence, found: pd.DataFrame, shown: tuple[Shown, ...], notes: tuple[str, ...] = ()) -> Table:
    """Rows about items (index: their ids) in the order of the bank, each with its text and generator."""
    items = evidence.items.set_index("item_id", drop=False)[list(ABOUT)]
    ordered = found.iloc[np.argsort(items.index.get_indexer(found.index), kind="stable")]
    columns = (*ABOUT, *(column.value for column in shown))
    values = items.loc[ordered.index].reset_index(drop=True).join(ordered.reset_index(drop=True))
    about = (
        Shown(_("Text"), "text_id", "text id"),
        Shown(_("Item"), "item_id", "item id"),
        Shown(_("Generator"), "generator"),
    )
    rows = FrameRows(values, columns)
    return make_table("items", columns, rows, title=_("The items"), notes=notes, shown=(*about, *shown))


SOURCES = {"dimension_correlations": of_dimensions, "agreement_with_humans": of_agreement}
