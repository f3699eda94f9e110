"""How metrics and model judges correlate with the scores of people, and two checks of a metric."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.frames.evidence import Evidence
from analysis.measures import correlation_intervals as intervals
from analysis.measures import correlations
from analysis.measures.biases import clustered_preference, preference
from analysis.measures.contrasts import adjust_p_values
from analysis.measures.correlations import COEFFICIENTS, Correlation
from analysis.measures.intervals import (
    JACKKNIFE,
    UNDEFINED_FIGURE,
    Interval,
    clip_interval,
    p_of_zero,
    undefined_interval,
)
from analysis.measures.types import BoolArray, FloatArray
from analysis.protocols.dimension_ratings.metric_values import MetricPairs, explain_no_metrics, note_dropped
from analysis.protocols.dimension_ratings.tables import METRIC_CHECKS, METRIC_CORRELATIONS
from analysis.reports.estimates import intervals_json, over_texts, same_interval, texts_only_note
from analysis.reports.headlines import HIGHEST, LOWEST, mark_extremes
from analysis.tables.spec import Table

# How metrics and model judges correlate with people's scores, on each dimension.

POOLED, WITHIN, BY_GENERATOR = "pooled", "within text", "by generator"
SCOPES = (POOLED, WITHIN, BY_GENERATOR)
NOT_WITHIN = gettext_noop("A mean of texts' correlations has an interval by texts only.")


def metric_correlations(evidence: Evidence, data: MetricPairs) -> Table:
    """One row per metric, dimension, coefficient and scope; the family of tests is that of a coefficient and scope."""
    families = [(coefficient, scope) for scope in SCOPES for coefficient in COEFFICIENTS]
    rows = [row for family in families for row in family_rows(evidence, data, *family)]
    notes = (
        _("Over items with the metric's value and the mean of people's scores after the last round. Pooled: all items; "
          "within text: the mean over texts of each text's own correlation, weighted by its items, without texts in "
          "which it is undefined; by generator: of generators' means."),
        _("Intervals and p by texts leave out each text in turn whatever their number (t); published ones take rows as "
          "independent (intervals by Fisher's z). p is adjusted by Holm over all metrics and dimensions of a "
          "coefficient and scope. Marked are the three highest and the three lowest |r| on a dimension as printed; "
          "whether they differ from the others is not tested."),
        texts_only_note(_("correlations")),
    )  # fmt: skip
    return METRIC_CORRELATIONS.build(
        rows, notes=(*note_dropped(evidence), *(notes if rows else (explain_no_metrics(),)))
    )


def family_rows(evidence: Evidence, data: MetricPairs, coefficient: str, scope: str) -> list[dict[str, Any]]:
    rows = list(iter_rows(evidence, data, coefficient, scope))
    for row, p in zip(rows, adjust_p_values(np.array([row["p"] for row in rows], dtype=np.float64)), strict=True):
        row["p_adjusted"] = p
    for dimension in data.scores.columns:
        same = [row for row in rows if row["dimension"] == dimension]
        mark_extremes(same, by=lambda row: abs(row["r"]), words=(HIGHEST, LOWEST))
    return rows


def iter_rows(evidence: Evidence, data: MetricPairs, coefficient: str, scope: str) -> Iterator[dict[str, Any]]:
    for metric, table in data.values.items():
        for dimension in table.columns:
            x, y = data.value(metric, dimension), data.score(dimension)
            found = correlation_of(x, y, data, coefficient, scope)
            both, p = compute_intervals(found, x, y, data, coefficient, scope, evidence.choices.seed)
            chosen = both[evidence.choices.convention]
            reason = found.reason or chosen.reason
            yield {
                "metric": metric,
                "dimension": dimension,
                "coefficient": coefficient,
                "scope": scope,
                "r": found.r,
                "low": chosen.low,
                "high": chosen.high,
                "p": p[evidence.choices.convention],
                "p_adjusted": np.nan,
                "n": found.n,
                "mark": "",
                "reason": _(reason) if reason else "",
                "intervals": {"r": intervals_json(both)},
            }


def correlation_of(x: Any, y: Any, data: MetricPairs, coefficient: str, scope: str) -> Correlation:
    if scope == POOLED:
        return correlations.correlation(x, y, coefficient)
    if scope == WITHIN:
        return correlations.within_texts(x, y, data.texts, coefficient)
    return correlations.by_generator(x, y, data.generators, coefficient)


def compute_intervals(
    found: Correlation, x: Any, y: Any, data: MetricPairs, coefficient: str, scope: str, seed: int
) -> tuple[dict[str, Interval], dict[str, float]]:
    """The interval and p under each convention. Those over texts use the jackknife, as ranks of 10,000 bootstrap draws
    would take minutes."""
    whole = by_texts(x, y, data, coefficient, scope, seed)
    independent = intervals.independent_correlation(found, coefficient, unit="item" if scope == POOLED else "generator")
    if scope == WITHIN:
        independent = undefined_interval(intervals.FISHER, ("item", found.n, found.n, None), NOT_WITHIN)
    return over_texts(clip_interval(whole, intervals.BOUNDS), independent), over_texts(
        p_of_zero(found.r, whole), found.p
    )


def by_texts(x: Any, y: Any, data: MetricPairs, coefficient: str, scope: str, seed: int) -> Interval:
    """Not clipped to the range of a correlation."""
    how: Any = {"seed": seed, "method": JACKKNIFE, "bounds": (-np.inf, np.inf)}
    if scope == POOLED:
        return intervals.clustered_correlation(x, y, data.texts, coefficient, **how)
    if scope == WITHIN:
        return intervals.clustered_within(x, y, data.texts, coefficient, **how)
    return intervals.clustered_by_generator(x, y, data.texts, data.generators, coefficient, **how)


# Two checks of a metric: does it rate references as high as people do, and does it favor its own model's family?

REFERENCE, FAMILY = "reference", "own_family"


def metric_checks(evidence: Evidence, data: MetricPairs) -> Table:
    """One row per metric and check: how much more the metric gives these items than people do, compared with all
    others."""
    rows = [row for metric in data.values for row in metric_rows(evidence, data, metric)]
    notes = (
        _("Metric and people's average score are each put on one scale (mean 0, standard deviation 1, over all items "
          "with both). Difference: metric minus people, of these items minus that of all others; 0 is as people see "
          "them, above 0 the metric favours them. Where a metric is better the lower it is, the sign is the other "
          "way."),
        texts_only_note(_("differences between a metric and people")),
        _("Family: that of a metric's base model, named at its import, against the factor family of the generators."),
    )  # fmt: skip
    return METRIC_CHECKS.build(rows, notes=(*note_dropped(evidence), *(notes if rows else (explain_no_metrics(),))))


def metric_rows(evidence: Evidence, data: MetricPairs, metric: str) -> list[dict[str, Any]]:
    family = data.families.get(metric, "")
    no_family = _("No family is known of this metric's base model.")
    nobody = _("No generator of these items is of the family %(family)s.") % {"family": family}
    no_reference = _("None of these items is marked as reference.")
    return [
        check_row(evidence, data, metric, REFERENCE, no_reference),
        check_row(evidence, data, metric, FAMILY, nobody if family else no_family),
    ]


def select_checked(evidence: Evidence, data: MetricPairs, metric: str, check: str) -> BoolArray:
    """(n,): the items that a check is about: references, or items by generators of the metric's own model family."""
    if check == REFERENCE:
        return data.items["reference"].to_numpy(dtype=bool)
    family = data.families.get(metric, "")
    related = [name for name, known in evidence.families.items() if family and known.casefold() == family.casefold()]
    return data.items["generator"].isin(related).to_numpy(dtype=bool)


def check_row(evidence: Evidence, data: MetricPairs, metric: str, check: str, nobody: str) -> dict[str, Any]:
    chosen = select_checked(evidence, data, metric, check)
    x, y = mean_of_rows(data.values[metric].to_numpy(dtype=np.float64)), mean_of_rows(data.scores.to_numpy(np.float64))
    found = preference(x, y, chosen)
    by_texts = clustered_preference(x, y, chosen, data.texts, seed=evidence.choices.seed)
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
