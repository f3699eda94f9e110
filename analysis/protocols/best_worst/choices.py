"""Choices of the best and the worst item in the form that reports need. Results count those of people."""

import numpy as np
import pandas as pd

from analysis.frames.evidence import Evidence
from analysis.measures.agreement import MISSING
from analysis.measures.types import IntArray
from analysis.reports.evaluators import Evaluator, people_in
from analysis.science.scores import sum_scores
from studies.protocols.best_worst.declaration import BEST, WORST

PLACE = ["annotator", "unit", "round", "text_id"]


def choices_of(evidence: Evidence) -> pd.DataFrame:
    return choices_by(evidence, people_in(evidence))


def choices_by(evidence: Evidence, evaluator: Evaluator) -> pd.DataFrame:
    """One row per annotator and tuple with both choices: the columns of `PLACE`, best, worst, items (a tuple)."""
    rows = evaluator.rows_of(evidence.frame)
    values = {name: rows[rows["question"] == name].set_index(PLACE)["value"] for name in (BEST, WORST)}
    found = pd.DataFrame(values).dropna().reset_index()
    found["items"] = found["unit"].map(evidence.unit_items)
    return found.sort_values(["text_id", "unit", "annotator"], ignore_index=True)


def showings_of(evidence: Evidence, choices: pd.DataFrame) -> pd.DataFrame:
    """One row per choice and item of its tuple: text_id, annotator, unit, item_id, generator, best, worst, value.

    `value` is 1 for the best, -1 for the worst, else 0: its mean is the best–worst score.
    """
    shown = choices.assign(item_id=choices["items"]).explode("item_id", ignore_index=True)
    is_best, is_worst = (shown["item_id"] == shown[name] for name in (BEST, WORST))
    generators = evidence.items.set_index("item_id")["generator"]
    value = is_best.astype(np.int64) - is_worst.astype(np.int64)
    found = shown[["text_id", "annotator", "unit", "item_id"]]
    return found.assign(generator=found["item_id"].map(generators), best=is_best, worst=is_worst, value=value)


def generator_codes(evidence: Evidence, choices: pd.DataFrame) -> tuple[IntArray, IntArray, IntArray]:
    """(n,) codes of the generators of the best and of the worst item, (n, k - 2) of the others."""
    generators = evidence.items.set_index("item_id")["generator"]
    codes = {item: evidence.generators.index(name) for item, name in generators.items()}
    best, worst = (np.array([codes[item] for item in choices[name]], dtype=np.int64) for name in (BEST, WORST))
    others = [
        [codes[item] for item in items if item not in (one, other)]
        for items, one, other in choices[["items", BEST, WORST]].itertuples(index=False)
    ]
    return best, worst, np.asarray(np.array(others, dtype=np.int64).reshape(len(choices), -1 if others else 0))


def ratings_of(choices: pd.DataFrame, question: str) -> tuple[IntArray, IntArray, int]:
    """(raters, tuples) places of the chosen items, MISSING where nobody chose; the text of each tuple; the number of
    places.

    Only tuples that two people or more judged.
    """
    twice = choices[choices.groupby("unit")["annotator"].transform("nunique") > 1]
    if twice.empty:
        return np.full((1, 0), MISSING, dtype=np.int64), np.empty(0, dtype=np.int64), 2
    places = [items.index(item) for items, item in zip(twice["items"], twice[question], strict=True)]
    table = twice.assign(place=places).pivot(index="annotator", columns="unit", values="place")
    texts = twice.drop_duplicates("unit").set_index("unit")["text_id"][table.columns]
    size = int(twice["items"].map(len).max())
    return table.fillna(MISSING).to_numpy(dtype=np.int64), pd.factorize(texts, sort=True)[0].astype(np.int64), size


def score_items(evidence: Evidence) -> pd.DataFrame:
    """The best–worst score of each item, as sums; see `analysis.science.scores`."""
    shown = showings_of(evidence, choices_of(evidence))
    return sum_scores(shown, shown["value"], "best_worst_score")
