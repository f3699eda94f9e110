"""What accuracy alone hides: biases to call options correct, items right as a whole, p(true) without a threshold."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.frames.evidence import Evidence
from analysis.frames.responses import judgments_of
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
from analysis.measures.intervals import TEXT, Interval, undefined
from analysis.measures.share_intervals import clustered_mean
from analysis.protocols.guess_then_read.answers import GUESS, READ, items_right
from analysis.reports.estimates import Estimate, arm_of, over_texts, share_of, texts_only_note, with_codes
from analysis.reports.evaluators import Evaluator, evaluators_in
from analysis.tables.spec import Shown, Table, make_table

BIAS_COLUMNS = (
    "generator", "evaluator", "stage", "share_correct", "constant", "balanced", "d_prime", "criterion", "items_right",
    "items_right_low", "items_right_high", "items_right_reason", "n", "n_keys", "n_items", "n_texts", "reason",
)  # fmt: skip
FIGURES = ("auc_guess", "auc_read", "auc_difference", "bits")
PROBABILITY_COLUMNS = (
    "generator", "evaluator", *(f"{name}{end}" for name in FIGURES for end in ("", "_low", "_high", "_reason")),
    "n_guess", "n_read", "n_both", "n_floored", "n_texts",
)  # fmt: skip
MOST_BITS = float(-np.log2(LEAST))

BY_TEXTS = gettext_noop("This figure has an interval by texts only.")
BOTH_KINDS = gettext_noop("There are not both keys and distractors with p(true) in this stage.")
BOTH_STAGES = gettext_noop("No option has p(true) both without and with the text.")


def beside_accuracy(evidence: Evidence) -> tuple[Table, ...]:
    """The second table only where a model's probabilities are known."""
    judgments = with_keys(evidence)
    tables = (bias(evidence, judgments), probabilities(evidence, judgments))
    return tables if tables[1].rows else tables[:1]


def with_keys(evidence: Evidence) -> pd.DataFrame:
    """One row per judged option with `unit`, `key` as it is now, and `probability`, NaN where there is none."""
    answered = evidence.frame[(evidence.frame["question"] == "answer") & evidence.frame["correct"].notna()]
    judgments = judgments_of(evidence.frame)
    key = judgments["value"] == judgments["correct"]
    probability = answered["probability"].to_numpy(dtype=np.float64)
    return judgments.assign(unit=answered["unit"].to_numpy(), key=key, probability=probability)


def parts_of(evidence: Evidence, judgments: pd.DataFrame) -> Iterator[tuple[str, Evaluator, pd.DataFrame]]:
    """The judgments of each evaluator about each generator's items, without those that there are none of."""
    for generator in evidence.generators:
        about = judgments[judgments["generator"] == generator]
        for evaluator in evaluators_in(evidence):
            mine = evaluator.rows_of(about)
            if len(mine):
                yield generator, evaluator, mine


def bias(evidence: Evidence, judgments: pd.DataFrame) -> Table:
    rows = [
        bias_row(evidence, generator, evaluator, stage, mine[mine["stage"] == stage])
        for generator, evaluator, mine in parts_of(evidence, judgments)
        for stage in (GUESS, READ)
        if (mine["stage"] == stage).any()
    ]
    notes = (
        _("Always “incorrect”: the share right of somebody who calls no option correct. Balanced: mean of the shares "
          "right on keys and on distractors; .5 for anybody who tells nothing apart."),
        _("d′: how well keys are told from distractors, 0 for not at all. Criterion: below 0 a bias to call options "
          "correct, above 0 one to call them incorrect. Half a judgment is added to each count (Hautus 1995), so that "
          "d′ of answers that are all the same is small, not 0."),
    )  # fmt: skip
    title = _("Beside accuracy: biases and items as a whole")
    named_by = ("generator", "evaluator", "stage")
    return make_table(
        "beside_accuracy", BIAS_COLUMNS, rows, title=title, notes=notes, shown=bias_shown(), named_by=named_by
    )


def bias_row(
    evidence: Evidence, generator: str, evaluator: Evaluator, stage: str, mine: pd.DataFrame
) -> dict[str, Any]:
    choices = evidence.choices
    found = detection(mine["value"].to_numpy(dtype=bool), mine["key"].to_numpy(dtype=bool))
    whole = items_right(mine).rename(columns={"right": "correct"})
    right = share_of(arm_of(with_codes(whole)), choices.seed, fixed=evaluator.is_fixed)
    return {
        "generator": generator,
        "evaluator": evaluator.name,
        "stage": stage,
        "share_correct": share(int(mine["correct"].sum()), len(mine)),
        "constant": found.constant,
        "balanced": found.balanced,
        "d_prime": found.d_prime,
        "criterion": found.criterion,
        **right.columns("items_right", choices.convention),
        "n": len(mine),
        "n_keys": found.n_keys,
        "n_items": len(whole),
        "n_texts": mine["text_id"].nunique(),
        "reason": _(found.reason) if found.reason else "",
        "intervals": {"items_right": right.as_json()},
    }


def probabilities(evidence: Evidence, judgments: pd.DataFrame) -> Table:
    known = judgments[judgments["probability"].notna()]
    rows = [probability_row(evidence, *part) for part in parts_of(evidence, known)]
    notes = (
        _("AUC: how often a key has a higher p(true) than a distractor, ties half; no threshold is needed. Bits: by "
          "how many the text makes the right label likelier, mean over options judged in both stages; a probability "
          "below 2^−20 is taken as that, and counted."),
        texts_only_note(_("areas under the curve and bits")),
    )  # fmt: skip
    title = _("Informativity from probabilities")
    return make_table(
        "informativity_probability", PROBABILITY_COLUMNS, rows, title=title, notes=notes, shown=probability_shown(),
        named_by=("generator", "evaluator"),
    )  # fmt: skip


