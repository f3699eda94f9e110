"""Can a model replace people? Agreement, the alternative-annotator test, calibration and biases, side by side."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from analysis.agreement.questions import Answers, LabQuestion, collect_answers, list_questions
from analysis.agreement.tables import BIASES, CALIBRATION, STAND_IN, TABLES
from analysis.choices import ANNOTATORS, PUBLISHED, READERS
from analysis.formatting import UNDEFINED, format_with_interval, number, say_of_people, say_of_texts
from analysis.frames.evidence import Evidence
from analysis.measures.agreement import MISSING, all_pairs, clustered_kappa, mean_agreement, pairs_with, pairwise
from analysis.measures.intervals import TEXT, undefined_interval
from analysis.measures.reader_coefficients import readers_kappa
from analysis.measures.stand_in import (
    BINS,
    CATEGORIES,
    CROWD,
    EXPERTS,
    FEWEST_UNITS,
    LEVEL_OF_TEST,
    NUMBERS,
    SKILLED,
    Excess,
    alternative_annotator_test,
    excess_where,
    find_bins,
    mean_excess,
    reliability,
)
from analysis.reports.drill_down import list_rows, name_pairs, pair_answers, say_same_judgments
from analysis.reports.estimates import NOT_PUBLISHED, Estimate, note_texts_only, repeat_interval
from analysis.reports.evaluators import Evaluator, get_people, list_evaluators
from analysis.tables.spec import Row, Table, TableSpec
from studies.question_words import name_question, name_stage

EPSILONS = {"crowd": CROWD, "skilled": SKILLED, "experts": EXPERTS}
YES, FIRST, LONGEST = "yes", "first", "longest"


def build_stand_in_tables(evidence: Evidence, kind: str = "skilled") -> tuple[Table, ...]:
    """The three tables; none if no model or baseline has answered. `kind`: of people, a name of `EPSILONS`."""
    models = [each for each in list_evaluators(evidence) if each.kind != "human"]
    if not models:
        return ()
    return (
        build_stand_in(evidence, models, EPSILONS[kind]),
        build_calibration(evidence, models),
        build_biases(evidence, models),
    )


def build_stand_in(evidence: Evidence, models: list[Evaluator], epsilon: float) -> Table:
    """One row per model or baseline and question, if someone else answered the question too."""
    people = sorted(get_people(evidence).codes)
    rows = [
        row
        for asked in list_questions(evidence.study)
        for model in models
        if (row := build_stand_in_row(evidence, asked, model, people, epsilon)) is not None
    ]
    return STAND_IN.build(rows, evidence.choices.convention)


def build_stand_in_row(
    evidence: Evidence, asked: LabQuestion, model: Evaluator, people: list[str], epsilon: float
) -> dict[str, Any] | None:
    """None if the model did not answer the question."""
    answers = collect_answers(evidence.frame, asked, [model.name, *people])
    if not answers.raters or answers.raters[0] != model.name:
        return None
    answers = keep_model_units(answers)
    with_model, between = measure_agreement(answers, asked, evidence.choices.seed)
    convention = evidence.choices.convention
    found = alternative_annotator_test(
        *convert_to_numbers(answers, asked), epsilon, NUMBERS if asked.is_ordered else CATEGORIES
    )
    shared = (answers.values[1:] != MISSING).any(axis=0)
    return {
        "evaluator": model.name,
        "evaluator_kind": model.kind,
        "stage": asked.stage,
        "question": asked.name,
        "kappa": with_model,
        "kappa_people": between,
        "epsilon": epsilon,
        "winning_rate": found.winning_rate,
        "advantage": found.advantage,
        "passed": None if isnan(found.winning_rate) else found.is_passed,
        "n_people": len(answers.raters) - 1,
        "n_few_units": found.few_units,
        "n_units": int(shared.sum()),
        "n_texts": len(np.unique(answers.text[shared])),
        "reason": find_reason(found.reason, *(each.intervals[convention].reason for each in (with_model, between))),
    }


def keep_model_units(answers: Answers) -> Answers:
    """Only the units that the model judged."""
    judged = answers.values[0] != MISSING
    return replace(answers, values=answers.values[:, judged], text=answers.text[judged])


def measure_agreement(answers: Answers, asked: LabQuestion, seed: int) -> tuple[Estimate, Estimate]:
    """κ of the model with people, and of people with each other."""
    model_and_person, people = list_pair_sets(len(answers.raters))
    return measure_mean_kappa(answers, asked, model_and_person, seed, (0,)), measure_mean_kappa(
        answers, asked, people, seed, ()
    )


def measure_mean_kappa(
    answers: Answers, asked: LabQuestion, pairs: np.ndarray, seed: int, fixed: tuple[int, ...]
) -> Estimate:
    """The mean κ over pairs; fixed: raters that are not a sample of others."""
    c = len(asked.categories)
    by_texts = clustered_kappa(answers.values, c, pairs, answers.text, seed=seed)
    intervals = {
        READERS: readers_kappa(answers.values, c, pairs, answers.text, fixed=fixed),
        ANNOTATORS: by_texts,
        PUBLISHED: undefined_interval("", (TEXT, by_texts.n_units, by_texts.n_responses, None), NOT_PUBLISHED),
    }
    return Estimate(mean_agreement(pairwise(answers.values, c, pairs)).kappa, intervals)


def list_pair_sets(n: int) -> tuple[np.ndarray, np.ndarray]:
    """(p, 2) each, for n raters whose first is the model: the model with each person, and the pairs of people."""
    people = all_pairs(n - 1) + 1 if n > 2 else np.zeros((0, 2), dtype=np.int64)
    return pairs_with(0, np.arange(1, n)), people


def convert_to_numbers(answers: Answers, asked: LabQuestion) -> tuple[np.ndarray, np.ndarray]:
    """(people, units) and (units,): the levels of a scale, else codes; NaN if missing."""
    scale = np.array(
        [*(asked.categories if asked.is_ordered else range(len(asked.categories))), np.nan], dtype=np.float64
    )
    values = scale[np.where(answers.values == MISSING, len(scale) - 1, answers.values)]
    return values[1:], values[0]


def find_reason(*sentences: str) -> str:
    """The first reason that a measure returns, in the active language."""
    return next((_(sentence) for sentence in sentences if sentence), "")


def build_calibration(evidence: Evidence, models: list[Evaluator]) -> Table:
    """One row per tenth of p(true) that has judgments."""
    frame = list_judged_options(evidence)
    known = frame[frame["probability"].notna()]
    rows = [
        row
        for model in models
        for stage, mine in model.select_rows(known).groupby("stage", sort=False)
        for row in iter_bin_rows(model, str(stage), mine)
    ]
    return CALIBRATION.build(rows)


def iter_bin_rows(model: Evaluator, stage: str, mine: pd.DataFrame) -> Iterator[dict[str, Any]]:
    found = reliability(mine["probability"].to_numpy(float), mine["key"].to_numpy(bool))
    for place in np.flatnonzero(found.n):
        yield {
            "evaluator": model.name,
            "stage": stage,
            "bin_low": found.edges[place],
            "bin_high": found.edges[place + 1],
            "mean_p": found.mean_p[place],
            "share_keys": found.share[place],
            "n": int(found.n[place]),
            "brier": found.brier,
            "ece": found.ece,
            "ece_by_chance": found.ece_by_chance,
            "n_all": len(mine),
        }


def list_judged_options(evidence: Evidence) -> pd.DataFrame:
    """The judgments of options with facts from the bank: each option's place, and whether it is the longest."""
    ticks = evidence.frame[(evidence.frame["question"] == "answer") & evidence.frame["correct"].notna()]
    options = evidence.options.copy()
    options["is_first"] = options.groupby("item_id", sort=False).cumcount() == 0
    length = options["wording"].str.len()
    longest = length.groupby(options["item_id"]).transform("max")
    n_longest = (length == longest).groupby(options["item_id"]).transform("sum")
    options["is_longest"] = (length == longest) & (n_longest == 1)
    return ticks.merge(options[["item_id", "option_id", "is_first", "is_longest"]], on=["item_id", "option_id"])


