"""Pairwise comparisons: who won against whom, and the ranking with intervals."""

from collections.abc import Mapping
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from analysis.figures.style import BARE, INK, READ, SOFT, WIDTH, build_tooltips, describe_measure, draw_heat_map, labels
from analysis.formatting import UNDEFINED, count, judgments_counted, number, with_interval
from analysis.tables.spec import Row, Table

ROW_HEIGHT, CELL_WIDTH = 46, 110
METHOD = "davidson"


def wins(table: Table, title: Mapping[str, Any]) -> Any:
    """Each generator's share of wins over each other one, a tie as half: the row against the column."""
    cells = [cell for row in table.rows if row["n"] for cell in both_ways(row)]
    names = list(dict.fromkeys(row[side] for side in ("generator_a", "generator_b") for row in table.rows))
    legend = _("share won by the row, a tie as half (wins–losses, ties)")
    tooltip = build_tooltips(
        {"down": _("Generator"), "across": _("against"), "number": _("Share won"),
         "won": _("Wins"), "lost": _("Losses"), "tied": _("Ties"), "counted": "n"}
    )  # fmt: skip
    return draw_heat_map(cells, title, legend, (0, 1), tooltip, orders=(names, names), cell_width=CELL_WIDTH)


def both_ways(row: Row) -> list[dict[str, Any]]:
    one, other, ties = row["wins_a"], row["wins_b"], row["ties"]
    return [
        describe_cell(row["generator_a"], row["generator_b"], one, other, ties),
        describe_cell(row["generator_b"], row["generator_a"], other, one, ties),
    ]


def describe_cell(down: str, across: str, wins: int, losses: int, ties: int) -> dict[str, Any]:
    share = (wins + ties / 2) / (wins + losses + ties)
    counts = {"won": count(wins), "lost": count(losses), "tied": count(ties)}
    values = {"number": number(share), "counted": judgments_counted(wins + losses + ties)} | counts
    return {"down": down, "across": across, "value": share, "text": f"{wins}–{losses}, {ties}"} | values


def ranking(table: Table, title: Mapping[str, Any]) -> Any:
    """Davidson's strengths with their intervals, the strongest on top; a generator without a strength has a word
    instead."""
    rows = [point(row) for row in table.rows if row["method"] == METHOD]
    order = [row["generator"] for row in rows]
    tooltip = build_tooltips(
        {"generator": _("Generator"), "model": _("Model")}, _("Strength"), {"rank": _("Rank (possible)")}
    )
    y = alt.Y("generator:N", title=None, sort=order, axis=BARE)
    base = alt.Chart(alt.Data(values=rows)).encode(y=y, tooltip=tooltip)
    known = base.transform_filter("isValid(datum.strength)")
    x = alt.X("strength:Q", title=_("strength (log-worth, mean 0)"))
    zero = alt.Chart().mark_rule(strokeDash=[3, 3], color=SOFT).encode(x=alt.datum(0))
    layers = [
        zero,
        known.mark_rule(strokeWidth=1.5, color=READ).encode(x=alt.X("low:Q"), x2="high:Q"),
        known.mark_point(size=110, filled=True, opacity=1, color=READ).encode(x=x),
        *labels(known.encode(x=x, text="text:N"), -14),
        base.transform_filter("!isValid(datum.strength)")
        .mark_text(align="left", fontSize=12, color=INK)
        .encode(x=alt.value(6), text="text:N"),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(ROW_HEIGHT), title=title)


def point(row: Row) -> dict[str, Any]:
    text = _(UNDEFINED) if row["strength"] is None else with_interval(row["strength"], row["low"], row["high"])
    drawn = {name: row[name] for name in ("generator", "strength", "low", "high")} | {"text": text}
    rank = f"{row['rank']} ({row['ranks']})" if row["rank"] else _(UNDEFINED)
    values = describe_measure(row, "strength", judgments_counted(row["n"]))
    return drawn | values | {"model": row["method_said"], "rank": rank}
