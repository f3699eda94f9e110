"""How often each label was given to each category, and how often the category was not applicable."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.protocols.stopping_questionnaire.judged import (
    NOT_APPLICABLE,
    Judgments,
    crossings_by,
    generators_and_sources,
    group_of,
    groups_in,
    judgments_in,
    scope_note,
)
from analysis.tables.spec import Shown, Table, make_table
from studies.protocols import Question

COLUMNS = ("group", "source", "generator", "category", "label", "n", "share_all", "share_applicable", "reason")


def label_distributions(evidence: Evidence) -> Table:
    """One row per group, source, generator, category and label; single judgments are counted, not majorities."""
    judgments = judgments_in(evidence)
    rows = [
        {"group": group_of(evaluator), "source": source, "generator": generator, **row}
        for evaluator in groups_in(evidence)
        for generator, source in generators_and_sources(evidence)
        for row in label_rows(judgments.among(evaluator, generator, source))
    ]
    notes = (
        scope_note(),
        _("Single judgments are counted, not majorities. Of all: with “not applicable” as a label. Of applicable: of "
          "those that got to the category. Missing answers are in neither."),
    )  # fmt: skip
    return make_table(
        "label_distributions", COLUMNS, rows, title=_("Distribution of labels"), notes=notes, shown=shown(),
        named_by=("group", "source", "generator", "category", "label"),
        crossings=crossings_by(("generator", "source"), "n", "label", "category", ("share_all",)),
    )  # fmt: skip


def label_rows(judgments: Judgments) -> Iterator[dict[str, Any]]:
    for category in judgments.categories:
        counts = judgments.frame[category.name].value_counts()
        n_all = int(counts.sum())
        n_applicable = n_all - int(counts.get(NOT_APPLICABLE, 0))
        for label in judgments.labels(category):
            yield row_of(category, label, int(counts.get(label, 0)), n_all, n_applicable)


def row_of(category: Question, label: str, n: int, n_all: int, n_applicable: int) -> dict[str, Any]:
    reason = ""
    if not n_all:
        reason = _("There is no judgment to compute this from.")
    elif label == NOT_APPLICABLE:
        reason = _("What is not applicable has no share of what is.")
    elif not n_applicable:
        reason = _("Nobody got to this category.")
    return {
        "category": category.name,
        "label": label,
        "n": n,
        "share_all": n / n_all if n_all else None,
        "share_applicable": None if reason else n / n_applicable,
        "reason": reason,
    }


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Category"), "category", "question"),
        Shown(_("Label"), "label", "label"),
        Shown(_("Group"), "group", "group"),
        Shown(_("Generator"), "generator", "scope"),
        Shown(_("Source"), "source", "scope"),
        Shown(_("Judgments"), "n", "count", about=_("judgments with this label")),
        Shown(
            _("Share of all"), "share_all", "number", reason="reason", about=_("of all judgments, “not applicable” too")
        ),
        Shown(
            _("Share of applicable"),
            "share_applicable",
            "number",
            reason="reason",
            about=_("of the judgments that got to the category"),
        ),
    )
