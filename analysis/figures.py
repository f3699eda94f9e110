"""The figures of a report, declared with Altair and drawn without a browser or a network.

Answers without and with the text differ in fill as well as colour, and ratings run from light to dark, so that the
figures survive a photocopier and colour blindness. They stand on a white plate, on dark pages too: labels keep their
contrast, and page and paper show the same figure.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from analysis.formatting import count, evaluator_word, interval, number, stage_word, texts_counted
from analysis.tables import Row, Table

GUESS, READ = "#a8560a", "#0b5c8a"
INK, SOFT, LINE, PLATE = "#1f1d1a", "#5e5a52", "#c9c3b6", "#ffffff"
LIGHT, DARK = "#f1e8d2", "#17494f"
WIDTH, HEIGHT, LABELS = 420, 240, 220
CONFIG: dict[str, Any] = {
    "background": PLATE,
    "padding": {"left": 14, "top": 14, "bottom": 14, "right": 40},  # a reader's sans-serif may be wider than ours
    "font": "sans-serif",
    "view": {"stroke": None},
    "title": {"color": INK, "fontSize": 15, "subtitleColor": SOFT, "subtitleFontSize": 12, "offset": 14},
    "axis": {"labelColor": INK, "labelFontSize": 12, "labelLimit": LABELS, "gridColor": "#ece8df", "domainColor": LINE}
    | {"titleColor": SOFT, "titleFontSize": 12, "titleFontWeight": "normal", "tickColor": LINE},
    "legend": {"labelColor": INK, "labelFontSize": 12, "titleColor": SOFT, "titleFontWeight": "normal", "orient": "top"}
    | {"columnPadding": 28},
    "header": {"labelColor": INK, "labelFontSize": 13, "labelFontWeight": "bold", "labelLimit": LABELS},
}


BARE: dict[str, Any] = {"ticks": False, "domain": False, "labelPadding": 10}
BESIDE: dict[str, Any] = {"align": "left", "dx": 14}


def shares(title: str) -> dict[str, Any]:
    """An axis of shares, written like those in the tables: .5."""
    return {"title": title, "tickCount": 6, "labelExpr": "replace(format(datum.value, '.1f'), regexp('^0'), '')"}


def dumbbell(table: Table, title: Mapping[str, Any]) -> Any:
    """Guessability and answerability by generator and evaluator, with intervals, informativity and n."""
    import altair as alt

    points = [point for row in table.rows for point in dumbbell_points(row)]
    generators, evaluators = (
        list(dict.fromkeys(point[name] for point in points)) for name in ("generator", "evaluator")
    )
    alone = len(evaluators) < 2
    y = alt.Y(
        "generator:N" if alone else "evaluator:N", title=None, sort=generators if alone else evaluators, axis=BARE
    )
    x, low = (
        alt.X(
            field,
            scale=alt.Scale(domain=[floor_of(points), 1], zero=False),
            axis=shares(_("share of options judged correctly")),
        )
        for field in ("share:Q", "low:Q")
    )
    base = alt.Chart().encode(y=y)
    guess, read = (base.transform_filter(alt.datum.stage == stage) for stage in ("guess", "read"))
    beside = guess.encode(x=alt.value(WIDTH))
    layers = [
        alt.Chart().mark_rule(strokeDash=[3, 3], color=SOFT).encode(x=alt.datum(0.5)),
        guess.mark_rule(strokeWidth=5, color=LINE).encode(x=x, x2="other:Q"),
        guess.mark_rule(strokeWidth=1.5, color=GUESS, yOffset=9).encode(x=low, x2="high:Q"),
        read.mark_rule(strokeWidth=1.5, color=READ, yOffset=-9).encode(x=low, x2="high:Q"),
        base.mark_point(size=120, strokeWidth=2, opacity=1).encode(x=x, **by_answers(alt)),
        guess.mark_text(dy=19, fontSize=11.5, color=INK).encode(x=x, text="label:N"),
        read.mark_text(dy=-19, fontSize=11.5, color=INK).encode(x=x, text="label:N"),
        beside.mark_text(**BESIDE, dy=-7, fontSize=12, fontWeight="bold", color=INK).encode(text="difference:N"),
        beside.mark_text(**BESIDE, dy=9, fontSize=11, color=SOFT).encode(text="n:N"),
    ]
    chart = alt.layer(*layers).properties(width=WIDTH, height=alt.Step(62))
    data = alt.Data(values=points)
    if alone:
        return chart.properties(data=data, title=title)
    header = alt.Header(labelAngle=0, labelAlign="left", labelAnchor="start", labelOrient="top", labelPadding=0)
    row = alt.Row("generator:N", title=None, sort=generators, header=header)
    return chart.facet(row=row, data=data, spacing=4).properties(title=title)


def dumbbell_points(row: Row) -> list[dict[str, Any]]:
    """One point for each stage, and what stands beside them; an undefined share has no point."""
    ends = interval(row["informativity_low"], row["informativity_high"])
    difference = "" if row["informativity"] is None else f"{signed(row['informativity'])} {ends}".rstrip()
    n = _("n %(guess)s and %(read)s") % {"guess": count(row["n_guess"]), "read": count(row["n_read"])}
    n = f"{n}, {texts_counted(row['n_texts'])}"
    shared = {"generator": row["generator"], "evaluator": evaluator_word(row["evaluator"])}
    shared |= {"difference": difference, "n": n}
    named = {"guess": "guessability", "read": "answerability"}
    return [
        shared
        | {"stage": stage, "answers": stage_word(stage), "share": row[measure], "label": labelled(row[measure])}
        | {"low": row[f"{measure}_low"], "high": row[f"{measure}_high"], "other": row["answerability"]}
        for stage, measure in named.items()
    ]


def by_answers(alt: Any) -> dict[str, Any]:
    """Open for answers without the text, filled for those with it; one legend for both."""
    names = [stage_word("guess"), stage_word("read")]
    return {
        "fill": alt.Fill("answers:N", title=None, scale=alt.Scale(domain=names, range=[PLATE, READ])),
        "stroke": alt.Stroke("answers:N", title=None, scale=alt.Scale(domain=names, range=[GUESS, READ])),
    }


def floor_of(points: Sequence[Mapping[str, Any]]) -> float:
    """Where the axis begins: at .4, or below the lowest number drawn."""
    drawn = [point[name] for point in points for name in ("share", "low") if point[name] is not None]
    return min([0.4, *(int(10 * value) / 10 for value in drawn)])


def labelled(value: float | None) -> str:
    return "" if value is None else number(value)


def signed(value: float) -> str:
    return number(value) if value < 0 else f"+{number(value)}"


def ratings(table: Table, title: Mapping[str, Any]) -> Any:
    """The shares of each rating by generator and evaluator, stacked, with counts and means."""
    import altair as alt

    levels = [int(column[2:]) for column in table.columns if column.startswith("n_")]
    bars = [bar for row in table.rows if row["n"] for bar in rating_bars(row, levels)]
    rows = list(dict.fromkeys(bar["row"] for bar in bars))
    y = alt.Y("row:N", title=None, sort=rows, axis=BARE)
    legend = alt.Legend(titleOrient="left", symbolType="square", symbolStrokeColor=SOFT, symbolStrokeWidth=0.5)
    scale = alt.Scale(domain=levels, range=shades(len(levels)))
    colour = alt.Color("rating:O", title=_("rating (1 is worst)"), scale=scale, legend=legend)
    base = alt.Chart(alt.Data(values=bars)).encode(y=y)
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


def shades(n: int) -> list[str]:
    """n colours from light to dark in even steps."""
    ends = [[int(colour[place : place + 2], 16) for place in (1, 3, 5)] for colour in (LIGHT, DARK)]
    mixed = ([round(a + (b - a) * step / (n - 1)) for a, b in zip(*ends, strict=True)] for step in range(n))
    return ["#" + "".join(f"{part:02x}" for part in colour) for colour in mixed]


def rating_bars(row: Row, levels: Sequence[int]) -> list[dict[str, Any]]:
    """The pieces of one bar, from the worst rating to the best."""
    ends = interval(row["low"], row["high"])
    mean = _("mean %(mean)s %(interval)s, n %(n)s") % {
        "mean": number(row["mean"]),
        "interval": ends,
        "n": count(row["n"]),
    }
    bars, before = [], 0
    for place, level in enumerate(levels):
        n = row[f"n_{level}"]
        start, before = before / row["n"], before + n
        end = before / row["n"]
        ink = INK if place < len(levels) / 2 else PLATE
        bars.append(
            {
                "row": f"{row['generator']} · {evaluator_word(row['evaluator'])}",
                "rating": level,
                "count": n,
                "mean": mean,
                "ink": ink,
            }
            | {"start": start, "end": end, "middle": (start + end) / 2}
        )
    return bars


def accuracy_by_rating(table: Table, title: Mapping[str, Any]) -> Any:
    """Accuracy without and with the text by the annotator's own rating, with intervals and n."""
    import altair as alt

    bars = [bar_of(row) for row in table.rows]
    names = [stage_word("guess"), stage_word("read")]
    axis = alt.Axis(labelAngle=0, ticks=False, labelPadding=24)
    x = alt.X("rating:O", title=_("own rating of the item, beneath the number of judgments"), axis=axis)
    offset = alt.XOffset("answers:N", sort=names, scale=alt.Scale(domain=names, paddingInner=0.15))
    base = alt.Chart(alt.Data(values=bars)).encode(x=x, xOffset=offset)
    y = alt.Y("accuracy:Q", scale=alt.Scale(domain=[0, 1]), axis=shares(_("share of options judged correctly")))
    chance = alt.Chart(alt.Data(values=[{}])).mark_rule(strokeDash=[3, 3], color=SOFT).encode(y=alt.datum(0.5))
    columns = base.mark_bar(strokeWidth=2).encode(y=y, **by_answers(alt))
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
        "answers": stage_word(row["stage"]),
        "accuracy": row["accuracy"],
        "low": row["low"],
        "high": row["high"],
        "n": count(row["n"]),
    }


FIGURES: dict[str, tuple[str, Callable[[Table, Mapping[str, Any]], Any]]] = {
    "dumbbell": ("informativity", dumbbell),
    "dumbbell_matched": ("informativity_matched", dumbbell),
    "ratings": ("ratings", ratings),
    "accuracy_by_rating": ("accuracy_by_rating", accuracy_by_rating),
}


def specification(name: str, table: Table, heading: str, said: Sequence[str] = ()) -> dict[str, Any]:
    """The Vega-Lite specification of a figure; `said` are the lines under its title."""
    title = {"text": heading, "subtitle": list(said), "anchor": "start", "frame": "bounds"}
    chart = FIGURES[name][1](table, title)
    return {**chart.to_dict(), "config": CONFIG}


def as_svg(spec: Mapping[str, Any]) -> str:
    import vl_convert

    return vl_convert.vegalite_to_svg(dict(spec))


def as_png(spec: Mapping[str, Any]) -> bytes:
    """Twice the size of the SVG, sharp enough for print at column width."""
    import vl_convert

    return vl_convert.vegalite_to_png(dict(spec), scale=2)
