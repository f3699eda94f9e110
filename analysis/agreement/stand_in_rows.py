"""The rows behind numbers about whether a model can replace people: shared judgments, tests, probabilities, ticks."""

from dataclasses import asdict

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.agreement.lab import Answers, answers_in
from analysis.agreement.questions import LabQuestion, questions_of
from analysis.agreement.stand_in import YES, as_numbers, keep_model_units, list_judged_options, pair_sets
from analysis.agreement.tables import BIASES, CALIBRATION, STAND_IN, TABLES
from analysis.formatting import number
from analysis.frames.evidence import Evidence
from analysis.measures.agreement import pairwise
from analysis.measures.alternative_annotator import (
    CATEGORIES,
    LEVEL_OF_TEST,
    NUMBERS,
    alternative_annotator_test,
)
from analysis.measures.calibration import BINS, bins_of
from analysis.reports.drill_down import list_rows, name_pairs, pair_answers, say_same_judgments
from analysis.reports.evaluators import people_in
from analysis.tables.spec import Row, Table, TableSpec

UNIT = ("unit", "item_id", "option_id")
PAIR = ("text_id", "item_id", "option_id", "stage", "annotator_a", "annotator_b", "value_a", "value_b", "same")
PERSON = ("annotator", "n_units", "model_at_least", "person_at_least", "p", "p_adjusted", "passed")
OF_UNIT = ("text_id", "item_id", "option_id", "stage", "value", "n_people")
JUDGED = ("text_id", "item_id", "option_id", "generator", "annotator", "stage", "ticked", "key")


def list_tables() -> tuple[TableSpec, ...]:
    return TABLES


@STAND_IN.drill_down
def list_stand_in(evidence: Evidence, row: Row, column: str) -> Table:
    asked = next(
        each for each in questions_of(evidence.study) if (each.stage, each.name) == (row["stage"], row["question"])
    )
    people = sorted(people_in(evidence).codes)
    answers = keep_model_units(answers_in(evidence.frame, asked, [row["evaluator"], *people]))
    shared = select_shared_answers(evidence, asked, answers)
    if column in ("kappa", "kappa_people"):
        return list_pairs(evidence, asked, answers, shared, column)
    if column == "n_units":
        return list_units(evidence, shared, row["evaluator"])
    if column == "n_people":
        n = shared.groupby("annotator").size().reindex(answers.raters[1:]).fillna(0).astype(int)
        rows = pd.DataFrame({"annotator": n.index, "n_answers": n.to_numpy()})
        return list_rows(evidence, rows, ("annotator", "n_answers"), _("The people"))
    return list_tests(evidence, asked, answers, row["epsilon"])


def select_shared_answers(evidence: Evidence, asked: LabQuestion, answers: Answers) -> pd.DataFrame:
    """The raters' answers in declared categories to the question, about what the model answered, too."""
    frame = evidence.frame
    mine = frame[(frame["stage"] == asked.stage) & (frame["question"] == asked.name)]
    mine = mine[mine["annotator"].isin(answers.raters)]
    shared = mine.assign(value=pd.Series(asked.list_categories(mine), index=mine.index, dtype=object))
    shared = shared.assign(**{name: shared[name].fillna("").astype(str) for name in UNIT})
    shared = shared[[value in asked.categories for value in shared["value"]]]
    units = pd.MultiIndex.from_frame(shared[list(UNIT)])
    return shared[units.isin(units[shared["annotator"] == answers.raters[0]])]


def list_pairs(evidence: Evidence, asked: LabQuestion, answers: Answers, shared: pd.DataFrame, column: str) -> Table:
    """The units that the model and each person, or every two people, both judged; pairs without a κ are left out."""
    of_the_model, of_people = pair_sets(len(answers.raters))
    pairs = of_the_model if column == "kappa" else of_people
    found = pairwise(answers.values, len(asked.categories), pairs)
    both = pair_answers(shared, name_pairs(pairs[~np.isnan(found.kappa)], answers.raters), UNIT)
    return list_rows(evidence, both, PAIR, _("The shared judgments"), say_same_judgments(both))


def list_units(evidence: Evidence, shared: pd.DataFrame, model: str) -> Table:
    """The units that the model and at least one person judged: the model's answer, and the number of people for each
    answer."""
    by_people = shared[shared["annotator"] != model].groupby(list(UNIT)).size().rename("n_people").reset_index()
    rows = shared[shared["annotator"] == model].merge(by_people, on=list(UNIT))
    return list_rows(evidence, rows, OF_UNIT, _("The units"))


def list_tests(evidence: Evidence, asked: LabQuestion, answers: Answers, epsilon: float) -> Table:
    """The test against each person."""
    kind = NUMBERS if asked.is_ordered else CATEGORIES
    found = asdict(alternative_annotator_test(*as_numbers(answers, asked), epsilon, kind))
    columns = ("n_units", "model_at_least", "person_at_least", "p", "p_adjusted")
    rows = pd.DataFrame({"annotator": answers.raters[1:]} | {name: found[name] for name in columns})
    rows = rows[rows["p"].notna()]
    notes = (
        _("The model passes against a person whose adjusted p is below %(level)s.") % {"level": number(LEVEL_OF_TEST)},
    )
    rows = rows.assign(passed=rows["p_adjusted"] < LEVEL_OF_TEST)
    return list_rows(evidence, rows, PERSON, _("The people"), notes)


@CALIBRATION.drill_down
def list_calibration(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments with a probability: in the row's tenth, or all of them for numbers over all tenths."""
    frame = list_judged_options(evidence)
    mine = frame[(frame["annotator"] == row["evaluator"]) & (frame["stage"] == row["stage"])]
    mine = mine[mine["probability"].notna()]
    if column not in ("brier", "ece", "ece_by_chance"):
        mine = mine[bins_of(mine["probability"].to_numpy(float)) == round(row["bin_low"] * BINS)]
    rows = mine.assign(ticked=mine["value"])
    return list_rows(evidence, rows, (*JUDGED, "probability"), _("The judgments"))


@BIASES.drill_down
def list_biases(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments of the model or of people, and whether the option has the feature of the bias."""
    frame = list_judged_options(evidence)
    frame = frame[frame["stage"] == row["stage"]]
    by_people = column == "excess_people"
    mine = people_in(evidence).rows_of(frame) if by_people else frame[frame["annotator"] == row["evaluator"]]
    marked = pd.Series(True, index=mine.index) if row["bias"] == YES else mine[f"is_{row['bias']}"]
    rows = mine.assign(ticked=mine["value"], marked=marked)
    rows = rows[rows["marked"]] if column == "n" else rows
    return list_rows(evidence, rows, (*JUDGED, "marked"), _("The judgments"))
