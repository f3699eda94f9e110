"""The report and the figures of pairwise comparisons."""

from collections.abc import Mapping
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.figures.paper import Ranges
from analysis.figures.style import (
    BARE,
    INK,
    READ,
    SOFT,
    WIDTH,
    alt,
    build_tooltips,
    describe_measure,
    draw_heat_map,
    layer_labels,
)
from analysis.formatting import UNDEFINED, count, format_with_interval, number, say_judgments, say_of_texts
from analysis.frames.evidence import Evidence
from analysis.measures.components import estimate_text_spread
from analysis.measures.power import Components, preference_outlook
from analysis.measures.strengths import DAVIDSON, FIRST, NEVER_LOST, SECOND, TIE
from analysis.measures.types import IntArray
from analysis.pack.methods import Facts, get_table, write_value, write_with_interval
from analysis.protocols.pairwise.agreement import build_judge_tables, build_pair_agreement, iter_variant_agreement
from analysis.protocols.pairwise.ranking import (
    build_criteria,
    build_ranking,
    build_sides,
    build_wins,
    encode_judgments,
    select_counted,
)
from analysis.reports.categories import list_error_tables
from analysis.reports.contrasts import (
    Comparison,
    Difference,
    Family,
    GeneratorFigure,
    build_contrasts,
    compare_all,
    find_comparison,
)
from analysis.reports.description import build_description, build_variants
from analysis.reports.estimates import add_codes, build_arm
from analysis.reports.evaluators import HUMAN, Evaluator, list_compared_evaluators
from analysis.reports.headlines import PREFERENCE_WORDING, write_headline
from analysis.reports.outcome import (
    AgreementSummary,
    Outcome,
    OutcomeSentences,
    build_contrast_set,
    build_line,
    build_standings,
    count_texts_by_generator,
    find_rows,
    summarize_by_model,
    summarize_values,
)
from analysis.reports.report import Report
from analysis.reports.spread import EDGES, SOME, STUDIES, Spread, limit_to_annotators
from analysis.science.report import compare_with_others
from analysis.tables.spec import Row, Table
from analysis.words import name_code

WIN_RATE = "win_rate"


def compare_preferences(evidence: Evidence) -> tuple[Comparison, ...]:
    """Comparisons of generators by win rate: the share of their judgments that they win, a tie counted as half."""
    families = [build_preference_family(evidence, evaluator) for evaluator in list_compared_evaluators(evidence)]
    return compare_all(families, evidence.choices)


def build_preference_family(evidence: Evidence, evaluator: Evaluator) -> Family:
    judgments = add_codes(select_counted(evidence, evaluator))
    figures = {
        name: GeneratorFigure((build_arm(score_judgments(judgments, name), "points"),)) for name in evidence.generators
    }
    judged = {name: figure for name, figure in figures.items() if len(figure.added[0].n)}
    n_texts = judgments["text_id"].nunique()
    return Family(WIN_RATE, evaluator.name, judged, n_texts, (-1.0, 1.0), fixed=evaluator.is_fixed)


def score_judgments(judgments: pd.DataFrame, generator: str) -> pd.DataFrame:
    """The judgments of the generator's items against others', with `points`: 1 for a win, .5 a tie, 0 a loss."""
    sides = {side: (judgments[f"generator_{side}"] == generator).to_numpy() for side in ("first", "second")}
    about = sides["first"] != sides["second"]
    won = np.where(judgments["outcome"] == FIRST, sides["first"], sides["second"])
    points = np.where(judgments["outcome"] == TIE, 0.5, won.astype(float))
    return judgments.assign(points=points)[about]


def say_differences(evidence: Evidence, comparisons: tuple[Comparison, ...]) -> list[str]:
    """Sentences on which generators win more often than others."""
    comparison = find_comparison(comparisons, WIN_RATE, HUMAN)
    if comparison is None:
        return []
    largest = comparison.largest()
    if largest is None or isnan(largest.low):
        return write_headline(comparison, PREFERENCE_WORDING)
    return write_headline(
        comparison, PREFERENCE_WORDING, limit_to_annotators(say_what_narrows(evidence, largest), evidence.choices)
    )


