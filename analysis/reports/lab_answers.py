"""What annotators answered to one question, as the codes that measures of agreement take."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.lab_questions import Asked
from analysis.measures.agreement import MISSING


@dataclass(frozen=True)
class Answers:
    """(raters, units) codes of the declared categories with MISSING; who the raters are; the text of each unit."""

    values: np.ndarray
    raters: list[str]
    text: np.ndarray

    @property
    def one_group(self) -> np.ndarray:
        """(units,): all units together, for tables that are not split by text."""
        return np.zeros(self.values.shape[1], dtype=np.int64)


def answers_in(frame: pd.DataFrame, asked: Asked, annotators: list[str]) -> Answers:
    """Raters in the order of `annotators`, without those who did not answer the question."""
    of_question = (frame["stage"] == asked.stage) & (frame["question"] == asked.name)
    mine = frame[of_question & frame["annotator"].isin(annotators)]
    present = set(mine["annotator"])
    raters = [code for code in annotators if code in present]
    unit, units = pd.factorize(pd.MultiIndex.from_frame(mine[["unit", "item_id", "option_id"]].fillna("").astype(str)))
    values = np.full((len(raters), len(units)), MISSING, dtype=np.int64)
    codes = {category: code for code, category in enumerate(asked.categories)}
    given = [
        codes.get(asked.category(value, item), MISSING)
        for value, item in zip(mine["value"], mine["item_id"], strict=True)
    ]
    values[pd.Index(raters).get_indexer(pd.Index(mine["annotator"])), unit] = given
    text = np.zeros(len(units), dtype=np.int64)
    text[unit] = pd.factorize(mine["text_id"])[0]
    return Answers(values, raters, text)


def names_of(asked: Asked) -> list[str]:
    """The categories as files of responses write them."""
    return [str(category).lower() if isinstance(category, bool) else str(category) for category in asked.categories]
