"""What is asked in a study, as quality criteria of the datasheet: what each is about, and in which words it was asked.

The classes are those of Belz et al. (2020); of questions that an instrument adds, only what the study knows is said.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from studies.models import Study
from studies.protocols import Question, Stage
from studies.services.declaring import declaration_of, worded
from studies.services.instruments import content_as_written

CORRECT, GOOD, FEATURE = "correctness", "goodness", "feature"
FORM, CONTENT, BOTH = "form", "content", "both form and content"
OWN, INPUT, OUTSIDE = "in its own right", "relative to the input (the text)", "relative to something outside"
INTRINSIC, EXTRINSIC = "intrinsic", "extrinsic: by how readers do at a task"

# By protocol and question: type of quality, aspect, frame of reference.
ABOUT: dict[str, dict[str, tuple[str, str, str]]] = {
    "guess-then-read": {"answer": (CORRECT, CONTENT, INPUT), "rating": (GOOD, BOTH, INPUT)},
    "dimension-ratings": {
        "fluency": (GOOD, FORM, OWN),
        "clarity": (GOOD, BOTH, OWN),
        "conciseness": (GOOD, FORM, OWN),
        "relevance": (GOOD, CONTENT, INPUT),
        "consistency": (CORRECT, CONTENT, INPUT),
        "answerability": (CORRECT, CONTENT, INPUT),
        "answer_consistency": (CORRECT, CONTENT, INPUT),
    },
    "stopping-questionnaire": {
        "understandable": (CORRECT, BOTH, OWN),
        "domain_related": (CORRECT, CONTENT, OUTSIDE),
        "grammatical": (CORRECT, FORM, OWN),
        "clear": (GOOD, BOTH, OWN),
        "rephrase": (GOOD, BOTH, OWN),
        "answerable": (CORRECT, CONTENT, INPUT),
        "information_needed": (FEATURE, CONTENT, INPUT),
        "central": (GOOD, CONTENT, INPUT),
        "would_use": (GOOD, BOTH, INPUT),
    },
    "pairwise": {"better": (GOOD, BOTH, INPUT)},
}
ELICITED = {
    "tick": "labelling of outputs",
    "scale": "direct quality estimation",
    "choice": "labelling of outputs",
    "pick": "relative quality estimation",
    "text": "free words of evaluators",
}
PRESENTED = {
    "tick": "check-boxes",
    "scale": "multiple choice",
    "choice": "multiple choice",
    "pick": "multiple choice",
    "text": "N/A",
}
NO_WORDS = ("name", "value")  # of a wording: what names it, and is not read by anybody


@dataclass(frozen=True)
class Criterion:
    """A question in a stage. `about`: type of quality, aspect, frame; None where the protocol does not know it."""

    stage: Stage
    question: Question
    title: str
    wording: str
    about: tuple[str, str, str] | None
    is_task: bool

    @property
    def name(self) -> str:
        return f"{self.question.name} (stage {self.stage.name})"

    @property
    def size(self) -> str:
        sizes = {"tick": "2", "text": "N/A"}
        return sizes.get(self.question.kind, str(len(self.question.levels) + 2 * (self.question.kind == "pick")))

    @property
    def values(self) -> str:
        levels = ", ".join(map(str, self.question.levels))
        said = {"tick": "ticked, not ticked", "text": "N/A", "pick": f"the one item, the other item, {levels}"}
        return said.get(self.question.kind, levels)

    @property
    def elicited(self) -> str:
        return "task performance" if self.is_task else ELICITED[self.question.kind]


def criteria_of(study: Study) -> Iterator[Criterion]:
    """All questions that the study asks its annotators, in their order."""
    declaration = declaration_of(study)
    wording = worded(content_as_written(study.instrument_version), declaration)
    for stage in declaration.stages:
        words = wording.get(stage.name) or {}
        for question in stage.questions:
            own = wording_of_question(words, question)
            is_task = study.protocol == "guess-then-read" and question.name == "answer"
            about = ABOUT.get(study.protocol, {}).get(question.name)
            if about and is_task and "text" not in stage.shows:
                about = (*about[:2], OWN)
            title = own.get("title") if isinstance(own, Mapping) else None
            asked = " ".join(readable(own)) or " ".join(readable(words.get("lead")))
            yield Criterion(stage, question, title or "N/A", asked, about, is_task)


def wording_of_question(words: Any, question: Question) -> Any:
    """What the wording of a stage says of a question: a mapping under its name, or one in a list that bears it."""
    name = question.wording or question.name
    if isinstance(words.get(name), Mapping):
        return words[name]
    for listed in words.values():
        for each in listed if isinstance(listed, list) else ():
            if isinstance(each, Mapping) and each.get("name") == name:
                return each
    return {}


def readable(words: Any) -> Iterator[str]:
    """Every text in a wording, in its order; a level with its value."""
    if isinstance(words, str):
        yield words
    elif isinstance(words, Mapping):
        said = [text for name, value in words.items() if name not in NO_WORDS for text in readable(value)]
        yield from [f"[{words['value']}] {', '.join(said)};"] if "value" in words else said
    elif isinstance(words, list):
        for each in words:
            yield from readable(each)
