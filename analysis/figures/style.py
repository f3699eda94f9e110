"""The common style of all figures.

Answers without and with the text differ in fill as well as color, and ratings run from light to dark, so that the
figures survive a photocopier and color blindness. They are on a white background, on dark pages too: labels keep their
contrast, and page and paper show the same figure.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from django.utils.translation import gettext as _

from analysis.formatting import (
    UNDEFINED,
    choose_digits,
    count,
    format_interval,
    number,
    say_texts,
    uses_comma,
)
from analysis.tables.spec import Row
from studies.question_words import name_stage


class Altair:
    """Altair, loaded when the first figure is declared: this takes half a second, and most pages do not need it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(load_altair(), name)


@cache
def load_altair() -> Any:
    import altair

    # Altair would validate each part of a figure, which takes half the time. A test validates them instead.
    altair.utils.schemapi.disable_debug_mode()
    return altair


alt: Any = Altair()

GUESS, READ = "#a8560a", "#0b5c8a"
INK, SOFT, LINE, PLATE = "#1f1d1a", "#5e5a52", "#c9c3b6", "#ffffff"
LIGHT, DARK = "#f1e8d2", "#17494f"
BLACK = "#000000"  # on shades: with a softer black, colors in the middle would be unreadable
READS_EQUALLY = 0.1791  # the luminance against which black and white have the same contrast, √(1.05 · .05) − .05


def split_color(color: str) -> list[int]:
    """Red, green and blue of a color like #a8560a, 0 to 255."""
    return [int(color[place : place + 2], 16) for place in (1, 3, 5)]


def mix_shade(share: float) -> str:
    """The color at this share of the way from light to dark."""
    ends = zip(split_color(LIGHT), split_color(DARK), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in ends)


def list_shades(n: int) -> list[str]:
    """n colors, at least two, from light to dark in even steps."""
    return [mix_shade(step / (n - 1)) for step in range(n)]


