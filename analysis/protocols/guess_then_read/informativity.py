"""Guessability, answerability and their difference, informativity, by generator and evaluator, and their contrasts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.informativity import informativity
from analysis.measures.intervals import JACKKNIFE, PERCENTILE, Interval
from analysis.measures.reader_intervals import Arm, readers_contrast
from analysis.measures.share_intervals import clustered_contrast, published_contrast, two_way_contrast
from analysis.protocols.guess_then_read.answers import GUESS, READ, select_matched
from analysis.protocols.guess_then_read.tables import INTERVALS, MATCHED, POOLED
from analysis.reports.contrasts import Comparison, Family, GeneratorFigure, compare_all, find_comparison
from analysis.reports.estimates import (
    Estimate,
    arm_of,
    difference_of,
    interval_cells,
    same_interval,
    share_of,
    totals,
    with_codes,
)
from analysis.reports.evaluators import Evaluator, evaluators_in
from analysis.tables.spec import Table, TableSpec

GUESSABILITY, ANSWERABILITY, INFORMATIVITY = "guessability", "answerability", "informativity"


def reading_comparisons(evidence: Evidence, judgments: pd.DataFrame | None = None) -> tuple[Comparison, ...]:
    """Guessability, answerability and informativity by each evaluator."""
    judgments = evidence.judgments if judgments is None else judgments
    families = (
        family for evaluator in evaluators_in(evidence) for family in reading_families(evidence, evaluator, judgments)
    )
    return compare_all(families, evidence.choices)


def reading_families(evidence: Evidence, evaluator: Evaluator, judgments: pd.DataFrame) -> Iterator[Family]:
    mine = with_codes(evaluator.rows_of(judgments))
    arms = {name: reading_arms(mine, name) for name in evidence.generators}
    for measure in (GUESSABILITY, ANSWERABILITY, INFORMATIVITY):
        figures = {name: measure_arms(measure, *arms[name]) for name in arms}
        judged = {name: figure for name, figure in figures.items() if any(len(arm.n) for arm in figure.arms())}
        span = 2.0 if measure == INFORMATIVITY else 1.0
        yield Family(
            measure, evaluator.name, judged, mine["text_id"].nunique(), (-span, span), evaluator.is_fixed,
            higher_is_better=measure != GUESSABILITY,
        )  # fmt: skip


def reading_arms(coded: pd.DataFrame, generator: str) -> tuple[Arm, Arm]:
    """With the text and without, from judgments `with_codes`."""
    mine = coded[coded["generator"] == generator]
    read, guess = (arm_of(mine[mine["stage"] == stage]) for stage in (READ, GUESS))
    return read, guess


def measure_arms(measure: str, read: Arm, guess: Arm) -> GeneratorFigure:
    if measure == INFORMATIVITY:
        return GeneratorFigure((read,), (guess,))
    return GeneratorFigure((read if measure == ANSWERABILITY else guess,))


def informativities(sums: np.ndarray) -> np.ndarray:
    """(b, 4) sums to (b,) answerability minus guessability; NaN where a stage has no judgment."""
    n = np.where(sums[:, 1::2] > 0, sums[:, 1::2], np.nan)
    shares = sums[:, 0::2] / n
    return np.asarray(shares[:, 0] - shares[:, 1])


MEASURES = ("guessability", "answerability", "informativity")


def informativity_table(evidence: Evidence, comparisons: Sequence[Comparison] | None = None) -> Table:
    """Pooled: answerability over all who read, guessability over those who guessed (as published)."""
    judgments = evidence.judgments
    comparisons = reading_comparisons(evidence, judgments) if comparisons is None else comparisons
    return build_table(POOLED, evidence, judgments, comparisons)


def informativity_matched(evidence: Evidence) -> Table:
    """Only annotators and items with both, so that the two shares are about the same answers."""
    judgments = select_matched(evidence.judgments)
    return build_table(MATCHED, evidence, judgments, reading_comparisons(evidence, judgments))


def build_table(
    spec: TableSpec, evidence: Evidence, judgments: pd.DataFrame, comparisons: Sequence[Comparison]
) -> Table:
    rows = [
        row_of(evidence, generator, evaluator, judgments) | {"wins": measures_won(comparisons, evaluator, generator)}
        for generator in evidence.generators
        for evaluator in evaluators_in(evidence)
    ]
    return spec.build(rows, evidence.choices.convention)


@dataclass(frozen=True)
class StageJudgments:
    """The judgments of one evaluator about one generator's items, by stage; fixed: the evaluator is a model or
    baseline."""

    guess: Arm
    read: Arm
    fixed: bool

    def estimates(self, missing: str, seed: int) -> dict[str, Estimate]:
        return {
            "guessability": share_of(self.guess, seed, missing, fixed=self.fixed),
            "answerability": share_of(self.read, seed, missing, fixed=self.fixed),
            "informativity": difference_of(self.read, self.guess, seed, missing, fixed=self.fixed),
        }


def row_of(evidence: Evidence, generator: str, evaluator: Evaluator, judgments: pd.DataFrame) -> dict[str, Any]:
    choices = evidence.choices
    mine = evaluator.rows_of(judgments[judgments["generator"] == generator])
    judged = sum_by_stage(mine, evaluator)
    estimates = judged.estimates(reason_for(evaluator, judged, generator, evidence), choices.seed)
    chosen = estimates["informativity"].intervals[choices.convention]
    return {
        "generator": generator,
        "evaluator": evaluator.name,
        "evaluator_kind": evaluator.kind,
        "reading": evaluator.reading,
        **estimates,
        "n_guess": totals(judged.guess)[1],
        "n_read": totals(judged.read)[1],
        "n_items": mine["item_id"].nunique(),
        "n_texts": mine["text_id"].nunique(),
        "n_annotators": mine["annotator"].nunique(),
        **interval_cells(chosen, choices.convention),
        "intervals": {},
    }


def sum_by_stage(judgments: pd.DataFrame, evaluator: Evaluator) -> StageJudgments:
    coded = with_codes(judgments)
    guess, read = (arm_of(coded[coded["stage"] == stage]) for stage in (GUESS, READ))
    return StageJudgments(guess, read, evaluator.is_fixed)


def reason_for(evaluator: Evaluator, judged: StageJudgments, generator: str, evidence: Evidence) -> str:
    """Why guessability, answerability or their difference has no value; "" if all have one.

    If nothing is left to match, the reason is found in the unmatched judgments.
    """
    stages = {stage for stage, arm in ((GUESS, judged.guess), (READ, judged.read)) if totals(arm)[1]}
    if not stages:
        given = evaluator.rows_of(evidence.judgments)
        stages = set(given[given["generator"] == generator]["stage"])
        if len(stages) == 2:
            return _("no item was answered both without and with the text")
    if len(stages) == 2:
        return ""
    if not stages:
        return _("no answers yet") if evaluator.kind == "human" else _("no answers")
    return _("no answers without the text") if READ in stages else _("no answers with the text")


def measures_won(comparisons: Sequence[Comparison], evaluator: Evaluator, generator: str) -> list[str]:
    """The measures by which the generator does better than every other one, after adjustment."""
    found = {measure: find_comparison(comparisons, measure, evaluator.name) for measure in MEASURES}
    return [measure for measure, comparison in found.items() if comparison and comparison.winner() == generator]


# The interval of informativity by every method side by side: what is resampled or left out decides its width.


def interval_methods(evidence: Evidence) -> Table:
    """Five rows per generator and evaluator with answers in both stages; four for models, who are not drawn."""
    judgments = evidence.judgments
    rows = [
        row
        for generator in evidence.generators
        for evaluator in evaluators_in(evidence)
        for row in rows_of(
            generator, evaluator, evaluator.rows_of(judgments[judgments["generator"] == generator]), evidence
        )
    ]
    return INTERVALS.build(rows)


def rows_of(generator: str, evaluator: Evaluator, mine: pd.DataFrame, evidence: Evidence) -> Iterator[dict[str, Any]]:
    text, texts = pd.factorize(mine["text_id"])
    annotator, annotators = pd.factorize(mine["annotator"])
    shape = (len(texts), len(annotators))
    tables = [
        count_cells(mine, text * shape[1] + annotator, stage, column, shape)
        for stage in (READ, GUESS)
        for column in ("correct", "")
    ]
    if not (tables[1].any() and tables[3].any()):
        return
    for found in intervals(tables, evidence.choices.seed, evaluator.is_fixed):
        yield {
            "generator": generator,
            "evaluator": evaluator.name,
            "informativity": informativity(*(int(table.sum()) for table in tables)),
            "unit": found.unit,
            "method": found.method,
            "low": found.low,
            "high": found.high,
            "width": found.high - found.low,
            "n_units": found.n_units,
            "n_responses": found.n_responses,
            "replicates": None if found.seed is None else found.replicates,
            "seed": found.seed,
            "n_texts_effective": found.n_texts_effective,
            "n_annotators_effective": found.n_annotators_effective,
            "share_from_readers": found.share_from_readers,
            "reason": _(found.reason) if found.reason else "",
            "intervals": {"informativity": same_interval(found)},
        }


def count_cells(mine: pd.DataFrame, cell: np.ndarray, stage: str, column: str, shape: tuple[int, int]) -> np.ndarray:
    """(texts, annotators): judgments of a stage, or those of them that are right."""
    chosen = (mine["stage"] == stage).to_numpy()
    if column:
        chosen = chosen & mine[column].to_numpy(dtype=bool)
    return np.bincount(cell[chosen], minlength=shape[0] * shape[1]).reshape(shape)


def intervals(tables: list[np.ndarray], seed: int, fixed: bool) -> list[Interval]:
    """From numbers of right and of all judgments (texts, annotators), first with the text, then without."""
    by_text = [table.sum(axis=1) for table in tables]
    totals = [int(table.sum()) for table in tables]
    read, guess = (Arm.of_tables(*tables[start : start + 2]) for start in (0, 2))
    return [
        readers_contrast((read,), (guess,), fixed=fixed),
        clustered_contrast(*by_text, seed=seed, method=JACKKNIFE),
        clustered_contrast(*by_text, seed=seed, method=PERCENTILE),
        *([] if fixed else [two_way_contrast(*tables, seed=seed)]),
        published_contrast(*totals, seed=seed),
    ]
