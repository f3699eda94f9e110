"""Whose items win more often: the comparison of generators, and what would narrow it."""

from math import isnan

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.power import preference_outlook
from analysis.measures.wins import FIRST, TIE
from analysis.protocols.pairwise.judged_pairs import counted
from analysis.protocols.pairwise.spread import pair_spread
from analysis.reports.contrasts import Comparison, Difference, Family, Measured, compare_all
from analysis.reports.estimates import arm_of, with_codes
from analysis.reports.evaluators import HUMAN
from analysis.reports.headlines import PREFERENCE_WORDING, headline
from analysis.reports.spread import EDGES, SOME, STUDIES, about_annotators

WIN_RATE = "win_rate"


def preference_comparisons(evidence: Evidence) -> tuple[Comparison, ...]:
    """The share of a generator's judgments that it wins, a tie counted as half."""
    judgments = with_codes(counted(evidence))
    figures = {name: Measured((arm_of(points_of(judgments, name), "points"),)) for name in evidence.generators}
    judged = {name: figure for name, figure in figures.items() if len(figure.added[0].n)}
    return compare_all([Family(WIN_RATE, HUMAN, judged, judgments["text_id"].nunique(), (-1.0, 1.0))], evidence.choices)


def points_of(judgments: pd.DataFrame, generator: str) -> pd.DataFrame:
    """The judgments about an item of the generator and one of another, with `points`: 1 won, .5 tied, 0 lost."""
    sides = {side: (judgments[f"generator_{side}"] == generator).to_numpy() for side in ("first", "second")}
    about = sides["first"] != sides["second"]
    won = np.where(judgments["outcome"] == FIRST, sides["first"], sides["second"])
    points = np.where(judgments["outcome"] == TIE, 0.5, won.astype(float))
    return judgments.assign(points=points)[about]


def compared(evidence: Evidence, comparisons: tuple[Comparison, ...]) -> list[str]:
    """Which generators win more often than others."""
    if not comparisons:
        return []
    largest = comparisons[0].largest()
    if largest is None or isnan(largest.low):
        return headline(comparisons[0], PREFERENCE_WORDING)
    return headline(comparisons[0], PREFERENCE_WORDING, about_annotators(clause(evidence, largest), evidence.choices))


def clause(evidence: Evidence, largest: Difference) -> str:
    """From the spread between texts that is fitted on the study's own judgments; nothing where it could not be."""
    fitted = pair_spread(evidence).text_spread
    judgments = counted(evidence)
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
        return _("more texts would narrow this, more judgments of the same texts hardly")
    if by_judgments < by_texts / 2:
        return _("more texts would narrow this, more judgments of the same texts less")
    return _("more texts would narrow this, more judgments of the same texts too")
