"""Everything known about one item of a study: who chose what in each stage, ratings, and every single judgment."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from analysis.choices import Choices
from analysis.formatting import format_with_interval, number
from analysis.frames.responses import query_submitted
from analysis.measures.item_analysis import jeffreys_interval
from items.models import Item, Option
from studies.models import AnnotatorKind, Response, Study, UnitItem
from studies.protocols import PROTOCOLS, Stage
from studies.question_words import name_label, name_question
from studies.services.declarations import get_declaration

ANSWER, PICK, TIE = "answer", "pick", "tie"
Place = tuple[int, int, str, int]  # annotator and unit by primary key, stage, round


@dataclass(frozen=True)
class Judgment:
    """What one annotator answered about the item in one stage and round."""

    annotator: str
    kind: str
    group: str
    stage: str
    round: int
    about: str  # the id of the item
    ticked: dict[str, bool] = field(default_factory=dict)  # by option id
    unsure: set[str] = field(default_factory=set)
    probability: dict[str, float] = field(default_factory=dict)
    others: dict[str, Any] = field(default_factory=dict)  # answers to questions about the item as a whole
    comments: list[str] = field(default_factory=list)
    compared_with: tuple[Item, ...] = ()  # the other item of a pair, or those of a tuple
    superseded: frozenset[str] = frozenset()  # questions that the annotator answered again in a later round

    @property
    def is_superseded(self) -> bool:
        """Whether all its answers are superseded."""
        return {*self.others, *([ANSWER] if self.ticked else [])} <= self.superseded

    @property
    def is_human(self) -> bool:
        return self.kind == AnnotatorKind.HUMAN

    @property
    def answers(self) -> list[tuple[str, str]]:
        """The questions about the item as a whole with their answers, in words."""
        return [(name_question(question), self.word_answer(value)) for question, value in self.others.items()]

    @property
    def superseded_questions(self) -> list[str]:
        return sorted(map(name_question, self.superseded))

    def word_answer(self, value: Any) -> str:
        """An answer in words; a choice between items from the point of view of the sheet's item."""
        if isinstance(value, bool):
            return _("yes") if value else _("no")
        others = [item.external_id for item in self.compared_with]
        if value in others:
            return _("the other item") if len(others) == 1 else str(value)
        return _("this item") if others and value == self.about else name_label(str(value))

    def is_right(self, options: Iterable[Option]) -> bool | None:
        """Whether all options are judged as their keys say; None if one was not judged."""
        if any(option.external_id not in self.ticked for option in options):
            return None
        return all(self.ticked[option.external_id] == option.correct for option in options)

    def marks(self, options: Iterable[Option]) -> list[str]:
        """Per option: ticked or not, unsure, p(true); a dash where it was not judged."""
        return [self.mark(option.external_id) for option in options]

    def mark(self, option: str) -> str:
        if option not in self.ticked:
            return "–"
        words = [_("ticked") if self.ticked[option] else _("not ticked")]
        if option in self.unsure:
            words.append(_("unsure"))
        if option in self.probability:
            words.append(f"p {number(self.probability[option])}")
        return ", ".join(words)


def read_item_judgments(study: Study, item: Item, choices: Choices) -> list[Judgment]:
    """One per annotator, unit, stage and round, in the order in which annotators were added; all rounds.

    An answer about compared items is on the sheets of all of them.
    """
    paired = PROTOCOLS[study.protocol].compares
    rows = (
        query_submitted(study, choices.purposes)
        .filter(**({"assignment__unit__items": item} if paired else {"item": item}))
        .select_related("assignment__annotator", "option")
        .order_by("assignment__annotator", "assignment__round", "pk")
    )
    found: dict[Place, list[Response]] = {}
    for row in rows:
        assignment = row.assignment
        place = (assignment.annotator_id, assignment.unit_id, row.stage, assignment.round)
        found.setdefault(place, []).append(row)
    latest = {(*place[:3], row.question): place[3] for place, rows in found.items() for row in rows}  # rounds ascend
    others = map_compared_items(study, item) if paired else {}
    return [
        build_judgment(
            item.external_id,
            answers,
            {row.question for row in answers if place[3] < latest[*place[:3], row.question]},
            tuple(others.get(place[1], ())),
        )
        for place, answers in found.items()
    ]


