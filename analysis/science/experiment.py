"""Does guessing an item change how one answers it with the text?"""

from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.formatting import with_interval
from analysis.frames.evidence import Evidence
from analysis.measures.carry_over import CarryOver, carry_over
from analysis.measures.text_parts import FIXED, RANDOM, Readers
from analysis.reports.evaluators import HUMAN, people_in
from analysis.science.common import conventions, judgments_in, reading_stages
from analysis.science.tables import CARRY_OVER
from analysis.tables.spec import Table

FEWEST_TEXTS = 5
NOTHING_TO_COMPARE = gettext_noop(
    "In this plan everybody (or nobody) guesses an item before reading it, so there is nothing to compare."
)
TOO_FEW_TEXTS = gettext_noop("Comparing those who guessed an item with the others needs at least 5 texts; here %(n)d.")


def carry_over_tables(evidence: Evidence) -> tuple[Table, ...]:
    stages = reading_stages(evidence)
    if stages is None or not stages.without:
        return ()
    mine = people_in(evidence).rows_of(judgments_in(evidence))
    read = mine[mine["stage"] == stages.with_text]
    if read.empty:
        return ()
    guessed = set(
        map(tuple, mine[mine["stage"] == stages.without][["annotator", "item_id"]].drop_duplicates().to_numpy())
    )
    random, fixed = (estimate(read, guessed, readers) for readers in (RANDOM, FIXED))
    reason = why_not(random)
    row: dict[str, Any] = {
        "evaluator": HUMAN, "effect": conventions(random.parts, fixed.parts, reason),
        "others_only": random.others_only, "n_items": random.n_items, "n_texts": random.n_texts,
    }  # fmt: skip
    return (CARRY_OVER.build([row], evidence.choices.convention),)


def estimate(read: pd.DataFrame, guessed: set[tuple[str, str]], readers: Readers) -> CarryOver:
    cells = read.groupby(["annotator", "item_id", "text_id"], sort=True)["correct"].agg(["sum", "size"]).reset_index()
    before = np.array([pair in guessed for pair in zip(cells["annotator"], cells["item_id"], strict=True)], dtype=bool)
    item, text, annotator = (
        pd.factorize(cells[name], sort=True)[0].astype(np.int64) for name in ("item_id", "text_id", "annotator")
    )
    right, n = (cells[name].to_numpy(dtype=np.float64) for name in ("sum", "size"))
    return carry_over(item, text, annotator, before, right, n, readers)


def why_not(found: CarryOver) -> str:
    if not found.n_items:
        return _(NOTHING_TO_COMPARE)
    return _(TOO_FEW_TEXTS) % {"n": found.n_texts} if found.n_texts < FEWEST_TEXTS else ""


def carry_over_sentence(tables: tuple[Table, ...]) -> list[str]:
    """Only where the effect excludes 0."""
    for table in tables:
        (row,) = table.rows
        if row["effect"] is not None and row["low"] is not None and row["low"] * row["high"] > 0:
            value = with_interval(row["effect"], row["low"], row["high"])
            return [_("Guessing an item changed how it was answered with the text: %(value)s.") % {"value": value}]
    return []