def say_what_narrows(evidence: Evidence, largest: Difference) -> str:
    """A clause on what would narrow the interval, by simulation with the fitted spread between texts.

    Empty if no spread could be fitted, or if neither more texts nor more judgments would narrow it clearly.
    """
    fitted = fit_pair_spread(evidence).text_spread
    judgments = select_counted(evidence)
    between = judgments[
        judgments["generator_first"].isin([largest.better, largest.worse])
        & judgments["generator_second"].isin([largest.better, largest.worse])
    ]
    if fitted is None or between.empty:
        return ""
    texts = between["text_id"].nunique()
    each, share = max(1, round(len(between) / texts)), float(np.clip((1 + largest.value) / 2, *EDGES))

    def width(texts: int, judgments: int) -> float:
        seed = evidence.choices.seed
        return preference_outlook(texts, judgments, share, text_spread=fitted, seed=seed, studies=STUDIES).width

    now = width(texts, each)
    by_texts, by_judgments = (1 - width(*doubled) / now for doubled in ((2 * texts, each), (texts, 2 * each)))
    if by_texts < SOME and by_judgments < SOME:
        return ""
    if by_judgments < SOME:
        return _("more texts would narrow this interval; more judgments of the same texts hardly would")
    if by_judgments < by_texts / 2:
        return _("more texts would narrow this interval most; more judgments of the same texts less")
    return _("more texts would narrow this interval, and so would more judgments of the same texts")


# The spread between texts ---------------------------------------------------------------------------------------------


def fit_pair_spread(evidence: Evidence) -> Spread:
    """The spread of preferences between texts, fitted to the judgments without ties, or an assumption."""
    judgments = select_counted(evidence)
    first, second, outcome, text = encode_judgments(evidence, judgments)
    untied = outcome != TIE
    cell, won = orient_pairs(first[untied], second[untied], outcome[untied], len(evidence.generators))
    found = estimate_text_spread(text[untied], cell, won) if untied.any() else None
    if found is None:
        sentence = _("Lesart's assumption, not a measured value: texts .5. As soon as pairs of two "
                 "generators on two texts are judged, the estimate from the study's own answers is used.")  # fmt: skip
        return Spread(Components(), sentence)
    about = {"judgments": say_judgments(int(untied.sum())), "texts": say_of_texts(len(set(text)))}
    sentence = _(
        "Estimated from this study's answers: %(judgments)s without ties, on %(texts)s. With few texts "
        "the estimate is imprecise."
    )
    return Spread(Components(), sentence % about, fitted=True, text_spread=found)


def orient_pairs(first: IntArray, second: IntArray, outcome: IntArray, g: int) -> tuple[IntArray, np.ndarray]:
    """The pair of generators of each judgment, and whether the one that comes first in the bank won."""
    winner = np.where(outcome == FIRST, first, second)
    assert set(np.unique(outcome)) <= {FIRST, SECOND}
    low, high = np.minimum(first, second), np.maximum(first, second)
    return low * g + high, winner == low


# The ranking ----------------------------------------------------------------------------------------------------------


def say_ranking(ranked: Table) -> list[str]:
    """Sentences on the order by Davidson's model, and on generators without a rank. Only contrasts test the order."""
    rows = [row for row in ranked.rows if row["method"] == DAVIDSON]
    with_rank = [row for row in rows if row["rank"]]
    unranked = [row for row in rows if not row["rank"]] if any(row["n"] for row in rows) else []
    missing = [
        _("%(generator)s has no rank. %(reason)s") % {"generator": row["generator"], "reason": row["reason"]}
        for row in unranked
    ]
    return [*([describe_order(with_rank)] if len(with_rank) > 1 else []), *missing]