def compute_luminance(color: str) -> float:
    """Relative luminance of an sRGB color, 0 to 1 (WCAG 2.2)."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in scale_channels(color)]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def scale_channels(color: str) -> list[float]:
    return [part / 255 for part in split_color(color)]


def choose_ink(color: str) -> str:
    """Black or white, whichever has more contrast on the color: at least 4.5 : 1 on any."""
    return BLACK if compute_luminance(color) > READS_EQUALLY else PLATE


WIDTH, HEIGHT, LABELS = 420, 240, 220
CONFIG: dict[str, Any] = {
    "background": PLATE,
    "padding": {"left": 14, "top": 14, "bottom": 14, "right": 40},  # the reader's font may be wider than ours
    "font": "sans-serif",
    "view": {"stroke": None},
    "title": {"color": INK, "fontSize": 15, "subtitleColor": SOFT, "subtitleFontSize": 12, "offset": 14},
    "axis": {"labelColor": INK, "labelFontSize": 12, "labelLimit": LABELS, "gridColor": "#ece8df", "domainColor": LINE}
    | {"titleColor": SOFT, "titleFontSize": 12, "titleFontWeight": "normal", "tickColor": LINE},
    "legend": {"labelColor": INK, "labelFontSize": 12, "titleColor": SOFT, "titleFontWeight": "normal", "orient": "top"}
    | {"columnPadding": 28},
    "header": {"labelColor": INK, "labelFontSize": 13, "labelFontWeight": "bold", "labelLimit": LABELS},
}


def get_config() -> dict[str, Any]:
    """`CONFIG`, with numbers as the active language writes them."""
    if not uses_comma():
        return CONFIG
    numbers = {"decimal": ",", "thousands": ".", "grouping": [3], "currency": ["", ""]}
    return CONFIG | {"locale": {"number": numbers}}


BARE: dict[str, Any] = {"ticks": False, "domain": False, "labelPadding": 10}
BESIDE: dict[str, Any] = {"align": "left", "dx": 14}


def make_share_axis(title: str, top: float = 1) -> dict[str, Any]:
    """An axis of shares up to `top`, formatted as in the tables: .5, or .05 if ticks are close."""
    digits = 1 if top >= 0.5 else 2 if top >= 0.05 else 3
    label = f"format(datum.value, '.{digits}f')"
    return {
        "title": title,
        "tickCount": 6,
        "labelExpr": label if uses_comma() else f"replace({label}, regexp('^0'), '')",
    }


def encode_answers() -> dict[str, Any]:
    """The encoding of answers: hollow without the text, filled with it; one legend for both."""
    names = [name_stage("guess"), name_stage("read")]
    return {
        "fill": alt.Fill("answers:N", title=None, scale=alt.Scale(domain=names, range=[PLATE, READ])),
        "stroke": alt.Stroke("answers:N", title=None, scale=alt.Scale(domain=names, range=[GUESS, READ])),
    }


def layer_labels(chart: Any, dy: int, **more: Any) -> list[Any]:
    """Numbers beside points, with a white outline, so that they are readable where they cross a line."""
    rim = chart.mark_text(dy=dy, fontSize=11.5, stroke=PLATE, strokeWidth=4, strokeJoin="round", **more)
    return [rim, chart.mark_text(dy=dy, fontSize=11.5, color=INK, **more)]


def build_tooltips(about: Mapping[str, str], measured: str = "", more: Mapping[str, str] | None = None) -> list[Any]:
    """The lines of a tooltip, as fields with titles: `about`, then the number and its interval if `measured` names it,
    then `more`."""
    lines = dict(about)
    if measured:
        titles = measured, _("95 percent interval"), _("n"), _("Interval from")
        lines |= dict(zip(("number", "interval", "counted", "method"), titles, strict=True))
    return [alt.Tooltip(field, type="nominal", title=title) for field, title in (lines | dict(more or {})).items()]


def describe_measure(row: Row, measure: str, counted: str, prefix: str = "") -> dict[str, str]:
    """Number, interval, n and method of a measure of the row; `counted` is its n with the unit.

    Without an interval, the reason is given instead. `prefix` begins the names of the columns low, high and reason.
    """
    low, high, reason = (row[f"{prefix}{end}"] for end in ("low", "high", "reason"))
    ends = format_interval(low, high) or ": ".join(filter(None, (_(UNDEFINED), reason)))
    return {
        "number": _(UNDEFINED) if row[measure] is None else number(row[measure], choose_digits(low, high)),
        "interval": ends,
        "counted": counted,
        "method": "" if low is None else name_interval_method(row["intervals"][measure], (low, high)),
    }


def name_interval_method(intervals: Mapping[str, Mapping[str, Any]], ends: tuple[float, float]) -> str:
    """The method of the interval with these bounds, in words."""
    found = next(each for each in intervals.values() if (each["low"], each["high"]) == ends)
    words = {
        ("two-way-t", "text × annotator"): _("readers and texts"),
        ("two-way-t", "text"): _("texts only"),
        ("two-way-t", "annotator"): _("readers only"),
        ("jackknife-t", "text"): _("jackknife over texts (t)"),
        ("jackknife-t", "judgment"): _("jackknife over judgments (t)"),
        ("bootstrap-percentile", "text"): _("%(n)s draws of texts"),
        ("bootstrap-percentile", "judgment"): _("%(n)s draws of single judgments"),
        ("fisher-z", "item"): _("Fisher's z, items treated as independent"),
        ("fisher-z", "generator"): _("Fisher's z, generators treated as independent"),
    }
    return words[found["method"], found["unit"]] % {"n": count(found["replicates"])}


def append_text_count(row: Row, measure: str, counted: str) -> str:
    """`counted`, an n in words, followed by the number of texts."""
    return f"{counted}, {say_texts(row['intervals'][measure]['annotators']['n_units'])}"


CELL_WIDTH, CELL_HEIGHT = 62, 36  # of a shaded grid


def draw_heat_map(
    cells: list[dict[str, Any]],
    title: Mapping[str, Any],
    legend: str,
    domain: tuple[float, float],
    tooltip: list[Any],
    orders: Sequence[list[str]] = (),
    cell_width: int = CELL_WIDTH,
) -> Any:
    """A table of cells from light to dark, each with its number. `orders`: of columns and rows."""
    low, high = domain
    cells = [cell | {"ink": choose_ink(mix_shade((cell["value"] - low) / ((high - low) or 1)))} for cell in cells]
    across, down = orders or [list(dict.fromkeys(cell[axis] for cell in cells)) for axis in ("across", "down")]
    axis = alt.Axis(labelAngle=-35, ticks=False, domain=False, title=None, orient="top")
    base = alt.Chart(alt.Data(values=cells)).encode(
        x=alt.X("across:N", sort=across, axis=axis),
        y=alt.Y("down:N", sort=down, axis=alt.Axis(**BARE, title=None)),
        tooltip=tooltip,
    )
    scale = alt.Scale(domain=list(domain), range=[LIGHT, DARK], interpolate="rgb")
    color = alt.Color(
        "value:Q", scale=scale, legend=alt.Legend(title=legend, titleLimit=420, gradientLength=160, orient="bottom")
    )
    boxes = base.mark_rect(stroke=SOFT, strokeWidth=0.5).encode(color=color)
    words = [
        base.transform_filter(alt.datum.ink == ink).mark_text(fontSize=12, color=ink).encode(text="text:N")
        for ink in (BLACK, PLATE)
    ]
    size = {"width": alt.Step(cell_width), "height": alt.Step(CELL_HEIGHT)}
    return alt.layer(boxes, *words).properties(**size, title=title)
