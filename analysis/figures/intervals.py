"""Figures of intervals: forest plots of tables, and the power and interval widths that a plan would give."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from analysis.figures.style import (
    BARE,
    DARK,
    GUESS,
    INK,
    READ,
    SOFT,
    WIDTH,
    alt,
    build_tooltips,
    layer_labels,
    make_share_axis,
)
from analysis.formatting import count, format_with_interval, number
from analysis.tables.spec import Row, Table
from analysis.words import name_code

# Forest plots, and the reliability by number of raters.

ROW_HEIGHT, MOST_ROWS = 34, 60


@dataclass(frozen=True)
class Forest:
    """A forest plot of a table: the column of the number, and those that name the rows. where: values that a row must
    have. zero: whether a line is drawn at 0."""

    value: str
    names: tuple[str, ...]
    where: tuple[tuple[str, str], ...] = ()
    zero: bool = False
    low: str = "low"
    high: str = "high"

    def select_rows(self, table: Table) -> list[Row]:
        chosen = [row for row in table.rows if all(row[name] == value for name, value in self.where)]
        return [row for row in chosen if row[self.value] is not None][:MOST_ROWS]

    def name_of(self, row: Row, table: Table) -> str:
        kinds = {column.name: column.kind for column in table.columns}
        return " · ".join(filter(None, (name_code(kinds.get(name, "text"), row[name]) for name in self.names)))


FORESTS = {
    "people_and_models": Forest("value", ("generator", "method"), (("measure", "informativity"),)),
    "generator_vs_others": Forest(
        "difference", ("measure", "evaluator", "generator"), (), True, "low_adjusted", "high_adjusted"
    ),
    "text_versions": Forest(
        "difference",
        ("measure", "question_type", "version", "compared_with"),
        (("evaluator", "human"),),
        True,
        "low_adjusted",
        "high_adjusted",
    ),
    "people_and_models_versions": Forest("difference", ("version", "compared_with", "method"), (), True),
    "text_version_texts": Forest("difference", ("text_id", "version"), (("measure", "answerability"),), True),
    "carry_over": Forest("effect", ("evaluator",), (("measure", "answerability"),), True),
    "reliability": Forest("alpha", ("parts",)),
    "d_study": Forest("relative", ("question", "group")),
    "rater_severity": Forest("severity", ("question", "annotator"), (), True),
    "fair_means": Forest("fair", ("question", "generator")),
    "g_study_generators": Forest("relative", ("question", "group"), (), False, "relative_low", "relative_high"),
    "label_severity": Forest("severity", ("question", "annotator"), (), True),
    "fair_shares": Forest("fair", ("question", "generator")),
    "rasch": Forest("difficulty", ("item_id",), (), True, "", ""),
    "item_flaws": Forest("informativity", ("flaw_said",), (), True, "informativity_low", "informativity_high"),
    "dif": Forest("d", ("item_id",), (), True),
}


def draw_forest(shape: Forest, table: Table, title: Mapping[str, Any]) -> Any:
    """A point with its interval for each row."""
    rows = [build_interval_point(shape, row, table) for row in shape.select_rows(table)]
    y = alt.Y("name:N", title=None, sort=[row["name"] for row in rows], axis=BARE)
    base = alt.Chart(alt.Data(values=rows)).encode(y=y, tooltip=[alt.Tooltip("name:N"), alt.Tooltip("text:N")])
    heading = next(column.title for column in table.columns if column.name == shape.value)
    x = alt.X("value:Q", title=heading, scale=alt.Scale(zero=False))
    layers: list[Any] = [
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.5, color=READ)
        .encode(x=alt.X("low:Q"), x2="high:Q"),
        base.mark_point(size=90, filled=True, opacity=1, color=READ).encode(x=x),
        *layer_labels(base.encode(x=x, text="text:N"), -13),
    ]
    if shape.zero:
        layers.insert(0, alt.Chart().mark_rule(strokeDash=[3, 3], color=SOFT).encode(x=alt.datum(0)))
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(ROW_HEIGHT), title=title)


def build_interval_point(shape: Forest, row: Row, table: Table) -> dict[str, Any]:
    low, high = (row[end] if end else None for end in (shape.low, shape.high))
    text = format_with_interval(row[shape.value], low, high)
    return {"name": shape.name_of(row, table), "value": row[shape.value], "low": low, "high": high, "text": text}


def draw_rater_curve(table: Table, title: Mapping[str, Any]) -> Any:
    """Eρ² by number of raters, a line for each question, with .7 and .8 marked."""
    shape = FORESTS["d_study"]
    rows = [
        {"name": shape.name_of(row, table), "n": row["n_raters"], "value": row["relative"]}
        for row in shape.select_rows(table)
    ]
    x = alt.X("n:O", title=_("raters of each item"), axis=alt.Axis(labelAngle=0))
    y = alt.Y("value:Q", title="Eρ²", scale=alt.Scale(domain=[0, 1]))
    lines = alt.Chart(alt.Data(values=rows)).encode(x=x, y=y, tooltip=["name:N", "n:O", "value:Q"])
    marks = [alt.Chart().mark_rule(strokeDash=[3, 3], color=SOFT).encode(y=alt.datum(level)) for level in (0.7, 0.8)]
    named = lines.encode(detail="name:N", strokeDash=alt.StrokeDash("name:N", title=None))
    drawn = alt.layer(*marks, named.mark_line(color=READ), lines.mark_point(filled=True, color=GUESS, size=45))
    return drawn.properties(width=WIDTH, height=240, title=title)


def list_forests() -> dict[str, tuple[str, Callable[[Table, Mapping[str, Any]], Any]]]:
    """The table and the drawing function of each figure, by name; a figure has the name of its table."""
    found: dict[str, tuple[str, Any]] = {name: (name, partial(draw_forest, shape)) for name, shape in FORESTS.items()}
    return found | {"d_study": ("d_study", draw_rater_curve)}


def measure_forest(table: Table) -> tuple[float, float]:
    """Width and height of the forest plot or rater curve of a table."""
    if table.name == "d_study":
        return WIDTH + 60, 240 + 110
    shape = FORESTS[table.name]
    rows = shape.select_rows(table)
    return WIDTH + 6.5 * max((len(shape.name_of(row, table)) for row in rows), default=0), ROW_HEIGHT * len(rows) + 105


# Expected power and interval widths by size of the plan, one column for each size that can vary.

PANEL, HIGH = 210, 150
DASHES = ([1, 0], [6, 3])  # lines that differ without color, too


def draw_outlook(table: Table, title: Mapping[str, Any]) -> Any:
    """Power above, interval widths below; the study's own plan is the filled point with its number."""
    rows = [row for row in table.rows if row["power"] is not None]
    axes = list(dict.fromkeys(row["axis"] for row in rows))
    lines = list_drawn_widths(table)
    power = [build_outlook_point(row, row["power"], _("power"), number(row["power_error"])) for row in rows]
    widths = [build_outlook_point(row, row[column], name) for row in rows for column, name in lines.items()]
    above = draw_panels(power, axes, alt.Scale(domain=[0, 1]), _("power"), [_("power")], [DARK])
    below = draw_panels(
        widths, axes, alt.Scale(zero=True), _("width of the interval"), list(lines.values()), [READ, GUESS]
    )
    return alt.vconcat(above, below, spacing=18).resolve_scale(color="independent").properties(title=title)


