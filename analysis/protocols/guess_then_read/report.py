"""What a guess-then-read study reports (Säuberli & Clematide 2024)."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from analysis.frames.evidence import Evidence
from analysis.progress import with_progress
from analysis.protocols.guess_then_read import figures_ratings as drawn
from analysis.protocols.guess_then_read import (
    rows_of_agreement,
    rows_of_answers,
    rows_of_items,
    rows_of_ratings,
    rows_of_signals,
)
from analysis.protocols.guess_then_read.agreement import agreement_with_humans
from analysis.protocols.guess_then_read.beside_accuracy import beside_accuracy
from analysis.protocols.guess_then_read.contrasts import reading_comparisons
from analysis.protocols.guess_then_read.figures_dumbbell import dumbbell
from analysis.protocols.guess_then_read.flagged import guessable_items, unanswerable_items
from analysis.protocols.guess_then_read.informativity import informativity, informativity_matched
from analysis.protocols.guess_then_read.interval_methods import interval_methods
from analysis.protocols.guess_then_read.item_analysis import item_analysis
from analysis.protocols.guess_then_read.ratings import accuracy_by_rating, ratings
from analysis.protocols.guess_then_read.sentences import sentences
from analysis.protocols.guess_then_read.standardised import informativity_standardised, mix_sentences
from analysis.reports.contrasts import contrasts
from analysis.reports.description import description
from analysis.reports.report import Report
from analysis.reports.variants import variants
from analysis.tables.spec import TableSpec, declare_drill_downs


def build_report(evidence: Evidence) -> Report:
    comparisons = reading_comparisons(evidence)
    pooled, matched, standardised, beside, *others = with_progress(
        evidence,
        partial(informativity, comparisons=comparisons),
        informativity_matched,
        informativity_standardised,
        beside_accuracy,
        interval_methods,
        agreement_with_humans,
        ratings,
        accuracy_by_rating,
        guessable_items,
        unanswerable_items,
        item_analysis,
    )
    tables = (
        pooled,
        contrasts(evidence, comparisons),
        matched,
        standardised,
        *beside,
        *others,
        *variants(evidence, lambda mine: iter(())),
        description(evidence),
    )
    answered = any(row["n_read"] for row in pooled.rows)
    return Report(
        tables,
        (*sentences(evidence, pooled, comparisons), *(mix_sentences(evidence) if answered else [])),
        ("dumbbell", "dumbbell_matched", "ratings", "accuracy_by_rating"),
        template="analysis/parts/sections.html",
    )


GENERATOR, ITEM, STAGE = ("generator",), ("item_id",), ("stage",)
SHARED = {
    "informativity": GENERATOR,
    "informativity_matched": GENERATOR,
    "informativity_standardised": GENERATOR,
    "informativity_intervals": GENERATOR,
    "informativity_probability": GENERATOR,
    "beside_accuracy": GENERATOR,
    "ratings": GENERATOR,
    "guessable_items": ITEM,
    "unanswerable_items": ITEM,
    "agreement_with_humans": STAGE,
    "item_analysis": STAGE,
    "stand_in_calibration": STAGE,
    "stand_in_biases": STAGE,
    "stand_in": ("stage", "question"),
}


def list_tables() -> tuple[TableSpec, ...]:
    from analysis.agreement import stand_in_rows

    sources = {each.name: each.list_answers for each in stand_in_rows.TABLES if each.list_answers} | {
        **rows_of_answers.SOURCES,
        **rows_of_agreement.SOURCES,
        **rows_of_signals.SOURCES,
        **rows_of_ratings.SOURCES,
        **rows_of_items.SOURCES,
    }
    return declare_drill_downs(sources, SHARED)


def list_figures() -> Mapping[str, Any]:
    return {
        "dumbbell": ("informativity", dumbbell),
        "dumbbell_matched": ("informativity_matched", dumbbell),
        "ratings": ("ratings", drawn.ratings),
        "accuracy_by_rating": ("accuracy_by_rating", drawn.accuracy_by_rating),
    }