def map_compared_items(study: Study, item: Item) -> dict[int, list[Item]]:
    """The items that are compared with this one, by unit."""
    units = UnitItem.objects.filter(unit__study=study, unit__items=item).exclude(item=item)
    found: dict[int, list[Item]] = {}
    for row in units.select_related("item__generator").order_by("unit", "position"):
        found.setdefault(row.unit_id, []).append(row.item)
    return found


def build_judgment(about: str, answers: list[Response], superseded: set[str], others: tuple[Item, ...]) -> Judgment:
    assignment = answers[0].assignment
    annotator = assignment.annotator
    ticks = {row.option.external_id: row for row in answers if row.option is not None and row.question == ANSWER}
    return Judgment(
        annotator=annotator.code,
        kind=annotator.kind,
        group=annotator.group,
        stage=answers[0].stage,
        round=assignment.round,
        about=about,
        compared_with=others,
        ticked={name: row.value for name, row in ticks.items()},
        unsure={name for name, row in ticks.items() if row.unsure},
        probability={name: row.probability for name, row in ticks.items() if row.probability is not None},
        others={row.question: row.value for row in answers if row.option is None},
        comments=[row.comment for row in answers if row.comment],
        superseded=frozenset(superseded),
    )


@dataclass(frozen=True)
class ChoiceRow:
    """What one evaluator chose in one stage. `chosen`: per option how often it was ticked, or a model's own answer."""

    evaluator: str
    stage: str
    chosen: list[str]
    n: int
    n_right: int
    n_complete: int

    @property
    def share(self) -> str:
        """The share of whole items right, with its interval over people; for a single model only right or wrong."""
        if not self.n_complete:
            return "–"
        if self.n_complete == 1:
            return _("right") if self.n_right else _("wrong")
        return format_with_interval(self.n_right / self.n_complete, *jeffreys_interval(self.n_right, self.n_complete))


def build_choice_rows(study: Study, judgments: list[Judgment], options: list[Option]) -> list[ChoiceRow]:
    """People, each group of them if there are several, then the models and baselines that answered; stage by stage."""
    stages = [stage for stage in get_declaration(study).stages if asks_options(stage)]
    current = [judgment for judgment in judgments if ANSWER not in judgment.superseded and judgment.ticked]
    found = [
        build_choice_row(
            evaluator, stage.name, [judgment for judgment in mine if judgment.stage == stage.name], options
        )
        for evaluator, mine in group_by_evaluator(current)
        for stage in stages
    ]
    return [line for line in found if line.n or line.evaluator.startswith("human")]


def asks_options(stage: Stage) -> bool:
    return any(question.name == ANSWER and question.per == "option" for question in stage.questions)


def group_by_evaluator(judgments: list[Judgment]) -> list[tuple[str, list[Judgment]]]:
    people = [judgment for judgment in judgments if judgment.is_human]
    found = [("human", people)]
    groups = dict.fromkeys(judgment.group for judgment in people if judgment.group)
    if len(groups) > 1:
        found += [(f"human:{group}", [each for each in people if each.group == group]) for group in groups]
    others = dict.fromkeys(judgment.annotator for judgment in judgments if not judgment.is_human)
    return found + [(code, [each for each in judgments if each.annotator == code]) for code in others]


def build_choice_row(evaluator: str, stage: str, judgments: list[Judgment], options: list[Option]) -> ChoiceRow:
    right = [judgment.is_right(options) for judgment in judgments]
    chosen = [describe_choices(judgments, option.external_id) for option in options]
    return ChoiceRow(evaluator, stage, chosen, len(judgments), right.count(True), len(right) - right.count(None))


