"""The interval of informativity by every method side by side: what is left out or drawn decides how wide it is."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.frames.responses import judgments_of
from analysis.measures.informativity import informativity
from analysis.measures.intervals import JACKKNIFE, PERCENTILE, Interval
from analysis.measures.reader_intervals import Arm, readers_contrast
from analysis.measures.share_intervals import clustered_contrast, published_contrast
from analysis.measures.two_way import two_way_contrast
from analysis.protocols.guess_then_read.answers import GUESS, READ
from analysis.protocols.guess_then_read.tables import INTERVALS
from analysis.reports.estimates import same_interval
from analysis.reports.evaluators import Evaluator, evaluators_in
from analysis.tables.spec import Table


def interval_methods(evidence: Evidence) -> Table:
    """Five rows per generator and evaluator with answers in both stages; four for models, who are not drawn."""
    judgments = judgments_of(evidence.frame)
    rows = [
        row
        for generator in evidence.generators
        for evaluator in evaluators_in(evidence)
        for row in rows_of(
            generator, evaluator, evaluator.rows_of(judgments[judgments["generator"] == generator]), evidence
        )
    ]
    return INTERVALS.build(rows)


def rows_of(generator: str, evaluator: Evaluator, mine: pd.DataFrame, evidence: Evidence) -> Iterator[dict[str, Any]]:
    text, texts = pd.factorize(mine["text_id"])
    annotator, annotators = pd.factorize(mine["annotator"])
    shape = (len(texts), len(annotators))
    tables = [
        count_cells(mine, text * shape[1] + annotator, stage, column, shape)
        for stage in (READ, GUESS)
        for column in ("correct", "")
    ]
    if not (tables[1].any() and tables[3].any()):
        return
    for found in intervals(tables, evidence.choices.seed, evaluator.is_fixed):
        yield {
            "generator": generator,
            "evaluator": evaluator.name,
            "informativity": informativity(*(int(table.sum()) for table in tables)),
            "unit": found.unit,
            "method": found.method,
            "low": found.low,
            "high": found.high,
            "width": found.high - found.low,
            "n_units": found.n_units,
            "n_responses": found.n_responses,
            "replicates": None if found.seed is None else found.replicates,
            "seed": found.seed,
            "n_texts_effective": found.n_texts_effective,
            "n_annotators_effective": found.n_annotators_effective,
            "share_from_readers": found.share_from_readers,
            "reason": _(found.reason) if found.reason else "",
            "intervals": {"informativity": same_interval(found)},
        }


def count_cells(mine: pd.DataFrame, cell: np.ndarray, stage: str, column: str, shape: tuple[int, int]) -> np.ndarray:
    """(texts, annotators): judgments of a stage, or those of them that are right."""
    chosen = (mine["stage"] == stage).to_numpy()
    if column:
        chosen = chosen & mine[column].to_numpy(dtype=bool)
    return np.bincount(cell[chosen], minlength=shape[0] * shape[1]).reshape(shape)


def intervals(tables: list[np.ndarray], seed: int, fixed: bool) -> list[Interval]:
    """From right and all judgments (texts, annotators) with the text, then without."""
    by_text = [table.sum(axis=1) for table in tables]
    totals = [int(table.sum()) for table in tables]
    read, guess = (Arm.of_tables(*tables[start : start + 2]) for start in (0, 2))
    return [
        readers_contrast((read,), (guess,), fixed=fixed),
        clustered_contrast(*by_text, seed=seed, method=JACKKNIFE),
        clustered_contrast(*by_text, seed=seed, method=PERCENTILE),
        *([] if fixed else [two_way_contrast(*tables, seed=seed)]),
        published_contrast(*totals, seed=seed),
    ]
