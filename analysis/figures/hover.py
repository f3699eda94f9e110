"""What a figure says of a mark that is pointed at: what it stands for, the number, its interval, n, unit and method.

It stands in the specification as words, rounded as in the tables, so that every reader of it says the same.
"""

from collections.abc import Mapping
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from analysis.formatting import UNDEFINED, count, digits_of, interval, number, texts_counted
from analysis.tables import Row


def hover(about: Mapping[str, str], measured: str = "", more: Mapping[str, str] | None = None) -> list[alt.Tooltip]:
    """Lines by field and title: `about`, then the fields of `told` if the number has a name, then `more`."""
    lines = dict(about)
    if measured:
        titles = measured, _("95 percent interval"), _("n"), _("Interval from")
        lines |= dict(zip(("number", "interval", "counted", "method"), titles, strict=True))
    return [alt.Tooltip(field, type="nominal", title=title) for field, title in (lines | dict(more or {})).items()]


def told(row: Row, measure: str, counted: str, prefix: str = "") -> dict[str, str]:
    """Number, interval, n and method of a measure of the row; `counted` is its n with the unit.

    Without an interval the reason of that stands in its place. `prefix` is that of the columns of ends and reason.
    """
    low, high, reason = (row[f"{prefix}{end}"] for end in ("low", "high", "reason"))
    ends = interval(low, high) or ": ".join(filter(None, (_(UNDEFINED), reason)))
    return {
        "number": _(UNDEFINED) if row[measure] is None else number(row[measure], digits_of(low, high)),
        "interval": ends,
        "counted": counted,
        "method": "" if low is None else method_of(row["intervals"][measure], (low, high)),
    }


def method_of(intervals: Mapping[str, Mapping[str, Any]], ends: tuple[float, float]) -> str:
    """How the interval with these ends came about, in words."""
    found = next(each for each in intervals.values() if (each["low"], each["high"]) == ends)
    words = {
        ("jackknife-t", "text"): _("each text left out in turn (jackknife, t)"),
        ("jackknife-t", "judgment"): _("each judgment left out in turn (jackknife, t)"),
        ("bootstrap-percentile", "text"): _("%(n)s draws of texts"),
        ("bootstrap-percentile", "judgment"): _("%(n)s draws of single judgments"),
        ("fisher-z", "item"): _("Fisher's z, items taken as independent"),
        ("fisher-z", "generator"): _("Fisher's z, generators taken as independent"),
    }
    return words[found["method"], found["unit"]] % {"n": count(found["replicates"])}


def with_texts(row: Row, measure: str, counted: str) -> str:
    """An n with the number of texts that it is from."""
    return f"{counted}, {texts_counted(row['intervals'][measure]['clustered']['n_units'])}"
