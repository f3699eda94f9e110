"""How much of a model's probability was on the two labels: far below 1 it was not answering the question."""

from collections.abc import Collection

import numpy as np
from django.utils.translation import gettext as _

from analysis.measures.calibration import LOW_MASS
from analysis.measures.calibration import label_mass as measured
from analysis.reports.tables import LABEL_MASS as SPEC
from analysis.tables.spec import Column, Table
from evaluation.calls import iter_label_masses
from studies.models import Study


def label_mass(study: Study, purposes: Collection[str]) -> Table:
    """One row per model and stage of which the calls are here; a study that came as a file has none."""
    found: dict[tuple[str, str], list[float]] = {}
    for evaluator, stage, mass in iter_label_masses(study, purposes):
        found.setdefault((evaluator, stage), []).append(mass)
    rows = [row_of(*key, masses) for key, masses in found.items()]
    below = _("Below %(share)s") % {"share": f"{LOW_MASS:.1f}"[1:]}
    return SPEC.build(rows, more={"least": (Column("low", below, "count", about=_("calls below that")),)})


def row_of(evaluator: str, stage: str, masses: list[float]) -> dict[str, object]:
    mass = measured(np.array(masses), np.zeros(len(masses)))
    return {
        "evaluator": evaluator,
        "stage": stage,
        "mean": mass.mean,
        "median": mass.median,
        "least": mass.least,
        "low": mass.low,
        "n": mass.n,
    }
