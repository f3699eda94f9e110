"""Guessability, answerability and their difference, informativity, by generator and evaluator, and their contrasts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.choices import CONVENTIONS
from analysis.formatting import number
from analysis.frames.evidence import Evidence
from analysis.measures.informativity import informativity
from analysis.measures.intervals import (
    JACKKNIFE,
    PERCENTILE,
    TEXT,
    Interval,
    clustered_contrast,
    published_contrast,
    two_way_contrast,
    undefined_interval,
)
from analysis.measures.reader_intervals import Arm, readers_contrast
from analysis.measures.types import FloatArray
from analysis.protocols.guess_then_read.answers import GUESS, READ, select_matched
from analysis.protocols.guess_then_read.tables import INTERVALS, MATCHED, POOLED, STANDARDISED
from analysis.reports.categories import Categories, list_usable_divisions, say_left_aside
from analysis.reports.contrasts import Comparison, Family, GeneratorFigure, compare_all, find_comparison
from analysis.reports.estimates import (
    Estimate,
    add_codes,
    build_arm,
    estimate_difference,
    estimate_figure,
    estimate_share,
    fill_interval_columns,
    repeat_interval,
    sum_totals,
)
from analysis.reports.evaluators import Evaluator, list_evaluators
from analysis.tables.spec import Table, TableSpec

GUESSABILITY, ANSWERABILITY, INFORMATIVITY = "guessability", "answerability", "informativity"


def compare_reading(evidence: Evidence, judgments: pd.DataFrame | None = None) -> tuple[Comparison, ...]:
    """Guessability, answerability and informativity by each evaluator."""
    judgments = evidence.judgments if judgments is None else judgments
    families = (
        family
        for evaluator in list_evaluators(evidence)
        for family in iter_reading_families(evidence, evaluator, judgments)
    )
    return compare_all(families, evidence.choices)


def iter_reading_families(evidence: Evidence, evaluator: Evaluator, judgments: pd.DataFrame) -> Iterator[Family]:
    mine = add_codes(evaluator.select_rows(judgments))
    arms = {name: build_reading_arms(mine, name) for name in evidence.generators}
    for measure in (GUESSABILITY, ANSWERABILITY, INFORMATIVITY):
        figures = {name: measure_arms(measure, *arms[name]) for name in arms}
        judged = {name: figure for name, figure in figures.items() if any(len(arm.n) for arm in figure.arms())}
        span = 2.0 if measure == INFORMATIVITY else 1.0
        yield Family(
            measure, evaluator.name, judged, mine["text_id"].nunique(), (-span, span), evaluator.is_fixed,
            higher_is_better=measure != GUESSABILITY,
        )  # fmt: skip


def build_reading_arms(coded: pd.DataFrame, generator: str) -> tuple[Arm, Arm]:
    """The arms with the text and without it, from judgments after `add_codes`."""
    mine = coded[coded["generator"] == generator]
    read, guess = (build_arm(mine[mine["stage"] == stage]) for stage in (READ, GUESS))
    return read, guess


def measure_arms(measure: str, read: Arm, guess: Arm) -> GeneratorFigure:
    if measure == INFORMATIVITY:
        return GeneratorFigure((read,), (guess,))
    return GeneratorFigure((read if measure == ANSWERABILITY else guess,))


def compute_informativity(sums: np.ndarray) -> np.ndarray:
    """(b, 4) sums to (b,) answerability minus guessability; NaN where a stage has no judgment."""
    n = np.where(sums[:, 1::2] > 0, sums[:, 1::2], np.nan)
    shares = sums[:, 0::2] / n
    return np.asarray(shares[:, 0] - shares[:, 1])


MEASURES = ("guessability", "answerability", "informativity")


def build_informativity(evidence: Evidence, comparisons: Sequence[Comparison] | None = None) -> Table:
    """The pooled table: answerability over all who read, guessability over those who guessed (as published)."""
    judgments = evidence.judgments
    comparisons = compare_reading(evidence, judgments) if comparisons is None else comparisons
    return build_table(POOLED, evidence, judgments, comparisons)


def build_matched_informativity(evidence: Evidence) -> Table:
    """The matched table: only items that the same annotator judged in both stages."""
    judgments = select_matched(evidence.judgments)
    return build_table(MATCHED, evidence, judgments, compare_reading(evidence, judgments))


def build_table(
    spec: TableSpec, evidence: Evidence, judgments: pd.DataFrame, comparisons: Sequence[Comparison]
) -> Table:
    rows = [
        build_row(evidence, generator, evaluator, judgments)
        | {"wins": list_measures_won(comparisons, evaluator, generator)}
        for generator in evidence.generators
        for evaluator in list_evaluators(evidence)
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
            "guessability": estimate_share(self.guess, seed, missing, fixed=self.fixed),
            "answerability": estimate_share(self.read, seed, missing, fixed=self.fixed),
            "informativity": estimate_difference(self.read, self.guess, seed, missing, fixed=self.fixed),
        }


def build_row(evidence: Evidence, generator: str, evaluator: Evaluator, judgments: pd.DataFrame) -> dict[str, Any]:
    choices = evidence.choices
    mine = evaluator.select_rows(judgments[judgments["generator"] == generator])
    judged = sum_by_stage(mine, evaluator)
    estimates = judged.estimates(find_reasons(evaluator, judged, generator, evidence), choices.seed)
    chosen = estimates["informativity"].intervals[choices.convention]
    return {
        "generator": generator,
        "evaluator": evaluator.name,
        "evaluator_kind": evaluator.kind,
        "reading": evaluator.reading,
        **estimates,
        "n_guess": sum_totals(judged.guess)[1],
        "n_read": sum_totals(judged.read)[1],
        "n_items": mine["item_id"].nunique(),
        "n_texts": mine["text_id"].nunique(),
        "n_annotators": mine["annotator"].nunique(),
        **fill_interval_columns(chosen, choices.convention),
        "intervals": {},
    }


def sum_by_stage(judgments: pd.DataFrame, evaluator: Evaluator) -> StageJudgments:
    coded = add_codes(judgments)
    guess, read = (build_arm(coded[coded["stage"] == stage]) for stage in (GUESS, READ))
    return StageJudgments(guess, read, evaluator.is_fixed)


def find_reasons(evaluator: Evaluator, judged: StageJudgments, generator: str, evidence: Evidence) -> str:
    """Why guessability, answerability or their difference has no value; "" if all have one.

    If matching leaves no judgments, the reason is found in the unmatched ones.
    """
    stages = {stage for stage, arm in ((GUESS, judged.guess), (READ, judged.read)) if sum_totals(arm)[1]}
    if not stages:
        given = evaluator.select_rows(evidence.judgments)
        stages = set(given[given["generator"] == generator]["stage"])
        if len(stages) == 2:
            return _("no item was answered both without and with the text")
    if len(stages) == 2:
        return ""
    if not stages:
        return _("no answers yet") if evaluator.kind == "human" else _("no answers")
    return _("no answers without the text") if READ in stages else _("no answers with the text")


def list_measures_won(comparisons: Sequence[Comparison], evaluator: Evaluator, generator: str) -> list[str]:
    """The measures by which the generator does better than every other one, after adjustment."""
    found = {measure: find_comparison(comparisons, measure, evaluator.name) for measure in MEASURES}
    return [measure for measure, comparison in found.items() if comparison and comparison.winner() == generator]


# The interval of informativity by every method: its width depends on what is resampled or left out.


def build_interval_methods(evidence: Evidence) -> Table:
    """Five rows per generator and evaluator with answers in both stages; four for models, who are not drawn."""
    judgments = evidence.judgments
    rows = [
        row
        for generator in evidence.generators
        for evaluator in list_evaluators(evidence)
        for row in build_method_rows(
            generator, evaluator, evaluator.select_rows(judgments[judgments["generator"] == generator]), evidence
        )
    ]
    return INTERVALS.build(rows)


def build_method_rows(
    generator: str, evaluator: Evaluator, mine: pd.DataFrame, evidence: Evidence
) -> Iterator[dict[str, Any]]:
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
    for found in compute_intervals(tables, evidence.choices.seed, evaluator.is_fixed):
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
            "intervals": {"informativity": repeat_interval(found)},
        }


def count_cells(mine: pd.DataFrame, cell: np.ndarray, stage: str, column: str, shape: tuple[int, int]) -> np.ndarray:
    """(texts, annotators): the judgments of a stage, or only the right ones."""
    chosen = (mine["stage"] == stage).to_numpy()
    if column:
        chosen = chosen & mine[column].to_numpy(dtype=bool)
    return np.bincount(cell[chosen], minlength=shape[0] * shape[1]).reshape(shape)


def compute_intervals(tables: list[np.ndarray], seed: int, fixed: bool) -> list[Interval]:
    """The interval by each method. tables: (texts, annotators) right and all judgments with the text, then without."""
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


# Standardized for item categories -------------------------------------------------------------------------------------

# Models may rate some kinds of question as more informative than others, so generators are compared within
# categories: a generator gains nothing by writing more of an easy kind. Direct standardization: informativity is
# computed within each category; these values are averaged with the share of each category among all items of the
# study as weights, which are the same for every generator. In each replicate of the interval the shares right are
# computed again and the weights stay fixed.


NOT_PUBLISHED = gettext_noop("A common mix has no published interval.")
ALL = ""  # value of the column `category` in rows at the common mix
DIFFERS = 0.1  # a share of items that differs at least this much from the common one is reported


def standardize_informativity(evidence: Evidence) -> Table:
    """One row per division of the items, evaluator and generator at the common mix, then one for each category."""
    judgments, divisions = evidence.judgments, list_usable_divisions(evidence)
    rows = [
        row
        for division in divisions
        for evaluator in list_evaluators(evidence)
        for generator in evidence.generators
        for row in standardize_rows(evidence, division, generator, evaluator, evaluator.select_rows(judgments))
    ]
    notes = [
        _("Informativity within each category of items, and its mean weighted by each category's share "
          "of all items of the study, so that every generator is compared on the same mix (direct "
          "standardization)."),
        *(warning for division in divisions for warning in list_mix_warnings(evidence, division)),
    ]  # fmt: skip
    if not divisions:
        notes = [_("The items have no kinds yet. Give every item a kind in its metadata, or code what "
                   "every item asks about.")]  # fmt: skip
    notes += say_left_aside(evidence)
    return STANDARDISED.build(rows, evidence.choices.convention, notes)


def compute_mixes(evidence: Evidence, division: Categories) -> dict[str, dict[str, float]]:
    """The share of each category among the items of each generator, and under "" among all of them."""
    generator_by_item = dict(zip(evidence.items["item_id"], evidence.items["generator"], strict=True))
    found = {}
    for generator in (ALL, *evidence.generators):
        mine = [
            division.of[item] for item, its_generator in generator_by_item.items() if generator in (ALL, its_generator)
        ]
        found[generator] = {name: mine.count(name) / len(mine) if mine else 0.0 for name in division.names}
    return found


def list_mix_warnings(evidence: Evidence, division: Categories) -> list[str]:
    """Warnings about generators whose mix of items differs from the common one, with the largest difference of each."""
    shares = compute_mixes(evidence, division)
    common, found = shares[ALL], []
    for generator in evidence.generators:
        own = shares[generator]
        category = max(division.names, key=lambda name: (round(abs(own[name] - common[name]), 9), own[name]))
        if round(abs(own[category] - common[category]), 9) >= DIFFERS:
            values = {"kind": division.phrase, "category": division.title_of(category), "generator": generator}
            values |= {"own": number(own[category]), "common": number(common[category])}
            sentence = _(
                "The generators' items differ in %(kind)s: %(category)s makes up %(own)s of the items by "
                "%(generator)s and %(common)s of all items, so compare at the common mix."
            )
            found.append(sentence % values)
    return found


def list_mix_sentences(evidence: Evidence) -> list[str]:
    """The warnings about all divisions of the items, for the summary."""
    return [
        warning for division in list_usable_divisions(evidence) for warning in list_mix_warnings(evidence, division)
    ]


def standardize_rows(
    evidence: Evidence, division: Categories, generator: str, evaluator: Evaluator, judgments: pd.DataFrame
) -> list[dict[str, Any]]:
    """The row at the common mix, then one for each category."""
    shares = compute_mixes(evidence, division)
    mine = judgments[judgments["generator"] == generator]
    category = mine["item_id"].map(division.of)
    coded, sums = add_codes(mine), sum_by_category(mine, category, division.names)
    common = np.array([shares[ALL][name] for name in division.names])
    rows = []
    for place, name in [(None, ALL), *enumerate(division.names)]:
        weights = common if place is None else np.eye(len(common))[place]
        about = mine if place is None else mine[category == name]
        found = estimate_standardized(
            coded,
            sums,
            weights,
            list(map(division.title_of, division.names)),
            evidence.choices.seed,
            evaluator.is_fixed,
        )
        rows.append(
            {
                "category_kind": division.kind,
                "category": name,
                "generator": generator,
                "evaluator": evaluator.name,
                "share_items": 1.0 if place is None else shares[generator][name],
                "share_items_common": 1.0 if place is None else shares[ALL][name],
                "informativity": found,
                "n_items": about["item_id"].nunique(),
                "n_texts": about["text_id"].nunique(),
                "category_kind_said": division.phrase,
                "category_said": _("all, common mix") if place is None else division.title_of(name),
            }
        )
    return rows


def sum_by_category(judgments: pd.DataFrame, category: pd.Series, names: Sequence[str]) -> FloatArray:
    """(judgments, categories, 4): what each judgment adds to right and n with the text, and right and n without it."""
    read, right = (judgments["stage"] == READ).to_numpy(), judgments["correct"].to_numpy(dtype=bool)
    parts = np.stack([right & read, read, right & ~read, ~read], axis=1)
    mine = np.stack([(category == name).to_numpy() for name in names], axis=1)
    return (mine[:, :, None] & parts[:, None, :]).astype(np.float64)


def estimate_standardized(
    judgments: pd.DataFrame, sums: FloatArray, weights: FloatArray, names: list[str], seed: int, fixed: bool
) -> Estimate:
    """Weighted sum of the categories' informativity, over judgments after `add_codes`; sums: from `sum_by_category`."""
    used = weights > 0
    empty = [name for name, part, is_used in zip(names, sums.sum(axis=0), used, strict=True)
             if is_used and not part[1::2].all()]  # fmt: skip
    if empty:
        reason = _("no answers in both stages about: %(categories)s") % {"categories": ", ".join(empty)}
        undefined = undefined_interval("", (TEXT, judgments["text_id"].nunique(), len(judgments), None), "")
        return Estimate(float("nan"), dict.fromkeys(CONVENTIONS, undefined), reason)

    def statistic(added: FloatArray) -> FloatArray:
        parts = added.reshape(len(added), -1, 4)
        return np.asarray(sum(weight * compute_informativity(parts[:, at]) for at, weight in enumerate(weights[used])))

    about = np.flatnonzero(sums[:, used].any(axis=(1, 2)))
    return estimate_figure(
        statistic, judgments.iloc[about], sums[about][:, used].reshape(len(about), -1), bounds=(-1.0, 1.0), seed=seed,
        not_published=NOT_PUBLISHED, fixed=fixed,
    )  # fmt: skip
