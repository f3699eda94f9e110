"""What a study of dimension ratings reports (QGEval, 2024)."""

from analysis.evidence import Evidence
from analysis.report import Report
from analysis.reports.alpha import alpha
from analysis.reports.description import description
from analysis.reports.dimension_correlations import dimension_correlations
from analysis.reports.distributions import distributions
from analysis.reports.error_codes import error_codes
from analysis.reports.expert_check import expert_check
from analysis.reports.flagged_cells import flagged_cells
from analysis.reports.generator_means import generator_means
from analysis.reports.score_sentences import compared, sentences


def dimension_ratings(evidence: Evidence) -> Report:
    means, correlations = generator_means(evidence), dimension_correlations(evidence)
    tables = (
        means,
        alpha(evidence),
        correlations,
        distributions(evidence),
        flagged_cells(evidence),
        expert_check(evidence),
        error_codes(evidence),
        description(evidence),
    )
    drawn = [(means, "mean"), (correlations, "pearson")]
    figures = tuple(table.name for table, column in drawn if any(row[column] is not None for row in table.rows))
    return Report(tables, (*sentences(means), *compared(evidence, means)), figures)
