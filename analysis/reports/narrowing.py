"""What would narrow an interval: more texts or more annotators, by the components fitted on the study's own answers."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.formatting import number
from analysis.measures.power import Plan, guess_then_read_curve
from analysis.reports.answers import READ
from analysis.reports.spread import Spread, spread

STUDIES, JUDGMENTS = 200, 6_000_000  # simulated studies, and answers drawn at most
SOME = 0.1  # an interval that gets narrower by less than a tenth does hardly
EDGES = (0.02, 0.98)  # shares beyond which a simulated study has hardly an error


@dataclass(frozen=True)
class Narrowing:
    """A clause to put after a difference, and the sentence that says on what it rests."""

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
        "By simulation from how far this study's own answers scatter: an interval about %(now)s wide, with twice the"
        " texts %(texts)s, with twice the annotators %(annotators)s."
    )
    return Narrowing(clause, basis % values) if clause else None


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


def clause_of(texts: float, annotators: float) -> str:
    """From how much narrower the interval gets, as shares: “hardly” is less than a tenth, or than half as much."""
    if texts < SOME and annotators < SOME:
        return ""
    if annotators < max(SOME, texts / 2):
        return _("more texts would narrow this, more annotators hardly")
    if texts < max(SOME, annotators / 2):
        return _("more annotators would narrow this, more texts hardly")
    return _("more texts would narrow this, more annotators too")
