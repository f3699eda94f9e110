"""How all figures look, and what they share.

Answers without and with the text differ in fill as well as colour, and ratings run from light to dark, so that the
figures survive a photocopier and colour blindness. They stand on a white plate, on dark pages too: labels keep their
contrast, and page and paper show the same figure.
"""

from typing import Any

import altair as alt

from analysis.figures.colours import GUESS, INK, LINE, PLATE, READ, SOFT
from studies.question_words import stage_word

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


def shares(title: str, top: float = 1) -> dict[str, Any]:
    """An axis of shares up to `top`, written like those in the tables: .5, or .05 where ticks are so close."""
    digits = 1 if top >= 0.5 else 2 if top >= 0.05 else 3
    label = f"replace(format(datum.value, '.{digits}f'), regexp('^0'), '')"
    return {"title": title, "tickCount": 6, "labelExpr": label}


def by_answers() -> dict[str, Any]:
    """Open for answers without the text, filled for those with it; one legend for both."""
    names = [stage_word("guess"), stage_word("read")]
    return {
        "fill": alt.Fill("answers:N", title=None, scale=alt.Scale(domain=names, range=[PLATE, READ])),
        "stroke": alt.Stroke("answers:N", title=None, scale=alt.Scale(domain=names, range=[GUESS, READ])),
    }


def labels(chart: Any, dy: int, **more: Any) -> list[Any]:
    """Numbers beside points, on a white rim, so that they can be read where they cross a line."""
    rim = chart.mark_text(dy=dy, fontSize=11.5, stroke=PLATE, strokeWidth=4, strokeJoin="round", **more)
    return [rim, chart.mark_text(dy=dy, fontSize=11.5, color=INK, **more)]
