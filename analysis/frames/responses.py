"""Tidy frames of the answers: one row per response, ready for reports."""

import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from django.db.models import Count, ExpressionWrapper, F, QuerySet, TextField
from django.db.models.functions import Cast

from items.models import Item, Option
from jobs.progress import ANSWERS, report_progress
from studies.models import Assignment, Response, Ruling, Study, UnitItem
from studies.services.adjudicating import filter_valid_decisions
from studies.services.declarations import get_declaration

MAIN = ("main",)


def query_submitted(study: Study, purposes: Collection[str] = MAIN) -> QuerySet[Response]:
    """The responses of annotators with one of these purposes, without units that were returned to the pool."""
    return Response.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__purpose__in=purposes,
        assignment__returned_at=None,
    )


# The columns of the frame by the model they are read from, each with its field there; an answer refers to these models.
ASSIGNMENT = {
    "annotator": "annotator__code",
    "kind": "annotator__kind",
    "group": "annotator__group",
    "purpose": "annotator__purpose",
    "model": "annotator__model",
    "reading": "annotator__reading",
    "unit": "unit_id",
    "part": "unit__part",
    "round": "round",
    "text_id": "unit__text__external_id",
    "text_version": "text_version",
}
ITEM = {"item_id": "external_id", "generator": "generator__name"}
OPTION = {"option_id": "external_id", "key": "correct"}
ANSWER = ("stage", "question", "value", "probability", "unsure")
# Declared as text, so that Django passes values on unconverted, which saves a call for each; booleans may be 1 and 0.
AS_STORED = {
    "written": Cast("value", TextField()),
    "marked": ExpressionWrapper(F("unsure"), TextField()),
    "chance": ExpressionWrapper(F("probability"), TextField()),
}
AT_ONCE = 20_000  # answers fetched at a time
KEYS = ("pk", "assignment_id", "item_id", "option_id")  # integers; 0 if there is none
Answers = dict[str, np.ndarray]  # by name of a column, in the order in which they were given
COLUMNS = (
    *("annotator", "kind", "group", "purpose", "model", "reading", "unit", "part", "round", "stage"),
    *("text_version", "text_id", "item_id", "option_id", "generator"),
    *("question", "value", "probability", "unsure", "key", "correct"),
)
ANSWERED = ["annotator", "unit", "stage", "item_id", "option_id", "question"]  # identifies an answer within a round
DTYPES = {"round": "int64", "unit": "int64", "probability": "float64", "unsure": "boolean", "key": "boolean"}


def load_responses(
    study: Study,
    purposes: Collection[str] = MAIN,
    groups: Collection[str] | None = None,
    evaluators: Collection[str] | None = None,
) -> pd.DataFrame:
    """One row per counted response, with the columns of `COLUMNS`.

    `key` is the key as it is now, and `correct` says whether the tick equals it (missing where nothing was ticked).
    If an annotator answered a question again in a later round, the latest answer counts. `groups` limits the people to
    some groups (models belong to none), `evaluators` the annotators to some codes ("human" means all people). Drafts
    are never included. Texts such as "NA" and "null" are kept as text.
    """
    return keep_latest_rounds(select_rows(load_every_round(study, purposes), groups, evaluators))


def load_every_round(
    study: Study, purposes: Collection[str] = MAIN, *, adjudicated: bool = False, answers: Answers | None = None
) -> pd.DataFrame:
    """One row per response of any round, with the columns of `COLUMNS`. `adjudicated`: with decisions in place of the
    answers. `answers`: those of the study, if they were read already."""
    answers = read_answers(study, purposes) if answers is None else answers
    if adjudicated:
        answers = adjudicate(study, answers)
    items = Item.objects.filter(pk__in=UnitItem.objects.filter(unit__study=study).values("item"))
    columns = {name: answers[name] for name in ANSWER}
    columns |= look_up(answers["assignment_id"], Assignment.objects.filter(annotator__study=study), ASSIGNMENT)
    columns |= look_up(answers["item_id"], items, ITEM)
    columns |= look_up(answers["option_id"], Option.objects.filter(item__in=items), OPTION)
    frame = pd.DataFrame(columns, dtype=object).astype(DTYPES)
    frame["correct"] = compare_with_keys(frame)
    return frame[list(COLUMNS)]


