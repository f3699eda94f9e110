"""The evidence and all tables of a study, worked out once in a run of the tests as long as the study stays as it is."""

from analysis.choices import Choices
from analysis.frames.evidence import Evidence, collect_evidence
from analysis.services.cached_results import hash_state
from analysis.services.reporting import build, build_full_report
from analysis.tables.spec import Table
from studies.models import Response, Study

KEPT: dict[tuple[str, str], tuple[Evidence, tuple[Table, ...]]] = {}


def build_evidence(study: Study) -> tuple[Evidence, tuple[Table, ...]]:
    """With the study's own seed; of a study that nothing but the services and pages have changed."""
    choices = Choices(seed=study.seed)
    place = study.slug, hash_state(study, choices)
    if place not in KEPT:
        evidence = collect_evidence(study, choices)
        KEPT[place] = evidence, tuple(build_full_report(evidence).tables)
    return KEPT[place]


REPORTS: dict[tuple[str, ...], object] = {}


def report_of(study: Study, choices: Choices, planted_by: str):
    """The report of a study; those of one module with the same answers are the same study."""
    answers = Response.objects.filter(assignment__annotator__study=study).order_by("pk")
    values = answers.values_list("question", "item", "option", "value", "probability")
    place = planted_by, study.slug, hash_state(study, choices), str([*values])
    if place not in REPORTS:
        REPORTS[place] = build(study, choices)
    return REPORTS[place]
