"""Phases: what people go through before, between and after the units. Their format in a study file, read strictly."""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Any, Literal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from items.markup import find_named_pictures
from items.plain import count_words, has_control, make_printable

Kind = Literal[
    "consent",
    "background",
    "instructions",
    "comprehension",
    "training",
    "test",
    "practice",
    "attention",
    "survey",
    "thanks",
]
ASKING = ("background", "comprehension", "training", "test", "attention", "survey")
SCORED = ("comprehension", "training", "test", "attention")  # their questions have right answers
ENDING = ("comprehension", "test")  # failing one ends a person's participation
PROFILE = ("background", "survey")  # their answers describe the annotator in exports
AFTER_UNITS = ("survey", "thanks")
ONCE = ("consent", "practice", "thanks")  # a study has at most one of each
COMPREHENSION_TRIES = 2
MAX_ANSWER = 2_000
MAX_PICTURES = 20


def check_one_line(text: str) -> str:
    if has_control(text):
        raise ValueError(_("it contains control characters or line breaks. Remove them."))
    return text


def check_name(text: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", text):
        raise ValueError(_("use up to 40 lowercase letters, digits and underscores, starting with a letter."))
    return text


def explain_mark(mark: int, n_questions: int) -> str:
    return ngettext(
        "the pass mark is %(mark)d, but there is only one question. Lower it, or add questions.",
        "the pass mark is %(mark)d, but there are only %(n)d questions. Lower it, or add questions.",
        n_questions,
    ) % {"mark": mark, "n": n_questions}


def expand_level(value: Any) -> Any:
    """A level with value and label, also if only its label is written."""
    return {"value": value, "label": value} if isinstance(value, str) else value


def expand_phase(value: object) -> object:
    """A phase as a mapping, also if only its kind is written; it then has the default wording."""
    return {"kind": value} if isinstance(value, str) else value


Line = Annotated[str, Field(max_length=300), AfterValidator(check_one_line)]
Words = Annotated[str, Field(max_length=5_000)]
Name = Annotated[str, AfterValidator(check_name)]
PictureName = Annotated[str, Field(pattern=r"^[\w.-]{1,200}$")]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, frozen=True)


class Level(Strict):
    """One possible answer."""

    value: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(check_one_line)]
    label: Annotated[str, Field(min_length=1, max_length=300), AfterValidator(check_one_line)]


class PhaseQuestion(Strict):
    """One question of a phase; `answer` and `explanation` stay on the server until it is answered."""

    name: Name
    text: Annotated[str, Field(min_length=1, max_length=1_000)]
    help: Words = ""
    kind: Literal["choice", "scale", "tick", "text"] = "choice"
    levels: Annotated[list[Annotated[Level, BeforeValidator(expand_level)]], Field(max_length=20)] = []
    required: bool = True
    answer: Words = ""
    explanation: Words = ""
    screen_out: Annotated[list[Line], Field(max_length=20)] = []

    @model_validator(mode="after")
    def fits_kind(self) -> "PhaseQuestion":
        values = [level.value for level in self.levels]
        if self.kind in ("choice", "scale") and len(set(values)) < 2:
            raise ValueError(_("give at least two levels, each with its own value."))
        if len(set(values)) < len(values):
            raise ValueError(_("two levels have the same value."))
        if self.kind in ("tick", "text") and values:
            raise ValueError(_("a question of this kind has no levels."))
        known = values or (["true", "false"] if self.kind == "tick" else [])
        for value in filter(None, [self.answer, *self.screen_out]):
            if value not in known:
                raise ValueError(_("“%(value)s” is not one of its levels.") % {"value": value})
        return self

    def read(self, given: Any) -> str | None:
        """The submitted answer, None if it is missing or not one of the levels."""
        written = given.strip() if isinstance(given, str) else ""
        if self.kind == "tick":
            return "true" if written == "true" else "false"
        if self.kind == "text":
            return written.replace("\0", "")[:MAX_ANSWER] or None
        return written if written in [level.value for level in self.levels] else None

    @property
    def possible_answers(self) -> dict[str, str]:
        """Labels by value; none if the answer is written."""
        ticked = {"true": _("yes"), "false": _("no")} if self.kind == "tick" else {}
        return ticked or {level.value: level.label for level in self.levels}

    def label_of(self, value: str) -> str:
        return next((level.label for level in self.levels if level.value == value), value)


