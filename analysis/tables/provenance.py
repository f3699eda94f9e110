"""What a number is based on and how it was computed, in words: for its tooltip and above its drill-down."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.formatting import (
    count,
    say_generators,
    say_items,
    say_judgments,
    say_people,
    say_scores,
    say_texts,
)
from analysis.tables.spec import Column, Row, Table

SAY_UNITS: Mapping[str, Callable[[int], str]] = {
    "text": say_texts, "text × annotator": say_texts, "annotator": say_people, "item": say_items,
    "generator": say_generators,
}  # fmt: skip
SAY_RESPONSES: Mapping[str, Callable[[int], str]] = {
    "judgments": say_judgments, "scores": say_scores, "items": say_items,
}  # fmt: skip
UNITS_WITH_RESPONSES = ("text", "text × annotator", "annotator", "unit")  # units that have several responses each


TWO_WAY: Mapping[str, Callable[[], str]] = {
    "text × annotator": lambda: _("95 %% interval: readers and texts, one t per variance component") % {},
    "text": lambda: _("95 %% interval: texts only (t)") % {},
    "annotator": lambda: _("95 %% interval: readers only (t)") % {},
}


def describe_number(row: Row, column: Column, table: Table, convention: str) -> tuple[str, ...]:
    """Sentences on what the column is, how its interval was computed, and what it counts; unknown parts are missing."""
    if column.name in table.keys:
        return ()
    interval = row.get("intervals", {}).get(column.name, {}).get(convention, {})
    sentences: Iterable[str] = (
        describe_method(interval, column.counts) if "unit" in interval else describe_counts(row, column, table)
    )
    return tuple(filter(None, (column.about, *sentences)))


def describe_method(interval: Mapping[str, Any], counts: str = "judgments") -> tuple[str, str]:
    """The method of an interval, and its units with what they contain; no method if the interval is undefined."""
    unit, n_units = interval["unit"], interval["n_units"]
    n = [SAY_RESPONSES[counts](n_units) if unit == "judgment" else say_unit_count(unit, n_units)]
    if unit in UNITS_WITH_RESPONSES:
        n.append(SAY_RESPONSES[counts](interval["n_responses"]))
    method = "" if interval["low"] is None else name_method(interval)
    return method, ", ".join(n)


def name_method(interval: Mapping[str, Any]) -> str:
    values = {"draws": count(interval["replicates"]), "seed": interval["seed"], "method": interval["method"]}
    if interval["method"] == "jackknife-t":
        return _("95 %% interval: jackknife over texts (t)") % {}
    if interval["method"] == "two-way-t":
        return TWO_WAY[interval["unit"]]()
    if interval["method"] == "linearised-t":
        return _("95 %% interval: from the spread between units (t)") % {}
    if interval["method"] == "bootstrap-percentile":
        return _("95 %% interval: %(draws)s draws, seed %(seed)s") % values
    if interval["method"] == "fisher-z":
        return _("95 %% interval: Fisher's z, takes rows as independent") % {}
    return _("95 %% interval: %(method)s") % values


def say_unit_count(unit: str, n: int) -> str:
    """The number of texts, items, generators, or units of another kind, in words."""
    if unit in SAY_UNITS:
        return SAY_UNITS[unit](n)
    return ngettext("%(n)s unit", "%(n)s units", n) % {"n": count(n)}


def describe_counts(row: Row, column: Column, table: Table) -> list[str]:
    """The counts in the same row, each with its title."""
    counts = [
        each for each in table.columns if each.kind == "count" and each is not column and each.name not in table.keys
    ]
    return [f"{each.title}: {count(row[each.name])}" for each in counts if row[each.name] is not None]
