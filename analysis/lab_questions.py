"""What the agreement lab can be asked about: the questions of a study's protocol whose answers are categories."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from studies.models import Study
from studies.protocols import Question
from studies.question_words import question_word, stage_word
from studies.services.declaring import declaration_of

FIRST, SECOND = "first", "second"  # of the pair, whatever side it stood on
ALL, APPLICABLE = "all", "applicable"  # how what somebody did not get to is looked at
NOT_APPLICABLE = "not_applicable"
CATEGORIES: dict[str, Callable[[Question], tuple[Any, ...]]] = {
    "tick": lambda question: (False, True),
    "scale": lambda question: question.levels,
    "choice": lambda question: question.levels,
    "pick": lambda question: (FIRST, SECOND, *question.levels),
}
"""The declared categories of each kind of question, in their order; free texts have none."""


@dataclass(frozen=True)
class Asked:
    """A question of a stage, with its declared categories in their order."""

    stage: str
    name: str
    kind: str
    categories: tuple[Any, ...]
    may_be_skipped: bool = False  # whether there are answers after which it is not asked
    is_only_stage: bool = False  # then the stage goes without saying
    view: str = ""  # ALL: “not applicable” is one of the categories

    @property
    def key(self) -> str:
        return f"{self.stage}.{self.name}"

    @property
    def title(self) -> str:
        question = question_word(self.name)
        return question if self.is_only_stage else f"{question}, {stage_word(self.stage)}"

    @property
    def ordered(self) -> bool:
        """Whether the categories are numbers, so that their distance means something."""
        return self.kind == "scale"

    def seen(self, view: str) -> "Asked":
        """The question in that view: in ALL, “not applicable” is one more category where it may be skipped."""
        if view != ALL or not self.may_be_skipped:
            return self
        return replace(self, view=ALL, categories=(*self.categories, NOT_APPLICABLE))

    def category(self, value: Any, item_id: str) -> Any:
        """The category of a stored answer; of a pair the item is its first, and any other item its second."""
        if self.kind != "pick" or value in self.categories[2:]:
            return value
        return FIRST if value == item_id else SECOND


def questions_of(study: Study) -> list[Asked]:
    """In the order in which they are asked."""
    stages = declaration_of(study).stages
    return [
        Asked(
            stage.name,
            question.name,
            question.kind,
            CATEGORIES[question.kind](question),
            bool(stage.gates and question.asked_if),
            len(stages) == 1,
        )
        for stage in stages
        for question in stage.questions
        if question.kind in CATEGORIES
    ]
