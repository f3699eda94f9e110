"""The single answers behind a number of a report, so that anybody can count again.

A table whose rows have names (`Table.named_by`) stands in SOURCES with a function of evidence, row and column that
gives exactly what the number counts. Its notes say in sentences what the rows add up to.
"""

from collections.abc import Callable, Mapping

from analysis.evidence import Evidence
from analysis.reports.behind import answers, checked, item_scores, labels, metrics, preferences, scores
from analysis.tables import Row, Table

Source = Callable[[Evidence, Row, str], Table]

SOURCES: Mapping[str, Mapping[str, Source]] = {
    "guess-then-read": answers.SOURCES,
    "stopping-questionnaire": labels.SOURCES,
    "pairwise": preferences.SOURCES,
    "dimension-ratings": {**scores.SOURCES, **item_scores.SOURCES, **metrics.SOURCES, **checked.SOURCES},
}


def behind(evidence: Evidence, name: str, row: Row, column: str) -> Table:
    """What the number in this column of a row of the table counts; `KeyError` for a table that leads nowhere."""
    return SOURCES[evidence.study.protocol][name](evidence, row, column)
