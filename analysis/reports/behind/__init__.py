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


def behind(evidence: Evidence, name: str, row: Row, column: str) -> Table:
    """What the number in this column of a row of the table counts; `KeyError` for a table that leads nowhere."""
    return SOURCES[evidence.study.protocol][name](evidence, row, column)
