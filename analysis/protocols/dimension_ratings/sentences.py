"""What the scores say in words: the averages, and which generators differ."""

from collections.abc import Sequence
from math import isnan

from django.utils.translation import gettext as _

from analysis.formatting import count
from analysis.frames.evidence import Evidence
from analysis.protocols.dimension_ratings.scores import AVERAGE, scores_of
from analysis.reports.contrasts import Comparison, find
from analysis.reports.evaluators import HUMAN
from analysis.reports.headlines import RATING_WORDING, headline, list_values, without
from analysis.reports.spread import about_annotators, scattered
from analysis.tables.spec import Row, Table


def ordered(means: Table) -> list[Row]:
    """The averages of the generators after the last round, the highest first."""
    last = max((row["round"] for row in means.rows), default=1)
    rows = [row for row in means.rows if row["dimension"] == AVERAGE and row["round"] == last]
    return sorted((row for row in rows if row["mean"] is not None), key=lambda row: -row["mean"])


def compared(evidence: Evidence, means: Table, comparisons: Sequence[Comparison]) -> list[str]:
    """Which generators differ in their average."""
    defined, comparison = ordered(means), find(comparisons, AVERAGE, HUMAN)
    if len(defined) < 2 or comparison is None or len(dimensions_scored(means, defined)) > 1:
        return []
    largest = comparison.largest()
    if largest is None or isnan(largest.low):
        return headline(comparison, RATING_WORDING)
    scores = scores_of(evidence, defined[0]["round"])
    clause = about_annotators(scattered(scores, largest.worse, largest.better), evidence.choices)
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
    defined = ordered(means)
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
