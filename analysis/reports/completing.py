"""What every table of a report must say, whichever protocol it is about."""

from dataclasses import replace

from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.report import Report


def completed(report: Report, evidence: Evidence) -> Report:
    """The report with what every table must say, whoever prints it."""
    choices, lines = evidence.choices, scope(evidence)
    tables = [table.noting((*lines, *evidence.corrections)) for table in report.tables]
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
    )


def scope(evidence: Evidence) -> list[str]:
    """Whose answers are in, where it is not simply everybody's main answers."""
    words = {"simulated": _("Simulated answers included."), "pilot": _("Pilot answers included.")}
    lines = [words[purpose] for purpose in evidence.choices.included]
    if evidence.choices.groups is not None:
        lines.append(_("Only people of: %(groups)s.") % {"groups": ", ".join(evidence.choices.groups)})
    return lines
