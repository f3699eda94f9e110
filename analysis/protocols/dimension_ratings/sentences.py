"""What the scores say in words: the averages, which generators differ, and the methods draft."""

from collections.abc import Sequence
from math import isnan

from django.utils.translation import gettext as _

from analysis.formatting import count
from analysis.frames.evidence import Evidence
from analysis.pack.methods import Facts, table, with_ends
from analysis.protocols.dimension_ratings.scores import AVERAGE, scores_of
from analysis.reports.contrasts import Comparison, find
from analysis.reports.evaluators import HUMAN
from analysis.reports.headlines import RATING_WORDING, headline, list_values, without
from analysis.reports.spread import about_annotators, say_scatter
from analysis.tables.spec import Row, Table
from studies.services.declarations import get_declaration


def sort_averages(means: Table) -> list[Row]:
    """The averages of the generators after the last round, the highest first."""
    last = max((row["round"] for row in means.rows), default=1)
    rows = [row for row in means.rows if row["dimension"] == AVERAGE and row["round"] == last]
    return sorted((row for row in rows if row["mean"] is not None), key=lambda row: -row["mean"])


def say_differences(evidence: Evidence, means: Table, comparisons: Sequence[Comparison]) -> list[str]:
    """Which generators differ in their average."""
    defined, comparison = sort_averages(means), find(comparisons, AVERAGE, HUMAN)
    if len(defined) < 2 or comparison is None or len(dimensions_scored(means, defined)) > 1:
        return []
    largest = comparison.largest()
    if largest is None or isnan(largest.low):
        return headline(comparison, RATING_WORDING)
    scores = scores_of(evidence, defined[0]["round"])
    clause = about_annotators(say_scatter(scores, largest.worse, largest.better), evidence.choices)
    return headline(comparison, RATING_WORDING, clause)


def dimensions_scored(means: Table, generators: list[Row]) -> set[frozenset[str]]:
    """On which dimensions each of the generators has scores; one set where all have them on the same."""
    scored: dict[str, set[str]] = {row["generator"]: set() for row in generators}
    for row in means.rows:
        if row["round"] == generators[0]["round"] and row["generator"] in scored and row["n"]:
            scored[row["generator"]].add(row["dimension"])
    return {frozenset(names) for names in scored.values()}


def sentences(means: Table) -> list[str]:
    """The average of each generator after the last round, of many only the range; who has none."""
    defined = sort_averages(means)
    if len(defined) < 2:
        return []
    unscored = sorted({row["generator"] for row in means.rows} - {row["generator"] for row in defined})
    apart = [without(unscored, _("no scores"))] if unscored else []
    if len(dimensions_scored(means, defined)) > 1:
        said = _("Generators were not scored on the same dimensions, so their averages are not compared.")
        return [said, *apart]
    n = count(sum(row["n"] for row in defined))
    said = _("The average over dimensions is %(values)s, by %(n)s scores of people.")
    return [said % {"values": list_values(defined, "mean", "low", "high"), "n": n}, *apart]


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
    every = table(facts, "alpha").rows
    first = min((row["round"] for row in every), default=1)
    rows = [row for row in every if row["round"] == first]
    by = ", ".join(f"{row['dimension']} {with_ends(row, 'alpha')}" for row in rows)
    if first > 1:
        return _("The first round is unknown. Krippendorff's α after the second round, no reliability: %(by)s.") % {
            "by": by
        }
    return _("Krippendorff's α in the first round: %(by)s.") % {"by": by}
