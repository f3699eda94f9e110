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
    """The table and the drawing function of each figure, by name of the figure."""
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
    """The specification as JSON for files and browsers; the same figure gives the same bytes."""
    return json.dumps(spec, ensure_ascii=False, indent=1) + "\n"


def as_svg(spec: Mapping[str, Any]) -> str:
    import vl_convert

    return vl_convert.vegalite_to_svg(dict(spec))


def as_png(svg: str) -> bytes:
    """The SVG as PNG at twice its size, sharp enough for print at column width; drawing anew takes twice as long."""
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
