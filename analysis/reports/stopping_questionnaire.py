"""What a stopping questionnaire reports (Horbach et al. 2020)."""

from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.formatting import count
from analysis.report import Report
from analysis.reports.agreed_sentences import most_and_least
from analysis.reports.category_agreement import agreement
from analysis.reports.category_variants import category_agreement
from analysis.reports.description import description
from analysis.reports.error_codes import found_errors
from analysis.reports.flow import flow
from analysis.reports.judges_at_gates import judges_at_gates
from analysis.reports.label_distributions import label_distributions
from analysis.reports.stopped_sentences import compared
from analysis.reports.variants import variants
from analysis.tables import Table
from studies.question_words import question_word


def stopping_questionnaire(evidence: Evidence) -> Report:
    how_far, agreed = flow(evidence), agreement(evidence)
    tables = (
        how_far,
        label_distributions(evidence),
        agreed,
        *variants(evidence, category_agreement),
        *judges_at_gates(evidence),
        *found_errors(evidence),
        description(evidence),
    )
    return Report(
        tables, (*sentences(how_far), *compared(evidence), *most_and_least(agreed)), ("flow", "label_distributions")
    )


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
        "category": question_word(most["category"]),
        "most": count(most["stopped"]),
    }
    if not stopped:
        return [_("None of %(n)s judgments stopped early.") % said]
    return [
        _("%(stopped)s of %(n)s judgments stopped early, %(most)s of them at “%(category)s”.") % said,
    ]
