"""What a study of dimension ratings comes out at: the mean of each generator on each dimension."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.figures.paper import Mark, Panels
from analysis.formatting import scores_counted
from analysis.protocols.dimension_ratings.scores import AVERAGE
from analysis.reports.evaluators import HUMAN
from analysis.reports.outcome import (
    Agreed,
    Outcome,
    Words,
    find_compared,
    rows_called,
    standings_of,
    summarize_values,
)
from analysis.reports.report import Report
from studies.question_words import name_question

WORDS = Words(
    winner=gettext_noop("Items by %(best)s are rated highest."),
    among=gettext_noop("Items by %(best)s are rated highest of the %(n)s generators that can be compared."),
    tie=gettext_noop("No generator is rated highest beyond doubt: %(names)s."),
)


def summarize(report: Report, _estimand: str) -> Outcome | None:
    every = rows_called(report, "generator_means")
    last = max((row["round"] for row in every), default=1)
    rows = [row for row in every if row["round"] == last]
    standings = standings_of([row for row in rows if row["dimension"] == AVERAGE], "mean")
    if not standings:
        return None
    compared = find_compared(report, AVERAGE, HUMAN)
    n = sum(row["n"] for row in rows if row["dimension"] != AVERAGE)
    return Outcome(
        title=_("Mean scores by dimension"),
        standings=standings,
        figure=draw_means(rows, [each.generator for each in standings]),
        words=WORDS,
        summary=summarize_values(_("On average over the dimensions: %(values)s."), standings, compared),
        compared=compared,
        basis=_("%(scores)s of people.") % {"scores": scores_counted(n)},
        tables=("generator_means", "contrasts"),
    )


def draw_means(rows: list, generators: list[str]) -> Panels | None:
    """A panel for each dimension that was scored, the average last."""
    cells = {(row["generator"], row["dimension"]): row for row in rows}
    scored = [name for name in dict.fromkeys(row["dimension"] for row in rows) if any_scored(rows, name)]
    if not scored:
        return None
    panels = tuple(
        (name_question(name), tuple((mark_of(cells[generator, name]),) for generator in generators)) for name in scored
    )
    return Panels(tuple(generators), panels, _("mean score with its 95 % interval"))


def any_scored(rows: list, dimension: str) -> bool:
    return any(row["mean"] is not None for row in rows if row["dimension"] == dimension)


def mark_of(row) -> Mark:
    return Mark(row["mean"], row["low"], row["high"], "base" if row["dimension"] == AVERAGE else "with")


def list_agreed(report: Report) -> list[Agreed]:
    """Krippendorff's α of each dimension in the first round that is known."""
    every = rows_called(report, "alpha")
    first = min((row["round"] for row in every), default=1)
    return [
        Agreed(
            name_question(row["dimension"]), row["alpha"], row["low"], row["high"], row["reason"], None, None,
            scores_counted(row["n_values"]),
        )
        for row in every
        if row["round"] == first
    ]  # fmt: skip
