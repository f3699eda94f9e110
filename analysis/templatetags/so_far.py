"""What a study has come to, for lists of studies: studies know nothing of analysis."""

from django import template

from analysis.choices import Choices, purposes_with
from analysis.results.summary import find_outcome, find_verdict
from analysis.services.results import read_known_report
from studies.services.progress import StudyProgress

register = template.Library()


@register.simple_tag
def result_so_far(row: StudyProgress) -> str:
    """The verdict as of when somebody last looked at the results; empty before that. Nothing is computed."""
    included = ["simulated"] if row.is_simulated else []
    report = read_known_report(row.study, Choices(purposes=purposes_with(included), seed=abs(row.study.seed)))
    if report is None or not report.n_responses:
        return ""
    finished = {"main": row.progress.finished} if row.progress.finished else {}
    return find_verdict(row.study, find_outcome(row.study, report, "pooled"), finished).sentence
