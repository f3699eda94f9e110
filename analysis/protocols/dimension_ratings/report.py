"""What a study of dimension ratings reports (QGEval, 2024)."""

from collections.abc import Mapping
from typing import Any

from analysis.frames.evidence import Evidence
from analysis.progress import with_progress
from analysis.protocols.dimension_ratings import figures
from analysis.protocols.dimension_ratings.checks import expert_check, flagged_cells
from analysis.protocols.dimension_ratings.dimensions import alpha, dimension_correlations, distributions, variant_alpha
from analysis.protocols.dimension_ratings.generator_means import generator_means
from analysis.protocols.dimension_ratings.judges import judges_of_scores
from analysis.protocols.dimension_ratings.metric_checks import metric_checks
from analysis.protocols.dimension_ratings.metric_correlations import metric_correlations
from analysis.protocols.dimension_ratings.metric_means import metric_by_score, metric_means
from analysis.protocols.dimension_ratings.metric_values import pair_metrics
from analysis.protocols.dimension_ratings.scores import rating_families, rounds_of
from analysis.protocols.dimension_ratings.sentences import say_differences, sentences
from analysis.reports.contrasts import compare_all, contrasts
from analysis.reports.description import description
from analysis.reports.error_codes import error_codes
from analysis.reports.report import Report
from analysis.reports.variants import variants
from analysis.science.generators import against_others


def build_report(evidence: Evidence) -> Report:
    means, correlations, agreed, given, flagged, data = with_progress(
        evidence, generator_means, dimension_correlations, alpha, distributions, flagged_cells, pair_metrics
    )
    compared = metric_correlations(evidence, data)
    comparisons = compare_all(rating_families(evidence, rounds_of(evidence)[-1]), evidence.choices)
    by_score = metric_by_score(evidence, data)
    tables = (
        means,
        contrasts(evidence, comparisons),
        *against_others(evidence, comparisons),
        agreed,
        *variants(evidence, variant_alpha),
        correlations,
        given,
        flagged,
        compared,
        metric_means(evidence, data),
        metric_checks(evidence, data),
        by_score,
        expert_check(evidence),
        error_codes(evidence),
        *judges_of_scores(evidence),
        description(evidence),
    )
    drawn = [(means, "mean"), (correlations, "pearson"), (compared, "r"), (by_score, "median")]
    figures = tuple(table.name for table, column in drawn if any(row[column] is not None for row in table.rows))
    return Report(tables, (*sentences(means), *say_differences(evidence, means, comparisons)), figures)


def list_figures() -> Mapping[str, Any]:
    return {
        "generator_means": ("generator_means", figures.generator_means),
        "dimension_correlations": ("dimension_correlations", figures.dimension_correlations),
        "metric_correlations": ("metric_correlations", figures.metric_correlations),
        "metric_by_score": ("metric_by_score", figures.metric_by_score),
    }
