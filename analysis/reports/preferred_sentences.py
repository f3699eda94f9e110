"""How often the first of a ranking is preferred to the last, in words, and what would narrow that."""

from dataclasses import dataclass, replace
from math import isnan

import numpy as np
from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.formatting import of_judgments, of_texts, with_interval
from analysis.measures.intervals import Interval
from analysis.measures.power import pairwise_outlook
from analysis.measures.share_intervals import clustered_mean
from analysis.measures.strengths import DAVIDSON
from analysis.measures.wins import FIRST, TIE
from analysis.reports.judged_pairs import coded, counted
from analysis.reports.narrowing import EDGES, SOME, STUDIES
from analysis.reports.spread import pair_spread
from analysis.tables import Table


@dataclass(frozen=True)
class Preference:
    """In what share of the untied judgments between two generators `best` won; by texts."""

    best: str
    worst: str
    share: float
    interval: Interval

    @property
    def texts(self) -> int:
        return self.interval.n_units

    @property
    def judgments(self) -> int:
        return self.interval.n_responses


def compared(evidence: Evidence, ranked: Table) -> list[str]:
    """Nothing where the two were never judged against each other without a tie, or not on two texts."""
    rows = [row for row in ranked.rows if row["method"] == DAVIDSON and row["rank"]]
    if len(rows) < 2:
        return []
    found = preference(evidence, rows[0]["generator"], rows[-1]["generator"])
    if not found.judgments or isnan(found.interval.low):
        return []
    return [worded(found, clause(evidence, found))]


def preference(evidence: Evidence, best: str, worst: str) -> Preference:
    first, second, outcome, text = coded(evidence, counted(evidence))
    one, other = (evidence.generators.index(name) for name in (best, worst))
    between = (np.minimum(first, second) == min(one, other)) & (np.maximum(first, second) == max(one, other))
    kept = between & (outcome != TIE)
    won = np.where(outcome == FIRST, first, second) == one
    size = int(text.max()) + 1 if len(text) else 0
    n = np.bincount(text[kept], minlength=size)
    wins = np.bincount(text[kept & won], minlength=size)
    share = float(wins.sum() / n.sum()) if n.sum() else float("nan")
    return Preference(best, worst, share, clustered_mean(wins, n, seed=evidence.choices.seed))


def worded(found: Preference, more: str) -> str:
    """Either may be the one preferred: a ranking rests on further generators, too."""
    if found.interval.high < 0.5:
        found = turned(found)
    values = {
        "best": found.best,
        "worst": found.worst,
        "share": with_interval(found.share, found.interval.low, found.interval.high),
        "n": of_judgments(found.judgments),
        "texts": f"{of_texts(found.texts)}; {more}" if more else of_texts(found.texts),
    }
    if found.interval.low > 0.5:
        return (
            _(
                "Where one of the two won, items by %(best)s were preferred to those by %(worst)s in %(share)s of"
                " %(n)s on %(texts)s."
            )
            % values
        )
    return (
        _(
            "Whether items by %(best)s are preferred to those by %(worst)s directly cannot be told: %(share)s of"
            " %(n)s on %(texts)s."
        )
        % values
    )


def turned(found: Preference) -> Preference:
    """The same, told of the other generator."""
    ends = replace(found.interval, low=1 - found.interval.high, high=1 - found.interval.low)
    return Preference(found.worst, found.best, 1 - found.share, ends)


def clause(evidence: Evidence, found: Preference) -> str:
    """From the spread between texts that is fitted on the study's own judgments; nothing where it could not be."""
    fitted = pair_spread(evidence).text_spread
    if fitted is None:
        return ""
    each, share = max(1, round(found.judgments / found.texts)), float(np.clip(found.share, *EDGES))

    def width(texts: int, judgments: int) -> float:
        seed = evidence.choices.seed
        return pairwise_outlook(texts, judgments, share, text_spread=fitted, seed=seed, studies=STUDIES).width

    now = width(found.texts, each)
    texts, judgments = (1 - width(*doubled) / now for doubled in ((2 * found.texts, each), (found.texts, 2 * each)))
    if texts < SOME and judgments < SOME:
        return ""
    if judgments < max(SOME, texts / 2):
        return _("more texts would narrow this, more judgments of the same texts hardly")
    return _("more texts would narrow this, more judgments of the same texts too")
