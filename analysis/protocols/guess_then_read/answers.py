"""The answers as reports read them: judgments of options, ratings, and items right as a whole."""

import pandas as pd

from analysis.frames.evidence import Evidence
from studies.services.declarations import get_declaration

GUESS, READ = "guess", "read"


def ratings_of(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per rating of an item; `value` is a whole number."""
    rated = frame[(frame["question"] == "rating") & (frame["stage"] == READ)]
    return rated[["annotator", "kind", "text_id", "item_id", "generator", "value"]].astype({"value": int})


def levels_of(evidence: Evidence) -> tuple[int, ...]:
    """The declared rating scale, whether or not each level was used."""
    return tuple(map(int, get_declaration(evidence.study).stage(READ).question("rating").levels))


def select_matched(judgments: pd.DataFrame) -> pd.DataFrame:
    """Only what an annotator said about an item both without and with the text."""
    stages = judgments.groupby(["annotator", "item_id"])["stage"].transform("nunique")
    return judgments[stages == 2]


def items_right(judgments: pd.DataFrame) -> pd.DataFrame:
    """One row per annotator, item and stage: `right` if every option of the item was judged correctly."""
    keys = ["stage", "text_id", "item_id", "generator", "annotator"]
    return judgments.groupby(keys, sort=False)["correct"].all().rename("right").reset_index()
