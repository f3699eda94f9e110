"""Behind the numbers that rest on calls of models: each call with what was written, its label mass, and its order."""

import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.calibration import LOW_MASS
from analysis.reports.behind.listing import listed
from analysis.tables.spec import Row, Table
from evaluation.calls import iter_replies_with_mass

WITH_MASS = ("text_id", "item_id", "option_id", "probability", "mass", "raw_output", "call")


def of_label_mass(evidence: Evidence, row: Row, column: str) -> Table:
    """The calls of a model in a stage, the least mass first; for the count of little mass only those."""
    purposes = evidence.choices.purposes
    rows = pd.DataFrame(
        list(iter_replies_with_mass(evidence.study, purposes, row["evaluator"], row["stage"])), columns=list(WITH_MASS)
    )
    rows = rows[rows["mass"] < LOW_MASS] if column == "low" else rows
    return listed(evidence, rows.sort_values("mass", kind="stable"), WITH_MASS, _("The calls"), in_bank_order=False)


SOURCES = {"label_mass": of_label_mass}
