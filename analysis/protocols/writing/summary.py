"""What a writing study comes out at: how many items were written, and what became of them."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.figures.paper import Bar, Bars
from analysis.formatting import count, figure, items_counted, of_people, of_texts
from analysis.reports.outcome import Outcome, rows_called
from analysis.reports.report import Report
from analysis.words import group_word

DECIDED = ("n_accepted", "n_repaired", "n_rejected", "n_waiting")


def summarize(report: Report, _estimand: str) -> Outcome | None:
    rows = rows_called(report, "writing")
    if not rows or not rows[0]["n_items"]:
        return None
    total = rows[0]  # of all people
    waiting = ngettext("%(n)s waits for review.", "%(n)s wait for review.", total["n_waiting"])
    said = _("%(items)s written by %(people)s on %(texts)s.") % {
        "items": items_counted(total["n_items"]),
        "people": of_people(total["n_annotators"]),
        "texts": of_texts(total["n_texts"]),
    }
    minutes = total["minutes_per_text"]
    parts = (_("accepted"), _("repaired"), _("rejected"), _("waiting"))
    bars = tuple(
        Bar(group_word(row["group"]), tuple(row[name] for name in DECIDED), items_counted(row["n_items"]))
        for row in rows
    )
    return Outcome(
        title=_("What became of the items"),
        standings=(),
        figure=Bars(bars, parts, _("percent of items; numbers are items")),
        verdict=f"{said} {waiting % {'n': count(total['n_waiting'])}}" if total["n_waiting"] else said,
        summary=_("The median text took %(minutes)s minutes.") % {"minutes": figure(minutes)} if minutes else "",
        tables=("writing", "written_items"),
    )
