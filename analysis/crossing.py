"""Evaluators side by side: a row for each generator, a column for each who answered."""

from dataclasses import replace

from django.utils.translation import gettext as _

from analysis.formatting import UNDEFINED, figure, worded
from analysis.pages import Behind, Cell, PageTable, cell_of
from analysis.tables import Row, Shown, Table

MEASURE = "informativity"


def side_by_side(table: Table, convention: str, behind: Behind | None = None) -> PageTable:
    """The informativity in a table of generators × evaluators, over the two accuracies it is the difference of."""
    column = next(column for column in table.shown if column.value == MEASURE)
    reasons: dict[str, str] = {}
    cells = {
        (row["generator"], row["evaluator"]): replace(
            cell_of(row, column, table, convention, reasons, {}, behind), under=(between(row),)
        )
        for row in table.rows
    }
    generators = list(dict.fromkeys(row["generator"] for row in table.rows))
    answered = [row["evaluator"] for row in table.rows if row["n_guess"] or row["n_read"]]
    evaluators = list(dict.fromkeys(answered or [row["evaluator"] for row in table.rows]))
    head = (Shown(_("Items by"), "generator"), *(Shown(worded("evaluator", one), one, "number") for one in evaluators))
    rows = [[Cell(generator, heading=True), *(cells[generator, one] for one in evaluators)] for generator in generators]
    notes = (_("Below each number: the share judged correctly without the text → with it."),)
    return PageTable(table.name, table.title, head, rows, notes, {mark: reason for reason, mark in reasons.items()})


def between(row: Row) -> str:
    """The two accuracies: without the text, then with it."""
    ends = [_(UNDEFINED) if row[name] is None else figure(row[name]) for name in ("guessability", "answerability")]
    return " → ".join(ends)
