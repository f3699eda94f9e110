"""What a study of pairwise comparisons reports."""

from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.measures.strengths import DAVIDSON
from analysis.report import Report
from analysis.reports.criteria import criteria
from analysis.reports.description import description
from analysis.reports.error_codes import found_errors
from analysis.reports.judges_of_pairs import judges_of_pairs
from analysis.reports.pair_agreement import pair_agreement, variant_agreement
from analysis.reports.preferred_sentences import compared
from analysis.reports.ranking import ranking
from analysis.reports.sides import sides
from analysis.reports.variants import variants
from analysis.reports.wins import wins
from analysis.tables import Table


def pairwise(evidence: Evidence) -> Report:
    ranked = ranking(evidence)
    decided = criteria(evidence)
    tables = (
        ranked,
        wins(evidence),
        pair_agreement(evidence),
        *variants(evidence, variant_agreement),
        sides(evidence),
        *([decided] if decided.rows else []),
        *judges_of_pairs(evidence),
        *found_errors(evidence),
        description(evidence),
    )
    return Report(tables, (*sentences(ranked), *compared(evidence, ranked)), ("ranking", "wins"))


def sentences(ranked: Table) -> list[str]:
    """Which generator stands first and last, and whether that is sure."""
    rows = [row for row in ranked.rows if row["method"] == DAVIDSON and row["rank"]]
    if len(rows) < 2:
        return []
    best, worst = rows[0], rows[-1]
    values = {"best": best["generator"], "worst": worst["generator"]}
    said = [_("By Davidson's model, items by %(best)s stand first, those by %(worst)s last.") % values]
    equal = [row["generator"] for row in rows[1:] if row["rank"] == best["rank"]]
    if equal:
        said.append(_("As strong as %(best)s: %(equal)s.") % (values | {"equal": ", ".join(equal)}))
    if best["rank_high"] != 1:
        said.append(_("That %(best)s stands first is not sure: another generator may stand there.") % values)
    return said
