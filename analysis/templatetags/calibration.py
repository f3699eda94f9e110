"""The agreement of a calibration, for the page of a study: studies know nothing of analysis."""

from django import template

from analysis.formatting import UNDEFINED, figure, interval, view_word
from analysis.services.calibration import calibration_agreement
from studies.models import Study
from studies.protocols import PROTOCOLS

register = template.Library()


@register.inclusion_tag("analysis/parts/calibration.html")
def calibration_table(study: Study) -> dict:
    """Percent agreement and Conger's κ of the calibration, in words; of pairwise studies."""
    rows = calibration_agreement(study) if PROTOCOLS[study.protocol].unit == "pair" else []
    return {"rows": [worded(row) for row in rows]}


def worded(row: dict) -> dict:
    percent, kappa = (row[name] if row[name] is None else figure(row[name]) for name in ("percent", "conger_kappa"))
    return row | {
        "view": view_word(row["view"]),
        "percent": percent or UNDEFINED,
        "kappa": kappa or UNDEFINED,
        "interval": interval(row["low"], row["high"]),
    }
