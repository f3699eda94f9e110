"""How far texts, items, options and annotators differ in people's judgments of options, and what narrows an
interval."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.choices import READERS
from analysis.formatting import say_judgments, say_of_people, say_of_texts
from analysis.frames.evidence import Evidence
from analysis.measures.components import FittedComponents, Judgments, fit_components
from analysis.measures.power import Components, Plan, informativity_curve
from analysis.measures.types import IntArray
from analysis.protocols.guess_then_read.answers import GUESS, READ
from analysis.reports.evaluators import get_people
from analysis.reports.spread import EDGES, STUDIES, Spread, name_components, say_assumptions, say_what_narrows


def fit_option_spread(evidence: Evidence) -> Spread:
    """The spread of judgments of options, without and with the text."""
    judgments = get_people(evidence).select_rows(evidence.judgments)
    if judgments.empty:
        return Spread(Components(), say_assumptions())
    found = fit_components(code_judgments(judgments))
    shares = judgments.groupby("stage")["correct"].mean()
    guess, read = (float(np.clip(shares.get(stage, 0), 0, 0.99)) for stage in (GUESS, READ))
    return Spread(found.components, describe_source(found), not found.assumed, guess, read)


def code_judgments(judgments: pd.DataFrame) -> Judgments:
    def codes(column: str) -> IntArray:
        return pd.factorize(judgments[column])[0].astype(np.int64)

    return Judgments(
        text=codes("text_id"),
        generator=codes("generator"),
        item=codes("item_id"),
        option=codes("option_id"),
        annotator=codes("annotator"),
        stage=codes("stage"),
        right=judgments["correct"].to_numpy(dtype=bool),
    )


def describe_source(found: FittedComponents) -> str:
    names = name_components()
    if set(found.assumed) == set(names):
        return say_assumptions()
    people = _("%(judgments)s of %(people)s on %(texts)s") % {
        "judgments": say_judgments(found.n_judgments),
        "people": say_of_people(found.n_annotators),
        "texts": say_of_texts(found.n_texts),
    }
    sentence = _("Estimated from this study's answers: %(answers)s. With few texts these estimates are imprecise.") % {
        "answers": people
    }
    if not found.assumed:
        return sentence
    kept = ", ".join(names[name] for name in found.assumed)
    return f"{sentence} " + _("Not determined by the answers and therefore assumed: %(names)s.") % {"names": kept}


Axis = Literal["texts", "annotators"]


AXES: tuple[Axis, Axis] = ("texts", "annotators")


JUDGMENTS = 6_000_000  # most answers that are simulated


@dataclass(frozen=True)
class Narrowing:
    """A clause on what would narrow a difference's interval, empty if nothing would, and a sentence on its basis."""

    clause: str
    basis: str


def compute_narrowing(evidence: Evidence, judgments: pd.DataFrame, texts: int) -> Narrowing | None:
    """What would narrow the interval of the difference of two generators, by simulation; None if it is unknown.

    It is unknown if a component could not be fitted, if there are fewer than two texts, if a simulated study has no
    interval, or if the study is too large to be simulated within the request. judgments: people's. The result says how
    much the interval would narrow, not its width: with few texts an interval can be far from the expected width.
    """
    plan, choices = build_plan(judgments, texts), evidence.choices
    if texts < 2 or plan.judgments * 2 * STUDIES > JUDGMENTS:
        return None
    found = fit_option_spread(evidence)
    if not found.fitted:
        return None
    over_readers = choices.convention == READERS
    by_texts, by_annotators = (
        1 - doubled / now if now > 0 else float("nan")
        for now, doubled in (compute_widths(plan, axis, found, choices.seed, over_readers) for axis in AXES)
    )
    if np.isnan(by_texts + by_annotators):
        return None
    values = {"texts": round_percent(by_texts), "annotators": round_percent(by_annotators)}
    basis = (
        _("Simulated from the variance of this study's own answers, by readers and texts: twice the texts narrow such "
          "an interval by %(texts)s %% on average, twice the annotators by %(annotators)s %%.")
        if over_readers
        else _("Simulated from the variance of this study's own answers, for these annotators only: twice the texts "
               "narrow such an interval by %(texts)s %% on average, twice the annotators by %(annotators)s %%.")
    )  # fmt: skip
    return Narrowing(say_what_narrows(by_texts, by_annotators), basis % values)


def round_percent(share: float) -> int:
    return max(0, round(100 * share))


def build_plan(judgments: pd.DataFrame, texts: int) -> Plan:
    """The plan of the study as it was answered: readers and items are averages over its texts.

    generators: judgments with the text per judgment without, as people guess one generator's items but read all.
    """
    read = judgments[judgments["stage"] == READ]
    items = read.drop_duplicates("item_id")
    cells = items.groupby(["generator", "text_id"]).size()
    annotators = max(1, round(read.groupby("text_id")["annotator"].nunique().mean()))
    people = read["annotator"].nunique()
    return Plan(
        texts=texts,
        annotators=annotators,
        generators=max(2, round(len(read) / max(1, len(judgments) - len(read)))),
        items=max(1, round(cells.mean())),
        options=max(1, round(read.drop_duplicates(["item_id", "option_id"]).groupby("item_id").size().mean())),
        pool=people if people > annotators else None,
    )


def compute_widths(plan: Plan, axis: Axis, found: Spread, seed: int, over_readers: bool) -> tuple[float, float]:
    """Expected widths of the interval of the difference: for the plan as it is, and with one size doubled."""
    guess, read = (float(np.clip(share, *EDGES)) for share in (found.guess, found.read))
    how: Any = {"seed": seed, "components": found.components, "studies": STUDIES, "over_readers": over_readers}
    own = int(getattr(plan, axis))
    if axis == "annotators" and plan.pool:
        plans = (plan, replace(plan, annotators=2 * own, pool=2 * plan.pool))
        both = [informativity_curve(each, (axis, [each.annotators]), guess, (read, read), **how)[0] for each in plans]
    else:
        both = informativity_curve(plan, (axis, (own, 2 * own)), guess, (read, read), **how)
    return both[0].difference_width, both[1].difference_width