def list_drawn_widths(table: Table) -> dict[str, str]:
    """The widths that are drawn, by column; a pairwise study has one."""
    if "judgments" in table.header:
        return {"width": _("share preferred")}
    return {"width": _("informativity"), "difference_width": _("difference of two generators, dashed")}


def build_outlook_point(row: Mapping[str, Any], value: float, line: str, error: str = "") -> dict[str, Any]:
    values = {"axis": row["axis"], "size": row["size"], "own": row["own_plan"], "line": line}
    return values | {"value": value, "text": number(value), "error": error, "studies": count(row["studies"])}


def draw_panels(
    points: list[dict[str, Any]], axes: list[str], scale: Any, title: str, names: list[str], colors: list[str]
) -> Any:
    """One panel for each axis, all with the same vertical scale."""
    top = max((point["value"] for point in points), default=1)
    domain = scale if scale.to_dict().get("domain") else alt.Scale(domain=[0, 1.1 * top])
    drawn = [
        draw_panel([one for one in points if one["axis"] == axis], axis, domain, title, names, colors) for axis in axes
    ]
    return alt.hconcat(*drawn, spacing=26)


def draw_panel(
    points: list[dict[str, Any]], axis: str, scale: Any, title: str, names: list[str], colors: list[str]
) -> Any:
    color = alt.Color(
        "line:N", title=None, scale=alt.Scale(domain=names, range=colors[: len(names)]),
        legend=alt.Legend(symbolType="stroke", labelLimit=320) if len(names) > 1 else None,
    )  # fmt: skip
    size = name_code("axis", axis)
    x = alt.X("size:Q", title=size, axis=alt.Axis(tickMinStep=1, tickCount=5, grid=False))
    y = alt.Y("value:Q", scale=scale, axis=alt.Axis(**make_share_axis(title, scale.to_dict()["domain"][1])))
    about = {
        "line": _("Shown"),
        "size": size,
        "text": _("Value"),
        "error": _("Error of the simulation"),
    }
    tooltip = build_tooltips(about | {"studies": _("Simulated studies")})
    base = alt.Chart(alt.Data(values=points)).encode(x=x, y=y, color=color, tooltip=tooltip)
    own = base.transform_filter("datum.own")
    drawn = [(base.transform_filter(alt.datum.line == name), dash) for name, dash in zip(names, DASHES, strict=False)]
    offsets = (14, -14) if len(names) > 1 else (-14,)  # the first of two lines runs below the other
    numbers = [
        layer.encode(color=alt.value(INK))
        for name, dy in zip(names, offsets, strict=True)
        for layer in layer_labels(
            own.transform_filter(alt.datum.line == name).encode(text="text:N"), dy, align="left", dx=3
        )
    ]
    return alt.layer(
        *(line.mark_line(strokeWidth=2, strokeDash=dash) for line, dash in drawn),
        base.mark_point(size=30, filled=True, opacity=1),
        own.mark_point(size=90, filled=True, opacity=1),
        *numbers,
    ).properties(width=PANEL, height=HIGH)
