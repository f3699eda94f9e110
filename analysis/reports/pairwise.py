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
from analysis.tables import Row, Table


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
    """Which generator stands first and last, whether that is sure, and who has no rank and why."""
    rows = [row for row in ranked.rows if row["method"] == DAVIDSON]
    held = [row for row in rows if row["rank"]]
    unranked = [row for row in rows if not row["rank"]] if any(row["n"] for row in rows) else []
    apart = [
        _("%(generator)s has no rank: %(reason)s") % {"generator": row["generator"], "reason": row["reason"]}
        for row in unranked
    ]
    return [*(order(held) if len(held) > 1 else []), *apart]


def order(rows: list[Row]) -> list[str]:
    """The ends of a ranking of two generators or more, the strongest first."""
    best, worst = rows[0], rows[-1]
    if best["rank"] == worst["rank"]:
        names = ", ".join(row["generator"] for row in rows)
        return [_("By Davidson's model, items by %(names)s are equally strong.") % {"names": names}]
    values = {"best": best["generator"], "worst": worst["generator"]}
    said = [_("By Davidson's model, items by %(best)s stand first, those by %(worst)s last.") % values]
    said += [*as_strong(best, rows), *as_strong(worst, rows)]
    if best["rank_high"] != 1:
        said.append(_("That %(best)s stands first is not sure: another generator may stand there.") % values)
    if worst["rank_low"] != len(rows):
        said.append(_("That %(worst)s stands last is not sure: another generator may stand there.") % values)
    return said


def as_strong(row: Row, rows: list[Row]) -> list[str]:
    equal = [other["generator"] for other in rows if other is not row and other["rank"] == row["rank"]]
    values = {"best": row["generator"], "equal": ", ".join(equal)}
    return [_("As strong as %(best)s: %(equal)s.") % values] if equal else []
