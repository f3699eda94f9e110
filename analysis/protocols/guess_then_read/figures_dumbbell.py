"""Guessability and answerability by generator and evaluator, with intervals, informativity and n."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from analysis.figures.style import (
    BARE,
    BESIDE,
    GUESS,
    INK,
    LINE,
    READ,
    SOFT,
    WIDTH,
    by_answers,
    describe_measure,
    hover,
    labels,
    shares,
    with_texts,
)
from analysis.formatting import UNDEFINED, count, digits_of, interval, judgments_counted, number, texts_counted
from analysis.tables.spec import Row, Table
from analysis.words import evaluator_word
from studies.question_words import name_stage

ROW_HEIGHT = 62


def dumbbell(table: Table, title: Mapping[str, Any]) -> Any:
    """One line per generator if there is one evaluator, else a block per generator with a line per evaluator."""
    points = [point for row in table.rows for point in dumbbell_points(row)]
    generators, evaluators = (
        list(dict.fromkeys(point[name] for point in points)) for name in ("generator", "evaluator")
    )
    alone = len(evaluators) < 2
    y = alt.Y(
        "generator:N" if alone else "evaluator:N", title=None, sort=generators if alone else evaluators, axis=BARE
    )
    chart = alt.layer(*layers(y, floor_of(points))).properties(width=WIDTH, height=alt.Step(ROW_HEIGHT))
    data = alt.Data(values=points)
    if alone:
        return chart.properties(data=data, title=title)
    header = alt.Header(labelAngle=0, labelAlign="left", labelAnchor="start", labelOrient="top", labelPadding=0)
    row = alt.Row("generator:N", title=None, sort=generators, header=header)
    return chart.facet(row=row, data=data, spacing=4).properties(title=title)


def layers(y: Any, floor: float) -> list[Any]:
    """From back to front: chance, the bar between both shares, their intervals, the points, the words."""
    scale = alt.Scale(domain=[floor, 1], zero=False)
    axis = shares(_("share of options judged correctly (dashed line: chance)"))
    x, low = (alt.X(field, scale=scale, axis=axis) for field in ("share:Q", "low:Q"))
    base = alt.Chart().encode(y=y, tooltip=said_of_points())
    guess, read = (base.transform_filter(alt.datum.stage == stage) for stage in ("guess", "read"))
    beside = guess.encode(x=alt.value(WIDTH))
    return [
        alt.Chart().mark_rule(strokeDash=[3, 3], color=SOFT).encode(x=alt.datum(0.5)),
        guess.mark_rule(strokeWidth=5, color=LINE).encode(x=x, x2="other:Q"),
        guess.mark_rule(strokeWidth=1.5, color=GUESS, yOffset=9).encode(x=low, x2="high:Q"),
        read.mark_rule(strokeWidth=1.5, color=READ, yOffset=-9).encode(x=low, x2="high:Q"),
        base.mark_point(size=120, strokeWidth=2, opacity=1).encode(x=x, **by_answers()),
        *labels(guess.encode(x=x, text="label:N"), 19),
        *labels(read.encode(x=x, text="label:N"), -19),
        beside.mark_text(**BESIDE, dy=-7, fontSize=12, fontWeight="bold", color=INK).encode(text="difference:N"),
        beside.mark_text(**BESIDE, dy=9, fontSize=11, color=SOFT).encode(text="n:N"),
    ]


def said_of_points() -> list[alt.Tooltip]:
    about = {"generator": _("Generator"), "evaluator": _("Answers by"), "answers": _("Answered")}
    return hover(about, _("Accuracy"), {"difference": _("Informativity")})


def dumbbell_points(row: Row) -> list[dict[str, Any]]:
    """One point for each stage, and what stands beside them; an undefined share has no point."""
    between = row["informativity_low"], row["informativity_high"]
    informed = (
        _(UNDEFINED) if row["informativity"] is None else format_signed(row["informativity"], digits_of(*between))
    )
    difference = f"{informed} {interval(*between)}".rstrip()
    n = _("n %(guess)s and %(read)s") % {"guess": count(row["n_guess"]), "read": count(row["n_read"])}
    n = f"{n}, {texts_counted(row['n_texts'])}"
    shared = {"generator": row["generator"], "evaluator": evaluator_word(row["evaluator"])}
    shared |= {"difference": difference, "n": n}
    named = {"guess": "guessability", "read": "answerability"}
    return [
        shared
        | {"stage": stage, "answers": name_stage(stage), "share": row[measure], "label": format_label(row[measure])}
        | {"low": row[f"{measure}_low"], "high": row[f"{measure}_high"], "other": row["answerability"]}
        | describe_measure(row, measure, with_texts(row, measure, judgments_counted(row[f"n_{stage}"])), f"{measure}_")
        for stage, measure in named.items()
    ]


def floor_of(points: Sequence[Mapping[str, Any]]) -> float:
    """Where the axis begins: at .4, or below the lowest number drawn."""
    drawn = [point[name] for point in points for name in ("share", "low") if point[name] is not None]
    return min([0.4, *(int(10 * value) / 10 for value in drawn)])


def format_label(value: float | None) -> str:
    return "" if value is None else number(value)


def format_signed(value: float, digits: int) -> str:
    said = number(value, digits)
    return f"+{said}" if said[0] == "." or said[0].isdecimal() else said
