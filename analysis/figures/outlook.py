"""What a plan would give: power and widths by size, one column for each thing that can be more or fewer."""

from collections.abc import Mapping
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from analysis.figures.style import DARK, GUESS, INK, READ, hover, labels, shares
from analysis.formatting import count, number
from analysis.tables.spec import Table
from analysis.words import axis_word

PANEL, HIGH = 210, 150
DASHES = ([1, 0], [6, 3])  # told apart without colour too


def outlook(table: Table, title: Mapping[str, Any]) -> Any:
    """Above power, below the widths of intervals; the study's own plan is the filled point with its number."""
    rows = [row for row in table.rows if row["power"] is not None]
    axes = list(dict.fromkeys(row["axis"] for row in rows))
    lines = lines_of(table)
    power = [point(row, row["power"], _("power"), number(row["power_error"])) for row in rows]
    widths = [point(row, row[column], name) for row in rows for column, name in lines.items()]
    above = panels(power, axes, alt.Scale(domain=[0, 1]), _("power"), [_("power")], [DARK])
    below = panels(widths, axes, alt.Scale(zero=True), _("width of the interval"), list(lines.values()), [READ, GUESS])
    return alt.vconcat(above, below, spacing=18).resolve_scale(color="independent").properties(title=title)


def lines_of(table: Table) -> dict[str, str]:
    """The widths that are drawn, by column; a study of pairs has one."""
    if "judgments" in table.header:
        return {"width": _("share preferred")}
    return {"width": _("informativity"), "difference_width": _("difference of two generators, dashed")}


def point(row: Mapping[str, Any], value: float, line: str, error: str = "") -> dict[str, Any]:
    said = {"axis": row["axis"], "size": row["size"], "own": row["own_plan"], "line": line}
    return said | {"value": value, "text": number(value), "error": error, "studies": count(row["studies"])}


def panels(
    points: list[dict[str, Any]], axes: list[str], scale: Any, title: str, names: list[str], colours: list[str]
) -> Any:
    """One panel for each axis, all with the same scale upwards."""
    top = max((point["value"] for point in points), default=1)
    domain = scale if scale.to_dict().get("domain") else alt.Scale(domain=[0, 1.1 * top])
    drawn = [
        panel([one for one in points if one["axis"] == axis], axis, domain, title, names, colours) for axis in axes
    ]
    return alt.hconcat(*drawn, spacing=26)


def panel(points: list[dict[str, Any]], axis: str, scale: Any, title: str, names: list[str], colours: list[str]) -> Any:
    colour = alt.Color(
        "line:N", title=None, scale=alt.Scale(domain=names, range=colours[: len(names)]),
        legend=alt.Legend(symbolType="stroke", labelLimit=320) if len(names) > 1 else None,
    )  # fmt: skip
    x = alt.X("size:Q", title=axis_word(axis), axis=alt.Axis(tickMinStep=1, tickCount=5, grid=False))
    y = alt.Y("value:Q", scale=scale, axis=alt.Axis(**shares(title, scale.to_dict()["domain"][1])))
    about = {"line": _("Shown"), "size": axis_word(axis), "text": _("Value"), "error": _("Error of the simulation")}
    said = hover(about | {"studies": _("Simulated studies")})
    base = alt.Chart(alt.Data(values=points)).encode(x=x, y=y, color=colour, tooltip=said)
    own = base.transform_filter("datum.own")
    drawn = [(base.transform_filter(alt.datum.line == name), dash) for name, dash in zip(names, DASHES, strict=False)]
    ways = (14, -14) if len(names) > 1 else (-14,)  # of two lines the first runs below
    numbers = [
        layer.encode(color=alt.value(INK))
        for name, dy in zip(names, ways, strict=True)
        for layer in labels(own.transform_filter(alt.datum.line == name).encode(text="text:N"), dy, align="left", dx=3)
    ]
    return alt.layer(
        *(line.mark_line(strokeWidth=2, strokeDash=dash) for line, dash in drawn),
        base.mark_point(size=30, filled=True, opacity=1),
        own.mark_point(size=90, filled=True, opacity=1),
        *numbers,
    ).properties(width=PANEL, height=HIGH)
