"""Scores on dimensions: means of generators, and how dimensions go together, as tables of shaded cells."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from analysis.figures.style import DARK, INK, LIGHT, PLATE, SOFT
from analysis.formatting import number, question_word
from analysis.tables import Row, Table

CELL_WIDTH, CELL_HEIGHT = 62, 36


def generator_means(table: Table, title: Mapping[str, Any]) -> Any:
    """The mean of each generator on each dimension after the last round, the darker the higher."""
    rows = [row for row in latest(table) if row["mean"] is not None]
    cells = [
        {
            "across": question_word(row["dimension"]),
            "down": row["generator"],
            "value": row["mean"],
            "text": number(row["mean"]),
        }
        for row in rows
    ]
    return shaded(cells, title, _("mean score"), span([cell["value"] for cell in cells]))


def dimension_correlations(table: Table, title: Mapping[str, Any]) -> Any:
    """Pearson's r of each two dimensions after the last round, with a star where Nemenyi's p is below .05."""
    rows = [row for row in latest(table) if row["pearson"] is not None]
    names = dict.fromkeys([row["dimension_a"] for row in rows] + [row["dimension_b"] for row in rows])
    order = [question_word(name) for name in names]
    cells = [cell for row in rows for cell in mirrored(row)]
    return shaded(cells, title, _("Pearson's r (* Nemenyi p < .05)"), (-1, 1), (order, order))


def metric_correlations(table: Table, title: Mapping[str, Any]) -> Any:
    """Pearson's r of each metric with people's mean scores over all items; a star where its adjusted p is below .05."""
    rows = [row for row in table.rows if (row["coefficient"], row["scope"]) == ("pearson", "pooled")]
    cells = [
        {
            "across": question_word(row["dimension"]),
            "down": row["metric"],
            "value": row["r"],
            "text": number(row["r"]) + ("*" if row["p_adjusted"] < 0.05 else ""),
        }
        for row in rows
        if row["r"] is not None
    ]
    return shaded(cells, title, _("Pearson's r, pooled (* adjusted p < .05)"), (-1, 1))


def latest(table: Table) -> list[Row]:
    last = max((row["round"] for row in table.rows), default=1)
    return [row for row in table.rows if row["round"] == last]


def mirrored(row: Row) -> list[dict[str, Any]]:
    star = "*" if row["nemenyi_p"] is not None and row["nemenyi_p"] < 0.05 else ""
    said = {"value": row["pearson"], "text": number(row["pearson"]) + star}
    one, other = question_word(row["dimension_a"]), question_word(row["dimension_b"])
    return [{"across": one, "down": other} | said, {"across": other, "down": one} | said]


def span(values: Sequence[float]) -> tuple[float, float]:
    return (min(values), max(values)) if values else (0, 1)


def shaded(
    cells: list[dict[str, Any]],
    title: Mapping[str, Any],
    legend: str,
    domain: tuple[float, float],
    orders: Sequence[list[str]] = (),
    cell_width: int = CELL_WIDTH,
) -> Any:
    """A table of cells from light to dark, each with its number; `orders` are those of columns and rows."""
    middle = (domain[0] + domain[1]) / 2
    across, down = orders or [list(dict.fromkeys(cell[axis] for cell in cells)) for axis in ("across", "down")]
    axis = alt.Axis(labelAngle=-35, ticks=False, domain=False, title=None, orient="top")
    base = alt.Chart(alt.Data(values=cells)).encode(
        x=alt.X("across:N", sort=across, axis=axis),
        y=alt.Y("down:N", sort=down, axis=alt.Axis(ticks=False, domain=False, title=None)),
    )
    scale = alt.Scale(domain=list(domain), range=[LIGHT, DARK])
    colour = alt.Color(
        "value:Q", scale=scale, legend=alt.Legend(title=legend, titleLimit=420, gradientLength=160, orient="bottom")
    )
    boxes = base.mark_rect(stroke=SOFT, strokeWidth=0.5).encode(color=colour)
    light = base.transform_filter(alt.datum.value > middle).mark_text(fontSize=12, color=PLATE).encode(text="text:N")
    dark = base.transform_filter(alt.datum.value <= middle).mark_text(fontSize=12, color=INK).encode(text="text:N")
    size = {"width": alt.Step(cell_width), "height": alt.Step(CELL_HEIGHT)}
    return alt.layer(boxes, light, dark).properties(**size, title=title)
