"""The questions for the agreement lab: those of a study's protocol whose answers are categories."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.measures.agreement import MISSING
from studies.models import AnnotatorKind, Study, UnitItem
from studies.protocols import PROTOCOLS, Question, Stage
from studies.protocols.conditions import NOT_APPLICABLE
from studies.protocols.gates import find_stop
from studies.question_words import name_question, name_stage
from studies.services.declarations import get_declaration

FIRST, SECOND = "first", "second"  # item of the pair, whichever side it was on
ALL, APPLICABLE = "all", "applicable"  # how questions that somebody did not reach are treated
CATEGORIES: dict[str, Callable[[Question], tuple[Any, ...]]] = {
    "tick": lambda question: (False, True),
    "scale": lambda question: question.levels,
    "choice": lambda question: question.levels,
    "pick": lambda question: (FIRST, SECOND, *question.levels),
}
"""The declared categories of each kind of question, in order; free texts have none. See `LabQuestion.places`."""


@dataclass(frozen=True)
class LabQuestion:
    """A question of a stage, with its declared categories in their order."""

    stage: str
    name: str
    kind: str
    categories: tuple[Any, ...]
    may_be_skipped: bool = False  # whether some answers skip it
    is_only_stage: bool = False  # then titles do not name the stage
    view: str = ""  # ALL: “not applicable” is one of the categories
    places: Mapping[tuple[int, str], str] = field(default_factory=dict, compare=False, repr=False)
    """By unit and item of a tuple, the item's category: its place in the stored order, from 1."""

    @property
    def key(self) -> str:
        return f"{self.stage}.{self.name}"

    @property
    def title(self) -> str:
        question = name_question(self.name)
        return question if self.is_only_stage else f"{question}, {name_stage(self.stage)}"

    @property
    def is_ordered(self) -> bool:
        """Whether the categories are numbers, so that their distances have a meaning."""
        return self.kind == "scale"

    def in_view(self, view: str) -> "LabQuestion":
        """The question in that view: in ALL, “not applicable” is one more category if the question can be skipped."""
        if view != ALL or not self.may_be_skipped:
            return self
        return replace(self, view=ALL, categories=(*self.categories, NOT_APPLICABLE))

    def list_categories(self, rows: pd.DataFrame) -> list[Any]:
        """The category of each answer in these rows of a frame."""
        if self.places:
            return [self.places.get(at, at[1]) for at in zip(rows["unit"], rows["value"], strict=True)]
        return [self.category(value, item) for value, item in zip(rows["value"], rows["item_id"], strict=True)]

    def category(self, value: Any, item_id: str) -> Any:
        """The category of a stored answer; in a pair the stored item is its first, and any other item its second."""
        if self.kind != "pick" or value in self.categories[2:]:
            return value
        return FIRST if value == item_id else SECOND


def list_questions(study: Study) -> list[LabQuestion]:
    """The questions of a study whose answers are categories, in the order in which they are asked."""
    stages, places = get_declaration(study).stages, map_places(study)
    numbers = tuple(sorted(set(places.values()), key=int))
    return [
        LabQuestion(
            stage.name,
            question.name,
            question.kind,
            (*numbers, *question.levels) if is_placed else CATEGORIES[question.kind](question),
            bool(stage.gates and question.asked_if),
            len(stages) == 1,
            places=places if is_placed else {},
        )
        for stage in stages
        for question in stage.questions
        if question.kind in CATEGORIES
        for is_placed in [bool(places) and question.kind == "pick"]
    ]


def map_places(study: Study) -> dict[tuple[int, str], str]:
    """By unit and item of a tuple, the item's place in the stored order, from 1; empty if units are no tuples."""
    if PROTOCOLS[study.protocol].unit != "tuple":
        return {}
    rows = UnitItem.objects.filter(unit__study=study).values_list("unit_id", "item__external_id", "position")
    return {(unit, item): str(position + 1) for unit, item, position in rows}


@dataclass(frozen=True)
class Answers:
    """The answers of several raters about the same units.

    `values` has a row for each rater and a column for each unit: the number of the declared category, or MISSING.
    `text` has the text of each unit, and `models` are the rows of the raters that are models or baselines.
    """

    values: np.ndarray
    raters: list[str]
    text: np.ndarray
    models: tuple[int, ...] = ()

    @property
    def fixed_raters(self) -> tuple[int, ...]:
        """The raters that are not a sample of others: a model compared with people, or everybody if there are several
        models."""
        return self.models if len(self.models) < 2 else tuple(range(len(self.raters)))

    @property
    def one_group(self) -> np.ndarray:
        """(units,): all units in one group, for tables that are not split by text."""
        return np.zeros(self.values.shape[1], dtype=np.int64)


def collect_answers(frame: pd.DataFrame, asked: LabQuestion, annotators: list[str]) -> Answers:
    """The answers to the question; raters in the order of `annotators`, without those who did not answer it."""
    of_question = (frame["stage"] == asked.stage) & (frame["question"] == asked.name)
    mine = frame[of_question & frame["annotator"].isin(annotators)]
    present = set(mine["annotator"])
    raters = [code for code in annotators if code in present]
    unit, units = pd.factorize(pd.MultiIndex.from_frame(mine[["unit", "item_id", "option_id"]].fillna("").astype(str)))
    values = np.full((len(raters), len(units)), MISSING, dtype=np.int64)
    codes = {category: code for code, category in enumerate(asked.categories)}
    given = [codes.get(category, MISSING) for category in asked.list_categories(mine)]
    values[pd.Index(raters).get_indexer(pd.Index(mine["annotator"])), unit] = given
    text = np.zeros(len(units), dtype=np.int64)
    text[unit] = pd.factorize(mine["text_id"])[0]
    people = set(mine["annotator"][mine["kind"] == AnnotatorKind.HUMAN])
    models = tuple(place for place, code in enumerate(raters) if code not in people)
    return Answers(values, raters, text, models)


def list_category_names(asked: LabQuestion) -> list[str]:
    """The categories as files of responses write them."""
    return [str(category).lower() if isinstance(category, bool) else str(category) for category in asked.categories]


def join_categories(stages: Iterable[Stage]) -> tuple[Question, ...]:
    """The questions of these stages with a choice of labels, each once; as one that can be skipped if any stage can
    skip it."""
    found: dict[str, Question] = {}
    for question in (question for stage in stages for question in stage.questions if question.kind == "choice"):
        known = found.get(question.name)
        found[question.name] = question if known is None or known.asked_if is None else known
    return tuple(found.values())


def keep_latest_judgments(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows without answers of earlier rounds: a later judgment replaces the whole of an earlier one, including its
    stop."""
    latest = frame.groupby(["annotator", "item_id"])["round"].transform("max")
    return frame[frame["round"] == latest]


def read_judgment(stage: Stage, categories: tuple[Question, ...], answers: dict) -> dict[str, str | None]:
    """The label of each category, and the category whose answer stopped the judgment."""
    applicable = stage.find_applicable(answers, stage.questions)
    labels = {
        each.name: NOT_APPLICABLE if applicable.get(each.name, False) is False else answers.get(each.name)
        for each in categories
    }
    asked = stage.path(answers, stage.questions)
    return labels | {"stopped": find_stop(stage.questions, stage.gates, asked)}
