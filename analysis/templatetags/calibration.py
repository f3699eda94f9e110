"""The agreement of a calibration, for the page of a study: studies know nothing of analysis."""

from typing import Any

from django import template

from analysis.formatting import UNDEFINED, figure, interval
from analysis.services.results import find_calibration
from analysis.words import view_word
from jobs.views import describe_progress
from studies.models import Study
from studies.protocols import PROTOCOLS

register = template.Library()


@register.inclusion_tag("analysis/parts/calibration.html", takes_context=True)
def calibration_table(context: dict[str, Any], study: Study) -> dict[str, Any]:
    """Percent agreement and Conger's κ of the calibration, in words; of pairwise studies."""
    if PROTOCOLS[study.protocol].unit != "pair":
        return {"is_known": True, "rows": []}
    found = find_calibration(study)
    known = {
        "study": study,
        "csrf_token": context.get("csrf_token"),
        "is_known": found.cached is not None,
        "rows": [word_row(row) for row in found.cached.result] if found.cached else [],
    }
    if found.pending is None:
        return known
    return known | describe_progress(context["request"], found.pending, shows=found.cached is not None)


def word_row(row: dict) -> dict:
    percent, kappa = (row[name] if row[name] is None else figure(row[name]) for name in ("percent", "conger_kappa"))
    return row | {
        "view": view_word(row["view"]),
        "percent": percent or UNDEFINED,
        "kappa": kappa or UNDEFINED,
        "interval": interval(row["low"], row["high"]),
    }
