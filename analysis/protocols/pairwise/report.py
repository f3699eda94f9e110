"""What a study of pairwise comparisons reports."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.strengths import DAVIDSON
from analysis.protocols.pairwise import drill_down, figures, rows_of_calls
from analysis.protocols.pairwise.agreement import pair_agreement, variant_agreement
from analysis.protocols.pairwise.judged_pairs import PLACE, calibration_note, counted
from analysis.protocols.pairwise.judges import judges_of_pairs
from analysis.protocols.pairwise.ranking import ranking
from analysis.protocols.pairwise.sentences import compared, preference_comparisons
from analysis.protocols.pairwise.sides import sides
from analysis.protocols.pairwise.wins import wins
from analysis.reports.contrasts import contrasts
from analysis.reports.description import description
from analysis.reports.error_codes import found_errors
from analysis.reports.evaluators import people_in
from analysis.reports.report import Report
from analysis.reports.variants import variants
from analysis.tables.spec import Row, Shown, Table, make_table
from studies.services.declarations import get_declaration

COLUMNS = ("criterion", "n", "n_decided", "share")


def criteria(evidence: Evidence) -> Table:
    """One row per criterion: in how many of the judgments with a winner it was ticked."""
    stage = get_declaration(evidence.study).stages[0]
    names = [question.name for question in stage.questions if question.kind == "tick"]
    people = people_in(evidence).rows_of(evidence.frame)
    answers = people.merge(counted(evidence)[PLACE], on=PLACE)
    rows = []
    for name in names:
        ticked = answers[answers["question"] == name]["value"]
        n, decided = int(ticked.astype(bool).sum()), len(ticked)
        rows.append({"criterion": name, "n": n, "n_decided": decided, "share": n / decided if decided else None})
    notes = (_("Asked of judgments with a winner; several criteria may have decided."), *calibration_note(evidence))
    return make_table(
        "criteria", COLUMNS, rows, title=_("What decided"), notes=notes, shown=shown(), named_by=("criterion",)
    )


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Criterion"), "criterion", "question"),
        Shown(_("Ticked"), "n", "count", about=_("judgments in which it was ticked")),
        Shown(_("Judgments with a winner"), "n_decided", "count", about=_("judgments with a winner")),
        Shown(_("Share"), "share", "number", about=_("of the judgments with a winner")),
    )


def build_report(evidence: Evidence) -> Report:
    ranked = ranking(evidence)
    decided, comparisons = criteria(evidence), preference_comparisons(evidence)
    tables = (
        ranked,
        contrasts(evidence, comparisons),
        wins(evidence),
        pair_agreement(evidence),
        *variants(evidence, variant_agreement),
        sides(evidence),
        *([decided] if decided.rows else []),
        *judges_of_pairs(evidence),
        *found_errors(evidence),
        description(evidence),
    )
    return Report(tables, (*sentences(ranked), *compared(evidence, comparisons)), ("ranking", "wins"))


def sentences(ranked: Table) -> list[str]:
    """The order by Davidson's model as it is, and who has no rank and why; whether it is sure, contrasts say."""
    rows = [row for row in ranked.rows if row["method"] == DAVIDSON]
    held = [row for row in rows if row["rank"]]
    unranked = [row for row in rows if not row["rank"]] if any(row["n"] for row in rows) else []
    apart = [
        _("%(generator)s has no rank: %(reason)s") % {"generator": row["generator"], "reason": row["reason"]}
        for row in unranked
    ]
    return [*([order(held)] if len(held) > 1 else []), *apart]


def order(rows: list[Row]) -> str:
    """The strongest first, those of equal strength joined; of many generators only that they differ."""
    if len({row["rank"] for row in rows}) == 1:
        names = ", ".join(row["generator"] for row in rows)
        return _("By Davidson's model, items by %(names)s are equally strong.") % {"names": names}
    ranks: dict[int, list[str]] = {}
    for row in rows:
        ranks.setdefault(row["rank"], []).append(row["generator"])
    names = ", ".join(" = ".join(same) for same in ranks.values())
    return _("Estimated order by Davidson's model, the strongest first: %(names)s.") % {"names": names}


def list_sources() -> Mapping[str, Any]:
    return {**drill_down.SOURCES, **rows_of_calls.OF_PAIRS}


def list_figures() -> Mapping[str, Any]:
    return {"wins": ("wins", figures.wins), "ranking": ("ranking", figures.ranking)}
