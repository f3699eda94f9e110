"""How far texts differ in people's judgments of pairs."""

import numpy as np
from django.utils.translation import gettext as _

from analysis.formatting import judgments_counted, of_texts
from analysis.frames.evidence import Evidence
from analysis.measures.components import fit_text_spread
from analysis.measures.power import Components
from analysis.measures.types import IntArray
from analysis.measures.wins import FIRST, SECOND, TIE
from analysis.protocols.pairwise.judged_pairs import coded, counted
from analysis.reports.spread import Spread


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
