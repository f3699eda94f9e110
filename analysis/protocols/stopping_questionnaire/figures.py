"""How far judgments got, and which labels were given: bars by category of a stopping questionnaire."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from analysis.figures.sizes import name_group_and_source, select_rows_by_group_and_source, write_category_heading
from analysis.figures.style import (
    BARE,
    BESIDE,
    DARK,
    INK,
    LIGHT,
    PLATE,
    SOFT,
    WIDTH,
    alt,
    build_tooltips,
    choose_ink,
    list_shades,
    make_share_axis,
)
from analysis.formatting import count, format_part, number
from analysis.tables.spec import Row, Table
from analysis.words import name_code
from studies.protocols.conditions import NOT_APPLICABLE
from studies.question_words import name_label, name_question

BAR = 26  # the height of a bar
OUTLINES = {"solid": [1, 0], "dashed": [3, 2]}
NARROW, PER_LETTER = 0.05, 0.011  # shares of the bar: too narrow for a number, and the width of a letter


def draw_flow(table: Table, title: Mapping[str, Any]) -> Any:
    """A bar per category of the judgments that reached it, those that stopped there dark; all chosen annotators."""
    rows = [row for row in table.rows if not row["group"]] or list(table.rows)
    names = [_("not stopped"), _("stopped here")]
    bars = [bar for row in rows for bar in build_flow_bars(row, names)]
    order = [name_question(row["category"]) for row in rows]
    tooltip = build_tooltips(
        {"category": _("Category"), "kind": _("Judgments"), "part": _("of those that reached this step")}
    )
    y = alt.Y("category:N", title=None, sort=order, axis=BARE)
    base = alt.Chart(alt.Data(values=bars)).encode(y=y, tooltip=tooltip)
    scale = alt.Scale(domain=names, range=[LIGHT, DARK])
    axis = alt.Axis(title=_("judgments"), tickMinStep=1)
    pieces = base.mark_bar(stroke=SOFT, strokeWidth=0.5, height={"band": 0.72}).encode(
        x=alt.X("start:Q", axis=axis), x2="end:Q", color=alt.Color("kind:N", title=None, scale=scale)
    )
    beside = base.transform_filter(alt.datum.kind == names[0]).mark_text(**BESIDE, fontSize=12, color=INK)
    return alt.layer(pieces, beside.encode(x=alt.value(WIDTH), text="said:N")).properties(
        width=WIDTH, height=alt.Step(BAR + 8), title=title
    )


def build_flow_bars(row: Row, names: Sequence[str]) -> list[dict[str, Any]]:
    sentence = _("%(reached)s reached, %(stopped)s stopped") % {
        "reached": count(row["reached"]),
        "stopped": count(row["stopped"]),
    }
    not_stopped = row["reached"] - row["stopped"]
    ends = ((0, not_stopped), (not_stopped, row["reached"]))
    return [
        {"category": name_question(row["category"]), "kind": name, "start": start, "end": end, "said": sentence}
        | {"part": format_part(end - start, row["reached"])}
        for name, (start, end) in zip(names, ends, strict=True)
    ]


def draw_label_distributions(table: Table, title: Mapping[str, Any]) -> Any:
    """Per category a bar for each generator, divided by label, “not applicable” last; all groups and sources
    together."""
    rows = [row for row in table.rows if not row["group"] and not row["source"]]
    return draw_stacked_labels(rows, title, name_generator, _("Generator"))


def draw_labels_by_group_and_source(table: Table, title: Mapping[str, Any]) -> Any:
    """Per category a bar for each group of annotators and source of texts; all generators together."""
    return draw_stacked_labels(select_rows_by_group_and_source(table), title, name_group_and_source, _("Judgments of"))


def draw_applicable_labels_by_group_and_source(table: Table, title: Mapping[str, Any]) -> Any:
    """As `draw_labels_by_group_and_source`, without judgments that did not reach the category."""
    rows, named = select_rows_by_group_and_source(table), name_group_and_source
    return draw_stacked_labels(rows, title, named, _("Judgments of"), "share_applicable")


def draw_stacked_labels(
    rows: Sequence[Row], title: Mapping[str, Any], named: Callable[[Row], str], of: str, share: str = "share_all"
) -> Any:
    """Per category a bar for each name, divided by label. `of`: the title of the names; `share`: the column drawn."""
    rows = [row for row in rows if row[share] is not None]
    names = list(dict.fromkeys(map(named, rows)))
    categories = list(dict.fromkeys(row["category"] for row in rows))
    bars = [bar for category in categories for bar in build_category_bars(rows, category, named, share)]
    y = alt.Y("name:N", title=None, sort=names, axis=BARE)
    dashes = list(OUTLINES.values())
    about = {"category": _("Category"), "name": of, "label": _("Label"), "part": _("Judgments")}
    base = alt.Chart().encode(y=y, tooltip=build_tooltips(about))
    pieces = base.mark_bar(stroke=SOFT, strokeWidth=0.5, height={"band": 0.8}).encode(
        x=alt.X("start:Q", scale=alt.Scale(domain=[0, 1]), axis=make_share_axis(_("share of judgments"))),
        x2="end:Q",
        color=alt.Color("shade:N", scale=None),
        strokeDash=alt.StrokeDash("line:N", legend=None, scale=alt.Scale(domain=list(OUTLINES), range=dashes)),
    )
    words = (
        base.transform_filter(f"datum.end - datum.start > {NARROW}")
        .mark_text(fontSize=11, limit=WIDTH)
        .encode(x=alt.X("middle:Q"), text="said:N", color=alt.Color("ink:N", scale=None))
    )
    header = alt.Header(
        labelAngle=0,
        labelAlign="left",
        labelAnchor="start",
        labelOrient="top",
        labelPadding=0,
        labelLimit=1.4 * WIDTH,
        labelBaseline="line-bottom",
        labelExpr=r"split(datum.label, '\n')",
    )
    headings = list(dict.fromkeys(bar["heading"] for bar in bars))
    row = alt.Row("heading:N", title=None, sort=headings, header=header)
    chart = alt.layer(pieces, words).properties(width=1.4 * WIDTH, height=alt.Step(BAR))
    return chart.facet(row=row, data=alt.Data(values=bars), spacing=6).properties(title=title)


def name_generator(row: Row) -> str:
    return name_code("scope", row["generator"])


def build_category_bars(
    rows: Sequence[Row], category: str, named: Callable[[Row], str], share_column: str
) -> list[dict[str, Any]]:
    """The pieces of one category's bars, in the order of its labels; wide pieces show their label and share.

    The heading names the answers in that order; “not applicable” is unfilled and dashed.
    """
    mine = [row for row in rows if row["category"] == category]
    labels = list(dict.fromkeys(row["label"] for row in mine))
    answers = [label for label in labels if label != NOT_APPLICABLE]
    colors = dict(zip(answers, list_shades(max(len(answers), 2)), strict=False)) | {NOT_APPLICABLE: PLATE}
    bars, ends = [], dict.fromkeys(map(named, mine), 0.0)
    heading = write_category_heading(category, labels)
    totals: Counter[str] = Counter()
    for row in mine:
        totals[named(row)] += row["n"]
    for row in mine:
        name = named(row)
        start = ends[name]
        end = ends[name] = start + row[share_column]
        share = number(row[share_column])
        word = f"{name_label(row['label'])} {share}"
        bars.append(
            {
                "category": name_question(category),
                "heading": heading,
                "name": name,
                "start": start,
                "end": end,
                "middle": (start + end) / 2,
                "label": name_label(row["label"]),
                "part": format_part(row["n"], totals[name]),
                "said": word if end - start > len(word) * PER_LETTER else share,
                "shade": colors[row["label"]],
                "ink": choose_ink(colors[row["label"]]),
                "line": "dashed" if row["label"] == NOT_APPLICABLE else "solid",
            }
        )
    return bars
