"""The figures of a report, declared with Altair and drawn without a browser or a network."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from analysis.figures.intervals import draw_outlook, list_forests
from analysis.figures.style import get_config
from analysis.plugins import load_plugins
from analysis.tables.spec import Table

Draw = Callable[[Table, Mapping[str, Any]], Any]


@cache
def list_figures() -> dict[str, tuple[str, Draw]]:
    """By name of a figure: the table it shows, and the function that draws it."""
    found: dict[str, tuple[str, Draw]] = {}
    for plugin in load_plugins().values():
        found |= plugin.figures()
    return found | list_forests() | {"outlook": ("outlook", draw_outlook)}


def build_specification(name: str, table: Table, heading: str, lines: Sequence[str] = ()) -> dict[str, Any]:
    """The Vega-Lite specification of a figure; `lines` are the lines under its title."""
    title = {"text": heading, "subtitle": list(lines), "anchor": "start", "frame": "bounds"}
    chart = list_figures()[name][1](table, title)
    return {**chart.to_dict(validate=False), "config": get_config()}


def as_json(spec: Mapping[str, Any]) -> str:
    """The specification as files and browsers get it: the same figure gives the same bytes."""
    return json.dumps(spec, ensure_ascii=False, indent=1) + "\n"


def as_svg(spec: Mapping[str, Any]) -> str:
    import vl_convert

    return vl_convert.vegalite_to_svg(dict(spec))


def as_png(svg: str) -> bytes:
    """Twice the size of the SVG, sharp enough for print at column width; half the time of drawing the figure anew."""
    import vl_convert

    return vl_convert.svg_to_png(svg, scale=2)


def as_pdf(spec: Mapping[str, Any]) -> bytes:
    import vl_convert

    return vl_convert.vegalite_to_pdf(dict(spec))


# The forms in which a figure can be downloaded, by file ending.
FORMS: dict[str, Callable[[Mapping[str, Any]], bytes]] = {
    "svg": lambda spec: as_svg(spec).encode(),
    "pdf": as_pdf,
    "png": lambda spec: as_png(as_svg(spec)),
    "vl.json": lambda spec: as_json(spec).encode(),
}
