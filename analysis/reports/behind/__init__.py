"""The single answers behind a number of a report, so that anybody can count again.

A table whose rows have names (`Table.named_by`) stands in SOURCES with a function of evidence, row and column that
gives exactly what the number counts. Its notes say in sentences what the rows add up to.
"""

from collections.abc import Callable, Mapping

from analysis.evidence import Evidence
from analysis.reports.behind import (
    answers,
    calls,
    checked,
    description,
    item_scores,
    items,
    labels,
    metrics,
    preferences,
    ratings,
    scores,
    shared_judgments,
    signals,
    stand_in,
    variants,
    writing,
)
from analysis.tables import Row, Table
from studies.models import Study

Source = Callable[[Evidence, Row, str], Table]

OF_EVERY_PROTOCOL: Mapping[str, Source] = {
    **description.SOURCES,
    **variants.SOURCES,
    **stand_in.SOURCES,
}
OF_GUESSES: Mapping[str, Source] = {
    **answers.SOURCES,
    **shared_judgments.SOURCES,
    **signals.SOURCES,
    **ratings.SOURCES,
    **items.SOURCES,
    **calls.OF_ANSWERS,
}
OF_SCORES: Mapping[str, Source] = {
    **scores.SOURCES,
    **item_scores.SOURCES,
    **metrics.SOURCES,
    **checked.SOURCES,
}
SOURCES: Mapping[str, Mapping[str, Source]] = {
    "guess-then-read": {**OF_GUESSES, **OF_EVERY_PROTOCOL},
    "dimension-ratings": {**OF_SCORES, **OF_EVERY_PROTOCOL},
    "stopping-questionnaire": {**labels.SOURCES, **OF_EVERY_PROTOCOL},
    "pairwise": {**preferences.SOURCES, **calls.OF_PAIRS, **OF_EVERY_PROTOCOL},
    "writing": {**writing.SOURCES, **description.SOURCES, **variants.SOURCES},
}
# What rows of a table and the answers that any of its numbers counts have in common: nothing else need be there.
SHARED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "guess-then-read": {
        **dict.fromkeys(
            (
                "informativity", "informativity_matched", "informativity_standardised", "informativity_intervals",
                "informativity_probability", "beside_accuracy", "ratings",
            ),
            ("generator",),
        ),
        **dict.fromkeys(("guessable_items", "unanswerable_items"), ("item_id",)),
        **dict.fromkeys(("agreement_with_humans", "item_analysis"), ("stage",)),
        **dict.fromkeys(("stand_in_calibration", "stand_in_biases"), ("stage",)),
        "stand_in": ("stage", "question"),
    },
}  # fmt: skip


def shared_by(study: Study, name: str, row: Row) -> dict[str, tuple[str]]:
    """By column of the frame, the one value of all answers that a number in this row of the table may count."""
    return {column: (row[column],) for column in SHARED.get(study.protocol, {}).get(name, ())}


def behind(evidence: Evidence, name: str, row: Row, column: str) -> Table:
    """What the number in this column of a row of the table counts; `KeyError` for a table that leads nowhere."""
    return SOURCES[evidence.study.protocol][name](evidence, row, column)
