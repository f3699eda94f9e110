"""How much of a model's probability was on the two labels: far below 1 it was not answering the question."""

from collections.abc import Collection

import numpy as np
from django.utils.translation import gettext as _

from analysis.measures.calibration import LOW_MASS
from analysis.measures.calibration import label_mass as measured
from analysis.tables.spec import Shown, Table, make_table
from evaluation.calls import iter_label_masses
from studies.models import Study

COLUMNS = ("evaluator", "stage", "mean", "median", "least", "low", "n")


def label_mass(study: Study, purposes: Collection[str]) -> Table:
    """One row per model and stage of which the calls are here; a study that came as a file has none."""
    found: dict[tuple[str, str], list[float]] = {}
    for evaluator, stage, mass in iter_label_masses(study, purposes):
        found.setdefault((evaluator, stage), []).append(mass)
    rows = [row_of(*key, masses) for key, masses in found.items()]
    columns = (
        Shown(_("Answers by"), "evaluator", "evaluator"),
        Shown(_("Stage"), "stage", "stage"),
        Shown(_("Mean"), "mean", "number", about=_("mean of p(true) + p(false) over calls")),
        Shown(_("Median"), "median", "number", about=_("median of p(true) + p(false) over calls")),
        Shown(_("Least"), "least", "number", about=_("least p(true) + p(false) of a call")),
        Shown(_("Below %(share)s") % {"share": f"{LOW_MASS:.1f}"[1:]}, "low", "count", about=_("calls below that")),
        Shown("n", "n", "count", about=_("calls with probabilities of both labels")),
    )
    note = _("p(true) + p(false) at the first token of the answer, before one is divided by the other.")
    title, named_by = _("Label mass"), ("evaluator", "stage")
    return make_table("label_mass", COLUMNS, rows, title=title, notes=(note,), shown=columns, named_by=named_by)


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