def read_answers(study: Study, purposes: Collection[str], known: Answers | None = None) -> Answers:
    """Keys and values of the answers. `known`: answers read before; if all still exist, only later ones are read."""
    submitted = query_submitted(study, purposes)
    if known is None or not are_stored(known, submitted):
        return read_columns(submitted)
    later = read_columns(submitted.filter(pk__gt=known["pk"].max(initial=0)))
    return {name: np.concatenate([column, later[name]]) for name, column in known.items()}


def are_stored(known: Answers, submitted: QuerySet[Response]) -> bool:
    """Whether the database still has exactly the known answers, up to the last known one.

    Compares their number in each assignment. This is enough, as answers are added and deleted but never changed, no
    key is used twice, and earlier answers come back only with a whole assignment.
    """
    earlier = submitted.order_by().filter(pk__lte=known["pk"].max(initial=0))
    found = dict(earlier.values_list("assignment_id").annotate(n=Count("pk")))
    assignments, n = np.unique(known["assignment_id"], return_counts=True)
    return found == dict(zip(assignments.tolist(), n.tolist(), strict=True))


def read_columns(submitted: QuerySet[Response]) -> Answers:
    """Read the answers as columns. Each distinct value is decoded once: a million answers have few different ones."""
    names = (*KEYS, "stage", "question", *AS_STORED)
    parts: dict[str, list[np.ndarray]] = {name: [] for name in names}
    given = submitted.order_by("pk").annotate(**AS_STORED).values_list(*names).iterator(chunk_size=AT_ONCE)
    n = 0
    while some := list(islice(given, AT_ONCE)):
        for name, column in zip(names, zip(*some, strict=True), strict=True):
            parts[name].append(as_array(name, column))
        n += len(some)
        report_progress(ANSWERS, n)
    columns = {name: np.concatenate(part) if part else as_array(name, ()) for name, part in parts.items()}
    decoded = {word: json.loads(word) for word in set(columns["written"])}
    value = as_objects(map(decoded.__getitem__, columns.pop("written")))
    return columns | {"value": value, "unsure": columns.pop("marked"), "probability": columns.pop("chance")}


def as_array(name: str, column: Sequence[Any]) -> np.ndarray:
    """The column as an array: keys as integers, equal words as the same object."""
    if name in KEYS:
        return np.array([key or 0 for key in column], dtype=np.int64)
    return as_objects(map(sys.intern, column) if name in ("stage", "question") else column)


def adjudicate(study: Study, answers: Answers) -> Answers:
    """The columns after adjudication: with the decided values, and without excluded answers and answers to questions
    that would not have been asked after the decided values."""
    decisions = list(filter_valid_decisions(study).values_list("response_id", "settled", "value"))
    places = {pk: place for place, pk in enumerate(answers["pk"].tolist())}
    values, kept = answers["value"].copy(), np.ones(len(places), dtype=bool)
    touched = set()
    for pk, settled, value in decisions:
        place = places.get(pk)
        if place is not None and settled == Ruling.DECIDED:
            values[place] = value
            touched.add(make_sheet_key(answers, place))
        elif place is not None and settled == Ruling.EXCLUDED:
            kept[place] = False
    decided = answers | {"value": values}
    kept[find_not_applicable(study, decided, touched)] = False
    return {name: column[kept] for name, column in decided.items()}


def make_sheet_key(answers: Answers, place: int) -> tuple[Any, ...]:
    """The key of the answers submitted together: assignment, stage and item."""
    return tuple(answers[name][place] for name in ("assignment_id", "stage", "item_id"))


