"""Behind the ratings of a guess-then-read study: the ratings of items, all of a row or those of one level."""

from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.protocols.guess_then_read.answers import levels_of, ratings_of
from analysis.reports.drill_down import list_rows as listed
from analysis.reports.evaluators import evaluator_named
from analysis.tables.spec import Row, Table

COLUMNS = ("text_id", "item_id", "generator", "annotator", "rating")


def ratings(evidence: Evidence, row: Row, column: str) -> Table:
    evaluator = evaluator_named(evidence, row["evaluator"])
    rated = evaluator.rows_of(ratings_of(evidence.frame)).rename(columns={"value": "rating"})
    mine = rated[rated["generator"] == row["generator"]]
    level = {f"n_{level}": level for level in levels_of(evidence)}.get(column)
    return listed(evidence, mine if level is None else mine[mine["rating"] == level], COLUMNS, _("The ratings"))


SOURCES = {"ratings": ratings}
