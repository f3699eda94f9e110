"""Guessability, answerability and their difference, informativity, by generator and evaluator."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.frames.responses import judgments_of
from analysis.measures.reader_intervals import Arm
from analysis.protocols.guess_then_read.answers import GUESS, READ, matched
from analysis.protocols.guess_then_read.contrasts import reading_comparisons
from analysis.reports.contrasts import Comparison, find
from analysis.reports.estimates import (
    INTERVAL_COLUMNS,
    Estimate,
    arm_of,
    difference_of,
    interval_cells,
    share_of,
    totals,
    with_codes,
)
from analysis.reports.evaluators import Evaluator, evaluators_in
from analysis.tables.spec import Shown, Table, make_table

MEASURES = ("guessability", "answerability", "informativity")
COLUMNS = (
    *("generator", "evaluator", "evaluator_kind", "reading"),
    *(f"{measure}{end}" for measure in MEASURES for end in ("", "_low", "_high", "_reason")),
    *("n_guess", "n_read", "n_items", "n_texts", "n_annotators", *INTERVAL_COLUMNS),
)


def informativity(evidence: Evidence, comparisons: Sequence[Comparison] | None = None) -> Table:
    """Pooled: answerability over all who read, guessability over those who guessed (as published)."""
    note = _("Pooled: answerability over everybody who read an item, guessability over those who guessed it.")
    judgments = judgments_of(evidence.frame)
    comparisons = reading_comparisons(evidence, judgments) if comparisons is None else comparisons
    return table(evidence, "informativity", _("Informativity"), judgments, comparisons, note)


def informativity_matched(evidence: Evidence) -> Table:
    """Only annotators and items with both, so that the two shares are about the same answers."""
    note = _("Matched: only items that the same annotator answered both without and with the text.")
    judgments = matched(judgments_of(evidence.frame))
    comparisons = reading_comparisons(evidence, judgments)
    return table(evidence, "informativity_matched", _("Informativity, matched"), judgments, comparisons, note)


def table(
    evidence: Evidence, name: str, title: str, judgments: pd.DataFrame, comparisons: Sequence[Comparison], note: str
) -> Table:
    rows = [
        row_of(evidence, generator, evaluator, judgments) | {"wins": measures_won(comparisons, evaluator, generator)}
        for generator in evidence.generators
        for evaluator in evaluators_in(evidence)
    ]
    notes = (note, _("Informativity is answerability minus guessability; each option is one judgment."))
    named_by = ("generator", "evaluator")
    return make_table(name, COLUMNS, rows, title=title, notes=notes, shown=shown(), named_by=named_by)


@dataclass(frozen=True)
class Judged:
    """The judgments of one evaluator about one generator's items, by stage; fixed: of a model or baseline."""

    guess: Arm
    read: Arm
    fixed: bool

    def estimates(self, missing: str, seed: int) -> dict[str, Estimate]:
        return {
            "guessability": share_of(self.guess, seed, missing, fixed=self.fixed),
            "answerability": share_of(self.read, seed, missing, fixed=self.fixed),
            "informativity": difference_of(self.read, self.guess, seed, missing, fixed=self.fixed),
        }


def row_of(evidence: Evidence, generator: str, evaluator: Evaluator, judgments: pd.DataFrame) -> dict[str, Any]:
    choices = evidence.choices
    mine = evaluator.rows_of(judgments[judgments["generator"] == generator])
    judged = judged_in(mine, evaluator)
    estimates = judged.estimates(reason_for(evaluator, judged, generator, evidence), choices.seed)
    chosen = estimates["informativity"].intervals[choices.convention]
    row = {
        "generator": generator,
        "evaluator": evaluator.name,
        "evaluator_kind": evaluator.kind,
        "reading": evaluator.reading,
        "n_guess": totals(judged.guess)[1],
        "n_read": totals(judged.read)[1],
        "n_items": mine["item_id"].nunique(),
        "n_texts": mine["text_id"].nunique(),
        "n_annotators": mine["annotator"].nunique(),
        **interval_cells(chosen, choices.convention),
        "intervals": {measure: estimate.as_json() for measure, estimate in estimates.items()},
    }
    for measure, estimate in estimates.items():
        row |= estimate.columns(measure, choices.convention)
    return row


def judged_in(judgments: pd.DataFrame, evaluator: Evaluator) -> Judged:
    coded = with_codes(judgments)
    guess, read = (arm_of(coded[coded["stage"] == stage]) for stage in (GUESS, READ))
    return Judged(guess, read, evaluator.is_fixed)


def reason_for(evaluator: Evaluator, judged: Judged, generator: str, evidence: Evidence) -> str:
    """Why guessability, answerability or their difference has no value; "" if all have one.

    Where nothing is left to match, what there is unmatched says why.
    """
    stages = {stage for stage, arm in ((GUESS, judged.guess), (READ, judged.read)) if totals(arm)[1]}
    if not stages:
        given = evaluator.rows_of(judgments_of(evidence.frame))
        stages = set(given[given["generator"] == generator]["stage"])
        if len(stages) == 2:
            return _("no item was answered both without and with the text")
    if len(stages) == 2:
        return ""
    if not stages:
        return _("no answers yet") if evaluator.kind == "human" else _("no answers")
    return _("no answers without the text") if READ in stages else _("no answers with the text")


def measures_won(comparisons: Sequence[Comparison], evaluator: Evaluator, generator: str) -> list[str]:
    """The measures by which the generator does better than each other, after adjustment."""
    found = {measure: find(comparisons, measure, evaluator.name) for measure in MEASURES}
    return [measure for measure, comparison in found.items() if comparison and comparison.winner() == generator]


def shown() -> tuple[Shown, ...]:
    """Generator and evaluator, then the three numbers, each with its interval and n."""

    def measured(title: str, name: str, best: Literal["low", "high"], about: str) -> Shown:
        return Shown(title, name, "number", f"{name}_low", f"{name}_high", f"{name}_reason", "judgments", best, about)

    return (
        Shown(_("Generator"), "generator"),
        Shown(_("Answers by"), "evaluator", "evaluator"),
        measured(_("Guessability"), "guessability", "low", _("share of judgments right without the text")),
        measured(_("Answerability"), "answerability", "high", _("share of judgments right with the text")),
        measured(_("Informativity"), "informativity", "high", _("answerability minus guessability")),
        Shown(_("Items"), "n_items", "count", about=_("items with judgments")),
        Shown(_("Texts"), "n_texts", "count", about=_("texts with judgments")),
        Shown(_("Annotators"), "n_annotators", "count", about=_("annotators with judgments")),
    )
