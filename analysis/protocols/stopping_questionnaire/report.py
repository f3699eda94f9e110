"""The report of the stopping questionnaire (Horbach et al. 2020)."""

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from analysis.figures.paper import Bar, Bars
from analysis.figures.sizes import select_rows_by_group_and_source
from analysis.formatting import UNDEFINED, count, number, say_judgments
from analysis.frames.evidence import Evidence
from analysis.pack.methods import Facts, get_table, write_value
from analysis.protocols.stopping_questionnaire import figures as drawn
from analysis.protocols.stopping_questionnaire.agreement import (
    build_agreement,
    build_judge_agreement,
    iter_category_agreement,
)
from analysis.protocols.stopping_questionnaire.judgments import (
    ALL,
    build_flow,
    build_label_distributions,
    build_stops,
    read_judgments,
)
from analysis.protocols.stopping_questionnaire.tables import NOT_STOPPED
from analysis.reports.categories import list_error_tables
from analysis.reports.contrasts import (
    Comparison,
    Family,
    GeneratorFigure,
    build_contrasts,
    compare_all,
    find_comparison,
)
from analysis.reports.description import build_description, build_variants
from analysis.reports.estimates import add_codes, build_arm
from analysis.reports.evaluators import HUMAN, Evaluator, get_people, list_compared_evaluators
from analysis.reports.headlines import STOPPED_WORDING, write_headline
from analysis.reports.outcome import (
    AgreementSummary,
    Outcome,
    OutcomeSentences,
    Standing,
    build_contrast_set,
    find_rows,
    join_sentences,
    say_lead,
    summarize_by_model,
)
from analysis.reports.report import Report
from analysis.reports.spread import limit_to_annotators, say_scatter
from analysis.science.report import compare_with_others
from analysis.tables.spec import Row, Table
from studies.question_words import name_question
from studies.services.declarations import get_declaration

FEWEST = 10  # pairs; with fewer, a single pair changes the agreement by more than a tenth


def say_agreement_range(agreed: Table) -> list[str]:
    """Sentences about the categories with the highest and the lowest agreement of people who both reached them.

    They are compared by AC1, as unequal label frequencies lower κ but not AC1. `agreed` is the table `agreement`.
    Empty if fewer than two categories have enough pairs and an AC1, or all have the same.
    """
    rows = [row for row in agreed.rows if row["view"] == "applicable" and is_about_all(row)]
    met = [row for row in rows if row["n_pairs"] >= FEWEST and row["ac1"] is not None]
    if len({row["ac1"] for row in met}) < 2:
        return []
    most, least = (choose(met, key=lambda row: row["ac1"]) for choose in (max, min))
    sentence = _(
        "Among pairs of people who both reached a category, agreement is highest for “%(most)s” "
        "(%(high)s) and lowest for “%(least)s” (%(low)s)."
    ) % {
        "most": name_question(most["category"]),
        "high": write_coefficients(most),
        "least": name_question(least["category"]),
        "low": write_coefficients(least),
    }
    return [sentence, *say_left_out(len(rows) - len(met))]


def is_about_all(row: Row) -> bool:
    """Whether a row is about all people, all generators and all sources."""
    return all(row[column] == ALL for column in ("group", "generator", "source"))


def write_coefficients(row: Row) -> str:
    """AC1, κ and the number of pairs they are based on."""
    kappa = _(UNDEFINED) if row["kappa"] is None else number(row["kappa"])
    pairs = ngettext("%(n)s pair", "%(n)s pairs", row["n_pairs"]) % {"n": count(row["n_pairs"])}
    return f"AC1 {number(row['ac1'])}, κ {kappa}, {pairs}"


def say_left_out(n: int) -> list[str]:
    if not n:
        return []
    return [
        ngettext(
            "%(n)s category with fewer than %(fewest)s such pairs is left out.",
            "%(n)s categories with fewer than %(fewest)s such pairs are left out.",
            n,
        )
        % {"n": count(n), "fewest": count(FEWEST)}
    ]


STOPPED = "stopped"


