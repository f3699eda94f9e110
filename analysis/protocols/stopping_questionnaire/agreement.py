"""Agreement of people, and of models with people, on each category of a stopping questionnaire, in two views."""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.choices import ANNOTATORS, PUBLISHED, READERS
from analysis.frames.evidence import Evidence
from analysis.measures.agreement import cohen_kappa, gwet_ac1, percent_agreement
from analysis.measures.intervals import NO_JUDGMENT, TEXT, cluster_interval, undefined_interval
from analysis.measures.reader_coefficients import pooled_pairs_parts
from analysis.measures.types import FloatArray, IntArray
from analysis.protocols.stopping_questionnaire.judgments import (
    Judgments,
    get_group,
    list_generators_and_sources,
    list_groups,
    read_judgments,
)
from analysis.protocols.stopping_questionnaire.tables import AGREEMENT, JUDGE_AGREEMENT
from analysis.reports.estimates import NOT_PUBLISHED, Estimate
from analysis.reports.evaluators import get_people, list_judges
from analysis.reports.labels import measure_labels
from analysis.tables.spec import Table
from studies.protocols import Question


def build_agreement(evidence: Evidence) -> Table:
    """One row per group of people, generator, source, category and view."""
    return AGREEMENT.build(iter_agreement_rows(evidence, read_judgments(evidence)))


def iter_agreement_rows(evidence: Evidence, judgments: Judgments) -> Iterator[dict[str, Any]]:
    for evaluator in list_groups(evidence):
        if evaluator.kind != "human":
            continue
        for generator, source in list_generators_and_sources(evidence):
            chosen = judgments.select(evaluator, generator, source)
            pairs = list_judgment_pairs(chosen)
            for category in judgments.categories:
                table = count_label_pairs(chosen, category, pairs)
                for view, counts in (("all", table), ("applicable", keep_both_answered(table, category))):
                    yield {
                        "language": evidence.study.language,
                        "group": get_group(evaluator),
                        "generator": generator,
                        "source": source,
                        "category": category.name,
                        "view": view,
                        **measure_labels(counts),
                    }


def list_judgment_pairs(judgments: Judgments) -> IntArray:
    """(p, 2): the row positions of every two judgments of one item, the earlier first."""
    places = judgments.frame.reset_index(drop=True).groupby("item_id", sort=False).indices.values()
    pairs = [pair for of_item in places for pair in combinations(sorted(of_item), 2)]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def encode_pair_labels(judgments: Judgments, category: Question, pairs: IntArray) -> IntArray:
    """(p, 2): the codes of the labels of each pair, “not applicable” last if it occurs; -1 if one is missing."""
    codes = {label: code for code, label in enumerate(judgments.labels(category))}
    return judgments.frame[category.name].map(codes).fillna(-1).to_numpy(dtype=np.int64)[pairs].astype(np.int64)


def count_label_pairs(judgments: Judgments, category: Question, pairs: IntArray) -> IntArray:
    """Counts of pairs by first and second label; pairs with a missing answer are left out."""
    c, labels = len(judgments.labels(category)), encode_pair_labels(judgments, category, pairs)
    both = labels[(labels >= 0).all(axis=1)]
    return np.bincount(both[:, 0] * c + both[:, 1], minlength=c * c).reshape(c, c).astype(np.int64)


def keep_both_answered(table: IntArray, category: Question) -> IntArray:
    """The part of the table with the pairs in which both answered the category."""
    return table[: len(category.levels), : len(category.levels)]


# Models ---------------------------------------------------------------------------------------------------------------


def build_judge_agreement(evidence: Evidence) -> tuple[Table, ...]:
    """One row per model, category and view, if a model has judged; else no table."""
    rows = list(iter_judge_rows(evidence, read_judgments(evidence)))
    return (JUDGE_AGREEMENT.build(rows),) if rows else ()