def build_biases(evidence: Evidence, models: list[Evaluator]) -> Table:
    """One row per model or baseline, stage and bias."""
    frame = list_judged_options(evidence)
    people = get_people(evidence).select_rows(frame)
    rows = [
        build_bias_row(evidence, model, str(stage), bias, mine, people[people["stage"] == stage])
        for model in models
        for stage, mine in model.select_rows(frame).groupby("stage", sort=False)
        for bias in (YES, FIRST, LONGEST)
    ]
    return BIASES.build(rows, notes=(note_texts_only(_("excesses")),))


def build_bias_row(
    evidence: Evidence, model: Evaluator, stage: str, bias: str, mine: pd.DataFrame, people: pd.DataFrame
) -> dict[str, Any]:
    seed = evidence.choices.seed
    found, theirs = measure_bias(bias, mine, seed), measure_bias(bias, people, seed)
    why = _("no option has it, or every one") if isnan(found.value) else ""
    return {
        "evaluator": model.name,
        "stage": stage,
        "bias": bias,
        "excess": found.value,
        "low": found.interval.low,
        "high": found.interval.high,
        "excess_people": theirs.value,
        "n": found.n,
        "n_texts": mine["text_id"].nunique(),
        "reason": why or find_reason(found.interval.reason),
        "intervals": {"excess": repeat_interval(found.interval)},
    }


def measure_bias(bias: str, frame: pd.DataFrame, seed: int) -> Excess:
    ticked, key = frame["value"].to_numpy(bool), frame["key"].to_numpy(bool)
    text = pd.factorize(frame["text_id"])[0]
    if bias == YES:
        return mean_excess(ticked, key, text, seed=seed)
    return excess_where(ticked, key, frame[f"is_{bias}"].to_numpy(bool), text, seed=seed)


