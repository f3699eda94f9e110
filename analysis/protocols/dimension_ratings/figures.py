"""Scores on dimensions: means of generators, and correlations of dimensions, as tables of shaded cells."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from analysis.figures.sizes import write_panel_heading
from analysis.figures.style import (
    BARE,
    DARK,
    INK,
    LIGHT,
    SOFT,
    alt,
    append_text_count,
    build_tooltips,
    describe_measure,
    draw_heat_map,
)
from analysis.formatting import UNDEFINED, count, format_p_value, number, say_items, say_scores
from analysis.tables.spec import Row, Table
from studies.question_words import name_question


def draw_generator_means(table: Table, title: Mapping[str, Any]) -> Any:
    """A heat map of the mean of each generator on each dimension after the last round."""
    rows = [row for row in select_last_round(table) if row["mean"] is not None]
    cells = [
        {
            "across": name_question(row["dimension"]),
            "down": row["generator"],
            "value": row["mean"],
            "text": number(row["mean"]),
        }
        | describe_measure(row, "mean", append_text_count(row, "mean", say_scores(row["n"])))
        for row in rows
    ]
    tooltip = build_tooltips({"down": _("Generator"), "across": _("Dimension")}, _("Mean"))
    return draw_heat_map(
        cells, title, add_round(_("mean score"), table), find_range([cell["value"] for cell in cells]), tooltip
    )


def draw_dimension_correlations(table: Table, title: Mapping[str, Any]) -> Any:
    """A heat map of Pearson's r of every two dimensions after the last round; a star where Nemenyi's p is below .05."""
    rows = [row for row in select_last_round(table) if row["pearson"] is not None]
    names = dict.fromkeys([row["dimension_a"] for row in rows] + [row["dimension_b"] for row in rows])
    order = [name_question(name) for name in names]
    cells = [cell for row in rows for cell in build_mirrored_cells(row)]
    tooltip = build_tooltips(
        {"down": _("Dimension"), "across": _("with"), "number": "r", "p": _("Nemenyi's p"), "counted": "n"}
    )
    legend = add_round(_("Pearson's r (* Nemenyi p < .05)"), table)
    return draw_heat_map(cells, title, legend, (-1, 1), tooltip, (order, order))


def draw_metric_correlations(table: Table, title: Mapping[str, Any]) -> Any:
    """A heat map of Pearson's r of metrics with people's mean scores; a star where the adjusted p is below .05."""
    rows = [row for row in table.rows if (row["coefficient"], row["scope"]) == ("pearson", "pooled")]
    cells = [
        {
            "across": name_question(row["dimension"]),
            "down": row["metric"],
            "value": row["r"],
            "text": number(row["r"]) + mark_significance(row["p_adjusted"]),
            "p": describe_p(row["p_adjusted"]),
            **describe_measure(row, "r", say_items(row["n"])),
        }
        for row in rows
        if row["r"] is not None
    ]
    tooltip = build_tooltips(
        {"down": _("Metric"), "across": _("Dimension")}, _("Pearson's r, pooled"), {"p": _("p, adjusted")}
    )
    return draw_heat_map(cells, title, _("Pearson's r, pooled (* adjusted p < .05)"), (-1, 1), tooltip)


def add_round(words: str, table: Table) -> str:
    """The words with the number of the round that is shown, if there were several rounds."""
    rounds = {row["round"] for row in table.rows}
    return _("%(words)s, round %(round)s") % {"words": words, "round": max(rounds)} if len(rounds) > 1 else words


def select_last_round(table: Table) -> list[Row]:
    last = max((row["round"] for row in table.rows), default=1)
    return [row for row in table.rows if row["round"] == last]


def build_mirrored_cells(row: Row) -> list[dict[str, Any]]:
    text = number(row["pearson"]) + mark_significance(row["nemenyi_p"])
    values = {"value": row["pearson"], "text": text, "number": number(row["pearson"])}
    values |= {"counted": say_items(row["n"]), "p": describe_p(row["nemenyi_p"])}
    one, other = name_question(row["dimension_a"]), name_question(row["dimension_b"])
    return [{"across": one, "down": other} | values, {"across": other, "down": one} | values]


def mark_significance(p: float | None) -> str:
    return "*" if p is not None and p < 0.05 else ""


def describe_p(p: float | None) -> str:
    return _(UNDEFINED) if p is None else format_p_value(p)


def find_range(values: Sequence[float]) -> tuple[float, float]:
    return (min(values), max(values)) if values else (0, 1)


PANEL, LEVEL = 92, 20  # the width of a panel, and the height of a score in it


def draw_metric_by_score(table: Table, title: Mapping[str, Any]) -> Any:
    """A row of panels for each metric, one for each dimension: boxes of quartiles by score, medians as dots, and r."""
    rows = [row for row in table.rows if row["median"] is not None]
    charts = [draw_panels([row for row in rows if row["metric"] == name]) for name in list_drawn_metrics(table)]
    return alt.vconcat(*charts, spacing=18, title=title)


def list_drawn_metrics(table: Table) -> list[str]:
    """The metrics with a value for an item that people scored."""
    return list(dict.fromkeys(row["metric"] for row in table.rows if row["median"] is not None))


def draw_panels(rows: list[Row]) -> Any:
    boxes = [build_box(row) for row in rows]
    first = {box["dimension"]: box["score"] for box in reversed(boxes)}  # the panel's r is written once
    boxes = [box | {"r_shown": f"r {box['r']}" if first[box["dimension"]] == box["score"] else ""} for box in boxes]
    scores = sorted({box["score"] for box in boxes}, reverse=True)
    about = {"metric": _("Metric"), "dimension": _("Dimension"), "score": _("Score"), "median_shown": _("Median")}
    about |= {"quartiles": _("Quartiles"), "mean": _("Mean"), "n": _("Items"), "r": _("r with the rounded score")}
    y = alt.Y("score:O", title=None, sort=scores, axis=alt.Axis(**BARE))
    base = alt.Chart().encode(y=y, tooltip=build_tooltips(about))
    axis = alt.Axis(title=None, tickCount=3, labelOverlap="greedy", labelSeparation=9, labelFontSize=11)
    x = alt.X("q1:Q", axis=axis, scale=alt.Scale(zero=False, nice=True))
    box = base.mark_bar(fill=LIGHT, stroke=SOFT, strokeWidth=1, height={"band": 0.6}).encode(x=x, x2="q3:Q")
    dot = base.mark_circle(color=DARK, opacity=1, size=45).encode(x="median:Q")
    word = base.mark_text(align="right", color=INK, fontSize=11.5)
    word = word.encode(x=alt.value(PANEL), y=alt.value(-7), text="r_shown:N")
    header = alt.Header(title=None, labelFontWeight="normal", labelPadding=18, labelExpr=r"split(datum.label, '\n')")
    headings = list(dict.fromkeys(box["heading"] for box in boxes))
    column = alt.Column("heading:N", title=None, sort=headings, header=header)
    chart = alt.layer(box, dot, word).properties(width=PANEL, height=alt.Step(LEVEL))
    heading = {"text": rows[0]["metric"], "anchor": "start", "fontSize": 13, "offset": 4}
    return chart.facet(column=column, data=alt.Data(values=boxes), spacing=16).properties(title=heading)


def build_box(row: Row) -> dict[str, Any]:
    return {
        "metric": row["metric"],
        "dimension": name_question(row["dimension"]),
        "heading": write_panel_heading(row["dimension"]),
        "score": str(row["score"]),
        "q1": row["q1"],
        "q3": row["q3"],
        "median": row["median"],
        "median_shown": number(row["median"]),
        "quartiles": f"{number(row['q1'])}, {number(row['q3'])}",
        "mean": number(row["mean"]),
        "n": count(row["n"]),
        "r": _(UNDEFINED) if row["r"] is None else number(row["r"]),
    }
