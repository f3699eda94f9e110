"""Figures of guess-then-read: guessability and answerability by generator and evaluator, and how items were rated."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from analysis.figures.style import (
    BARE,
    BESIDE,
    GUESS,
    HEIGHT,
    INK,
    LINE,
    PLATE,
    READ,
    SOFT,
    WIDTH,
    alt,
    append_text_count,
    build_tooltips,
    choose_ink,
    describe_measure,
    encode_answers,
    layer_labels,
    list_shades,
    make_share_axis,
)
from analysis.formatting import (
    UNDEFINED,
    choose_digits,
    count,
    format_interval,
    format_part,
    number,
    say_judgments,
    say_ratings,
    say_texts,
)
from analysis.tables.spec import Row, Table
from analysis.words import name_evaluator
from studies.question_words import name_stage

ROW_HEIGHT = 62


def draw_dumbbell(table: Table, title: Mapping[str, Any]) -> Any:
    """One line per generator if there is one evaluator, else a block per generator with a line per evaluator."""
    points = [point for row in table.rows for point in build_dumbbell_points(row)]
    generators, evaluators = (
        list(dict.fromkeys(point[name] for point in points)) for name in ("generator", "evaluator")
    )
    alone = len(evaluators) < 2
    y = alt.Y(
        "generator:N" if alone else "evaluator:N", title=None, sort=generators if alone else evaluators, axis=BARE
    )
    chart = alt.layer(*build_layers(y, choose_axis_start(points))).properties(width=WIDTH, height=alt.Step(ROW_HEIGHT))
    data = alt.Data(values=points)
    if alone:
        return chart.properties(data=data, title=title)
    header = alt.Header(labelAngle=0, labelAlign="left", labelAnchor="start", labelOrient="top", labelPadding=0)
    row = alt.Row("generator:N", title=None, sort=generators, header=header)
    return chart.facet(row=row, data=data, spacing=4).properties(title=title)


def build_layers(y: Any, floor: float) -> list[Any]:
    """The layers from back to front: chance, the bar between both shares, their intervals, the points, the texts."""
    scale = alt.Scale(domain=[floor, 1], zero=False)
    axis = make_share_axis(_("share of options judged correctly (dashed line: chance)"))
    x, low = (alt.X(field, scale=scale, axis=axis) for field in ("share:Q", "low:Q"))
    base = alt.Chart().encode(y=y, tooltip=list_point_tooltips())
    guess, read = (base.transform_filter(alt.datum.stage == stage) for stage in ("guess", "read"))
    beside = guess.encode(x=alt.value(WIDTH))
    return [
        alt.Chart().mark_rule(strokeDash=[3, 3], color=SOFT).encode(x=alt.datum(0.5)),
        guess.mark_rule(strokeWidth=5, color=LINE).encode(x=x, x2="other:Q"),
        guess.mark_rule(strokeWidth=1.5, color=GUESS, yOffset=9).encode(x=low, x2="high:Q"),
        read.mark_rule(strokeWidth=1.5, color=READ, yOffset=-9).encode(x=low, x2="high:Q"),
        base.mark_point(size=120, strokeWidth=2, opacity=1).encode(x=x, **encode_answers()),
        *layer_labels(guess.encode(x=x, text="label:N"), 19),
        *layer_labels(read.encode(x=x, text="label:N"), -19),
        beside.mark_text(**BESIDE, dy=-7, fontSize=12, fontWeight="bold", color=INK).encode(text="difference:N"),
        beside.mark_text(**BESIDE, dy=9, fontSize=11, color=SOFT).encode(text="n:N"),
    ]


def list_point_tooltips() -> list[Any]:
    about = {"generator": _("Generator"), "evaluator": _("Answers by"), "answers": _("Answered")}
    return build_tooltips(about, _("Accuracy"), {"difference": _("Informativity")})


def build_dumbbell_points(row: Row) -> list[dict[str, Any]]:
    """One point for each stage, with the texts beside them; an undefined share is not drawn."""
    between = row["informativity_low"], row["informativity_high"]
    informed = (
        _(UNDEFINED) if row["informativity"] is None else format_signed(row["informativity"], choose_digits(*between))
    )
    difference = f"{informed} {format_interval(*between)}".rstrip()
    n = _("n %(guess)s and %(read)s") % {"guess": count(row["n_guess"]), "read": count(row["n_read"])}
    n = f"{n}, {say_texts(row['n_texts'])}"
    shared = {"generator": row["generator"], "evaluator": name_evaluator(row["evaluator"])}
    shared |= {"difference": difference, "n": n}
    named = {"guess": "guessability", "read": "answerability"}
    return [
        shared
        | {"stage": stage, "answers": name_stage(stage), "share": row[measure], "label": format_label(row[measure])}
        | {"low": row[f"{measure}_low"], "high": row[f"{measure}_high"], "other": row["answerability"]}
        | describe_measure(
            row, measure, append_text_count(row, measure, say_judgments(row[f"n_{stage}"])), f"{measure}_"
        )
        for stage, measure in named.items()
    ]


def choose_axis_start(points: Sequence[Mapping[str, Any]]) -> float:
    """Where the axis begins: at .4, or below the lowest number drawn."""
    drawn = [point[name] for point in points for name in ("share", "low") if point[name] is not None]
    return min([0.4, *(int(10 * value) / 10 for value in drawn)])


def format_label(value: float | None) -> str:
    return "" if value is None else number(value)


def format_signed(value: float, digits: int) -> str:
    text = number(value, digits)
    return f"+{text}" if text[0] == "." or text[0].isdecimal() else text


# Ratings of items, and the accuracy of answers by rating.


def draw_ratings(table: Table, title: Mapping[str, Any]) -> Any:
    """The shares of each rating by generator and evaluator, stacked, with counts and means."""
    levels = [int(column[2:]) for column in table.header if column.startswith("n_")]
    bars = [bar for row in table.rows if row["n"] for bar in build_rating_bars(row, levels)]
    rows = list(dict.fromkeys(bar["row"] for bar in bars))
    y = alt.Y("row:N", title=None, sort=rows, axis=BARE)
    legend = alt.Legend(
        titleOrient="left", titlePadding=14, symbolType="square", symbolStrokeColor=SOFT, symbolStrokeWidth=0.5
    )
    scale = alt.Scale(domain=levels, range=list_shades(len(levels)))
    color = alt.Color("rating:O", title=_("rating (1 is worst)"), scale=scale, legend=legend)
    about = {"generator": _("Generator"), "evaluator": _("Ratings by"), "rating": _("Rating"), "part": _("Given")}
    base = alt.Chart(alt.Data(values=bars)).encode(y=y, tooltip=build_tooltips(about, _("Mean")))
    stacked = base.mark_bar(stroke=SOFT, strokeWidth=0.5, height={"band": 0.72}).encode(
        x=alt.X("start:Q", scale=alt.Scale(domain=[0, 1]), axis=make_share_axis(_("share of ratings"))),
        x2="end:Q",
        color=color,
    )
    counts = (
        base.transform_filter("datum.end - datum.start > 0.045")
        .mark_text(fontSize=11.5)
        .encode(x=alt.X("middle:Q"), text="count:N", color=alt.Color("ink:N", scale=None))
    )
    beside = base.transform_filter(alt.datum.rating == levels[0]).mark_text(**BESIDE, fontSize=12, color=INK)
    beside = beside.encode(x=alt.value(WIDTH), text="mean:N")
    return alt.layer(stacked, counts, beside).properties(width=WIDTH, height=alt.Step(40), title=title)


def build_rating_bars(row: Row, levels: Sequence[int]) -> list[dict[str, Any]]:
    """The pieces of one bar, from the worst rating to the best."""
    ends = format_interval(row["low"], row["high"])
    mean = _("mean %(mean)s %(interval)s, n %(n)s") % {
        "mean": number(row["mean"], choose_digits(row["low"], row["high"])),
        "interval": ends,
        "n": count(row["n"]),
    }
    bars, before = [], 0
    for level, color in zip(levels, list_shades(len(levels)), strict=True):
        n = row[f"n_{level}"]
        start, before = before / row["n"], before + n
        end = before / row["n"]
        bars.append(
            {
                "row": f"{row['generator']} · {name_evaluator(row['evaluator'])}",
                "generator": row["generator"],
                "evaluator": name_evaluator(row["evaluator"]),
                "part": format_part(n, row["n"]),
                "rating": level,
                "count": n,
                "mean": mean,
                "ink": choose_ink(color),
            }
            | {"start": start, "end": end, "middle": (start + end) / 2}
            | describe_measure(row, "mean", append_text_count(row, "mean", say_ratings(row["n"])))
        )
    return bars


def draw_accuracy_by_rating(table: Table, title: Mapping[str, Any]) -> Any:
    """Accuracy without and with the text by the annotator's own rating, with intervals and n."""
    bars = [build_bar(row) for row in table.rows]
    names = [name_stage("guess"), name_stage("read")]
    axis = alt.Axis(labelAngle=0, ticks=False, labelPadding=24)
    x = alt.X("rating:O", title=_("own rating of the item; above it the number of judgments"), axis=axis)
    offset = alt.XOffset("answers:N", sort=names, scale=alt.Scale(domain=names, paddingInner=0.15))
    about = {"rating": _("Own rating"), "answers": _("Answered")}
    tooltip = build_tooltips(about, _("Accuracy"))
    base = alt.Chart(alt.Data(values=bars)).encode(x=x, xOffset=offset, tooltip=tooltip)
    y = alt.Y(
        "accuracy:Q", scale=alt.Scale(domain=[0, 1]), axis=make_share_axis(_("share of options judged correctly"))
    )
    chance = alt.Chart(alt.Data(values=[{}])).mark_rule(strokeDash=[3, 3], color=SOFT).encode(y=alt.datum(0.5))
    columns = base.mark_bar(strokeWidth=2).encode(y=y, **encode_answers())
    drawn = base.transform_filter("isValid(datum.low)")
    whisker = drawn.encode(y=alt.Y("low:Q"), y2="high:Q")
    # A white line beneath keeps the whisker visible on a filled bar.
    halo = whisker.transform_filter(alt.datum.stage == "read").mark_rule(strokeWidth=4, color=PLATE)
    counts = base.mark_text(dy=7, fontSize=11, baseline="top", color=SOFT).encode(y=alt.value(HEIGHT), text="n:N")
    layers = chance, columns, halo, whisker.mark_rule(strokeWidth=1.5, color=INK), counts
    return alt.layer(*layers).properties(width=WIDTH + 120, height=HEIGHT, title=title)


def build_bar(row: Row) -> dict[str, Any]:
    return {
        "rating": row["rating"],
        "stage": row["stage"],
        "answers": name_stage(row["stage"]),
        "accuracy": row["accuracy"],
        "low": row["low"],
        "high": row["high"],
        "n": count(row["n"]),
        **describe_measure(row, "accuracy", append_text_count(row, "accuracy", say_judgments(row["n"]))),
    }