@dataclass(frozen=True)
class Verdicts:
    """A sentence per model tested under the same conditions; `title`: the question and the stage."""

    title: str
    conditions: tuple[str, ...]
    sentences: tuple[str, ...]


def list_verdicts(table: Table) -> list[Verdicts]:
    """In the order of the table; within each group first the models that passed, last those that the data cannot
    judge."""
    groups: dict[tuple[str, tuple[str, ...]], list[Row]] = {}
    for row in table.rows:
        groups.setdefault((name_question_and_stage(row), describe_conditions(row)), []).append(row)
    return [
        Verdicts(title, conditions, tuple(map(describe_verdict, sorted(rows, key=rank_certainty))))
        for (title, conditions), rows in groups.items()
    ]


def rank_certainty(row: Row) -> int:
    return (True, False, None).index(row["passed"])


def name_question_and_stage(row: Row) -> str:
    return capfirst(", ".join(filter(None, (name_question(row["question"]), name_stage(row["stage"])))))


def describe_conditions(row: Row) -> tuple[str, ...]:
    """What the models in these rows were tested on, and how far people's own agreement limits the test."""
    values = {
        "texts": say_of_texts(row["n_texts"]),
        "people": say_of_people(row["n_people"]),
        "epsilon": number(row["epsilon"]),
        "between": format_with_bounds(row, "kappa_people", "people_low", "people_high"),
    }
    sentence = _("On %(texts)s and %(people)s, with ε = %(epsilon)s; κ between people %(between)s.") % values
    if row["people_low"] is None or row["people_low"] > 0:
        return (sentence,)
    return sentence, _(
        "People may agree no more than by chance here. Passing then means little, because even random "
        "guesses could pass."
    )


def describe_verdict(row: Row) -> str:
    values = {
        "model": row["evaluator"],
        "rate": "" if row["winning_rate"] is None else number(row["winning_rate"]),
        "advantage": "" if row["advantage"] is None else number(row["advantage"]),
        "kappa": format_with_bounds(row, "kappa", "low", "high"),
        "reason": row["reason"],
    }
    if row["passed"] is None:
        return _("The data cannot show whether %(model)s can replace an annotator: %(reason)s") % values
    if row["passed"]:
        sentence = _("%(model)s can replace an annotator: winning rate %(rate)s, at least as good as a person in "
                     "%(advantage)s of the units, κ with people %(kappa)s.")  # fmt: skip
    else:
        sentence = _("No evidence yet that %(model)s can replace an annotator: winning rate %(rate)s, at least as good "
                     "as a person in %(advantage)s of the units, κ with people %(kappa)s.")  # fmt: skip
    return f"{sentence % values}{warn_of_few_units(row)}"


def warn_of_few_units(row: Row) -> str:
    if not row["n_few_units"]:
        return ""
    sentence = _("%(n)s of the people have fewer than %(fewest)s units, so the test is unreliable.")
    return " " + sentence % {"n": row["n_few_units"], "fewest": FEWEST_UNITS}


def format_with_bounds(row: Row, value: str, low: str, high: str) -> str:
    if row[value] is None:
        return _(UNDEFINED)
    return format_with_interval(row[value], row[low], row[high])


# The rows behind numbers about whether a model can replace people: shared judgments, tests, probabilities, ticks.


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
        each for each in list_questions(evidence.study) if (each.stage, each.name) == (row["stage"], row["question"])
    )
    people = sorted(get_people(evidence).codes)
    answers = keep_model_units(collect_answers(evidence.frame, asked, [row["evaluator"], *people]))
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
    of_the_model, of_people = list_pair_sets(len(answers.raters))
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
    found = asdict(alternative_annotator_test(*convert_to_numbers(answers, asked), epsilon, kind))
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
        mine = mine[find_bins(mine["probability"].to_numpy(float)) == round(row["bin_low"] * BINS)]
    rows = mine.assign(ticked=mine["value"])
    return list_rows(evidence, rows, (*JUDGED, "probability"), _("The judgments"))


@BIASES.drill_down
def list_biases(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments of the model or of people, and whether the option has the feature of the bias."""
    frame = list_judged_options(evidence)
    frame = frame[frame["stage"] == row["stage"]]
    by_people = column == "excess_people"
    mine = get_people(evidence).select_rows(frame) if by_people else frame[frame["annotator"] == row["evaluator"]]
    marked = pd.Series(True, index=mine.index) if row["bias"] == YES else mine[f"is_{row['bias']}"]
    rows = mine.assign(ticked=mine["value"], marked=marked)
    rows = rows[rows["marked"]] if column == "n" else rows
    return list_rows(evidence, rows, (*JUDGED, "marked"), _("The judgments"))
