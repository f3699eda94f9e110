"""How far people agree on which item of a pair is better, whichever side it stood on."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.measures.agreement import MISSING
from analysis.measures.coefficient_intervals import CONGER, PERCENT, clustered_coefficient
from analysis.measures.coefficients import category_counts, conger_kappa, percent
from analysis.measures.landis_koch import strength
from analysis.measures.types import IntArray
from analysis.measures.wins import TIE, ties_missing
from analysis.reports.judged_pairs import judgments_of, ratings_of
from analysis.tables import Shown, Table, make_table

COLUMNS = ("view", "percent", "conger_kappa", "low", "high", "n_units", "n_annotators", "reason")
WITH_TIES, WITHOUT_TIES, TIES_MISSING = "with_ties", "without_ties", "ties_missing"


def pair_agreement(evidence: Evidence) -> Table:
    """One row per view of ties, over all pairs that at least two people judged, those of a calibration too."""
    notes = (
        _("Over pairs that at least two people judged, the calibration included. Agreement is about the items, not the "
          "sides: first or second item as the plan drew them, or as an imported file first names them."),
        _("Without ties: a pair is left out if anybody called it a tie. Ties missing: only the judgment is left out."),
        _("The word for κ is that of Landis and Koch (1977)."),
        _("By single judgments (as published) the interval of κ takes pairs as independent."),
    )  # fmt: skip
    rows = agreement_rows(judgments_of(evidence), evidence.choices.convention, evidence.choices.seed)
    return make_table("agreement", COLUMNS, rows, title=_("Agreement"), notes=notes, shown=shown(), named_by=("view",))


def agreement_rows(judgments: pd.DataFrame, convention: str, seed: int) -> list[dict[str, Any]]:
    """The three views of these judgments."""
    ratings, texts = ratings_of(judgments)
    untied = ~(ratings == TIE).any(axis=0)
    views = {
        WITH_TIES: (ratings, texts, 3),
        WITHOUT_TIES: (ratings[:, untied], texts[untied], 2),
        TIES_MISSING: (ties_missing(ratings), texts, 2),
    }
    return [agreement_row(view, *judged_twice(*given), convention, seed) for view, given in views.items()]


def variant_agreement(evidence: Evidence) -> Iterator[tuple[Any, ...]]:
    """Of each view and measure what a row of the table `variants` says; n are pairs that two or more people judged."""
    convention = evidence.choices.convention
    for row in agreement_rows(judgments_of(evidence), convention, evidence.choices.seed):
        for measure in ("percent", "conger_kappa"):
            interval = row["intervals"][measure][convention]
            reason = row["reason"] or (_(interval["reason"]) if interval["reason"] else "")
            cells = (row[measure], interval["low"], interval["high"], row["n_units"], reason)
            yield ("better", row["view"], measure, *cells)


def judged_twice(ratings: IntArray, texts: IntArray, categories: int) -> tuple[IntArray, IntArray, int]:
    """Only pairs with two judgments or more."""
    twice = (ratings != MISSING).sum(axis=0) > 1
    return ratings[:, twice], texts[twice], categories


def agreement_row(
    view: str, ratings: IntArray, texts: IntArray, categories: int, convention: str, seed: int
) -> dict[str, Any]:
    counts = category_counts(ratings, categories)
    shares, kappa = percent(counts), conger_kappa(ratings, categories)
    intervals = {
        name: {
            "clustered": clustered_coefficient(measure, ratings, categories, texts, seed=seed),
            "published": found.interval(),
        }
        for name, measure, found in (("percent", PERCENT, shares), ("conger_kappa", CONGER, kappa))
    }
    chosen = intervals["conger_kappa"][convention]
    reason, word = kappa.reason or chosen.reason, strength(kappa.value)
    return {
        "view": view,
        "percent": shares.value,
        "conger_kappa": kappa.value,
        "low": chosen.low,
        "high": chosen.high,
        "n_units": shares.n_units,
        "n_annotators": (ratings != MISSING).any(axis=1).sum(),
        "reason": _(reason) if reason else "",
        "strength": _(word) if word else "",
        "expected": kappa.expected,
        "prevalence": prevalence(counts),
        "intervals": {
            name: {convention: asdict(interval) for convention, interval in found.items()}
            for name, found in intervals.items()
        },
    }


def prevalence(counts: IntArray) -> float:
    """The share of the commonest label among all judgments."""
    totals = counts.sum(axis=0)
    return float(totals.max() / totals.sum()) if totals.sum() else float(np.nan)


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Ties"), "view", "view"),
        Shown(
            _("Percent agreement"),
            "percent",
            "number",
            reason="reason",
            about=_("mean over pairs of items of the share of judgments, two by two, that agree"),
        ),
        Shown(
            _("Conger's κ"),
            "conger_kappa",
            "number",
            "low",
            "high",
            "reason",
            about=_("agreement beyond chance, each annotator with a distribution of their own"),
        ),
        Shown(_("Strength"), "strength"),
        Shown(_("Commonest label"), "prevalence", "number", about=_("its share of all judgments")),
        Shown(_("Pairs"), "n_units", "count", about=_("pairs of items that two or more people judged")),
        Shown(_("Annotators"), "n_annotators", "count", about=_("people who judged these pairs")),
    )