def describe_order(rows: list[Row]) -> str:
    """The generators of these rows by strength, the strongest first and equal ones together; or that all are equal."""
    if len({row["rank"] for row in rows}) == 1:
        names = ", ".join(row["generator"] for row in rows)
        return _("By Davidson's model, items by %(names)s are equally strong.") % {"names": names}
    ranks: dict[int, list[str]] = {}
    for row in rows:
        ranks.setdefault(row["rank"], []).append(row["generator"])
    names = ", ".join(" = ".join(same) for same in ranks.values())
    return _("Estimated order by Davidson's model, the strongest first: %(names)s.") % {"names": names}


# The methods draft ----------------------------------------------------------------------------------------------------


def describe_design(facts: Facts) -> str:
    sentence = _("Annotators compared pairs of items by different generators about the same text, and chose the better "
                 "one or a tie.")  # fmt: skip
    if not facts.conduct.n_calibration:
        return sentence
    return (
        sentence
        + " "
        + _("%(n)s of the pairs were a calibration that all annotators did first.") % {"n": facts.conduct.n_calibration}
    )


def describe_agreement(facts: Facts) -> str:
    rows = {row["view"]: row for row in get_table(facts, "agreement").rows}
    values = {
        "kappa": write_with_interval(rows.get("with_ties"), "conger_kappa"),
        "percent": write_value(rows["with_ties"]["percent"]) if "with_ties" in rows else UNDEFINED,
    }
    return _("Annotators agreed with a share of %(percent)s (Conger's κ %(kappa)s, ties included).") % values


# The main result of pairwise comparisons: whose items win, and how strong each generator is.

WORDS = OutcomeSentences(
    winner=gettext_noop("Items by %(best)s win most often."),
    among=gettext_noop("Items by %(best)s win most often of the %(n)s generators that can be compared."),
    tie=gettext_noop("No generator wins most often beyond doubt."),
)


def summarize(report: Report, _estimand: str) -> Outcome | None:
    if by_model := summarize_by_model(report, WIN_RATE, WORDS):
        return by_model
    rows = [row for row in find_rows(report, "ranking") if row["method"] == DAVIDSON]
    if not rows:
        return None
    found = build_standings(rows, "strength", texts=count_texts_by_generator(report, WIN_RATE))
    standings = tuple(sorted(found, key=lambda each: each.reason != _(NEVER_LOST)))
    compared = build_contrast_set(report, WIN_RATE, HUMAN)
    n = sum(row["n"] for row in find_rows(report, "wins"))
    lines = tuple(build_line(each) for each in standings)
    return Outcome(
        title=_("Strength of each generator"),
        standings=standings,
        figure=Ranges(lines, _("strength (Davidson's model, log-worth; dashed: the mean)"), _("strength"), dashed=0),
        words=WORDS,
        summary=summarize_values(_("Strengths: %(values)s."), standings, compared),
        compared=compared,
        basis=_("%(judgments)s of pairs by people. Differences are of shares won.") % {"judgments": say_judgments(n)},
        tables=("ranking", "contrasts"),
    )


def list_agreed(report: Report) -> list[AgreementSummary]:
    """Conger's κ for each treatment of ties."""
    return [
        AgreementSummary(
            name_code("view", row["view"]),
            row["conger_kappa"], row["low"], row["high"], row["reason"], row["percent"], None,
            _("%(n)s pairs of items") % {"n": row["n_units"]},
        )
        for row in find_rows(report, "agreement")
    ]  # fmt: skip


def build_report(evidence: Evidence) -> Report:
    ranked = build_ranking(evidence)
    decided, comparisons = build_criteria(evidence), compare_preferences(evidence)
    tables = (
        ranked,
        build_contrasts(evidence, comparisons),
        *compare_with_others(evidence, comparisons),
        build_wins(evidence),
        build_pair_agreement(evidence),
        *build_variants(evidence, iter_variant_agreement),
        build_sides(evidence),
        *([decided] if decided.rows else []),
        *build_judge_tables(evidence),
        *list_error_tables(evidence),
        build_description(evidence),
    )
    return Report(tables, (*say_ranking(ranked), *say_differences(evidence, comparisons)), ("ranking", "wins"))


