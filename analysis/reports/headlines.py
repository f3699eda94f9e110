"""Sentences about comparisons of generators: a winner, a tie, the clear differences, or why there are none.

Every statement is supported by the simultaneous intervals of its family. Each protocol brings its own wording.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from analysis.formatting import count, format_with_interval, number, say_texts
from analysis.reports.contrasts import Comparison, Difference
from analysis.tables.spec import Row

MOST_DIFFERENCES = 3
NBSP = "\u00a0"


@dataclass(frozen=True)
class Wording:
    """The sentences of one measure, with their placeholders.

    winner: %(best)s. tied: %(names)s. differs and unclear: %(better)s and %(worse)s, the difference with its interval,
    %(difference)s, and what it is based on, %(basis)s.
    """

    winner: str
    tied: str
    differs: str
    unclear: str


INFORMATIVITY_WORDING = Wording(
    winner=gettext_noop("Items by %(best)s are the most informative: they differ from those by every other generator."),
    tied=gettext_noop("The data cannot show which of these generators is the most informative: %(names)s."),
    differs=gettext_noop(
        "Items by %(better)s are more informative than those by %(worse)s: %(difference)s, %(basis)s."
    ),
    unclear=gettext_noop(
        "The data cannot show whether items by %(better)s and %(worse)s differ in informativity: %(difference)s,"
        " %(basis)s."
    ),
)
RATING_WORDING = Wording(
    winner=gettext_noop("Items by %(best)s score highest: they differ from those by every other generator."),
    tied=gettext_noop("The data cannot show which of these generators scores highest: %(names)s."),
    differs=gettext_noop("Items by %(better)s score higher than those by %(worse)s: %(difference)s, %(basis)s."),
    unclear=gettext_noop(
        "The data cannot show whether items by %(better)s and %(worse)s differ in score: %(difference)s, %(basis)s."
    ),
)
STOPPED_WORDING = Wording(
    winner=gettext_noop(
        "Judgments of items by %(best)s stop early least often: they differ from those of every other generator."
    ),
    tied=gettext_noop("The data cannot show which of these generators' items are stopped least often: %(names)s."),
    differs=gettext_noop(
        "Judgments of items by %(better)s stop early less often than of those by %(worse)s: %(difference)s, %(basis)s."
    ),
    unclear=gettext_noop(
        "The data cannot show whether judgments of items by %(better)s and %(worse)s differ in how often they stop"
        " early: %(difference)s, %(basis)s."
    ),
)
PREFERENCE_WORDING = Wording(
    winner=gettext_noop("Items by %(best)s win most often: they differ from those by every other generator."),
    tied=gettext_noop("The data cannot show which of these generators wins most often: %(names)s."),
    differs=gettext_noop("Items by %(better)s win more often than those by %(worse)s: %(difference)s, %(basis)s."),
    unclear=gettext_noop(
        "The data cannot show whether items by %(better)s and %(worse)s differ in how often they win: %(difference)s,"
        " %(basis)s."
    ),
)


def write_headline(comparison: Comparison | None, wording: Wording, clause: str = "") -> list[str]:
    """Sentences on the leaders, then on the clear differences; `clause` says what would narrow the first interval."""
    if comparison is None or len(comparison.generators) < 2:
        return []
    if reason := comparison.reason():
        return [say_why_not_compared(reason)]
    return [*name_leaders(comparison, wording), *say_differences(comparison, wording, clause)]


def name_leaders(comparison: Comparison, wording: Wording) -> Iterator[str]:
    """A sentence on the leaders of more than two generators; for two, that on their difference is enough."""
    names = comparison.generators
    if len(names) < 3:
        return
    if winner := comparison.winner():
        yield _(wording.winner) % {"best": winner}
    else:
        yield _(wording.tied) % {"names": ", ".join(comparison.leaders())}


def say_differences(comparison: Comparison, wording: Wording, clause: str) -> Iterator[str]:
    """Sentences on the clear differences, or on the largest difference if none is clear."""
    found = comparison.clear_differences()
    if not found:
        largest = comparison.largest()
        if largest and not isnan(largest.low):
            yield say_difference(largest, wording.unclear, clause)
    for place, difference in enumerate(found[:MOST_DIFFERENCES]):
        yield say_difference(difference, wording.differs, "" if place else clause)
    if n := len(found) - MOST_DIFFERENCES:
        yield from say_more_differences(n)
    if comparison.size > 1:
        yield say_adjusted_for(comparison.size)


def say_more_differences(n: int) -> Iterator[str]:
    if n > 0:
        yield ngettext(
            "%(n)s more difference is significant; see the table of differences.",
            "%(n)s more differences are significant; see the table of differences.",
            n,
        ) % {"n": count(n)}


def say_difference(found: Difference, sentence: str, clause: str = "") -> str:
    texts = say_texts(found.n_texts).replace(" ", NBSP)
    return _(sentence) % {
        "better": found.better,
        "worse": found.worse,
        "difference": format_with_interval(found.value, found.low, found.high),
        "basis": f"{texts}; {clause}" if clause else texts,
    }


def say_adjusted_for(pairs: int) -> str:
    return ngettext(
        "Intervals of differences are simultaneous: adjusted for %(n)s comparison.",
        "Intervals of differences are simultaneous: adjusted for %(n)s comparisons.",
        pairs,
    ) % {"n": count(pairs)}


def say_why_not_compared(reason: str) -> str:
    return _("The data cannot show whether the generators differ: %(reason)s") % {"reason": _(reason)}


MARKED = 3
BEST, WORST = "best", "worst"
HIGHEST, LOWEST = "highest", "lowest"  # by printed number; not tested for a difference


def mark_ends(rows: list[dict[str, Any]], comparison: Comparison | None) -> list[dict[str, Any]]:
    """The rows of one family; groups of generators that clearly differ from all others are marked best or worst."""
    for word, is_best in ((BEST, True), (WORST, False)):
        group = comparison.find_separate_group(MARKED, is_best) if comparison else frozenset()
        for row in rows:
            row["mark"] = word if row["generator"] in group else row["mark"]
    return rows


def mark_extremes(
    rows: list[dict[str, Any]], by: Callable[[dict[str, Any]], float], words: tuple[str, str]
) -> list[dict[str, Any]]:
    """The rows with the three highest and the three lowest numbers marked, unrounded; equal numbers are marked alike.

    Fewer are marked if there are fewer than six; NaN never is. words: the marks of the highest and of the lowest.
    """
    numbers = sorted(by(row) for row in rows if not np.isnan(by(row)))
    n = min(MARKED, len(numbers) // 2)
    for row in rows:
        if n and by(row) >= numbers[-n] and by(row) > numbers[n - 1]:
            row["mark"] = words[0]
        elif n and by(row) <= numbers[n - 1] and by(row) < numbers[-n]:
            row["mark"] = words[1]
    return rows


MOST_NAMED = 4  # generators whose values a sentence lists


def write_values(rows: list[Row], value: str, low: str, high: str) -> str:
    """“2.68 [2.61, 2.75] for items by careful, …” from these columns, highest first; of many only the range."""
    if len(rows) > MOST_NAMED:
        ends = {"low": number(rows[-1][value]), "high": number(rows[0][value]), "n": len(rows)}
        return _("between %(low)s and %(high)s for items by %(n)s generators") % ends
    sentence = _("%(value)s for items by %(generator)s")
    return ", ".join(
        sentence % {"value": format_with_interval(row[value], row[low], row[high]), "generator": row["generator"]}
        for row in rows
    )


def say_not_compared(generators: list[str], reason: str) -> str:
    return _("Not compared: items by %(generators)s (%(reason)s).") % {
        "generators": ", ".join(generators),
        "reason": reason,
    }