class Phase(Strict):
    """One phase, worded in the language of the study. Fields that are left out have the default wording of its kind."""

    kind: Kind
    name: Name = ""
    version: Annotated[str, Field(max_length=80), AfterValidator(check_one_line)] = ""
    title: Line = ""
    paragraphs: Annotated[list[Words], Field(max_length=50)] = []
    points: Annotated[list[Words], Field(max_length=50)] = []
    button: Line = ""
    questions: Annotated[list[PhaseQuestion], Field(max_length=100)] = []
    pass_mark: Annotated[int, Field(ge=1, strict=True)] | None = None
    after: Annotated[int, Field(ge=1, le=10_000, strict=True)] | None = None
    texts: Annotated[list[Line], Field(max_length=20)] = []
    markup: Literal["", "markdown"] = ""
    pictures: Annotated[dict[PictureName, str], Field(max_length=MAX_PICTURES)] = {}

    @model_validator(mode="before")
    @classmethod
    def name_by_kind(cls, phase: Any) -> Any:
        return {"name": phase.get("kind"), **phase} if isinstance(phase, dict) else phase

    @model_validator(mode="after")
    def fits_kind(self) -> "Phase":
        for problem in self.problems():
            raise ValueError(problem)
        return self

    def problems(self) -> list[str]:
        """Why a phase of this kind is invalid, in sentences; a phase may have only the fields that its kind allows."""
        allowed = {
            "questions": self.kind in ASKING,
            "pass_mark": self.kind in ENDING,
            "after": self.kind == "attention",
            "texts": self.kind == "practice",
        }
        sentences = [_("a phase of the kind “%(kind)s” has no “%(name)s”.") % {"kind": self.kind, "name": name}
                for name, fits in allowed.items() if getattr(self, name) and not fits]  # fmt: skip
        if self.kind in ASKING and not self.questions:
            sentences.append(_("it needs questions."))
        if self.kind == "practice" and not self.texts:
            sentences.append(_("it needs texts: the ids of those to practise on."))
        if self.kind == "attention" and self.after is None:
            sentences.append(_("say with “after” behind how many units it comes."))
        sentences += [
            _("its text shows the picture “%(name)s”, which is not among its pictures. Add it.")
            % {"name": make_printable(name)}
            for name in dict.fromkeys(find_named_pictures(self.markdown))
            if self.markup and name not in self.pictures
        ]
        names = [question.name for question in self.questions]
        if len(set(names)) < len(names):
            sentences.append(_("two of its questions have the same name."))
        if self.pass_mark and self.pass_mark > len(self.questions):
            sentences.append(explain_mark(self.pass_mark, len(self.questions)))
        return sentences + [problem for question in self.questions for problem in self.question_problems(question)]

    def question_problems(self, question: PhaseQuestion) -> list[str]:
        place = {"name": make_printable(question.text, 60)}
        if self.kind in SCORED and not question.answer:
            return [_("the question “%(name)s” needs its right answer.") % place]
        if self.kind not in SCORED and (question.answer or question.explanation):
            return [_("the question “%(name)s” has no right answer in a phase of this kind.") % place]
        if question.screen_out and self.kind != "background":
            return [_("the question “%(name)s”: only background questions screen people out.") % place]
        if self.kind == "attention" and not self.names_answer(question):
            # An attention check is fair only if its reader can know what to choose.
            return [_("the text of “%(name)s” must name the right answer, so that nobody fails who reads it.") % place]
        return []

    def names_answer(self, question: PhaseQuestion) -> bool:
        words = " ".join([*self.paragraphs, *self.points, question.text, question.help]).casefold()
        return question.label_of(question.answer).casefold() in words

    @property
    def markdown(self) -> str:
        """Its text and its points as one text in Markdown."""
        return "\n\n".join([*self.paragraphs, "\n".join(f"- {point}" for point in self.points)])

    @property
    def is_scored(self) -> bool:
        return self.kind in SCORED

    @property
    def max_tries(self) -> int:
        return COMPREHENSION_TRIES if self.kind == "comprehension" else 1

    @property
    def version_shown(self) -> str:
        """The version of this wording: the one that the researcher gave, else a hash of it."""
        return self.version or sha256(self.model_dump_json().encode()).hexdigest()[:12]

    def read(self, data: Mapping[str, Any]) -> dict[str, str]:
        """The answers in a POST, by name of the question."""
        read = {question.name: question.read(data.get(question.name)) for question in self.questions}
        return {name: value for name, value in read.items() if value is not None}

    def find_missing(self, answers: Mapping[str, str]) -> list[PhaseQuestion]:
        return [each for each in self.questions if each.required and each.name not in answers]

    def score(self, answers: Mapping[str, str]) -> int:
        return sum(answers.get(each.name) == each.answer for each in self.questions)

    def is_passed(self, score: int) -> bool:
        """Whether somebody with so many right answers may continue; after phases that end nobody's participation,
        everybody may."""
        return self.kind not in ENDING or score >= (self.pass_mark or len(self.questions))

    def screens_out(self, answers: Mapping[str, str]) -> bool:
        return any(answers.get(each.name) in each.screen_out for each in self.questions)

    def count_words(self) -> int:
        sentences = [*self.paragraphs, *self.points, *(each.text for each in self.questions)]
        return sum(count_words(part) for part in sentences)


def check_phases(phases: list[Phase]) -> list[Phase]:
    """The phases; `ValueError` if names occur twice, or more than one consent, practice or thanks."""
    names = [phase.name for phase in phases]
    for phase in phases:
        if names.count(phase.name) > 1:
            raise ValueError(_("two phases are named “%(name)s”. Give each its own “name”.") % {"name": phase.name})
    for kind in ONCE:
        if sum(phase.kind == kind for phase in phases) > 1:
            raise ValueError(_("there is more than one phase of the kind “%(kind)s”.") % {"kind": kind})
    columns = [question.name for phase in phases if phase.kind in PROFILE for question in phase.questions]
    if len(set(columns)) < len(columns):
        raise ValueError(_("two questions about the annotators have the same name. They become columns of exports."))
    return phases


Phases = Annotated[
    list[Annotated[Phase, BeforeValidator(expand_phase)]], Field(max_length=30), AfterValidator(check_phases)
]
