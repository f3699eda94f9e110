"""What would narrow an interval: more texts or more annotators, by the components fitted on the study's own answers."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from scipy.stats import t as student

from analysis.evidence import Evidence
from analysis.formatting import number
from analysis.measures.power import Plan, guess_then_read_curve
from analysis.reports.answers import READ
from analysis.reports.spread import Spread, spread

STUDIES, JUDGMENTS = 200, 6_000_000  # simulated studies, and answers drawn at most
SOME = 0.1  # an interval that gets narrower by less than a tenth does hardly
SWEEPS = 30  # of means over texts and annotators in turn: exact after one where everybody did every text
EDGES = (0.02, 0.98)  # shares beyond which a simulated study has hardly an error


@dataclass(frozen=True)
class Narrowing:
    """A clause to put after a difference, empty where nothing narrows it, and a sentence that says on what it rests."""

    clause: str
    basis: str


def narrowing(evidence: Evidence, judgments: pd.DataFrame, texts: int) -> Narrowing | None:
    """For the difference of two generators, judged by people; None where a component could not be fitted, or where the
    study is too large to be simulated on the way."""
    found = spread(evidence)
    if not found.fitted or texts < 2:
        return None
    plan = plan_of(judgments, texts)
    if plan.judgments * 2 * STUDIES > JUDGMENTS:
        return None
    now, texts_doubled = widths(plan, "texts", found, evidence.choices.seed)
    _now, annotators_doubled = widths(plan, "annotators", found, evidence.choices.seed)
    if np.isnan(now) or now <= 0:
        return None
    clause = clause_of(1 - texts_doubled / now, 1 - annotators_doubled / now)
    values = {"now": number(now), "texts": number(texts_doubled), "annotators": number(annotators_doubled)}
    basis = _(
        "Studies like this one, simulated from how far its own answers differ, have an interval about %(now)s wide;"
        " with twice the texts %(texts)s, with twice the annotators %(annotators)s."
    )
    return Narrowing(clause, basis % values)


def plan_of(judgments: pd.DataFrame, texts: int) -> Plan:
    """The study as it was answered: means over its texts of those who read them and of the items."""
    read = judgments[judgments["stage"] == READ]
    items = read.drop_duplicates("item_id")
    generators = judgments["generator"].nunique()
    return Plan(
        texts=texts,
        annotators=max(1, round(read.groupby("text_id")["annotator"].nunique().mean())),
        generators=generators,
        items=max(1, round(len(items) / (generators * items["text_id"].nunique()))),
        options=max(1, round(read.drop_duplicates(["item_id", "option_id"]).groupby("item_id").size().mean())),
    )


def widths(plan: Plan, axis: Literal["texts", "annotators"], found: Spread, seed: int) -> tuple[float, float]:
    """Expected width of the interval of the difference, of the plan as it is and with one thing doubled."""
    own = int(getattr(plan, axis))
    guess, read = (float(np.clip(share, *EDGES)) for share in (found.guess, found.read))
    now, doubled = guess_then_read_curve(
        plan, (axis, (own, 2 * own)), guess, (read, read), seed=seed, components=found.components, studies=STUDIES
    )
    return now.difference_width, doubled.difference_width


def scattered(values: pd.DataFrame, less: str, more: str) -> str:
    """The clause for the mean difference of two generators, from how the answers themselves scatter.

    values: text_id, annotator, generator, value. Of the differences of each annotator on each text, what is left
    without the means of texts and annotators is the noise of single answers (mean square of a two-way layout): twice
    the annotators halve its share in the variance between texts, twice the texts halve that variance.
    """
    means = values.groupby(["text_id", "annotator", "generator"])["value"].mean().unstack()
    cells = (means[less] - means[more]).dropna() if {less, more} <= set(means.columns) else pd.Series(dtype=float)
    by_text = cells.groupby("text_id").agg(["mean", "size"])
    between = by_text["mean"].var() if len(by_text) > 1 else 0.0
    noise = noise_of(cells)
    if np.isnan(noise) or not between > 0:
        return _("more texts would narrow this")
    per_text = len(by_text) / (1 / by_text["size"]).sum()
    k = len(by_text)
    texts = 1 - student.ppf(0.975, 2 * k - 1) / student.ppf(0.975, k - 1) / np.sqrt(2)
    annotators = 1 - np.sqrt(1 - min(noise / (per_text * between), 1.0) / 2)
    return clause_of(texts, annotators)


def noise_of(cells: pd.Series) -> float:
    """Mean square of what texts and annotators leave of the values; NaN where nothing is left to tell it from."""
    texts, people = (pd.factorize(cells.index.get_level_values(name))[0] for name in ("text_id", "annotator"))
    left = len(cells) - (texts.max(initial=-1) + 1) - (people.max(initial=-1) + 1) + 1
    if left < 1:
        return float("nan")
    rest = cells.to_numpy(dtype=np.float64)
    for _sweep in range(SWEEPS):
        for codes in (texts, people):
            rest = rest - (np.bincount(codes, weights=rest) / np.bincount(codes))[codes]
    return float((rest**2).sum() / left)


def clause_of(texts: float, annotators: float) -> str:
    """From how much narrower the interval gets, as shares: “hardly” is less than a tenth, or than half as much."""
    if texts < SOME and annotators < SOME:
        return ""
    if annotators < max(SOME, texts / 2):
        return _("more texts would narrow this, more annotators hardly")
    if texts < max(SOME, annotators / 2):
        return _("more annotators would narrow this, more texts hardly")
    return _("more texts would narrow this, more annotators too")