def iter_judge_rows(evidence: Evidence, judgments: Judgments) -> Iterator[dict[str, Any]]:
    people = get_people(evidence)
    for judge in list_judges(evidence):
        if judgments.select(judge).frame.empty:
            continue
        codes = judge.codes | people.codes
        chosen = Judgments(judgments.categories, judgments.frame[judgments.frame["annotator"].isin(codes)])
        pairs = pair_with_people(chosen, judge.codes)
        for category in judgments.categories:
            table = count_label_pairs(chosen, category, pairs)
            for view, counts in (("all", table), ("applicable", keep_both_answered(table, category))):
                about = {"evaluator": judge.name, "evaluator_kind": judge.kind, "category": category.name}
                yield about | {"view": view} | measure_labels(counts)


def pair_with_people(judgments: Judgments, judge: frozenset[str]) -> IntArray:
    """(p, 2): the row positions of the model's judgment of an item and of a person's judgment of it."""
    frame = judgments.frame.reset_index(drop=True)
    is_model = frame["annotator"].isin(judge).to_numpy()
    pairs = [
        (model, human)
        for places in map(np.asarray, frame.groupby("item_id", sort=False).indices.values())
        for model in places[is_model[places]]
        for human in places[~is_model[places]]
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


# Variants -------------------------------------------------------------------------------------------------------------

MEASURES: dict[str, tuple[Callable[[FloatArray | IntArray], FloatArray], tuple[float, float]]] = {
    "percent": (percent_agreement, (0.0, 1.0)),
    "kappa": (cohen_kappa, (-1.0, 1.0)),
    "ac1": (gwet_ac1, (-1.0, 1.0)),
}
NO_PAIR = gettext_noop(NO_JUDGMENT)


def iter_category_agreement(evidence: Evidence) -> Iterator[tuple[Any, ...]]:
    """The rows of the table `variants` per category, view and measure; n counts pairs of judgments of one item."""
    judgments = read_judgments(evidence)
    pairs = list_judgment_pairs(judgments)
    texts = evidence.items.set_index("item_id")["text_id"]
    text = pd.factorize(judgments.frame["item_id"].map(texts), sort=True)[0][pairs[:, 0]]
    raters = pd.factorize(judgments.frame["annotator"], sort=True)[0][pairs]
    for category in judgments.categories:
        labels = encode_pair_labels(judgments, category, pairs)
        for view, c in (("all", len(judgments.labels(category))), ("applicable", len(category.levels))):
            inside = ((labels >= 0) & (labels < c)).all(axis=1)
            for name in MEASURES:
                found = estimate_coefficient(
                    name, labels[inside], raters[inside], text[inside], c, evidence.choices.seed
                )
                reason = found.ends(evidence.choices.convention)[2]
                value = None if np.isnan(found.value) else found.value
                yield category.name, view, name, value, found.as_json(), int(inside.sum()), reason


def estimate_coefficient(name: str, labels: IntArray, raters: IntArray, text: IntArray, c: int, seed: int) -> Estimate:
    """A coefficient with its intervals, from labels and raters of pairs of judgments, (p, 2), and the pairs' texts."""
    measure, bounds = MEASURES[name]
    parts = pooled_pairs_parts(measure, labels, raters, text, c, bounds=bounds)
    texts, groups = np.unique(text, return_inverse=True)
    kinds = groups * c * c + labels[:, 0] * c + labels[:, 1]
    tables = np.bincount(kinds, minlength=len(texts) * c * c).reshape(-1, c, c).astype(np.float64)
    intervals = {
        READERS: parts.interval(),
        ANNOTATORS: cluster_interval(
            lambda weights: measure(np.tensordot(weights, tables, axes=1)), len(texts), len(text), bounds=bounds,
            seed=seed,
        ),
        PUBLISHED: undefined_interval("", (TEXT, len(texts), len(text), None), NOT_PUBLISHED),
    }  # fmt: skip
    return Estimate(parts.value, intervals, "" if len(text) else _(NO_PAIR))
