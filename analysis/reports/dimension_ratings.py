"""What a study of dimension ratings reports (QGEval, 2024)."""

from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.formatting import number
from analysis.report import Report
from analysis.reports.alpha import alpha, variant_alpha
from analysis.reports.description import description
from analysis.reports.dimension_correlations import dimension_correlations
from analysis.reports.distributions import distributions
from analysis.reports.error_codes import error_codes
from analysis.reports.expert_check import expert_check
from analysis.reports.flagged_cells import flagged_cells
from analysis.reports.generator_means import generator_means
from analysis.reports.scores import AVERAGE
from analysis.reports.variants import variants
from analysis.tables import Table


def dimension_ratings(evidence: Evidence) -> Report:
    means, correlations = generator_means(evidence), dimension_correlations(evidence)
    tables = (
        means,
        alpha(evidence),
        *variants(evidence, variant_alpha),
        correlations,
        distributions(evidence),
        flagged_cells(evidence),
        expert_check(evidence),
        error_codes(evidence),
        description(evidence),
    )
    drawn = [(means, "mean"), (correlations, "pearson")]
    figures = tuple(table.name for table, column in drawn if any(row[column] is not None for row in table.rows))
    return Report(tables, tuple(sentences(means)), figures)


def sentences(means: Table) -> list[str]:
    """Which generator has the highest and the lowest average, after the last round."""
    last = max((row["round"] for row in means.rows), default=1)
    rows = [row for row in means.rows if row["dimension"] == AVERAGE and row["round"] == last]
    defined = sorted((row for row in rows if row["mean"] is not None), key=lambda row: row["mean"])
    if len(defined) < 2:
        return []
    worst, best = defined[0], defined[-1]
    return [
        _("Averaged over dimensions, items by %(best)s score highest (%(high)s), those by %(worst)s lowest (%(low)s).")
        % {
            "best": best["generator"],
            "high": number(best["mean"]),
            "worst": worst["generator"],
            "low": number(worst["mean"]),
        }
    ]
