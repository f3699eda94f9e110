"""The contrasts of guess-then-read: guessability, answerability and informativity of each two generators."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from analysis.frames.evidence import Evidence
from analysis.frames.responses import judgments_of
from analysis.measures.reader_intervals import Arm
from analysis.protocols.guess_then_read.answers import GUESS, READ
from analysis.reports.contrasts import Comparison, Family, Measured, compare_all
from analysis.reports.estimates import arm_of, with_codes
from analysis.reports.evaluators import Evaluator, evaluators_in

GUESSABILITY, ANSWERABILITY, INFORMATIVITY = "guessability", "answerability", "informativity"


def reading_comparisons(evidence: Evidence, judgments: pd.DataFrame | None = None) -> tuple[Comparison, ...]:
    """Guessability, answerability and informativity by each evaluator."""
    judgments = judgments_of(evidence.frame) if judgments is None else judgments
    families = (
        family for evaluator in evaluators_in(evidence) for family in reading_families(evidence, evaluator, judgments)
    )
    return compare_all(families, evidence.choices)


def reading_families(evidence: Evidence, evaluator: Evaluator, judgments: pd.DataFrame) -> Iterator[Family]:
    mine = with_codes(evaluator.rows_of(judgments))
    arms = {name: reading_arms(mine, name) for name in evidence.generators}
    for measure in (GUESSABILITY, ANSWERABILITY, INFORMATIVITY):
        figures = {name: measured(measure, *arms[name]) for name in arms}
        judged = {name: figure for name, figure in figures.items() if any(len(arm.n) for arm in figure.judged())}
        span = 2.0 if measure == INFORMATIVITY else 1.0
        yield Family(
            measure, evaluator.name, judged, mine["text_id"].nunique(), (-span, span), evaluator.is_fixed,
            higher_is_better=measure != GUESSABILITY,
        )  # fmt: skip


def reading_arms(coded: pd.DataFrame, generator: str) -> tuple[Arm, Arm]:
    """With the text and without, from judgments `with_codes`."""
    mine = coded[coded["generator"] == generator]
    read, guess = (arm_of(mine[mine["stage"] == stage]) for stage in (READ, GUESS))
    return read, guess


def measured(measure: str, read: Arm, guess: Arm) -> Measured:
    if measure == INFORMATIVITY:
        return Measured((read,), (guess,))
    return Measured((read if measure == ANSWERABILITY else guess,))


def informativities(sums: np.ndarray) -> np.ndarray:
    """(b, 4) sums to (b,) answerability minus guessability; NaN where a stage has no judgment."""
    n = np.where(sums[:, 1::2] > 0, sums[:, 1::2], np.nan)
    shares = sums[:, 0::2] / n
    return np.asarray(shares[:, 0] - shares[:, 1])
