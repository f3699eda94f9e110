"""Tidy frames of what was answered: one row per response, ready for the reports."""

from collections.abc import Collection

import pandas as pd
from django.db.models import F

from analysis.handed_in import MAIN, handed_in
from studies.models import Study

# Column of the frame: where it stands, seen from a response.
FIELDS = {
    "annotator": "assignment__annotator__code",
    "kind": "assignment__annotator__kind",
    "group": "assignment__annotator__group",
    "purpose": "assignment__annotator__purpose",
    "model": "assignment__annotator__model",
    "reading": "assignment__annotator__reading",
    "unit": "assignment__unit_id",
    "part": "assignment__unit__part",
    "round": "assignment__round",
    "stage": "stage",
    "text_id": "assignment__unit__text__external_id",
    "item_id": "item__external_id",
    "option_id": "option__external_id",
    "generator": "item__generator__name",
    "question": "question",
    "value": "value",
    "probability": "probability",
    "unsure": "unsure",
    "key": "option__correct",
}
COLUMNS = (*FIELDS, "correct")
ANSWERED = ["annotator", "unit", "stage", "item_id", "option_id", "question"]  # what is answered once a round
DTYPES = {"round": "int64", "unit": "int64", "probability": "float64", "unsure": "boolean", "key": "boolean"}


def responses_frame(
    study: Study,
    purposes: Collection[str] = MAIN,
    groups: Collection[str] | None = None,
    evaluators: Collection[str] | None = None,
) -> pd.DataFrame:
    """One row per response that counts, with the columns of `COLUMNS`.

    `key` is the key as it is now, and `correct` says whether the tick equals it (missing where nothing was ticked).
    A question that an annotator answered again in a later round counts with its latest answer. `groups`
    limits the people to some groups (models belong to none), `evaluators` the annotators to some codes ("human" stands
    for all people). Drafts are never here. Texts such as "NA" and "null" stay what they are.
    """
    return latest_rounds(chosen(every_round(study, purposes), groups, evaluators))


def every_round(study: Study, purposes: Collection[str] = MAIN) -> pd.DataFrame:
    """All rows, those of earlier rounds too, with the columns of `COLUMNS`."""
    rows = handed_in(study, purposes).order_by("pk")
    frame = pd.DataFrame.from_records(
        list(rows.values_list(*map(F, FIELDS.values())).iterator(chunk_size=5000)), columns=list(FIELDS)
    )
    frame = frame.astype(object).astype(DTYPES)
    frame["correct"] = correctness(frame)
    return frame


def correctness(frame: pd.DataFrame) -> pd.Series:
    """Whether a tick equals the key; missing for what is not a tick."""
    ticked = frame["value"].where(frame["key"].notna(), None)
    return (ticked.astype("boolean") == frame["key"]).astype("boolean")


def latest_rounds(frame: pd.DataFrame) -> pd.DataFrame:
    """Without what a later round of the same annotator has superseded, question by question."""
    latest = frame.groupby(ANSWERED, dropna=False)["round"].transform("max")
    return frame[frame["round"] == latest].reset_index(drop=True)


def chosen(
    frame: pd.DataFrame, groups: Collection[str] | None = None, evaluators: Collection[str] | None = None
) -> pd.DataFrame:
    """The rows of the people in `groups` and of the annotators in `evaluators`; None chooses all."""
    human = frame["kind"] == "human"
    kept = pd.Series(True, index=frame.index)
    if groups is not None:
        kept &= ~human | frame["group"].isin(groups)
    if evaluators is not None:
        kept &= frame["annotator"].isin(evaluators) | (human & ("human" in evaluators))
    return frame[kept]
