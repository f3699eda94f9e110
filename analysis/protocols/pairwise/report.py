"""What a study of pairwise comparisons reports."""

from collections.abc import Mapping
from typing import Any

from analysis.frames.evidence import Evidence
from analysis.protocols.pairwise import figures
from analysis.protocols.pairwise.agreement import judges_of_pairs, pair_agreement, variant_agreement
from analysis.protocols.pairwise.ranking import ranking
from analysis.protocols.pairwise.sentences import preference_comparisons, say_differences, say_ranking
from analysis.protocols.pairwise.wins import criteria, sides, wins
from analysis.reports.contrasts import contrasts
from analysis.reports.description import description
from analysis.reports.error_codes import list_error_tables
from analysis.reports.report import Report
from analysis.reports.variants import variants
from analysis.science.generators import against_others


def build_report(evidence: Evidence) -> Report:
    ranked = ranking(evidence)
    decided, comparisons = criteria(evidence), preference_comparisons(evidence)
    tables = (
        ranked,
        contrasts(evidence, comparisons),
        *against_others(evidence, comparisons),
        wins(evidence),
        pair_agreement(evidence),
        *variants(evidence, variant_agreement),
        sides(evidence),
        *([decided] if decided.rows else []),
        *judges_of_pairs(evidence),
        *list_error_tables(evidence),
        description(evidence),
    )
    return Report(tables, (*say_ranking(ranked), *say_differences(evidence, comparisons)), ("ranking", "wins"))


def list_figures() -> Mapping[str, Any]:
    return {"wins": ("wins", figures.wins), "ranking": ("ranking", figures.ranking)}
