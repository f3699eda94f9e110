"""The report of dimension ratings (QGEval, 2024)."""

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.figures.paper import Mark, Panels
from analysis.formatting import count, say_scores
from analysis.frames.evidence import Evidence
from analysis.pack.methods import Facts, get_table, write_with_interval
from analysis.protocols.dimension_ratings import figures
from analysis.protocols.dimension_ratings.dimensions import (
    build_alpha,
    build_dimension_correlations,
    build_distributions,
    build_generator_means,
    build_judge_tables,
    iter_variant_alpha,
)
from analysis.protocols.dimension_ratings.metrics import (
    build_metric_by_score,
    build_metric_checks,
    build_metric_correlations,
    build_metric_means,
    pair_metrics,
)
from analysis.protocols.dimension_ratings.scores import (
    AVERAGE,
    build_expert_check,
    find_flagged_cells,
    iter_rating_families,
    list_rounds,
    select_scores,
)
from analysis.reports.categories import build_error_codes
from analysis.reports.contrasts import Comparison, build_contrasts, compare_all, find_comparison
from analysis.reports.description import build_description, build_variants
from analysis.reports.evaluators import HUMAN
from analysis.reports.headlines import RATING_WORDING, say_not_compared, write_headline, write_values
from analysis.reports.outcome import (
    AgreementSummary,
    Outcome,
    OutcomeSentences,
    Standing,
    build_contrast_set,
    build_standings,
    count_texts_by_generator,
    find_rows,
    summarize_by_model,
    summarize_values,
)
from analysis.reports.report import Report
from analysis.reports.spread import limit_to_annotators, say_scatter
from analysis.science.report import compare_with_others
from analysis.tables.spec import Row, Table
from studies.question_words import name_question
from studies.services.declarations import get_declaration

# Sentences about the scores: the averages, and which generators differ.


def sort_averages(means: Table) -> list[Row]:
    """The averages of the generators after the last round, the highest first."""
    last = max((row["round"] for row in means.rows), default=1)
    rows = [row for row in means.rows if row["dimension"] == AVERAGE and row["round"] == last]
    return sorted((row for row in rows if row["mean"] is not None), key=lambda row: -row["mean"])


def say_differences(evidence: Evidence, means: Table, comparisons: Sequence[Comparison]) -> list[str]:
    """Sentences on which generators differ in their average."""
    defined, comparison = sort_averages(means), find_comparison(comparisons, AVERAGE, HUMAN)
    if len(defined) < 2 or comparison is None or len(collect_scored_dimensions(means, defined)) > 1:
        return []
    largest = comparison.largest()
    if largest is None or isnan(largest.low):
        return write_headline(comparison, RATING_WORDING)
    scores = select_scores(evidence, defined[0]["round"])
    clause = limit_to_annotators(say_scatter(scores, largest.worse, largest.better), evidence.choices)
    return write_headline(comparison, RATING_WORDING, clause)


def collect_scored_dimensions(means: Table, generators: list[Row]) -> set[frozenset[str]]:
    """The sets of dimensions on which generators have scores; a single set if it is the same for all generators."""
    scored: dict[str, set[str]] = {row["generator"]: set() for row in generators}
    for row in means.rows:
        if row["round"] == generators[0]["round"] and row["generator"] in scored and row["n"]:
            scored[row["generator"]].add(row["dimension"])
    return {frozenset(names) for names in scored.values()}


def list_sentences(means: Table) -> list[str]:
    """Sentences on the averages of generators after the last round (only the range of many), and on missing ones."""
    defined = sort_averages(means)
    if len(defined) < 2:
        return []
    unscored = sorted({row["generator"] for row in means.rows} - {row["generator"] for row in defined})
    missing = [say_not_compared(unscored, _("no scores"))] if unscored else []
    if len(collect_scored_dimensions(means, defined)) > 1:
        sentence = _("Generators were not scored on the same dimensions, so their averages are not compared.")
        return [sentence, *missing]
    n = count(sum(row["n"] for row in defined))
    sentence = _("The average over dimensions is %(values)s, by %(n)s scores of people.")
    return [sentence % {"values": write_values(defined, "mean", "low", "high"), "n": n}, *missing]


# The methods draft ----------------------------------------------------------------------------------------------------


def describe_design(facts: Facts) -> str:
    declaration = get_declaration(facts.study)
    scales = [question for question in declaration.stages[0].questions if question.kind == "scale"]
    values = {
        "dimensions": ", ".join(question.name for question in scales),
        "low": scales[0].levels[0],
        "high": scales[0].levels[-1],
        "rounds": facts.rounds,
    }
    return _("Annotators rated each question from %(low)s to %(high)s on these dimensions: %(dimensions)s (rounds of "
             "rating: %(rounds)s), as in QGEval (2024).") % values  # fmt: skip


def describe_agreement(facts: Facts) -> str:
    every = get_table(facts, "alpha").rows
    first = min((row["round"] for row in every), default=1)
    rows = [row for row in every if row["round"] == first]
    by = ", ".join(f"{row['dimension']} {write_with_interval(row, 'alpha')}" for row in rows)
    if first > 1:
        return _("The first round is unknown. Krippendorff's α after the second round, no reliability: %(by)s.") % {
            "by": by
        }
    return _("Krippendorff's α in the first round: %(by)s.") % {"by": by}


