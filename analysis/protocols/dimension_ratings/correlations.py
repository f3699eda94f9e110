"""How dimensions go together: correlations of items' mean scores, and whether their ranks differ."""

from itertools import combinations
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.correlations import correlation
from analysis.measures.friedman import TOO_SMALL, nemenyi
from analysis.measures.types import FloatArray
from analysis.protocols.dimension_ratings.scores import dimensions_of, item_means, rounds_of, scores_of
from analysis.tables.spec import Crossing, Shown, Table, make_table

COLUMNS = ("dimension_a", "dimension_b", "round", "pearson", "nemenyi_p", "n", "reason")


def dimension_correlations(evidence: Evidence) -> Table:
    """One row per pair of dimensions and round. Pearson over the items that have both; Nemenyi over complete items."""
    rows = [row for number in rounds_of(evidence) for row in round_rows(evidence, number)]
    note = _("Pearson's r of items' mean scores. Nemenyi: p that the two dimensions' mean ranks within an item are the "
             "same, over items with scores on all dimensions that were scored.")  # fmt: skip
    return make_table(
        "dimension_correlations", COLUMNS, rows, title=_("Dimensions compared"), notes=(note,), shown=shown(),
        named_by=("dimension_a", "dimension_b", "round"),
        crossings=(
            Crossing("pearson", "dimension_a", "dimension_b", apart=("round",), beneath=("nemenyi_p",), mirrored=True),
        ),
    )  # fmt: skip


def round_rows(evidence: Evidence, number: int) -> list[dict[str, Any]]:
    dimensions = dimensions_of(evidence)
    means = item_means(scores_of(evidence, number), dimensions).to_numpy(dtype=np.float64)
    p = nemenyi_of_scored(means)
    rows = []
    for one, other in combinations(range(len(dimensions)), 2):
        found = correlation(means[:, one], means[:, other])
        reason = found.reason or (TOO_SMALL if np.isnan(p[one, other]) else "")
        rows.append(
            {
                "dimension_a": dimensions[one],
                "dimension_b": dimensions[other],
                "round": number,
                "pearson": found.r,
                "nemenyi_p": p[one, other],
                "n": found.n,
                "reason": _(reason) if reason else "",
            }
        )
    return rows


def nemenyi_of_scored(means: FloatArray) -> FloatArray:
    """(k, k) p-values of the dimensions that have scores; one without any, as it did not apply, takes no part."""
    scored = np.flatnonzero(~np.isnan(means).all(axis=0))
    p = np.full((means.shape[1], means.shape[1]), np.nan)
    p[np.ix_(scored, scored)] = nemenyi(means[:, scored])
    return p


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Dimension"), "dimension_a", "question"),
        Shown(_("with"), "dimension_b", "question"),
        Shown(_("Round"), "round", "count"),
        Shown("r", "pearson", "number", reason="reason", about=_("Pearson's r of items' mean scores")),
        Shown(
            _("Nemenyi's p"),
            "nemenyi_p",
            "p",
            reason="reason",
            about=_("Nemenyi's test of equal mean ranks, over items with scores on all dimensions that were scored"),
        ),
        Shown(_("Items"), "n", "count", about=_("items with scores on both")),
    )
