"""What a study of dimension ratings reports (QGEval, 2024)."""

from collections.abc import Mapping
from typing import Any

from analysis.frames.evidence import Evidence
from analysis.progress import with_progress
from analysis.protocols.dimension_ratings import figures, rows_of_checks, rows_of_items, rows_of_metrics, rows_of_scores
from analysis.protocols.dimension_ratings.alpha import alpha, variant_alpha
from analysis.protocols.dimension_ratings.correlations import dimension_correlations
from analysis.protocols.dimension_ratings.distributions import distributions
from analysis.protocols.dimension_ratings.expert_check import expert_check
from analysis.protocols.dimension_ratings.flagged_cells import flagged_cells
from analysis.protocols.dimension_ratings.generator_means import generator_means
from analysis.protocols.dimension_ratings.judges import judges_of_scores
from analysis.protocols.dimension_ratings.metric_by_score import metric_by_score
from analysis.protocols.dimension_ratings.metric_checks import metric_checks
from analysis.protocols.dimension_ratings.metric_correlations import metric_correlations
from analysis.protocols.dimension_ratings.metric_means import metric_means
from analysis.protocols.dimension_ratings.metric_values import judged
from analysis.protocols.dimension_ratings.scores import rating_families, rounds_of
from analysis.protocols.dimension_ratings.sentences import compared as compared_generators
from analysis.protocols.dimension_ratings.sentences import sentences
from analysis.reports.contrasts import compare_all, contrasts
from analysis.reports.description import description
from analysis.reports.error_codes import error_codes
from analysis.reports.report import Report
from analysis.reports.variants import variants
from analysis.tables.spec import TableSpec, declare_drill_downs


def build_report(evidence: Evidence) -> Report:
    means, correlations, agreed, given, flagged, data = with_progress(
        evidence, generator_means, dimension_correlations, alpha, distributions, flagged_cells, judged
    )
    compared = metric_correlations(evidence, data)
    comparisons = compare_all(rating_families(evidence, rounds_of(evidence)[-1]), evidence.choices)
    by_score = metric_by_score(evidence, data)
    tables = (
        means,
        contrasts(evidence, comparisons),
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
    return Report(tables, (*sentences(means), *compared_generators(evidence, means, comparisons)), figures)


def list_tables() -> tuple[TableSpec, ...]:
    return declare_drill_downs(
        {**rows_of_scores.SOURCES, **rows_of_items.SOURCES, **rows_of_metrics.SOURCES, **rows_of_checks.SOURCES}
    )


def list_figures() -> Mapping[str, Any]:
    return {
        "generator_means": ("generator_means", figures.generator_means),
        "dimension_correlations": ("dimension_correlations", figures.dimension_correlations),
        "metric_correlations": ("metric_correlations", figures.metric_correlations),
        "metric_by_score": ("metric_by_score", figures.metric_by_score),
    }
