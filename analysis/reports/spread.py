"""How far texts, items, options and annotators differ in a study's own answers of people, as the planner takes it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.formatting import judgments_counted, of_people, of_texts
from analysis.measures.components import FittedComponents, Judgments, fit_components, fit_text_spread
from analysis.measures.power import Components
from analysis.measures.types import IntArray
from analysis.measures.wins import FIRST, SECOND, TIE
from analysis.reports.answers import GUESS, READ, judgments_of
from analysis.reports.evaluators import people_in
from analysis.reports.judged_pairs import coded, counted


@dataclass(frozen=True)
class Spread:
    """components: fitted, or the defaults where answers tell nothing. said: where they are from. fitted: whether all
    are. guess, read: shares right of people over all generators, 0 without answers. text_spread: of pairs."""

    components: Components
    said: str
    fitted: bool = False
    guess: float = 0.0
    read: float = 0.0
    text_spread: float | None = None


def spread(evidence: Evidence) -> Spread:
    return pair_spread(evidence) if evidence.study.protocol == "pairwise" else option_spread(evidence)


def option_spread(evidence: Evidence) -> Spread:
    """Of judgments of options, without and with the text."""
    judgments = people_in(evidence).rows_of(judgments_of(evidence.frame))
    if judgments.empty:
        return Spread(Components(), from_nothing())
    found = fit_components(coded_judgments(judgments))
    shares = judgments.groupby("stage")["correct"].mean()
    guess, read = (float(np.clip(shares.get(stage, 0), 0, 0.99)) for stage in (GUESS, READ))
    return Spread(found.components, source_of(found), not found.assumed, guess, read)


def coded_judgments(judgments: pd.DataFrame) -> Judgments:
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


def source_of(found: FittedComponents) -> str:
    names = component_names()
    if set(found.assumed) == set(names):
        return from_nothing()
    people = _("%(judgments)s of %(people)s on %(texts)s") % {
        "judgments": judgments_counted(found.n_judgments),
        "people": of_people(found.n_annotators),
        "texts": of_texts(found.n_texts),
    }
    said = _("Fitted on this study's own answers: %(answers)s. With few texts they are rough themselves.") % {
        "answers": people
    }
    if not found.assumed:
        return said
    kept = ", ".join(names[name] for name in found.assumed)
    return f"{said} " + _("Not told by the answers, so still assumed: %(names)s.") % {"names": kept}


def component_names() -> dict[str, str]:
    return {
        "text": _("between texts"),
        "text_stage": _("between a generator's items on a text"),
        "item": _("between items"),
        "option": _("between options"),
        "annotator": _("between annotators"),
    }


def from_nothing() -> str:
    return _(
        "Assumptions of Lesart, not measured: texts .5, items .8, options .6, annotators .4, text by stage .4. Once two"
        " people have answered two texts, components fitted on the study's own answers take their place."
    )


def pair_spread(evidence: Evidence) -> Spread:
    """Of untied judgments of pairs."""
    judgments = counted(evidence)
    first, second, outcome, text = coded(evidence, judgments)
    untied = outcome != TIE
    cell, won = oriented(first[untied], second[untied], outcome[untied], len(evidence.generators))
    found = fit_text_spread(text[untied], cell, won) if untied.any() else None
    if found is None:
        said = _("An assumption of Lesart, not measured: texts .5. Once pairs of two generators on two texts are "
                 "judged, what is fitted on the study's own answers takes its place.")  # fmt: skip
        return Spread(Components(), said)
    about = {"judgments": judgments_counted(int(untied.sum())), "texts": of_texts(len(set(text)))}
    said = _(
        "Fitted on this study's own answers: %(judgments)s without ties, on %(texts)s. With few texts it is rough"
        " itself."
    )
    return Spread(Components(), said % about, fitted=True, text_spread=found)


def oriented(first: IntArray, second: IntArray, outcome: IntArray, g: int) -> tuple[IntArray, np.ndarray]:
    """The pair of generators of each judgment, and whether the one that comes first in the bank won."""
    winner = np.where(outcome == FIRST, first, second)
    assert set(np.unique(outcome)) <= {FIRST, SECOND}
    low, high = np.minimum(first, second), np.maximum(first, second)
    return low * g + high, winner == low
