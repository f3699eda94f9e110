"""What a guess-then-read study reports (Säuberli & Clematide 2024)."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from analysis.frames.evidence import Evidence
from analysis.progress import with_progress
from analysis.protocols.guess_then_read import figures_ratings as drawn
from analysis.protocols.guess_then_read.agreement import agreement_with_humans
from analysis.protocols.guess_then_read.beside_accuracy import beside_accuracy
from analysis.protocols.guess_then_read.figures_dumbbell import dumbbell
from analysis.protocols.guess_then_read.informativity import informativity, informativity_matched, reading_comparisons
from analysis.protocols.guess_then_read.interval_methods import interval_methods
from analysis.protocols.guess_then_read.item_analysis import guessable_items, item_analysis, unanswerable_items
from analysis.protocols.guess_then_read.ratings import accuracy_by_rating, ratings
from analysis.protocols.guess_then_read.sentences import sentences
from analysis.protocols.guess_then_read.standardised import informativity_standardised, mix_sentences
from analysis.reports.contrasts import contrasts
from analysis.reports.description import description
from analysis.reports.report import Report
from analysis.reports.variants import variants
from analysis.science.generators import against_others


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
        *against_others(evidence, comparisons),
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
    )


def list_figures() -> Mapping[str, Any]:
    return {
        "dumbbell": ("informativity", dumbbell),
        "dumbbell_matched": ("informativity_matched", dumbbell),
        "ratings": ("ratings", drawn.ratings),
        "accuracy_by_rating": ("accuracy_by_rating", drawn.accuracy_by_rating),
    }