def find_not_applicable(study: Study, answers: Answers, touched: set[tuple[Any, ...]]) -> list[int]:
    """Positions of the answers whose question no longer applies, given the other answers of the same sheet."""
    stages = {stage.name: stage for stage in get_declaration(study).stages}
    conditional = {name for name, stage in stages.items() if stage.is_conditional}
    sheets: dict[tuple[Any, ...], dict[str, int]] = {}
    for place in range(len(answers["pk"])) if conditional and touched else ():
        sheet = make_sheet_key(answers, place)
        if sheet in touched and sheet[1] in conditional and not answers["option_id"][place]:
            sheets.setdefault(sheet, {})[answers["question"][place]] = place
    found = []
    for (_assignment, stage, _item), rows in sheets.items():
        unasked = stages[stage].find_unasked({name: answers["value"][place] for name, place in rows.items()})
        found += [place for name, place in rows.items() if name in unasked]
    return found


def as_objects(values: Iterable[Any]) -> np.ndarray:
    """A column that holds the values unchanged."""
    values = list(values)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def look_up(keys: np.ndarray, rows: QuerySet[Any], fields: Mapping[str, str]) -> dict[str, np.ndarray]:
    """The fields of the row of each key; None for a missing key."""
    if not len(keys):  # such as the verdicts of a study without experts
        return {name: np.empty(0, dtype=object) for name in fields}
    found = list(rows.values_list("pk", *fields.values()))
    places = pd.Index([row[0] for row in found], dtype="int64").get_indexer(keys)
    # None is last in each column, where the place -1 of a missing key finds it.
    return {name: as_objects([*(row[at] for row in found), None])[places] for at, name in enumerate(fields, 1)}


def compare_with_keys(frame: pd.DataFrame) -> pd.Series:
    """Whether each tick equals the key; missing for other kinds of answers."""
    ticked = frame["value"].where(frame["key"].notna(), None)
    return (ticked.astype("boolean") == frame["key"]).astype("boolean")


def keep_latest_rounds(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows without answers that the same annotator replaced in a later round, question by question."""
    if (frame["round"] == 1).all():
        return frame.reset_index(drop=True)
    latest = frame.groupby(ANSWERED, dropna=False)["round"].transform("max")
    return frame[frame["round"] == latest].reset_index(drop=True)


def select_rows(
    frame: pd.DataFrame, groups: Collection[str] | None = None, evaluators: Collection[str] | None = None
) -> pd.DataFrame:
    """The rows of the people in `groups` and of the annotators in `evaluators`; None chooses all."""
    human = frame["kind"] == "human"
    kept = pd.Series(True, index=frame.index)
    if groups is not None:
        kept &= ~human | frame["group"].isin(groups)
    if evaluators is not None:
        kept &= frame["annotator"].isin(evaluators) | (human & ("human" in evaluators))
    return keep_rows(frame, kept)


def keep_rows(frame: pd.DataFrame, kept: pd.Series) -> pd.DataFrame:
    """The chosen rows; all of them without a copy, as copying a million takes long."""
    return frame.copy(deep=False) if kept.all() else frame[kept]


JUDGMENT = ["annotator", "kind", "text_id", "item_id", "option_id", "generator", "stage", "value", "correct", "unsure"]


def select_judgments(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per judged option, ticked or not; `value` and `correct` are booleans."""
    ticks = frame[(frame["question"] == "answer") & frame["correct"].notna()][JUDGMENT]
    return ticks.astype({"value": bool, "correct": bool}).reset_index(drop=True)


def compute_probability_right(frame: pd.DataFrame, judgments: pd.DataFrame) -> np.ndarray:
    """The probability that each judgment of the frame is right: 0 or 1 if it was given without a probability."""
    answered = frame[(frame["question"] == "answer") & frame["correct"].notna()]
    p = answered["probability"].to_numpy(dtype=np.float64)
    key = judgments["value"].to_numpy() == judgments["correct"].to_numpy()
    right = judgments["correct"].to_numpy(dtype=np.float64)
    return np.where(np.isnan(p), right, np.where(key, p, 1 - p))