# The main result of a study of dimension ratings: the mean of each generator on each dimension.

WORDS = OutcomeSentences(
    winner=gettext_noop("Items by %(best)s are rated highest."),
    among=gettext_noop("Items by %(best)s are rated highest of the %(n)s generators that can be compared."),
    tie=gettext_noop("No generator is rated highest beyond doubt."),
)


def summarize(report: Report, _estimand: str) -> Outcome | None:
    if by_model := summarize_by_model(report, AVERAGE, WORDS):
        return by_model
    every = find_rows(report, "generator_means")
    last = max((row["round"] for row in every), default=1)
    rows = [row for row in every if row["round"] == last]
    averages = [row for row in rows if row["dimension"] == AVERAGE]
    standings = build_standings(averages, "mean", texts=count_texts_by_generator(report, AVERAGE))
    if not standings:
        return None
    compared = build_contrast_set(report, AVERAGE, HUMAN)
    n = sum(row["n"] for row in rows if row["dimension"] != AVERAGE)
    return Outcome(
        title=_("Mean scores by dimension"),
        standings=standings,
        figure=draw_means(rows, standings, [row["score"] for row in find_rows(report, "distributions")]),
        words=WORDS,
        summary=summarize_values(_("On average over the dimensions: %(values)s."), standings, compared),
        compared=compared,
        basis=_("%(scores)s of people.") % {"scores": say_scores(n)},
        tables=("generator_means", "contrasts"),
    )


def draw_means(rows: list, standings: Sequence[Standing], levels: Sequence[int]) -> Panels | None:
    """A panel for each dimension that was scored, the average last. levels: the levels of the scale."""
    generators = [each.generator for each in standings]
    few = {each.generator for each in standings if each.has_few_texts}
    cells = {(row["generator"], row["dimension"]): row for row in rows}
    scored = [name for name in dict.fromkeys(row["dimension"] for row in rows) if has_scores(rows, name)]
    if not scored:
        return None
    panels = tuple(
        (
            _("average") if name == AVERAGE else name_question(name),
            tuple((build_mark(cells[each, name], bare=each in few),) for each in generators),
        )
        for name in scored
    )
    ends = (min(levels), max(levels)) if levels else None
    return Panels(tuple(generators), panels, _("mean score with its 95 % interval"), ends=ends)


def has_scores(rows: list, dimension: str) -> bool:
    return any(row["mean"] is not None for row in rows if row["dimension"] == dimension)


def build_mark(row: Row, *, bare: bool = False) -> Mark:
    """The mark of a mean; bare: without its interval."""
    low, high = (None, None) if bare else (row["low"], row["high"])
    return Mark(row["mean"], low, high, "base" if row["dimension"] == AVERAGE else "with")


def list_agreed(report: Report) -> list[AgreementSummary]:
    """Krippendorff's α of each dimension in the first known round."""
    every = find_rows(report, "alpha")
    first = min((row["round"] for row in every), default=1)
    return [
        AgreementSummary(
            name_question(row["dimension"]), row["alpha"], row["low"], row["high"], row["reason"], None, None,
            say_scores(row["n_values"]),
        )
        for row in every
        if row["round"] == first
    ]  # fmt: skip


def build_report(evidence: Evidence) -> Report:
    means, correlations, data = (
        build_generator_means(evidence),
        build_dimension_correlations(evidence),
        pair_metrics(evidence),
    )
    compared = build_metric_correlations(evidence, data)
    comparisons = compare_all(iter_rating_families(evidence, list_rounds(evidence)[-1]), evidence.choices)
    by_score = build_metric_by_score(evidence, data)
    tables = (
        means,
        build_contrasts(evidence, comparisons),
        *compare_with_others(evidence, comparisons),
        build_alpha(evidence),
        *build_variants(evidence, iter_variant_alpha),
        correlations,
        build_distributions(evidence),
        find_flagged_cells(evidence),
        compared,
        build_metric_means(evidence, data),
        build_metric_checks(evidence, data),
        by_score,
        build_expert_check(evidence),
        build_error_codes(evidence),
        *build_judge_tables(evidence),
        build_description(evidence),
    )
    drawn = [(means, "mean"), (correlations, "pearson"), (compared, "r"), (by_score, "median")]
    figures = tuple(table.name for table, column in drawn if any(row[column] is not None for row in table.rows))
    return Report(tables, (*list_sentences(means), *say_differences(evidence, means, comparisons)), figures)


def list_figures() -> Mapping[str, Any]:
    return {
        "generator_means": ("generator_means", figures.draw_generator_means),
        "dimension_correlations": ("dimension_correlations", figures.draw_dimension_correlations),
        "metric_correlations": ("metric_correlations", figures.draw_metric_correlations),
        "metric_by_score": ("metric_by_score", figures.draw_metric_by_score),
    }
