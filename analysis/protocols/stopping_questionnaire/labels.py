"""How far judgments got, how often each label was given to each category, and how often it was not applicable."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.protocols.stopping_questionnaire.judged import (
    NOT_APPLICABLE,
    Judgments,
    generators_and_sources,
    group_of,
    groups_in,
    is_label,
    judgments_in,
)
from analysis.protocols.stopping_questionnaire.tables import FLOW, LABELS, NOT_STOPPED, STOPS
from analysis.reports.evaluators import people_in
from analysis.tables.spec import Table
from studies.protocols import Question


def flow(evidence: Evidence) -> Table:
    """One row per group and category: judgments that got to it, and those that its answer ended."""
    judgments = judgments_in(evidence)
    rows = []
    for evaluator in groups_in(evidence):
        frame = judgments.among(evaluator).frame
        for category in judgments.categories:
            stopped = int((frame["stopped"] == category.name).sum())
            reached = is_label(frame, category.name).sum()
            about = {"group": group_of(evaluator), "category": category.name}
            rows.append(about | {"reached": reached, "stopped": stopped})
    return FLOW.build(rows)


def stops(evidence: Evidence) -> Table:
    """One row per generator and category at whose answer people's judgments of its items ended, or did not stop."""
    judgments = judgments_in(evidence)
    frame = judgments.among(people_in(evidence)).frame
    rows = []
    for generator in evidence.generators:
        mine = frame[frame["generator"] == generator]["stopped"].fillna(NOT_STOPPED)
        for name in (NOT_STOPPED, *(category.name for category in judgments.categories)):
            n = int((mine == name).sum())
            about = {"generator": generator, "category": name, "n": n, "n_all": len(mine)}
            rows.append(about | {"share": n / len(mine) if len(mine) else None})
    return STOPS.build(rows)


def label_distributions(evidence: Evidence) -> Table:
    """One row per group, source, generator, category and label; single judgments are counted, not majorities."""
    judgments = judgments_in(evidence)
    rows = [
        {"group": group_of(evaluator), "source": source, "generator": generator, **row}
        for evaluator in groups_in(evidence)
        for generator, source in generators_and_sources(evidence)
        for row in label_rows(judgments.among(evaluator, generator, source))
    ]
    return LABELS.build(rows)


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
        reason = _("There are no judgments to compute this from.")
    elif label == NOT_APPLICABLE:
        reason = _("“Not applicable” has no share among the applicable judgments.")
    elif not n_applicable:
        reason = _("No judgment reached this category.")
    return {
        "category": category.name,
        "label": label,
        "n": n,
        "share_all": n / n_all if n_all else None,
        "share_applicable": None if reason else n / n_applicable,
        "reason": reason,
    }
