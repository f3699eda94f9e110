"""Analysis of single options, and lists of items that most people get right without the text or wrong with it."""

from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.codes import GUESSABLE, TAG, UNANSWERABLE, join_codes, list_code_titles
from analysis.frames.evidence import Evidence
from analysis.measures.agreement import MISSING
from analysis.measures.item_analysis import (
    certainty_above,
    discrimination,
    discrimination_intervals,
    miskey,
    unit_means,
)
from analysis.protocols.guess_then_read.answers import GUESS, READ, judge_whole_items
from analysis.protocols.guess_then_read.tables import GUESSABLE as GUESSABLE_TABLE
from analysis.protocols.guess_then_read.tables import ITEM_ANALYSIS
from analysis.protocols.guess_then_read.tables import UNANSWERABLE as UNANSWERABLE_TABLE
from analysis.reports.evaluators import get_people
from analysis.tables.spec import ColumnRows, Table, TableSpec

NOBODY = gettext_noop("No answers in this stage.")
NO_MARKS = gettext_noop("Unsure marks were not recorded.")
NOT_WITHOUT_TEXT = gettext_noop(
    "The stage without the text has no unsure marks, and its answers say nothing about a key."
)


def build_item_analysis(evidence: Evidence) -> Table:
    """One row per option and stage, in the order of the bank; shares are undefined without answers."""
    guess, read = (build_stage_columns(evidence, stage) for stage in (GUESS, READ))
    both = {name: [*chain.from_iterable(zip(guess[name], read[name], strict=True))] for name in guess}
    return ITEM_ANALYSIS.build(ColumnRows(both))


def build_stage_columns(evidence: Evidence, stage: str) -> dict[str, list[Any]]:
    """The columns of one row per option, in the order of `evidence.options`."""
    options = evidence.options
    asked = get_people(evidence).select_rows(evidence.judgments)
    ticked, right, unsure = build_grids(asked[asked["stage"] == stage], options, ("value", "correct", "unsure"))
    shares, separation, marks = unit_means(right), discrimination(right), unit_means(unsure)
    intervals = discrimination_intervals(right, separation)
    alarm = miskey((right == 1).sum(axis=0), shares.n) if stage == READ else None
    numbers = {
        "n": shares.n,
        "share_ticked": unit_means(ticked).share,
        "share_correct": shares.share,
        "share_unsure": marks.share,
        "discrimination": separation.value,
        "miskey": alarm.probability if alarm else np.full(len(options), np.nan),
        "discrimination_low": np.array([found.low for found in intervals]),
        "discrimination_high": np.array([found.high for found in intervals]),
    }
    fixed = [_(NOT_WITHOUT_TEXT)] if alarm is None else [_(alarm.reason)] if alarm.reason else []
    say = cache(say_reason)  # few reasons for many options
    return {
        **{name: options[name].tolist() for name in options.columns},
        "stage": [stage] * len(options),
        **{name: list_defined(values) for name, values in numbers.items()},
        "discrimination_reason": [say(found.reason, found.n_units) for found in intervals],
        "reason": [
            " ".join(filter(None, (say(why), *explain_unmarked(stage, known), *fixed))) if n else say(NOBODY)
            for why, known, n in zip(separation.reasons, marks.n.tolist(), shares.n.tolist(), strict=True)
        ],
    }


def list_defined(values: np.ndarray) -> list[Any]:
    """The values as Python numbers, None in place of NaN."""
    return [value if known else None for value, known in zip(values.tolist(), np.isfinite(values), strict=True)]


def say_reason(reason: str, n: int = 0) -> str:
    return _(reason) % {"n": n} if reason else ""


def explain_unmarked(stage: str, known: int) -> list[str]:
    """Why the share of unsure marks is undefined in the stage with the text: an imported file may lack them."""
    return [_(NO_MARKS)] if stage == READ and not known else []


def build_grids(asked: pd.DataFrame, options: pd.DataFrame, columns: tuple[str, ...]) -> list[np.ndarray]:
    """For each column, a matrix (annotators, options) of 0, 1 or MISSING."""
    rater, raters = pd.factorize(asked["annotator"])
    ids = ["item_id", "option_id"]
    unit = pd.MultiIndex.from_frame(options[ids]).get_indexer(pd.MultiIndex.from_frame(asked[ids]))
    found = []
    for column in columns:
        values = np.full((len(raters), len(options)), MISSING, dtype=np.int64)
        values[rater, unit] = asked[column].astype("boolean").astype("Int64").fillna(MISSING).to_numpy(dtype=np.int64)
        found.append(values)
    return found


# Lists ----------------------------------------------------------------------------------------------------------------


def build_guessable_items(evidence: Evidence) -> Table:
    """The items that more than half of the people who answered without the text got right."""
    counted = count_right_by_item(evidence, GUESS)
    return build_item_list(GUESSABLE_TABLE, evidence, counted[2 * counted.n_right > counted.n], GUESSABLE)


def build_unanswerable_items(evidence: Evidence) -> Table:
    """The items that more than half of the people who answered with the text got wrong."""
    counted = count_right_by_item(evidence, READ)
    return build_item_list(
        UNANSWERABLE_TABLE, evidence, counted[2 * (counted.n - counted.n_right) > counted.n], UNANSWERABLE
    )


def count_right_by_item(evidence: Evidence, stage: str) -> pd.DataFrame:
    """Columns item_id, n and n_right: how many people answered each item in that stage, and how many of them
    correctly."""
    judged = get_people(evidence).select_rows(evidence.judgments)
    found = judge_whole_items(judged[judged["stage"] == stage])
    return found.groupby("item_id")["right"].agg(n="size", n_right="sum").astype(int).reset_index()


def build_item_list(spec: TableSpec, evidence: Evidence, counted: pd.DataFrame, kind: str) -> Table:
    """The table of these items, the most certain first, with the codes that explain them."""
    items = evidence.items.merge(counted, on="item_id")
    above = certainty_above(items["n_right"].to_numpy(dtype=np.int64), items["n"].to_numpy(dtype=np.int64))
    items["certainty"] = above if kind == GUESSABLE else 1 - above
    found = items.sort_values("certainty", ascending=False, kind="stable")
    rows = [
        {
            "text_id": row["text_id"],
            "item_id": row["item_id"],
            "generator": row["generator"],
            "n_annotators": row["n"],
            "n_right": row["n_right"],
            "share_right": row["n_right"] / row["n"],
            "codes": join_codes(evidence.study.protocol, evidence.codes.get(row["item_id"], set()), kind, TAG),
            "certainty": row["certainty"],
        }
        for row in found.to_dict("records")
    ]
    rows = [row | {"codes_said": list_code_titles(evidence.study.protocol, row["codes"])} for row in rows]
    return spec.build(rows)
