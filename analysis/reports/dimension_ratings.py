"""What a study of dimension ratings reports (QGEval, 2024)."""

from analysis.evidence import Evidence
from analysis.progress import in_turn
from analysis.report import Report
from analysis.reports.alpha import alpha, variant_alpha
from analysis.reports.description import description
from analysis.reports.dimension_correlations import dimension_correlations
from analysis.reports.distributions import distributions
from analysis.reports.error_codes import error_codes
from analysis.reports.expert_check import expert_check
from analysis.reports.flagged_cells import flagged_cells
from analysis.reports.generator_means import generator_means
from analysis.reports.judges_of_scores import judges_of_scores
from analysis.reports.metric_by_score import metric_by_score
from analysis.reports.metric_checks import metric_checks
from analysis.reports.metric_correlations import metric_correlations
from analysis.reports.metric_means import metric_means
from analysis.reports.metric_values import judged
from analysis.reports.score_sentences import compared as compared_generators
from analysis.reports.score_sentences import sentences
from analysis.reports.variants import variants


def dimension_ratings(evidence: Evidence) -> Report:
    means, correlations, agreed, given, flagged, data = in_turn(
        evidence, generator_means, dimension_correlations, alpha, distributions, flagged_cells, judged
    )
    compared = metric_correlations(evidence, data)
    tables = (
        means,
        agreed,
        *variants(evidence, variant_alpha),
        correlations,
        given,
        flagged,
        compared,
        metric_means(evidence, data),
        metric_checks(evidence, data),
        metric_by_score(evidence, data),
        expert_check(evidence),
        error_codes(evidence),
        *judges_of_scores(evidence),
        description(evidence),
    )
    drawn = [(means, "mean"), (correlations, "pearson"), (compared, "r")]
    figures = tuple(table.name for table, column in drawn if any(row[column] is not None for row in table.rows))
    return Report(tables, (*sentences(means), *compared_generators(evidence, means)), figures)
