"""Scores on dimensions: means of generators, and how dimensions go together, as tables of shaded cells."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from analysis.figures.colours import BLACK, DARK, LIGHT, PLATE, SOFT, between, ink_on
from analysis.figures.hover import hover, told, with_texts
from analysis.figures.style import BARE
from analysis.formatting import UNDEFINED, items_counted, number, p_value, scores_counted
from analysis.tables import Row, Table
from studies.question_words import question_word

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
        | told(row, "mean", with_texts(row, "mean", scores_counted(row["n"])))
        for row in rows
    ]
    said = hover({"down": _("Generator"), "across": _("Dimension")}, _("Mean"))
    return shaded(cells, title, with_round(_("mean score"), table), span([cell["value"] for cell in cells]), said)


def dimension_correlations(table: Table, title: Mapping[str, Any]) -> Any:
    """Pearson's r of each two dimensions after the last round, with a star where Nemenyi's p is below .05."""
    rows = [row for row in latest(table) if row["pearson"] is not None]
    names = dict.fromkeys([row["dimension_a"] for row in rows] + [row["dimension_b"] for row in rows])
    order = [question_word(name) for name in names]
    cells = [cell for row in rows for cell in mirrored(row)]
    said = hover({"down": _("Dimension"), "across": _("with"), "number": "r", "p": _("Nemenyi's p"), "counted": "n"})
    legend = with_round(_("Pearson's r (* Nemenyi p < .05)"), table)
    return shaded(cells, title, legend, (-1, 1), said, (order, order))


def metric_correlations(table: Table, title: Mapping[str, Any]) -> Any:
    """Pearson's r of each metric with people's mean scores over all items; a star where its adjusted p is below .05."""
    rows = [row for row in table.rows if (row["coefficient"], row["scope"]) == ("pearson", "pooled")]
    cells = [
        {
            "across": question_word(row["dimension"]),
            "down": row["metric"],
            "value": row["r"],
            "text": number(row["r"]) + starred(row["p_adjusted"]),
            "p": p_said(row["p_adjusted"]),
            **told(row, "r", items_counted(row["n"])),
        }
        for row in rows
        if row["r"] is not None
    ]
    said = hover({"down": _("Metric"), "across": _("Dimension")}, _("Pearson's r, pooled"), {"p": _("p, adjusted")})
    return shaded(cells, title, _("Pearson's r, pooled (* adjusted p < .05)"), (-1, 1), said)


def with_round(words: str, table: Table) -> str:
    """What is shown, and after which round if there were several: the tables beneath may show another first."""
    rounds = {row["round"] for row in table.rows}
    return _("%(words)s, round %(round)s") % {"words": words, "round": max(rounds)} if len(rounds) > 1 else words


def latest(table: Table) -> list[Row]:
    last = max((row["round"] for row in table.rows), default=1)
    return [row for row in table.rows if row["round"] == last]


def mirrored(row: Row) -> list[dict[str, Any]]:
    text = number(row["pearson"]) + starred(row["nemenyi_p"])
    said = {"value": row["pearson"], "text": text, "number": number(row["pearson"])}
    said |= {"counted": items_counted(row["n"]), "p": p_said(row["nemenyi_p"])}
    one, other = question_word(row["dimension_a"]), question_word(row["dimension_b"])
    return [{"across": one, "down": other} | said, {"across": other, "down": one} | said]


def starred(p: float | None) -> str:
    return "*" if p is not None and p < 0.05 else ""


def p_said(p: float | None) -> str:
    return _(UNDEFINED) if p is None else p_value(p)


def span(values: Sequence[float]) -> tuple[float, float]:
    return (min(values), max(values)) if values else (0, 1)


def shaded(
    cells: list[dict[str, Any]],
    title: Mapping[str, Any],
    legend: str,
    domain: tuple[float, float],
    said: list[alt.Tooltip],
    orders: Sequence[list[str]] = (),
    cell_width: int = CELL_WIDTH,
) -> Any:
    """A table of cells from light to dark, each with its number; `said` is the tooltip.

    `orders` are those of columns and rows.
    """
    low, high = domain
    cells = [cell | {"ink": ink_on(between((cell["value"] - low) / ((high - low) or 1)))} for cell in cells]
    across, down = orders or [list(dict.fromkeys(cell[axis] for cell in cells)) for axis in ("across", "down")]
    axis = alt.Axis(labelAngle=-35, ticks=False, domain=False, title=None, orient="top")
    base = alt.Chart(alt.Data(values=cells)).encode(
        x=alt.X("across:N", sort=across, axis=axis),
        y=alt.Y("down:N", sort=down, axis=alt.Axis(**BARE, title=None)),
        tooltip=said,
    )
    scale = alt.Scale(domain=list(domain), range=[LIGHT, DARK], interpolate="rgb")
    colour = alt.Color(
        "value:Q", scale=scale, legend=alt.Legend(title=legend, titleLimit=420, gradientLength=160, orient="bottom")
    )
    boxes = base.mark_rect(stroke=SOFT, strokeWidth=0.5).encode(color=colour)
    words = [
        base.transform_filter(alt.datum.ink == ink).mark_text(fontSize=12, color=ink).encode(text="text:N")
        for ink in (BLACK, PLATE)
    ]
    size = {"width": alt.Step(cell_width), "height": alt.Step(CELL_HEIGHT)}
    return alt.layer(boxes, *words).properties(**size, title=title)
