"""The figures of a report, declared with Altair and drawn without a browser or a network."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analysis.figures.dimensions import dimension_correlations, generator_means, metric_correlations
from analysis.figures.dumbbell import dumbbell
from analysis.figures.outlook import outlook
from analysis.figures.pairs import ranking, wins
from analysis.figures.ratings import accuracy_by_rating, ratings
from analysis.figures.stopping import flow, label_distributions
from analysis.figures.style import CONFIG
from analysis.tables import Table

# Name of a figure: the table it shows, and the function that draws it.
FIGURES: dict[str, tuple[str, Callable[[Table, Mapping[str, Any]], Any]]] = {
    "dumbbell": ("informativity", dumbbell),
    "dumbbell_matched": ("informativity_matched", dumbbell),
    "ratings": ("ratings", ratings),
    "accuracy_by_rating": ("accuracy_by_rating", accuracy_by_rating),
    "generator_means": ("generator_means", generator_means),
    "flow": ("flow", flow),
    "label_distributions": ("label_distributions", label_distributions),
    "dimension_correlations": ("dimension_correlations", dimension_correlations),
    "metric_correlations": ("metric_correlations", metric_correlations),
    "wins": ("wins", wins),
    "ranking": ("ranking", ranking),
    "outlook": ("outlook", outlook),
}


def specification(name: str, table: Table, heading: str, said: Sequence[str] = ()) -> dict[str, Any]:
    """The Vega-Lite specification of a figure; `said` are the lines under its title."""
    title = {"text": heading, "subtitle": list(said), "anchor": "start", "frame": "bounds"}
    chart = FIGURES[name][1](table, title)
    return {**chart.to_dict(), "config": CONFIG}


def as_json(spec: Mapping[str, Any]) -> str:
    """The specification as files and browsers have it: the same figure gives the same bytes."""
    return json.dumps(spec, ensure_ascii=False, indent=1) + "\n"


def as_svg(spec: Mapping[str, Any]) -> str:
    import vl_convert

    return vl_convert.vegalite_to_svg(dict(spec))


def as_png(spec: Mapping[str, Any]) -> bytes:
    """Twice the size of the SVG, sharp enough for print at column width."""
    import vl_convert

    return vl_convert.vegalite_to_png(dict(spec), scale=2)


# The forms in which a figure is given out, by the ending of its file.
FORMS: dict[str, Callable[[Mapping[str, Any]], bytes]] = {
    "svg": lambda spec: as_svg(spec).encode(),
    "png": as_png,
    "vl.json": lambda spec: as_json(spec).encode(),
}
