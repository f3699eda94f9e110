"""Two checks of a metric: does it rate the reference as high as people do, does it favour its own model's family?"""

import math
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.biases import clustered_favour, favour
from analysis.measures.intervals import UNDEFINED_FIGURE
from analysis.measures.types import BoolArray, FloatArray
from analysis.protocols.dimension_ratings.metric_values import Judged, note_dropped, nothing
from analysis.protocols.dimension_ratings.tables import METRIC_CHECKS
from analysis.reports.estimates import same_interval, texts_only_note
from analysis.tables.spec import Table

REFERENCE, FAMILY = "reference", "own_family"


def metric_checks(evidence: Evidence, data: Judged) -> Table:
    """One row per metric and check: how much more the metric gives these items than people do, beyond all others."""
    rows = [row for metric in data.values for row in metric_rows(evidence, data, metric)]
    notes = (
        _("Metric and people's average score are each put on one scale (mean 0, standard deviation 1, over all items "
          "with both). Difference: metric minus people, of these items minus that of all others; 0 is as people see "
          "them, above 0 the metric favours them. Where a metric is better the lower it is, the sign is the other "
          "way."),
        texts_only_note(_("differences between a metric and people")),
        _("Family: that of a metric's base model, named at its import, against the factor family of the generators."),
    )  # fmt: skip
    return METRIC_CHECKS.build(rows, notes=(*note_dropped(evidence), *(notes if rows else (nothing(),))))


def metric_rows(evidence: Evidence, data: Judged, metric: str) -> list[dict[str, Any]]:
    family = data.families.get(metric, "")
    no_family = _("No family is known of this metric's base model.")
    nobody = _("No generator of these items is of the family %(family)s.") % {"family": family}
    no_reference = _("None of these items is marked as reference.")
    return [
        check_row(evidence, data, metric, REFERENCE, no_reference),
        check_row(evidence, data, metric, FAMILY, nobody if family else no_family),
    ]


def select_checked(evidence: Evidence, data: Judged, metric: str, check: str) -> BoolArray:
    """(n,): the items that a check is about, references or those by generators of the metric's own family."""
    if check == REFERENCE:
        return data.items["reference"].to_numpy(dtype=bool)
    family = data.families.get(metric, "")
    related = [name for name, known in evidence.families.items() if family and known.casefold() == family.casefold()]
    return data.items["generator"].isin(related).to_numpy(dtype=bool)


def check_row(evidence: Evidence, data: Judged, metric: str, check: str, nobody: str) -> dict[str, Any]:
    chosen = select_checked(evidence, data, metric, check)
    x, y = mean_of_rows(data.values[metric].to_numpy(dtype=np.float64)), mean_of_rows(data.scores.to_numpy(np.float64))
    found = favour(x, y, chosen)
    by_texts = clustered_favour(x, y, chosen, data.texts, seed=evidence.choices.seed)
    both = ~(np.isnan(x) | np.isnan(y))
    reason = nobody if not chosen.any() else _(found.reason) if found.reason else ""
    if not reason and by_texts.reason:
        reason = _(by_texts.reason)
    return {
        "metric": metric,
        "check": check,
        "generators": ", ".join(dict.fromkeys(data.items["generator"][chosen])),
        "difference": found.difference,
        "low": by_texts.low,
        "high": by_texts.high,
        "n": int((both & chosen).sum()),
        "n_others": int((both & ~chosen).sum()),
        "reason": reason or (_(UNDEFINED_FIGURE) if math.isnan(found.difference) else ""),
        "intervals": {"difference": same_interval(by_texts)},
    }


def mean_of_rows(values: FloatArray) -> FloatArray:
    """(n,): the mean of each row's numbers, NaN where it has none."""
    n = (~np.isnan(values)).sum(axis=1)
    return np.asarray(np.nansum(values, axis=1) / np.where(n > 0, n, np.nan))