def describe_choices(judgments: list[Judgment], option: str) -> str:
    """How many ticked the option, and how many of all were unsure about it; for a model its answer."""
    judged = [judgment for judgment in judgments if option in judgment.ticked]
    if not judged:
        return "–"
    if not judged[0].is_human:
        return judged[0].mark(option)
    counted = _("%(n)s of %(all)s") % {"n": sum(judgment.ticked[option] for judgment in judged), "all": len(judged)}
    unsure = sum(option in judgment.unsure for judgment in judged)
    doubts = _("%(n)s unsure") % {"n": unsure}
    return f"{counted}, {doubts}" if unsure else counted


@dataclass(frozen=True)
class AnswerCounts:
    """How often people gave each level of a question about the item as a whole; question and levels in words."""

    question: str
    stage: str
    counts: list[tuple[str, int]]
    n: int
    mean: str


def count_answers(study: Study, judgments: list[Judgment]) -> list[AnswerCounts]:
    """One per question with declared levels that somebody answered, with all levels in the declared order.

    A preference in a pair is not a level: see `count_preferences`.
    """
    people = [judgment for judgment in judgments if judgment.is_human]
    found = []
    for stage in get_declaration(study).stages:
        for question in stage.questions:
            if question.kind == PICK:
                continue
            given = [
                judgment.others.get(question.name)
                for judgment in people
                if judgment.stage == stage.name and question.name not in judgment.superseded
            ]
            given = [value for value in given if value in question.levels]
            if given:
                counts = [(name_label(str(level)), given.count(level)) for level in question.levels]
                numbers = [value for value in given if isinstance(value, int)]
                mean = number(sum(numbers) / len(numbers)) if len(numbers) == len(given) else ""
                found.append(AnswerCounts(name_question(question.name), stage.name, counts, len(given), mean))
    return found


def group_by_levels(found: Iterable[AnswerCounts]) -> list[tuple[list[str], list[AnswerCounts]]]:
    """One table for each set of questions with the same levels: its levels and its rows."""
    tables: dict[tuple[str, ...], list[AnswerCounts]] = {}
    for spread in found:
        tables.setdefault(tuple(level for level, _n in spread.counts), []).append(spread)
    return [(list(levels), rows) for levels, rows in tables.items()]


@dataclass(frozen=True)
class PreferenceCounts:
    """How often one evaluator preferred the item to those of another generator, preferred those, or neither."""

    evaluator: str
    generator: str
    preferred: int
    other_preferred: int
    ties: int

    @property
    def n(self) -> int:
        return self.preferred + self.other_preferred + self.ties


def count_preferences(item: Item, judgments: list[Judgment]) -> list[PreferenceCounts]:
    """One per evaluator and generator of the other items, from the latest round of each judgment."""
    judged = [(judgment, get_choice(judgment)) for judgment in judgments if not judgment.is_superseded]
    found: dict[tuple[str, str], list[Any]] = {}
    for evaluator, mine in group_by_evaluator([judgment for judgment, value in judged if value is not None]):
        for judgment in mine:
            if len(judgment.compared_with) == 1:
                place = (evaluator, judgment.compared_with[0].generator.name)
                found.setdefault(place, []).append(get_choice(judgment))
    return [
        PreferenceCounts(
            evaluator,
            generator,
            preferred=values.count(item.external_id),
            other_preferred=sum(value not in (item.external_id, TIE) for value in values),
            ties=values.count(TIE),
        )
        for (evaluator, generator), values in found.items()
    ]


def get_choice(judgment: Judgment) -> Any:
    """What was chosen in the pair; None if nothing was."""
    return judgment.others.get("better")


def map_item_pks(study: Study) -> dict[str, int]:
    """Primary keys of the study's items by external id, in the study's order."""
    ordered = UnitItem.objects.filter(unit__study=study).order_by("unit__position", "position")
    return dict(ordered.values_list("item__external_id", "item_id"))
