"""How far people agree on each category of a questionnaire that stops, in two views of what was not asked."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.measures.agreement import cohen_kappa, gwet_ac1, percent_agreement
from analysis.measures.coefficients import category_counts, fleiss_kappa, table_ratings
from analysis.measures.types import IntArray
from analysis.reports.judged import (
    Judgments,
    crossings_by,
    generators_and_sources,
    group_of,
    groups_in,
    judgments_in,
    scope_note,
)
from analysis.tables import Shown, Table, make_table
from studies.protocols import Question

COLUMNS = (
    "language", "group", "generator", "source", "category", "view", "percent", "kappa", "kappa_order_free", "ac1",
    "n_pairs", "reason",
)  # fmt: skip


def agreement(evidence: Evidence) -> Table:
    """One row per group of people, generator, source, category and view."""
    rows = list(agreement_rows(evidence, judgments_in(evidence)))
    notes = (
        scope_note(),
        _("Pairs of people who judged the same item. All: a category that somebody did not get to is a label of its "
          "own, “not applicable”. Applicable: pairs that both got to it. Pairs of which one answer is missing are in "
          "neither."),
        _("κ is Cohen's on first and second judgment of an item. As the same two people need not judge every item, "
          "Fleiss' κ stands beside it, which does not ask who came first. When nearly all labels are alike, both are "
          "near 0 whatever the agreement; AC1 is not."),
    )  # fmt: skip
    named_by = ("group", "generator", "source", "category", "view")
    return make_table(
        "agreement", COLUMNS, rows, title=_("Agreement"), notes=notes, shown=shown(), named_by=named_by,
        crossings=crossings_by(
            ("group", "generator", "source"), "percent", "category", "view", ("kappa", "ac1", "n_pairs")
        ),
    )  # fmt: skip


def agreement_rows(evidence: Evidence, judgments: Judgments) -> Iterator[dict[str, Any]]:
    for evaluator in groups_in(evidence):
        if evaluator.kind != "human":
            continue
        for generator, source in generators_and_sources(evidence):
            chosen = judgments.among(evaluator, generator, source)
            pairs = pairs_of(chosen)
            for category in judgments.categories:
                table = pair_table(chosen, category, pairs)
                for view, counts in (("all", table), ("applicable", both_got_to(table, category))):
                    about = (evidence.study.language, group_of(evaluator), generator, source, category.name, view)
                    yield dict(zip(COLUMNS, (*about, *measured(counts)), strict=True))


def pairs_of(judgments: Judgments) -> IntArray:
    """(p, 2): the places of each two judgments of one item, the earlier first."""
    places = judgments.frame.reset_index(drop=True).groupby("item_id", sort=False).indices.values()
    pairs = [pair for of_item in places for pair in combinations(sorted(of_item), 2)]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def pair_table(judgments: Judgments, category: Question, pairs: IntArray) -> IntArray:
    """Counts of pairs by first and second label, “not applicable” last if there is such; missing ones are out."""
    codes = {label: code for code, label in enumerate(judgments.labels(category))}
    given = judgments.frame[category.name].map(codes).fillna(-1).to_numpy(dtype=np.int64)
    first, second = given[pairs[:, 0]], given[pairs[:, 1]]
    both = (first >= 0) & (second >= 0)
    cells = np.bincount(first[both] * len(codes) + second[both], minlength=len(codes) ** 2)
    return cells.reshape(len(codes), len(codes)).astype(np.int64)


def both_got_to(table: IntArray, category: Question) -> IntArray:
    """The pairs of the table that both answered the category."""
    return table[: len(category.levels), : len(category.levels)]


def measured(table: IntArray) -> tuple[float, float, float, float, int, str]:
    """percent, κ, κ whichever came first, AC1, number of pairs, and why something is undefined."""
    at, times = table_ratings(table)
    order_free = fleiss_kappa(category_counts(at, len(table)), times=times)
    return (
        float(percent_agreement(table)),
        float(cohen_kappa(table)),
        order_free.value,
        float(gwet_ac1(table)),
        int(table.sum()),
        _(order_free.reason) if order_free.reason else "",
    )


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Category"), "category", "question"),
        Shown(_("View"), "view", "view"),
        Shown(_("Group"), "group", "group"),
        Shown(_("Generator"), "generator", "scope"),
        Shown(_("Source"), "source", "scope"),
        *agreement_columns(_("Cohen's κ of first and second judgment")),
    )


def agreement_columns(kappa: str) -> tuple[Shown, ...]:
    """The columns of what `measured` gives; `kappa` says between whom κ is."""
    return (
        Shown(_("Percent agreement"), "percent", "number", reason="reason", about=_("share of pairs that are alike")),
        Shown(_("Cohen's κ"), "kappa", "number", reason="reason", about=kappa),
        Shown(
            _("Fleiss' κ"), "kappa_order_free", "number", reason="reason",
            about=_("κ with one distribution of labels for all, whoever came first"),
        ),
        Shown(
            _("AC1"), "ac1", "number", reason="reason", about=_("Gwet's AC1, robust to very unequal labels")
        ),
        Shown(_("Pairs"), "n_pairs", "count", about=_("pairs of judgments of one item")),
    )  # fmt: skip
