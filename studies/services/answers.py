"""The one gate for answers: a page, a model and an import are checked by the same declaration."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from studies.protocols import InvalidAnswer, Question, Stage
from studies.protocols.base import Value


@dataclass(frozen=True)
class Given:
    """What an annotator says about one item, or the text: per question a value, or a tick or not for each option."""

    item_id: int | None
    ticks: Mapping[str, Mapping[int, bool]] = field(default_factory=dict)
    values: Mapping[str, Value] = field(default_factory=dict)
    unsure: frozenset[int] = frozenset()
    probability: Mapping[int, float] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class About:
    """What the answers about an item may speak of: its options, ids to pick from, and what applies to it."""

    option_ids: Collection[int] = ()
    has_expected_answer: bool = True
    picks: Collection[str] = ()
    reopened: Collection[str] | None = None  # the questions that a later round asks again; None: all


@dataclass(frozen=True)
class Answer:
    """One answered question, checked."""

    item_id: int | None
    option_id: int | None
    question: str
    value: Value
    unsure: bool | None = None
    probability: float | None = None
    comment: str = ""


def answers_of(stage: Stage, given: Given, about: About, *, partial: bool = False) -> list[Answer]:
    """The answers in one item's `Given`, each checked. Options are judged all or none, but for a model (`partial`).

    `InvalidAnswer` for a value that could not be given, and for a question that is not asked here.
    """
    applying = stage.about(about.has_expected_answer)
    refuse_unasked(stage, given, about, applying)
    found: list[Answer] = []
    for question in applying:
        if question.per == "item" and question.name in given.values:
            value = question.check(given.values[question.name], about.picks)
            comment = given.comments.get(question.name, "")
            found.append(Answer(given.item_id, None, question.name, value, comment=comment))
        if question.per == "option":
            found += option_answers(question, given, about, partial)
    return found


def option_answers(question: Question, given: Given, about: About, partial: bool) -> Iterable[Answer]:
    ticks = given.ticks.get(question.name, {})
    if ticks and not partial and set(ticks) != set(about.option_ids):
        raise InvalidAnswer("An answer must judge each option of its item once.")
    for option_id, ticked in ticks.items():
        unsure = option_id in given.unsure if question.unsure else None
        probability = given.probability.get(option_id)
        yield Answer(given.item_id, option_id, question.name, question.check(ticked), unsure, probability)


def refuse_unasked(stage: Stage, given: Given, about: About, applying: Iterable[Question]) -> None:
    """`InvalidAnswer` for what does not apply to the item, stands behind a stop, or is not open again."""
    asked = stage.path(given.values, applying)
    for name in (*given.values, *given.ticks):
        if name not in {question.name for question in applying}:
            raise InvalidAnswer(f"“{name}” does not apply to this item: it has no expected answer.", name)
        if name not in asked:
            raise InvalidAnswer(f"“{name}” is not asked after these answers.", name)
        if about.reopened is not None and name not in about.reopened:
            raise InvalidAnswer(f"“{name}” is not open again in this round.", name)
