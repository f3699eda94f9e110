"""What every table of a report must say, whichever protocol it is about."""

from dataclasses import replace

from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.formatting import texts_counted
from analysis.report import Report
from analysis.reports.checks import checks_of
from analysis.tables import Table


def completed(report: Report, evidence: Evidence) -> Report:
    """The report with what every table must say, whoever prints it."""
    choices, lines = evidence.choices, scope(evidence)
    tables = [table.noting((*intervals_note(table), *lines, *evidence.corrections)) for table in report.tables]
    if choices.included:
        tables = [table.marked("included", ", ".join(choices.purposes)) for table in tables]
    return replace(
        report,
        tables=tuple(tables),
        included=choices.included,
        corrections=evidence.corrections,
        left_out=tuple(evidence.left_out.items()),
        said=tuple(lines),
        n_responses=len(evidence.frame),
        checks=checks_of(evidence),
    )


def intervals_note(table: Table) -> list[str]:
    """How the intervals of a table came about, if it has any."""
    if not any(column.low for column in table.shown):
        return []
    return [
        _("In brackets: 95 % intervals. By texts (the default): with fewer than 40 texts each is left out in turn "
          "(jackknife, t), else 10,000 draws of texts. By single judgments (as published): 10,000 draws of single "
          "judgments, too narrow where they share texts."),
    ]  # fmt: skip


def scope(evidence: Evidence) -> list[str]:
    """Whose answers are in, where it is not simply everybody's main answers."""
    words = {"simulated": _("Simulated answers included."), "pilot": _("Pilot answers included.")}
    lines = [words[purpose] for purpose in evidence.choices.included]
    if evidence.choices.shared_texts:
        n = texts_counted(evidence.texts["text_id"].nunique())
        lines.append(_("Only texts that people and all models answered: %(texts)s.") % {"texts": n})
    if evidence.choices.groups is not None:
        lines.append(_("Only people of: %(groups)s.") % {"groups": ", ".join(evidence.choices.groups)})
    return lines
