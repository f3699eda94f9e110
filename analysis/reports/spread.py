"""How much texts, items, options and annotators differ in people's answers, for the planner and for sentences."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.choices import READERS, Choices
from analysis.measures.distributions import t_quantile
from analysis.measures.power import Components


@dataclass(frozen=True)
class Spread:
    """The spread between texts, items, options and annotators, and how often people are right.

    components: fitted to the answers, or defaults if there are too few. sentence: where they come from. fitted: whether
    all are fitted. guess, read: the share of right judgments without and with the text, over all generators; 0 without
    answers. text_spread: for pairs, how much the preference differs between texts.
    """

    components: Components
    sentence: str
    fitted: bool = False
    guess: float = 0.0
    read: float = 0.0
    text_spread: float | None = None


def name_components() -> dict[str, str]:
    return {
        "text": _("between texts"),
        "text_stage": _("between a generator's items on a text"),
        "item": _("between items"),
        "option": _("between options"),
        "annotator": _("between annotators"),
    }


def say_assumptions() -> str:
    return _(
        "Lesart's assumptions, not measured values: texts .5, items .8, options .6, annotators .4, text "
        "by stage .4. As soon as two people have answered two texts, estimates from the study's own "
        "answers are used."
    )


STUDIES = 200  # simulated studies per sentence
SOME = 0.1  # an interval that narrows by less than a tenth "hardly" narrows
SWEEPS = 30  # alternating means over texts and annotators; one sweep is exact if everybody did every text
EDGES = (0.02, 0.98)  # with shares beyond these a simulated study has almost no error


def say_scatter(values: pd.DataFrame, less: str, more: str) -> str:
    """The clause on what would narrow the interval of the mean difference of two generators.

    values: text_id, annotator, generator, value. The noise of single answers is the residual mean square of the
    differences in a two-way layout of texts and annotators. Twice the annotators halve the part of the noise in the
    variance between texts; twice the texts halve the variance of the mean.
    """
    means = values.groupby(["text_id", "annotator", "generator"])["value"].mean().unstack()
    cells = (means[less] - means[more]).dropna() if {less, more} <= set(means.columns) else pd.Series(dtype=float)
    by_text = cells.groupby("text_id").agg(["mean", "size"])
    between = by_text["mean"].var() if len(by_text) > 1 else 0.0
    noise = measure_noise(cells)
    if np.isnan(noise) or not between > 0:
        return _("more texts would narrow this interval")
    per_text = len(by_text) / (1 / by_text["size"]).sum()
    k = len(by_text)
    texts = 1 - t_quantile(0.975, 2 * k - 1) / t_quantile(0.975, k - 1) / np.sqrt(2)
    annotators = 1 - np.sqrt(1 - min(noise / (per_text * between), 1.0) / 2)
    return say_what_narrows(texts, annotators)


def limit_to_annotators(clause: str, choices: Choices) -> str:
    """The clause, limited to “these annotators only” if intervals over readers are shown."""
    if not clause or choices.convention != READERS:
        return clause
    return _("for these annotators only, %(clause)s") % {"clause": clause}


def measure_noise(cells: pd.Series) -> float:
    """Mean square of the residuals after the effects of texts and annotators; NaN without degrees of freedom."""
    texts, people = (pd.factorize(cells.index.get_level_values(name))[0] for name in ("text_id", "annotator"))
    left = len(cells) - (texts.max(initial=-1) + 1) - (people.max(initial=-1) + 1) + 1
    if left < 1:
        return float("nan")
    rest = cells.to_numpy(dtype=np.float64)
    for _sweep in range(SWEEPS):
        for codes in (texts, people):
            rest = rest - (np.bincount(codes, weights=rest) / np.bincount(codes))[codes]
    return float((rest**2).sum() / left)


def say_what_narrows(texts: float, annotators: float) -> str:
    """The clause on what narrows the interval most; empty if neither more texts nor more annotators do.

    texts, annotators: the share of its width by which twice as many narrow it. Below a tenth (`SOME`) the clause says
    “hardly”, below half of the other share “less”.
    """
    if texts < SOME and annotators < SOME:
        return ""
    if annotators < SOME:
        return _("more texts would narrow this interval; more annotators hardly would")
    if texts < SOME:
        return _("more annotators would narrow this interval; more texts hardly would")
    if annotators < texts / 2:
        return _("more texts would narrow this interval most; more annotators less")
    if texts < annotators / 2:
        return _("more annotators would narrow this interval most; more texts less")
    return _("more texts would narrow this interval, and so would more annotators")