def find_early_stops(evidence: Evidence, evaluator: Evaluator) -> pd.DataFrame:
    """The evaluator's judgments of items: text_id, annotator, generator, and value (1 if it stopped early, else 0)."""
    frame = read_judgments(evidence).select(evaluator).frame
    texts = evidence.items.set_index("item_id")["text_id"]
    return pd.DataFrame(
        {
            "text_id": frame["item_id"].map(texts),
            "annotator": frame["annotator"],
            "generator": frame["generator"],
            "value": frame["stopped"].notna().astype(float),
        }
    )


def compare_stops(evidence: Evidence) -> tuple[Comparison, ...]:
    """Comparisons of generators by the share of judgments that stop early; lower is better."""
    families = [build_stop_family(evidence, evaluator) for evaluator in list_compared_evaluators(evidence)]
    return compare_all(families, evidence.choices)


def build_stop_family(evidence: Evidence, evaluator: Evaluator) -> Family:
    coded = add_codes(find_early_stops(evidence, evaluator))
    judged = [name for name in evidence.generators if (coded["generator"] == name).any()]
    figures = {name: GeneratorFigure((build_arm(coded[coded["generator"] == name], "value"),)) for name in judged}
    n_texts, fixed = coded["text_id"].nunique(), evaluator.is_fixed
    return Family(STOPPED, evaluator.name, figures, n_texts, (-1.0, 1.0), fixed, higher_is_better=False)


def say_differences(evidence: Evidence, comparisons: tuple[Comparison, ...]) -> list[str]:
    """Sentences on which generators' judgments stop early less often."""
    comparison = find_comparison(comparisons, STOPPED, HUMAN)
    if comparison is None:
        return []
    largest = comparison.largest()
    if largest is None or isnan(largest.low):
        return write_headline(comparison, STOPPED_WORDING)
    stopped = find_early_stops(evidence, get_people(evidence))
    clause = limit_to_annotators(say_scatter(stopped, largest.better, largest.worse), evidence.choices)
    return write_headline(comparison, STOPPED_WORDING, clause)


def say_flow(how_far: Table) -> list[str]:
    """A sentence on how many judgments stopped early, and where most of them did."""
    rows = [row for row in how_far.rows if not row["group"]]
    n, stopped = max((row["reached"] for row in rows), default=0), sum(row["stopped"] for row in rows)
    if not n:
        return []
    most = max(rows, key=lambda row: row["stopped"])
    values = {
        "n": count(n),
        "stopped": count(stopped),
        "category": name_question(most["category"]),
        "most": count(most["stopped"]),
    }
    if not stopped:
        return [_("None of %(n)s judgments stopped early.") % values]
    return [
        _("%(stopped)s of %(n)s judgments stopped early, %(most)s of them at “%(category)s”.") % values,
    ]


# The methods draft ----------------------------------------------------------------------------------------------------


def describe_design(facts: Facts) -> str:
    questions = [question.name for question in get_declaration(facts.study).stages[0].questions]
    return _("Each question was judged by a questionnaire that stops where further questions make no sense (Horbach et "
             "al., 2020); it asks: %(questions)s.") % {"questions": ", ".join(questions)}  # fmt: skip


def describe_agreement(facts: Facts) -> str:
    everyone = {"group": "", "generator": "", "source": "", "view": "all"}
    rows = [
        row
        for row in get_table(facts, "agreement").rows
        if all(row[column] == value for column, value in everyone.items())
    ]
    by = ", ".join(f"{row['category']} {write_value(row['kappa'])}" for row in rows)
    return _("Cohen's κ, with “not applicable” as a label of its own: %(by)s.") % {"by": by}


# The main result of a stopping questionnaire: how many judgments of each generator's items stop, and where.

WORDS = OutcomeSentences(
    winner=gettext_noop("Judgments of items by %(best)s stop least often."),
    among=gettext_noop("Judgments of items by %(best)s stop least often of the %(n)s generators that can be compared."),
    tie=gettext_noop("No generator's items stop least often beyond doubt."),
)
MOST_PARTS = 6  # parts of a bar; the categories with the fewest stops are joined


