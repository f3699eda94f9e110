"""What a stopping questionnaire reports (Horbach et al. 2020)."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from analysis.figures.sizes import rows_by_group_and_source
from analysis.formatting import count
from analysis.frames.evidence import Evidence
from analysis.protocols.stopping_questionnaire import drill_down
from analysis.protocols.stopping_questionnaire import figures as drawn
from analysis.protocols.stopping_questionnaire.agreement import agreement, category_agreement
from analysis.protocols.stopping_questionnaire.judged import group_of, groups_in, is_label, judgments_in, scope_note
from analysis.protocols.stopping_questionnaire.judges import judges_at_gates
from analysis.protocols.stopping_questionnaire.labels import label_distributions
from analysis.protocols.stopping_questionnaire.sentences import (
    compared,
    most_and_least,
    stopped_comparisons,
    stopped_in,
)
from analysis.reports.contrasts import contrasts
from analysis.reports.description import description
from analysis.reports.error_codes import found_errors
from analysis.reports.report import Report
from analysis.reports.variants import variants
from analysis.tables.spec import Crossing, Shown, Table, make_table
from studies.question_words import name_question

COLUMNS = ("group", "category", "reached", "stopped")


def flow(evidence: Evidence) -> Table:
    """One row per group and category: judgments that got to it, and those that its answer ended."""
    judgments = judgments_in(evidence)
    rows = []
    for evaluator in groups_in(evidence):
        frame = judgments.among(evaluator).frame
        for category in judgments.categories:
            stopped = int((frame["stopped"] == category.name).sum())
            values = (group_of(evaluator), category.name, int(is_label(frame, category.name).sum()), stopped)
            rows.append(dict(zip(COLUMNS, values, strict=True)))
    notes = (
        scope_note(),
        _("Reached: judgments that answered the category. Stopped: those of them after whose answer nothing more was "
          "asked, though more could have been."),
    )  # fmt: skip
    return make_table(
        "flow", COLUMNS, rows, title=_("How far judgments got"), notes=notes, shown=shown(),
        named_by=("group", "category"), crossings=(Crossing("reached", "category", "group", beneath=("stopped",)),),
    )  # fmt: skip


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Category"), "category", "question"),
        Shown(_("Group"), "group", "group"),
        Shown(_("Reached"), "reached", "count", about=_("judgments that answered the category")),
        Shown(_("Stopped"), "stopped", "count", about=_("judgments that ended with this answer")),
    )


BY_GROUP_AND_SOURCE = ("labels_by_group_and_source", "applicable_labels_by_group_and_source")


def build_report(evidence: Evidence) -> Report:
    how_far, agreed, stopped = flow(evidence), agreement(evidence), stopped_in(evidence)
    comparisons, labels = stopped_comparisons(evidence, stopped), label_distributions(evidence)
    tables = (
        how_far,
        contrasts(evidence, comparisons),
        labels,
        agreed,
        *variants(evidence, category_agreement),
        *judges_at_gates(evidence),
        *found_errors(evidence),
        description(evidence),
    )
    said = (*sentences(how_far), *compared(evidence, stopped, comparisons), *most_and_least(agreed))
    figures = ("flow", "label_distributions", *(BY_GROUP_AND_SOURCE if rows_by_group_and_source(labels) else ()))
    return Report(tables, said, figures)


def sentences(how_far: Table) -> list[str]:
    """How many judgments stopped early, and where most of them did."""
    rows = [row for row in how_far.rows if not row["group"]]
    n, stopped = max((row["reached"] for row in rows), default=0), sum(row["stopped"] for row in rows)
    if not n:
        return []
    most = max(rows, key=lambda row: row["stopped"])
    said = {
        "n": count(n),
        "stopped": count(stopped),
        "category": name_question(most["category"]),
        "most": count(most["stopped"]),
    }
    if not stopped:
        return [_("None of %(n)s judgments stopped early.") % said]
    return [
        _("%(stopped)s of %(n)s judgments stopped early, %(most)s of them at “%(category)s”.") % said,
    ]


def list_sources() -> Mapping[str, Any]:
    return drill_down.SOURCES


def list_figures() -> Mapping[str, Any]:
    return {
        "flow": ("flow", drawn.flow),
        "label_distributions": ("label_distributions", drawn.label_distributions),
        "labels_by_group_and_source": ("label_distributions", drawn.labels_by_group_and_source),
        "applicable_labels_by_group_and_source": ("label_distributions", drawn.applicable_labels_by_group_and_source),
    }
