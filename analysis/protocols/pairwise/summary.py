"""What pairwise comparisons come out at: whose items win, and how strong each generator is."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.figures.paper import Ranges
from analysis.formatting import judgments_counted
from analysis.measures.strengths import DAVIDSON
from analysis.protocols.pairwise.sentences import WIN_RATE
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
from analysis.words import view_word

WORDS = Words(
    winner=gettext_noop("Items by %(best)s win most often."),
    among=gettext_noop("Items by %(best)s win most often of the %(n)s generators that can be compared."),
    tie=gettext_noop("No generator wins most often beyond doubt: %(names)s."),
)


def summarize(report: Report, _estimand: str) -> Outcome | None:
    rows = [row for row in rows_called(report, "ranking") if row["method"] == DAVIDSON]
    if not rows:
        return None
    standings = standings_of(rows, "strength")
    compared = find_compared(report, WIN_RATE, HUMAN)
    n = sum(row["n"] for row in rows_called(report, "wins"))
    lines = tuple(line_of(each) for each in standings)
    return Outcome(
        title=_("Strength of each generator"),
        standings=standings,
        figure=Ranges(lines, _("strength (Davidson's model, log-worth; dashed: the mean)"), _("strength"), dashed=0),
        words=WORDS,
        summary=summarize_values(_("Strengths: %(values)s."), standings, compared),
        compared=compared,
        basis=_("%(judgments)s of pairs by people. Differences are of shares won.")
        % {"judgments": judgments_counted(n)},
        tables=("ranking", "contrasts"),
    )


def list_agreed(report: Report) -> list[Agreed]:
    """Conger's κ by how ties are taken."""
    return [
        Agreed(
            view_word(row["view"]), row["conger_kappa"], row["low"], row["high"], row["reason"], row["percent"], None,
            _("%(n)s pairs of items") % {"n": row["n_units"]},
        )
        for row in rows_called(report, "agreement")
    ]  # fmt: skip
