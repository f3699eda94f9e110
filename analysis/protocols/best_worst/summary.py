"""What best–worst scaling comes out at: how often each generator's items are the best rather than the worst."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.figures.paper import Ranges
from analysis.protocols.best_worst.report import BOUNDS, COUNTS, MEASURE
from analysis.reports.evaluators import HUMAN
from analysis.reports.outcome import (
    Agreed,
    Outcome,
    Words,
    find_compared,
    line_of,
    rows_called,
    standings_of,
    summarize_values,
)
from analysis.reports.report import Report
from studies.question_words import name_question

WORDS = Words(
    winner=gettext_noop("Items by %(best)s score highest."),
    among=gettext_noop("Items by %(best)s score highest of the %(n)s generators that can be compared."),
    tie=gettext_noop("No generator scores highest beyond doubt: %(names)s."),
)


def summarize(report: Report, _estimand: str) -> Outcome | None:
    rows = [row for row in rows_called(report, "scores") if row["method"] == COUNTS]
    if not rows:
        return None
    standings = standings_of(rows, "score")
    compared = find_compared(report, MEASURE, HUMAN)
    axis = _("times the best minus times the worst, divided by times shown (dashed: equally often)")
    return Outcome(
        title=_("Score of each generator"),
        standings=standings,
        figure=Ranges(tuple(line_of(each) for each in standings), axis, _("score"), dashed=0, ends=BOUNDS),
        words=WORDS,
        summary=summarize_values(_("Scores: %(values)s."), standings, compared),
        compared=compared,
        basis=_("Items were shown %(n)s times to people.") % {"n": sum(row["n"] for row in rows)},
        tables=("scores", "contrasts"),
    )


def list_agreed(report: Report) -> list[Agreed]:
    return [
        Agreed(
            name_question(row["question"]), row["kappa"], row["low"], row["high"], row["reason"], row["percent"], None,
            _("%(n)s sets of items") % {"n": row["n_units"]},
        )
        for row in rows_called(report, "agreement")
    ]  # fmt: skip
