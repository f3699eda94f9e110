"""What a stopping questionnaire comes out at: how many judgments of each generator's items stop, and where."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.figures.paper import Bar, Bars
from analysis.formatting import judgments_counted, number
from analysis.protocols.stopping_questionnaire.sentences import STOPPED, is_of_all, say_flow
from analysis.protocols.stopping_questionnaire.tables import NOT_STOPPED
from analysis.reports.evaluators import HUMAN
from analysis.reports.outcome import (
    Agreed,
    Outcome,
    Standing,
    Words,
    find_compared,
    join_sentences,
    rows_called,
    say_lead,
)
from analysis.reports.report import Report
from analysis.tables.spec import Row
from studies.question_words import name_question

WORDS = Words(
    winner=gettext_noop("Judgments of items by %(best)s stop least often."),
    among=gettext_noop("Judgments of items by %(best)s stop least often of the %(n)s generators that can be compared."),
    tie=gettext_noop("No generator's items stop least often beyond doubt: %(names)s."),
)
MOST_PARTS = 6  # of a bar; the categories where fewest judgments stopped are joined


def summarize(report: Report, _estimand: str) -> Outcome | None:
    rows = [row for row in rows_called(report, "stopped") if row["n_all"]]
    if not rows:
        return None
    standings = sort_shares(rows)
    compared = find_compared(report, STOPPED, HUMAN, higher=False)
    flow = next((table for table in report.tables if table.name == "flow"), None)
    return Outcome(
        title=_("Where judgments stopped"),
        standings=standings,
        figure=draw_stops(rows, standings),
        words=WORDS,
        summary=join_sentences(*(say_flow(flow) if flow else ()), say_lead(compared)),
        compared=compared,
        basis=_("%(judgments)s of people.") % {"judgments": judgments_counted(sum(counts_of(rows).values()))},
        higher_is_better=False,
        tables=("stopped", "contrasts"),
    )


def counts_of(rows: Sequence[Row]) -> dict[str, int]:
    return {row["generator"]: row["n_all"] for row in rows}


def sort_shares(rows: Sequence[Row]) -> tuple[Standing, ...]:
    """The share of judgments that stopped by generator, the lowest first."""
    kept = {row["generator"]: row["share"] for row in rows if row["category"] == NOT_STOPPED}
    return tuple(
        Standing(name, 1 - share, None, None) for name, share in sorted(kept.items(), key=lambda each: -each[1])
    )


def draw_stops(rows: Sequence[Row], standings: Sequence[Standing]) -> Bars:
    stops: dict[str, int] = {}
    for row in rows:
        stops[row["category"]] = stops.get(row["category"], 0) + row["n"]
    places = [name for name, n in stops.items() if n and name != NOT_STOPPED]
    single = sorted(places, key=lambda name: -stops[name])[: MOST_PARTS - (len(places) > MOST_PARTS)]
    named = [name for name in places if name in single]
    cells = {(row["generator"], row["category"]): row["n"] for row in rows}
    rest = [name for name in places if name not in named]
    parts = (_("not stopped"), *map(name_question, named), *([_("elsewhere")] if rest else []))
    lines = tuple(
        Bar(
            each.generator,
            (
                cells[each.generator, NOT_STOPPED],
                *(cells[each.generator, name] for name in named),
                *([sum(cells[each.generator, name] for name in rest)] if rest else []),
            ),
            _("%(share)s stopped") % {"share": number(each.value or 0.0)},
        )
        for each in standings
    )
    return Bars(lines, parts, _("percent of judgments; numbers are judgments"))


def list_agreed(report: Report) -> list[Agreed]:
    """Cohen's κ of each category that both of a pair reached."""
    rows = (row for row in rows_called(report, "agreement") if row["view"] == "applicable" and is_of_all(row))
    return [
        Agreed(
            name_question(row["category"]), row["kappa"], None, None, row["reason"], row["percent"], row["ac1"],
            judgments_counted(2 * row["n_pairs"]),
        )
        for row in rows
    ]  # fmt: skip
