"""Agreement of pairs of labels, and label mass: the probability that a model gives to both labels."""

from collections.abc import Collection
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from analysis.formatting import number
from analysis.measures.agreement import cohen_kappa, gwet_ac1, percent_agreement
from analysis.measures.coefficients import category_counts, fleiss_kappa, table_ratings
from analysis.measures.stand_in import LOW_MASS
from analysis.measures.stand_in import label_mass as measure_label_mass
from analysis.measures.types import IntArray
from analysis.reports.tables import LABEL_MASS as SPEC
from analysis.tables.spec import Column, Table
from evaluation.services.calls import iter_label_masses
from studies.models import Study


def measure_labels(table: IntArray) -> dict[str, Any]:
    """The cells of `tables.LABEL_AGREEMENT`: percent, Cohen's κ, κ regardless of the order within a pair, AC1, number
    of pairs, and why one of these is undefined."""
    at, times = table_ratings(table)
    order_free = fleiss_kappa(category_counts(at, len(table)), times=times)
    return {
        "percent": percent_agreement(table),
        "kappa": cohen_kappa(table),
        "kappa_order_free": order_free.value,
        "ac1": gwet_ac1(table),
        "n_pairs": table.sum(),
        "reason": _(order_free.reason) if order_free.reason else "",
    }


def build_label_mass(study: Study, purposes: Collection[str]) -> Table:
    """One row per model and stage whose calls are stored here; an imported study has none."""
    found: dict[tuple[str, str], list[float]] = {}
    for evaluator, stage, mass in iter_label_masses(study, purposes):
        found.setdefault((evaluator, stage), []).append(mass)
    rows = [build_mass_row(*key, masses) for key, masses in found.items()]
    below = _("Below %(share)s") % {"share": number(LOW_MASS, 1)}
    return SPEC.build(rows, more={"least": (Column("low", below, "count", about=_("calls below that")),)})


def build_mass_row(evaluator: str, stage: str, masses: list[float]) -> dict[str, object]:
    mass = measure_label_mass(np.array(masses), np.zeros(len(masses)))
    return {
        "evaluator": evaluator,
        "stage": stage,
        "mean": mass.mean,
        "median": mass.median,
        "least": mass.least,
        "low": mass.low,
        "n": mass.n,
    }
