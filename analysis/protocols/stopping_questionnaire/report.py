"""What a stopping questionnaire reports (Horbach et al. 2020)."""

from collections.abc import Mapping
from typing import Any

from analysis.figures.sizes import rows_by_group_and_source
from analysis.frames.evidence import Evidence
from analysis.protocols.stopping_questionnaire import figures as drawn
from analysis.protocols.stopping_questionnaire.agreement import agreement, category_agreement, judges_at_gates
from analysis.protocols.stopping_questionnaire.labels import flow, label_distributions, stops
from analysis.protocols.stopping_questionnaire.sentences import (
    most_and_least,
    say_differences,
    say_flow,
    stopped_comparisons,
    stopped_in,
)
from analysis.reports.contrasts import contrasts
from analysis.reports.description import description
from analysis.reports.error_codes import list_error_tables
from analysis.reports.report import Report
from analysis.reports.variants import variants
from analysis.science.generators import against_others

BY_GROUP_AND_SOURCE = ("labels_by_group_and_source", "applicable_labels_by_group_and_source")


def build_report(evidence: Evidence) -> Report:
    how_far, agreed, stopped = flow(evidence), agreement(evidence), stopped_in(evidence)
    comparisons, labels = stopped_comparisons(evidence, stopped), label_distributions(evidence)
    tables = (
        how_far,
        stops(evidence),
        contrasts(evidence, comparisons),
        *against_others(evidence, comparisons),
        labels,
        agreed,
        *variants(evidence, category_agreement),
        *judges_at_gates(evidence),
        *list_error_tables(evidence),
        description(evidence),
    )
    said = (*say_flow(how_far), *say_differences(evidence, stopped, comparisons), *most_and_least(agreed))
    figures = ("flow", "label_distributions", *(BY_GROUP_AND_SOURCE if rows_by_group_and_source(labels) else ()))
    return Report(tables, said, figures)


def list_figures() -> Mapping[str, Any]:
    return {
        "flow": ("flow", drawn.flow),
        "label_distributions": ("label_distributions", drawn.label_distributions),
        "labels_by_group_and_source": ("label_distributions", drawn.labels_by_group_and_source),
        "applicable_labels_by_group_and_source": ("label_distributions", drawn.applicable_labels_by_group_and_source),
    }
