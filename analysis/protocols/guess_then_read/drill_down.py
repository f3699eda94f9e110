"""The answers behind the numbers of a guess-then-read study: judgments of options, pairs of them, ratings and items."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.agreement import stand_in
from analysis.formatting import number
from analysis.frames.evidence import Evidence
from analysis.measures.agreement import Pairwise, pairwise
from analysis.measures.informativity import LEAST
from analysis.protocols.guess_then_read.agreement import TICKED_OR_NOT, collect_ratings, list_pair_sets
from analysis.protocols.guess_then_read.answers import (
    GUESS,
    READ,
    find_rated_and_judged,
    judge_whole_items,
    list_levels,
    select_matched,
    select_ratings,
)
from analysis.protocols.guess_then_read.beside_accuracy import add_keys, join_stages
from analysis.protocols.guess_then_read.informativity import ALL, compute_mixes
from analysis.protocols.guess_then_read.tables import (
    AGREEMENT,
    BIASES,
    BY_RATING,
    CONTRASTS,
    GUESSABLE,
    INTERVALS,
    ITEM_ANALYSIS,
    MATCHED,
    POOLED,
    PROBABILITIES,
    RATINGS,
    STANDARDISED,
    TABLES,
    UNANSWERABLE,
)
from analysis.reports.categories import list_usable_divisions
from analysis.reports.drill_down import (
    COUNTED,
    list_counted,
    list_judgments,
    list_rows,
    name_pairs,
    pair_answers,
    say_same_judgments,
    say_share,
)
from analysis.reports.evaluators import find_evaluator, get_people
from analysis.tables.spec import Row, Table, TableSpec

STAGES: Mapping[str, tuple[str, ...]] = {"guessability": (GUESS,), "answerability": (READ,)}
OPTION = ("item_id", "option_id")
SHARED = ("text_id", "item_id", "option_id", "generator", "stage", "annotator_a", "annotator_b", "ticked_a", "ticked_b")
OF_PAIR = ("annotator_a", "annotator_b", "n_shared", "n_same", "kappa", "ac1")
OVER_ALL_PAIRS = ("percent", "ac1", "n_judgments")  # all other columns use only pairs whose κ is defined
RATING = ("text_id", "item_id", "generator", "annotator", "rating")
WHOLE = ("text_id", "item_id", "generator", "annotator", "right")
BOTH_STAGES = ("text_id", "item_id", "option_id", "annotator", "key", "p_guess", "p_read")
OF_ITEM = ("text_id", "item_id", "generator", "annotator", "stage", "ticked_options", "keys", "right")
OF_OPTION = ("text_id", "item_id", "option_id", "annotator", "stage", "ticked", "key", "right", "unsure")
OF_PERSON = ("annotator", "right", "n_others", "n_others_right", "share_others")
OF_KEY = ("text_id", "item_id", "option_id", "generator", "n_judged", "n_right", "this")


def list_tables() -> tuple[TableSpec, ...]:
    """The tables of the protocol, and those about models that replace people, whose rows are about one stage."""
    about_models = (
        replace(spec, shared=("stage", "question") if "question" in spec.keys else ("stage",))
        for spec in stand_in.list_tables()
    )
    return (*TABLES, *about_models)


@INTERVALS.drill_down
@POOLED.drill_down
def list_pooled(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments behind a row of `informativity`: of one stage for an accuracy, else of both."""
    return list_informativity(evidence, row, column, evidence.judgments)