def probability_row(evidence: Evidence, generator: str, evaluator: Evaluator, mine: pd.DataFrame) -> dict[str, Any]:
    choices = evidence.choices
    wide = both_stages(mine)
    guess, read = (wide[stage].to_numpy(dtype=np.float64) for stage in (GUESS, READ))
    key, text = wide["key"].to_numpy(dtype=bool), pd.factorize(wide["text_id"])[0]
    gained = bits(guess, read, key)
    estimates = {
        "auc_guess": area(guess, key, text, choices.seed),
        "auc_read": area(read, key, text, choices.seed),
        "auc_difference": by_texts(
            auc_informativity(guess, read, key),
            lambda: clustered_auc_informativity(guess, read, key, text, seed=choices.seed),
            BOTH_KINDS,
        ),
        "bits": by_texts(gained.mean, lambda: mean_gain(gained.gain, text, choices.seed), BOTH_STAGES),
    }
    row: dict[str, Any] = {"generator": generator, "evaluator": evaluator.name}
    for name, estimate in estimates.items():
        row |= estimate.columns(name, choices.convention)
    return row | {
        "n_guess": int((~np.isnan(guess)).sum()),
        "n_read": int((~np.isnan(read)).sum()),
        "n_both": int((~np.isnan(gained.gain)).sum()),
        "n_floored": gained.floored,
        "n_texts": mine["text_id"].nunique(),
        "intervals": {name: estimate.as_json() for name, estimate in estimates.items()},
    }


def both_stages(mine: pd.DataFrame) -> pd.DataFrame:
    """One row per annotator and option with p(true) in each stage, NaN where it was not judged or has none."""
    keys = ["annotator", "unit", "text_id", "item_id", "option_id", "key"]
    wide = mine.set_index([*keys, "stage"])["probability"].unstack("stage")
    return wide.reindex(columns=[GUESS, READ]).reset_index()


def area(p: np.ndarray, key: np.ndarray, text: np.ndarray, seed: int) -> Estimate:
    known = ~np.isnan(p)
    p, key, text = p[known], key[known], text[known]
    return by_texts(auc(p, key), lambda: clustered_auc(p, key, text, seed=seed), BOTH_KINDS)


def mean_gain(gain: np.ndarray, text: np.ndarray, seed: int) -> Interval:
    known = ~np.isnan(gain)
    texts, code = np.unique(text[known], return_inverse=True)
    total, n = np.bincount(code, weights=gain[known], minlength=len(texts)), np.bincount(code, minlength=len(texts))
    return clustered_mean(total, n.astype(np.int64), bounds=(-MOST_BITS, MOST_BITS), seed=seed)


def by_texts(value: float, interval: Callable[[], Interval], reason: str) -> Estimate:
    """An estimate with an interval by texts, computed only if there is a value; there is no published one."""
    nowhere = undefined("", (TEXT, 0, 0, None), BY_TEXTS)
    if np.isnan(value):
        return Estimate(value, over_texts(nowhere, nowhere), _(reason))
    return Estimate(value, over_texts(interval(), nowhere))


def bias_shown() -> tuple[Shown, ...]:
    by_bias = _("with half a judgment added to each count")
    return (
        Shown(_("Generator"), "generator"),
        Shown(_("Answers by"), "evaluator", "evaluator"),
        Shown(_("Stage"), "stage", "stage"),
        Shown(_("Options right"), "share_correct", "number", about=_("share of judgments that are right")),
        Shown(
            _("Always “incorrect”"), "constant", "number", about=_("share right of who calls no option correct")
        ),
        Shown(
            _("Balanced"), "balanced", "number", reason="reason",
            about=_("mean of the shares right on keys and on distractors"),
        ),
        Shown("d′", "d_prime", "number", reason="reason", about=by_bias),
        Shown(_("Criterion"), "criterion", "number", reason="reason", about=by_bias),
        Shown(
            _("Items right as a whole"), "items_right", "number", "items_right_low", "items_right_high",
            "items_right_reason", "texts", about=_("share of items of which every option is judged rightly"),
        ),
        Shown(_("Judgments"), "n", "count", about=_("judgments of options")),
        Shown(_("Texts"), "n_texts", "count", about=_("texts of these judgments")),
    )  # fmt: skip


def probability_shown() -> tuple[Shown, ...]:
    def measured(title: str, name: str, about: str) -> Shown:
        return Shown(title, name, "number", f"{name}_low", f"{name}_high", f"{name}_reason", about=about)

    area = _("share of pairs of key and distractor in which the key has the higher p(true)")
    return (
        Shown(_("Generator"), "generator"),
        Shown(_("Answers by"), "evaluator", "evaluator"),
        measured(_("AUC without the text"), "auc_guess", area),
        measured(_("AUC with the text"), "auc_read", area),
        measured(_("Difference"), "auc_difference", _("AUC with the text minus AUC without")),
        measured(_("Bits"), "bits", _("mean gain of log2 p of the right label by the text")),
        Shown(_("Options in both stages"), "n_both", "count", about=_("options with p(true) in both stages")),
        Shown(
            _("Taken as 2^−20"), "n_floored", "count", about=_("probabilities of the right label that are below this")
        ),
        Shown(_("Texts"), "n_texts", "count", about=_("texts of these options")),
    )  # fmt: skip
