"""What a guess-then-read study reports (Säuberli & Clematide 2024)."""

from analysis.evidence import Evidence
from analysis.progress import in_turn
from analysis.report import Report
from analysis.reports.agreement import agreement_with_humans
from analysis.reports.beside_accuracy import beside_accuracy
from analysis.reports.description import description
from analysis.reports.flagged import guessable_items, unanswerable_items
from analysis.reports.informativity import informativity, informativity_matched
from analysis.reports.interval_methods import interval_methods
from analysis.reports.item_analysis import item_analysis
from analysis.reports.ratings import accuracy_by_rating, ratings
from analysis.reports.sentences import sentences
from analysis.reports.standardised import informativity_standardised, mix_sentences
from analysis.reports.variants import variants


def guess_then_read(evidence: Evidence) -> Report:
    pooled, matched, standardised, beside, *others = in_turn(
        evidence,
        informativity,
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
        (*sentences(evidence, pooled), *(mix_sentences(evidence) if answered else [])),
        ("dumbbell", "dumbbell_matched", "ratings", "accuracy_by_rating"),
        template="analysis/parts/sections.html",
    )