@MATCHED.drill_down
def list_matched(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments behind a row of `informativity_matched`: of one stage for an accuracy, else of both."""
    return list_informativity(evidence, row, column, select_matched(evidence.judgments))


def list_informativity(evidence: Evidence, row: Row, column: str, judgments: pd.DataFrame) -> Table:
    mine = select_judgments_by(evidence, row, judgments)
    if column in COUNTED:
        return list_counted(evidence, mine, column)
    return list_judgments(evidence, mine[mine["stage"].isin(STAGES.get(column, (GUESS, READ)))])


@CONTRASTS.drill_down
def list_contrasts(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments about the items of both generators: of one stage for an accuracy, else of both."""
    judgments = find_evaluator(evidence, row["evaluator"]).select_rows(evidence.judgments)
    mine = judgments[judgments["generator"].isin([row["generator_a"], row["generator_b"]])]
    mine = mine[mine["stage"].isin(STAGES.get(row["measure"], (GUESS, READ)))]
    return list_counted(evidence, mine, column) if column in COUNTED else list_judgments(evidence, mine)


def select_judgments_by(evidence: Evidence, row: Row, judgments: pd.DataFrame) -> pd.DataFrame:
    """The judgments by the row's evaluator about the items of its generator."""
    evaluator = find_evaluator(evidence, row["evaluator"])
    return evaluator.select_rows(judgments[judgments["generator"] == row["generator"]])


@STANDARDISED.drill_down
def list_standardized(evidence: Evidence, row: Row, column: str) -> Table:
    """The items of a share of items, else the judgments, behind a row of `informativity_standardised`."""
    division = next(each for each in list_usable_divisions(evidence) if each.kind == row["category_kind"])
    if column in ("share_items", "share_items_common"):
        own = evidence.items["generator"] == row["generator"]
        return list_category(evidence, row, evidence.items[own | (column == "share_items_common")], division.of)
    mine = select_judgments_by(evidence, row, evidence.judgments)
    mine = mine.assign(category=mine["item_id"].map(division.of))
    mine = mine if row["category"] == ALL else mine[mine["category"] == row["category"]]
    if column in COUNTED:
        return list_counted(evidence, mine, column)
    weights = compute_mixes(evidence, division)[ALL]
    notes = [
        _("Weight of %(category)s: %(weight)s") % {"category": division.title_of(name), "weight": number(weights[name])}
        for name in division.names
        if row["category"] == ALL
    ]
    return list_judgments(evidence, mine, notes, ("category",))


def list_category(evidence: Evidence, row: Row, items: pd.DataFrame, category: Mapping[str, str]) -> Table:
    """Items with their category, and whether the row counts them."""
    own = items["item_id"].map(category)
    rows = items.assign(category=own, counted=(own == row["category"]) | (row["category"] == ALL))
    notes = say_share(rows["counted"], _("%(n_true)s of %(n)s items are counted, %(share)s"))
    return list_rows(evidence, rows, ("text_id", "item_id", "generator", "category", "counted"), _("The items"), notes)


@BY_RATING.drill_down
def list_by_rating(evidence: Evidence, row: Row, column: str) -> Table:
    """People's judgments of the items to which they gave the rating of a row of `accuracy_by_rating`."""
    own = find_rated_and_judged(evidence)
    mine = own[(own["rating"] == row["rating"]) & (own["stage"] == row["stage"])]
    return (
        list_counted(evidence, mine, column) if column in COUNTED else list_judgments(evidence, mine, (), ("rating",))
    )


# Agreement ------------------------------------------------------------------------------------------------------------


@AGREEMENT.drill_down
def list_agreement(evidence: Evidence, row: Row, column: str) -> Table:
    """The pairs themselves for the number of pairs, else the judgments that they share."""
    judgments = evidence.judgments
    judgments = judgments[judgments["stage"] == row["stage"]]
    ratings = collect_ratings(judgments)
    line = next(each for each in list_pair_sets(evidence, ratings) if each.evaluator.name == row["evaluator"])
    found = pairwise(ratings.values, TICKED_OR_NOT, line.pairs)
    is_counted = found.n > 0 if column in OVER_ALL_PAIRS else ~np.isnan(found.kappa)
    if column == "n_pairs":
        return list_pairs(evidence, found, is_counted, ratings.raters)
    both = pair_answers(judgments, name_pairs(found.pairs[is_counted], ratings.raters), OPTION)
    rows = both.rename(columns={"value_a": "ticked_a", "value_b": "ticked_b"})
    return list_rows(evidence, rows, (*SHARED, "same"), _("The shared judgments"), say_same_judgments(rows))


def list_pairs(evidence: Evidence, found: Pairwise, is_counted: np.ndarray, raters: Sequence[str]) -> Table:
    """Pairs of annotators with their own agreement."""
    rows = pd.DataFrame(name_pairs(found.pairs, raters), columns=["annotator_a", "annotator_b"]).assign(
        n_shared=found.n, n_same=found.agreed, kappa=found.kappa, ac1=found.ac1
    )
    return list_rows(evidence, rows[is_counted], OF_PAIR, _("The pairs"))


# Ratings, biases and probabilities ------------------------------------------------------------------------------------


@RATINGS.drill_down
def list_ratings(evidence: Evidence, row: Row, column: str) -> Table:
    evaluator = find_evaluator(evidence, row["evaluator"])
    rated = evaluator.select_rows(select_ratings(evidence.frame)).rename(columns={"value": "rating"})
    mine = rated[rated["generator"] == row["generator"]]
    level = {f"n_{level}": level for level in list_levels(evidence)}.get(column)
    return list_rows(evidence, mine if level is None else mine[mine["rating"] == level], RATING, _("The ratings"))


@BIASES.drill_down
def list_biases(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments of a stage; for items as a whole one row per annotator and item."""
    mine = select_judgments_by(evidence, row, evidence.judgments)
    mine = mine[mine["stage"] == row["stage"]]
    if column in COUNTED:
        return list_counted(evidence, mine, column)
    if column != "items_right":
        return list_judgments(evidence, mine)
    whole = judge_whole_items(mine)
    notes = say_share(whole["right"], _("%(n_true)s of %(n)s whole items are correct, %(share)s"))
    return list_rows(evidence, whole, WHOLE, _("The items as a whole"), notes)


@PROBABILITIES.drill_down
def list_probabilities(evidence: Evidence, row: Row, column: str) -> Table:
    """The options with p(true): of one stage for its AUC, of both stages for their comparison."""
    known = add_keys(evidence)
    mine = select_judgments_by(evidence, row, known[known["probability"].notna()])
    if column in COUNTED:
        return list_counted(evidence, mine, column)
    wide = join_stages(mine).rename(columns={GUESS: "p_guess", READ: "p_read"})
    return list_rows(evidence, wide[find_counted(wide, column)], BOTH_STAGES, _("The options"))


def find_counted(wide: pd.DataFrame, column: str) -> "pd.Series[bool]":
    """Whether a column of `informativity_probability` counts each option."""
    guessed, read = wide["p_guess"].notna(), wide["p_read"].notna()
    if column == "auc_guess":
        return guessed
    if column == "auc_read":
        return read
    if column == "auc_difference":
        return guessed | read
    if column == "n_floored":
        right = wide[["p_guess", "p_read"]].where(wide["key"], 1 - wide[["p_guess", "p_read"]])
        return (right.astype(np.float64) < LEAST).any(axis=1)
    return guessed & read


# Single items ---------------------------------------------------------------------------------------------------------


@GUESSABLE.drill_down
def list_guessable(evidence: Evidence, row: Row, column: str) -> Table:
    return list_item(evidence, row, column, GUESS)


@UNANSWERABLE.drill_down
def list_unanswerable(evidence: Evidence, row: Row, column: str) -> Table:
    return list_item(evidence, row, column, READ)


def list_item(evidence: Evidence, row: Row, column: str, stage: str) -> Table:
    """Each person's answer to the item, and whether all of its options are judged correctly."""
    judged = get_people(evidence).select_rows(evidence.judgments)
    judged = judged[(judged["stage"] == stage) & (judged["item_id"] == row["item_id"])]
    options = evidence.options[evidence.options["item_id"] == row["item_id"]]
    answers = judged.groupby("annotator", sort=False).agg(
        text_id=("text_id", "first"), item_id=("item_id", "first"), generator=("generator", "first"),
        stage=("stage", "first"), right=("correct", "all"),
    )  # fmt: skip
    ticked = judged[judged["value"]].groupby("annotator")["option_id"].agg(lambda ids: ", ".join(sorted(ids)))
    rows = answers.assign(
        ticked_options=ticked.reindex(answers.index).fillna(""),
        keys=", ".join(options[options["key"]]["option_id"]),
    ).reset_index()
    notes = say_share(rows["right"], _("%(n_true)s of %(n)s people are correct, %(share)s"))
    return list_rows(evidence, rows[rows["right"] | (column != "n_right")], OF_ITEM, _("The answers"), notes)


@ITEM_ANALYSIS.drill_down
def list_option(evidence: Evidence, row: Row, column: str) -> Table:
    """People's judgments of the option in a row of `item_analysis`.

    For its discrimination, the people who judged it; for the probability of a wrong key, all options.
    """
    frame = get_people(evidence).select_rows(evidence.frame)
    asked = frame[(frame["question"] == "answer") & (frame["stage"] == row["stage"]) & frame["correct"].notna()]
    this = (asked["item_id"] == row["item_id"]) & (asked["option_id"] == row["option_id"])
    if column == "discrimination":
        return list_rest(evidence, asked, this)
    if column == "miskey":
        return list_options(evidence, asked, row)
    rows = asked[this].assign(ticked=asked["value"], right=asked["correct"])
    notes = say_share(rows["right"], _("%(n_true)s of %(n)s judgments are correct, %(share)s"))
    return list_rows(evidence, rows, OF_OPTION, _("The judgments"), notes)


def list_rest(evidence: Evidence, asked: pd.DataFrame, this: pd.Series) -> Table:
    """Each person who judged this option and others: whether this judgment is right, and how many others are."""
    mine = asked[this].set_index("annotator")["correct"].astype(bool)
    rest = asked[~this].groupby("annotator")["correct"].agg(["size", "sum"]).reindex(mine.index).dropna()
    rows = pd.DataFrame(
        {
            "annotator": rest.index,
            "right": mine[rest.index].to_numpy(),
            "n_others": rest["size"].astype(int).to_numpy(),
            "n_others_right": rest["sum"].astype(int).to_numpy(),
        }
    )
    rows["share_others"] = rows["n_others_right"] / rows["n_others"]
    return list_rows(evidence, rows, OF_PERSON, _("The people"))


def list_options(evidence: Evidence, asked: pd.DataFrame, row: Row) -> Table:
    """All options with the number of right judgments: the probability of a wrong key depends on the others, too."""
    found = asked.groupby(["item_id", "option_id"])["correct"].agg(n_judged="size", n_right="sum").astype(int)
    rows = evidence.options.merge(found.reset_index(), on=["item_id", "option_id"])
    this = (rows["item_id"] == row["item_id"]) & (rows["option_id"] == row["option_id"])
    return list_rows(evidence, rows.assign(this=this), OF_KEY, _("The options"))