def list_figures() -> Mapping[str, Any]:
    return {"wins": ("wins", draw_wins), "ranking": ("ranking", draw_ranking)}


# Figures: who won against whom, and the ranking with intervals.


ROW_HEIGHT, CELL_WIDTH = 46, 110


def draw_wins(table: Table, title: Mapping[str, Any]) -> Any:
    """A heat map of the share that the row's generator wins against the column's, a tie as half."""
    cells = [cell for row in table.rows if row["n"] for cell in build_both_cells(row)]
    names = list(dict.fromkeys(row[side] for side in ("generator_a", "generator_b") for row in table.rows))
    legend = _("share won by the row, a tie as half (wins–losses, ties)")
    tooltip = build_tooltips(
        {"down": _("Generator"), "across": _("against"), "number": _("Share won"),
         "won": _("Wins"), "lost": _("Losses"), "tied": _("Ties"), "counted": "n"}
    )  # fmt: skip
    return draw_heat_map(cells, title, legend, (0, 1), tooltip, orders=(names, names), cell_width=CELL_WIDTH)


def build_both_cells(row: Row) -> list[dict[str, Any]]:
    one, other, ties = row["wins_a"], row["wins_b"], row["ties"]
    return [
        build_cell(row["generator_a"], row["generator_b"], one, other, ties),
        build_cell(row["generator_b"], row["generator_a"], other, one, ties),
    ]


def build_cell(down: str, across: str, wins: int, losses: int, ties: int) -> dict[str, Any]:
    share = (wins + ties / 2) / (wins + losses + ties)
    counts = {"won": count(wins), "lost": count(losses), "tied": count(ties)}
    values = {"number": number(share), "counted": say_judgments(wins + losses + ties)} | counts
    return {"down": down, "across": across, "value": share, "text": f"{wins}–{losses}, {ties}"} | values


def draw_ranking(table: Table, title: Mapping[str, Any]) -> Any:
    """A figure of Davidson's strengths with intervals, the strongest on top; “undefined” for generators without one."""
    rows = [build_point(row) for row in table.rows if row["method"] == DAVIDSON]
    order = [row["generator"] for row in rows]
    tooltip = build_tooltips(
        {"generator": _("Generator"), "model": _("Model")}, _("Strength"), {"rank": _("Rank (possible)")}
    )
    y = alt.Y("generator:N", title=None, sort=order, axis=BARE)
    base = alt.Chart(alt.Data(values=rows)).encode(y=y, tooltip=tooltip)
    known = base.transform_filter("isValid(datum.strength)")
    x = alt.X("strength:Q", title=_("strength (log-worth, mean 0)"))
    zero = alt.Chart().mark_rule(strokeDash=[3, 3], color=SOFT).encode(x=alt.datum(0))
    layers = [
        zero,
        known.mark_rule(strokeWidth=1.5, color=READ).encode(x=alt.X("low:Q"), x2="high:Q"),
        known.mark_point(size=110, filled=True, opacity=1, color=READ).encode(x=x),
        *layer_labels(known.encode(x=x, text="text:N"), -14),
        base.transform_filter("!isValid(datum.strength)")
        .mark_text(align="left", fontSize=12, color=INK)
        .encode(x=alt.value(6), text="text:N"),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(ROW_HEIGHT), title=title)


def build_point(row: Row) -> dict[str, Any]:
    text = _(UNDEFINED) if row["strength"] is None else format_with_interval(row["strength"], row["low"], row["high"])
    drawn = {name: row[name] for name in ("generator", "strength", "low", "high")} | {"text": text}
    rank = f"{row['rank']} ({row['ranks']})" if row["rank"] else _(UNDEFINED)
    values = describe_measure(row, "strength", say_judgments(row["n"]))
    return drawn | values | {"model": row["method_said"], "rank": rank}
