"""How items were rated, and how rightly they were answered by those who rated them so."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from analysis.figures.style import (
    BARE,
    BESIDE,
    HEIGHT,
    INK,
    PLATE,
    SOFT,
    WIDTH,
    by_answers,
    describe_measure,
    hover,
    ink_on,
    shades,
    shares,
    with_texts,
)
from analysis.formatting import count, digits_of, interval, judgments_counted, number, part_of, ratings_counted
from analysis.tables.spec import Row, Table
from analysis.words import evaluator_word
from studies.question_words import name_stage


def ratings(table: Table, title: Mapping[str, Any]) -> Any:
    """The shares of each rating by generator and evaluator, stacked, with counts and means."""
    levels = [int(column[2:]) for column in table.header if column.startswith("n_")]
    bars = [bar for row in table.rows if row["n"] for bar in rating_bars(row, levels)]
    rows = list(dict.fromkeys(bar["row"] for bar in bars))
    y = alt.Y("row:N", title=None, sort=rows, axis=BARE)
    legend = alt.Legend(
        titleOrient="left", titlePadding=14, symbolType="square", symbolStrokeColor=SOFT, symbolStrokeWidth=0.5
    )
    scale = alt.Scale(domain=levels, range=shades(len(levels)))
    colour = alt.Color("rating:O", title=_("rating (1 is worst)"), scale=scale, legend=legend)
    about = {"generator": _("Generator"), "evaluator": _("Ratings by"), "rating": _("Rating"), "part": _("Given")}
    base = alt.Chart(alt.Data(values=bars)).encode(y=y, tooltip=hover(about, _("Mean")))
    stacked = base.mark_bar(stroke=SOFT, strokeWidth=0.5, height={"band": 0.72}).encode(
        x=alt.X("start:Q", scale=alt.Scale(domain=[0, 1]), axis=shares(_("share of ratings"))), x2="end:Q", color=colour
    )
    counts = (
        base.transform_filter("datum.end - datum.start > 0.045")
        .mark_text(fontSize=11.5)
        .encode(x=alt.X("middle:Q"), text="count:N", color=alt.Color("ink:N", scale=None))
    )
    beside = base.transform_filter(alt.datum.rating == levels[0]).mark_text(**BESIDE, fontSize=12, color=INK)
    beside = beside.encode(x=alt.value(WIDTH), text="mean:N")
    return alt.layer(stacked, counts, beside).properties(width=WIDTH, height=alt.Step(40), title=title)


def rating_bars(row: Row, levels: Sequence[int]) -> list[dict[str, Any]]:
    """The pieces of one bar, from the worst rating to the best."""
    ends = interval(row["low"], row["high"])
    mean = _("mean %(mean)s %(interval)s, n %(n)s") % {
        "mean": number(row["mean"], digits_of(row["low"], row["high"])),
        "interval": ends,
        "n": count(row["n"]),
    }
    bars, before = [], 0
    for level, colour in zip(levels, shades(len(levels)), strict=True):
        n = row[f"n_{level}"]
        start, before = before / row["n"], before + n
        end = before / row["n"]
        bars.append(
            {
                "row": f"{row['generator']} · {evaluator_word(row['evaluator'])}",
                "generator": row["generator"],
                "evaluator": evaluator_word(row["evaluator"]),
                "part": part_of(n, row["n"]),
                "rating": level,
                "count": n,
                "mean": mean,
                "ink": ink_on(colour),
            }
            | {"start": start, "end": end, "middle": (start + end) / 2}
            | describe_measure(row, "mean", with_texts(row, "mean", ratings_counted(row["n"])))
        )
    return bars


def accuracy_by_rating(table: Table, title: Mapping[str, Any]) -> Any:
    """Accuracy without and with the text by the annotator's own rating, with intervals and n."""
    bars = [bar_of(row) for row in table.rows]
    names = [name_stage("guess"), name_stage("read")]
    axis = alt.Axis(labelAngle=0, ticks=False, labelPadding=24)
    x = alt.X("rating:O", title=_("own rating of the item; above it the number of judgments"), axis=axis)
    offset = alt.XOffset("answers:N", sort=names, scale=alt.Scale(domain=names, paddingInner=0.15))
    about = {"rating": _("Own rating"), "answers": _("Answered")}
    said = hover(about, _("Accuracy"))
    base = alt.Chart(alt.Data(values=bars)).encode(x=x, xOffset=offset, tooltip=said)
    y = alt.Y("accuracy:Q", scale=alt.Scale(domain=[0, 1]), axis=shares(_("share of options judged correctly")))
    chance = alt.Chart(alt.Data(values=[{}])).mark_rule(strokeDash=[3, 3], color=SOFT).encode(y=alt.datum(0.5))
    columns = base.mark_bar(strokeWidth=2).encode(y=y, **by_answers())
    drawn = base.transform_filter("isValid(datum.low)")
    whisker = drawn.encode(y=alt.Y("low:Q"), y2="high:Q")
    # A white line beneath keeps the whisker visible on a filled bar.
    halo = whisker.transform_filter(alt.datum.stage == "read").mark_rule(strokeWidth=4, color=PLATE)
    counts = base.mark_text(dy=7, fontSize=11, baseline="top", color=SOFT).encode(y=alt.value(HEIGHT), text="n:N")
    layers = chance, columns, halo, whisker.mark_rule(strokeWidth=1.5, color=INK), counts
    return alt.layer(*layers).properties(width=WIDTH + 120, height=HEIGHT, title=title)


def bar_of(row: Row) -> dict[str, Any]:
    return {
        "rating": row["rating"],
        "stage": row["stage"],
        "answers": name_stage(row["stage"]),
        "accuracy": row["accuracy"],
        "low": row["low"],
        "high": row["high"],
        "n": count(row["n"]),
        **describe_measure(row, "accuracy", with_texts(row, "accuracy", judgments_counted(row["n"]))),
    }