def summarize(report: Report, _estimand: str) -> Outcome | None:
    if by_model := summarize_by_model(report, STOPPED, WORDS, higher=False):
        return by_model
    rows = [row for row in find_rows(report, "stopped") if row["n_all"]]
    if not rows:
        return None
    standings = sort_shares(rows)
    compared = build_contrast_set(report, STOPPED, HUMAN, higher=False)
    flow = next((table for table in report.tables if table.name == "flow"), None)
    return Outcome(
        title=_("Where judgments stopped"),
        standings=standings,
        figure=draw_stops(rows, standings),
        words=WORDS,
        summary=join_sentences(*(say_flow(flow) if flow else ()), say_lead(compared)),
        compared=compared,
        basis=_("%(judgments)s of people.") % {"judgments": say_judgments(sum(map_counts(rows).values()))},
        higher_is_better=False,
        tables=("stopped", "contrasts"),
    )


def map_counts(rows: Sequence[Row]) -> dict[str, int]:
    return {row["generator"]: row["n_all"] for row in rows}


def sort_shares(rows: Sequence[Row]) -> tuple[Standing, ...]:
    """The share of judgments that stopped by generator, the lowest first."""
    kept = {row["generator"]: row["share"] for row in rows if row["category"] == NOT_STOPPED}
    return tuple(
        Standing(name, 1 - share, None, None) for name, share in sorted(kept.items(), key=lambda each: -each[1])
    )


def draw_stops(rows: Sequence[Row], standings: Sequence[Standing]) -> Bars:
    stops: dict[str, int] = {}
    for row in rows:
        stops[row["category"]] = stops.get(row["category"], 0) + row["n"]
    places = [name for name, n in stops.items() if n and name != NOT_STOPPED]
    single = sorted(places, key=lambda name: -stops[name])[: MOST_PARTS - (len(places) > MOST_PARTS)]
    named = [name for name in places if name in single]
    cells = {(row["generator"], row["category"]): row["n"] for row in rows}
    rest = [name for name in places if name not in named]
    parts = (_("not stopped"), *map(name_question, named), *([_("elsewhere")] if rest else []))
    lines = tuple(
        Bar(
            each.generator,
            (
                cells[each.generator, NOT_STOPPED],
                *(cells[each.generator, name] for name in named),
                *([sum(cells[each.generator, name] for name in rest)] if rest else []),
            ),
            _("%(share)s stopped") % {"share": number(each.value or 0.0)},
        )
        for each in standings
    )
    return Bars(lines, parts, _("percent of judgments; numbers are judgments"))


def list_agreed(report: Report) -> list[AgreementSummary]:
    """Cohen's κ of each category that both of a pair reached."""
    rows = (row for row in find_rows(report, "agreement") if row["view"] == "applicable" and is_about_all(row))
    return [
        AgreementSummary(
            name_question(row["category"]), row["kappa"], None, None, row["reason"], row["percent"], row["ac1"],
            say_judgments(2 * row["n_pairs"]),
        )
        for row in rows
    ]  # fmt: skip


BY_GROUP_AND_SOURCE = ("labels_by_group_and_source", "applicable_labels_by_group_and_source")


def build_report(evidence: Evidence) -> Report:
    how_far, agreed = build_flow(evidence), build_agreement(evidence)
    comparisons, labels = compare_stops(evidence), build_label_distributions(evidence)
    tables = (
        how_far,
        build_stops(evidence),
        build_contrasts(evidence, comparisons),
        *compare_with_others(evidence, comparisons),
        labels,
        agreed,
        *build_variants(evidence, iter_category_agreement),
        *build_judge_agreement(evidence),
        *list_error_tables(evidence),
        build_description(evidence),
    )
    sentences = (*say_flow(how_far), *say_differences(evidence, comparisons), *say_agreement_range(agreed))
    figures = ("flow", "label_distributions", *(BY_GROUP_AND_SOURCE if select_rows_by_group_and_source(labels) else ()))
    return Report(tables, sentences, figures)


def list_figures() -> Mapping[str, Any]:
    return {
        "flow": ("flow", drawn.draw_flow),
        "label_distributions": ("label_distributions", drawn.draw_label_distributions),
        "labels_by_group_and_source": ("label_distributions", drawn.draw_labels_by_group_and_source),
        "applicable_labels_by_group_and_source": (
            "label_distributions",
            drawn.draw_applicable_labels_by_group_and_source,
        ),
    }
