"""How far people agree on which item of a pair is better, whichever side it stood on."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.choices import ANNOTATORS, PUBLISHED, READERS
from analysis.frames.evidence import Evidence
from analysis.measures.agreement import MISSING
from analysis.measures.coefficient_intervals import CONGER, PERCENT, clustered_coefficient
from analysis.measures.coefficients import Coefficient, category_counts, conger_kappa, percent
from analysis.measures.landis_koch import strength
from analysis.measures.reader_coefficients import readers_coefficient
from analysis.measures.types import IntArray
from analysis.measures.wins import TIE, ties_missing
from analysis.protocols.pairwise.judged_pairs import judgments_of, ratings_of
from analysis.reports.estimates import Estimate
from analysis.tables.spec import Shown, Table, make_table, plain
from studies.services.selection import CALIBRATION

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


def calibration_rows(evidence: Evidence) -> list[dict[str, Any]]:
    """Those views over the pairs of the calibration; none without an answer to one."""
    judgments = judgments_of(evidence)
    judgments = judgments[judgments["part"] == CALIBRATION]
    if judgments.empty:
        return []
    rows = agreement_rows(judgments, evidence.choices.convention, evidence.choices.seed)
    return [plain(row) for row in rows]


def variant_agreement(evidence: Evidence) -> Iterator[tuple[Any, ...]]:
    """Of each view and measure what a row of the table `variants` says; n are pairs that two or more people judged."""
    convention = evidence.choices.convention
    for row in agreement_rows(judgments_of(evidence), convention, evidence.choices.seed):
        for measure in ("percent", "conger_kappa"):
            interval = row["intervals"][measure][convention]
            reason = row["reason"] or interval["reason"]
            cells = (row[measure], row["intervals"][measure], row["n_units"], reason)
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
    estimates = {
        name: estimate_of(measure, found, ratings, texts, categories, seed)
        for name, measure, found in (("percent", PERCENT, shares), ("conger_kappa", CONGER, kappa))
    }
    low, high, reason = estimates["conger_kappa"].ends(convention)
    word = strength(kappa.value)
    return {
        "view": view,
        "percent": shares.value,
        "conger_kappa": kappa.value,
        "low": low,
        "high": high,
        "n_units": shares.n_units,
        "n_annotators": (ratings != MISSING).any(axis=1).sum(),
        "reason": reason,
        "strength": _(word) if word else "",
        "expected": kappa.expected,
        "prevalence": prevalence(counts),
        "intervals": {name: estimate.as_json() for name, estimate in estimates.items()},
    }


def estimate_of(
    measure: str, found: Coefficient, ratings: IntArray, texts: IntArray, categories: int, seed: int
) -> Estimate:
    """A coefficient with its intervals; measure: its name in coefficient_intervals.py."""
    intervals = {
        READERS: readers_coefficient(measure, ratings, categories, texts),
        ANNOTATORS: clustered_coefficient(measure, ratings, categories, texts, seed=seed),
        PUBLISHED: found.interval(),
    }
    return Estimate(found.value, intervals, _(found.reason) if found.reason else "")


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
