"""What accuracy alone hides: bias toward calling options correct, whole items correct, p(true) without a threshold."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.frames.evidence import Evidence
from analysis.measures.informativity import (
    LEAST,
    auc,
    auc_informativity,
    bits,
    clustered_auc,
    clustered_auc_informativity,
    detection,
    share,
)
from analysis.measures.intervals import TEXT, Interval, clustered_mean, undefined_interval
from analysis.protocols.guess_then_read.answers import GUESS, READ, judge_whole_items
from analysis.protocols.guess_then_read.tables import BIASES, PROBABILITIES
from analysis.reports.estimates import (
    Estimate,
    add_codes,
    build_arm,
    estimate_share,
    note_texts_only,
    repeat_text_interval,
)
from analysis.reports.evaluators import Evaluator, list_evaluators
from analysis.tables.spec import Table

MOST_BITS = float(-np.log2(LEAST))

BY_TEXTS = gettext_noop("This figure has an interval by texts only.")
BOTH_KINDS = gettext_noop("There are not both keys and distractors with p(true) in this stage.")
BOTH_STAGES = gettext_noop("No option has p(true) both without and with the text.")


def build_tables(evidence: Evidence) -> tuple[Table, ...]:
    """The table of biases, and that of probabilities if any are known."""
    judgments = add_keys(evidence)
    tables = (build_bias(evidence, judgments), build_probabilities(evidence, judgments))
    return tables if tables[1].rows else tables[:1]


def add_keys(evidence: Evidence) -> pd.DataFrame:
    """The judgments of options with `unit`, the current `key`, and `probability`, NaN where there is none."""
    answered = evidence.frame[(evidence.frame["question"] == "answer") & evidence.frame["correct"].notna()]
    judgments = evidence.judgments
    key = judgments["value"] == judgments["correct"]
    probability = answered["probability"].to_numpy(dtype=np.float64)
    return judgments.assign(unit=answered["unit"].to_numpy(), key=key, probability=probability)


def iter_parts(evidence: Evidence, judgments: pd.DataFrame) -> Iterator[tuple[str, Evaluator, pd.DataFrame]]:
    """The judgments of each evaluator about each generator's items, where there are any."""
    for generator in evidence.generators:
        about = judgments[judgments["generator"] == generator]
        for evaluator in list_evaluators(evidence):
            mine = evaluator.select_rows(about)
            if len(mine):
                yield generator, evaluator, mine


def build_bias(evidence: Evidence, judgments: pd.DataFrame) -> Table:
    rows = [
        build_bias_row(evidence, generator, evaluator, stage, mine[mine["stage"] == stage])
        for generator, evaluator, mine in iter_parts(evidence, judgments)
        for stage in (GUESS, READ)
        if (mine["stage"] == stage).any()
    ]
    return BIASES.build(rows, evidence.choices.convention)


def build_bias_row(
    evidence: Evidence, generator: str, evaluator: Evaluator, stage: str, mine: pd.DataFrame
) -> dict[str, Any]:
    choices = evidence.choices
    found = detection(mine["value"].to_numpy(dtype=bool), mine["key"].to_numpy(dtype=bool))
    whole = judge_whole_items(mine).rename(columns={"right": "correct"})
    right = estimate_share(build_arm(add_codes(whole)), choices.seed, fixed=evaluator.is_fixed)
    return {
        "generator": generator,
        "evaluator": evaluator.name,
        "stage": stage,
        "share_correct": share(int(mine["correct"].sum()), len(mine)),
        "constant": found.constant,
        "balanced": found.balanced,
        "d_prime": found.d_prime,
        "criterion": found.criterion,
        "items_right": right,
        "n": len(mine),
        "n_keys": found.n_keys,
        "n_items": len(whole),
        "n_texts": mine["text_id"].nunique(),
        "reason": _(found.reason) if found.reason else "",
    }


def build_probabilities(evidence: Evidence, judgments: pd.DataFrame) -> Table:
    known = judgments[judgments["probability"].notna()]
    rows = [build_probability_row(evidence, *part) for part in iter_parts(evidence, known)]
    note = note_texts_only(_("areas under the curve and bits"))
    return PROBABILITIES.build(rows, evidence.choices.convention, (note,))


def build_probability_row(
    evidence: Evidence, generator: str, evaluator: Evaluator, mine: pd.DataFrame
) -> dict[str, Any]:
    choices = evidence.choices
    wide = join_stages(mine)
    guess, read = (wide[stage].to_numpy(dtype=np.float64) for stage in (GUESS, READ))
    key, text = wide["key"].to_numpy(dtype=bool), pd.factorize(wide["text_id"])[0]
    gained = bits(guess, read, key)
    return {
        "generator": generator,
        "evaluator": evaluator.name,
        "auc_guess": estimate_area(guess, key, text, choices.seed),
        "auc_read": estimate_area(read, key, text, choices.seed),
        "auc_difference": estimate_over_texts(
            auc_informativity(guess, read, key),
            lambda: clustered_auc_informativity(guess, read, key, text, seed=choices.seed),
            BOTH_KINDS,
        ),
        "bits": estimate_over_texts(
            gained.mean, lambda: estimate_mean_gain(gained.gain, text, choices.seed), BOTH_STAGES
        ),
        "n_guess": int((~np.isnan(guess)).sum()),
        "n_read": int((~np.isnan(read)).sum()),
        "n_both": int((~np.isnan(gained.gain)).sum()),
        "n_floored": gained.floored,
        "n_texts": mine["text_id"].nunique(),
    }


def join_stages(mine: pd.DataFrame) -> pd.DataFrame:
    """One row per annotator and option with its p(true) in each stage, NaN if it is unknown."""
    keys = ["annotator", "unit", "text_id", "item_id", "option_id", "key"]
    wide = mine.set_index([*keys, "stage"])["probability"].unstack("stage")
    return wide.reindex(columns=[GUESS, READ]).reset_index()


def estimate_area(p: np.ndarray, key: np.ndarray, text: np.ndarray, seed: int) -> Estimate:
    known = ~np.isnan(p)
    p, key, text = p[known], key[known], text[known]
    return estimate_over_texts(auc(p, key), lambda: clustered_auc(p, key, text, seed=seed), BOTH_KINDS)


def estimate_mean_gain(gain: np.ndarray, text: np.ndarray, seed: int) -> Interval:
    known = ~np.isnan(gain)
    texts, code = np.unique(text[known], return_inverse=True)
    total, n = np.bincount(code, weights=gain[known], minlength=len(texts)), np.bincount(code, minlength=len(texts))
    return clustered_mean(total, n.astype(np.int64), bounds=(-MOST_BITS, MOST_BITS), seed=seed)


def estimate_over_texts(value: float, interval: Callable[[], Interval], reason: str) -> Estimate:
    """An estimate with an interval over texts, which is computed only if the value is defined; none is published."""
    undefined = undefined_interval("", (TEXT, 0, 0, None), BY_TEXTS)
    if np.isnan(value):
        return Estimate(value, repeat_text_interval(undefined, undefined), _(reason))
    return Estimate(value, repeat_text_interval(interval(), undefined))
