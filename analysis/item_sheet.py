"""All that is known about one item of a study: who chose what in each stage, ratings, and every single judgment."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from analysis.choices import Choices
from analysis.formatting import interval, number
from analysis.handed_in import handed_in
from analysis.measures.item_analysis import jeffreys_interval
from items.models import Item, Option
from studies.models import AnnotatorKind, Response, Study
from studies.protocols import Stage
from studies.services.declaring import declaration_of

ANSWER = "answer"


@dataclass(frozen=True)
class Judgment:
    """What one annotator answered about the item in one stage and round."""

    annotator: str
    kind: str
    group: str
    stage: str
    round: int
    ticked: dict[str, bool] = field(default_factory=dict)  # by option id
    unsure: set[str] = field(default_factory=set)
    probability: dict[str, float] = field(default_factory=dict)
    others: dict[str, Any] = field(default_factory=dict)  # answers to questions about the item as a whole
    comments: list[str] = field(default_factory=list)
    superseded: frozenset[str] = frozenset()  # questions that the same annotator answered again in a later round

    @property
    def is_superseded(self) -> bool:
        """Whether nothing of it counts any more."""
        return {*self.others, *([ANSWER] if self.ticked else [])} <= self.superseded

    @property
    def is_human(self) -> bool:
        return self.kind == AnnotatorKind.HUMAN

    def is_right(self, options: Iterable[Option]) -> bool | None:
        """Whether all options are judged as the keys are; None where one was not judged."""
        if any(option.external_id not in self.ticked for option in options):
            return None
        return all(self.ticked[option.external_id] == option.correct for option in options)

    def marks(self, options: Iterable[Option]) -> list[str]:
        """Per option: ticked or not, unsure, p(true); a dash where it was not judged."""
        return [self.mark(option.external_id) for option in options]

    def mark(self, option: str) -> str:
        if option not in self.ticked:
            return "–"
        said = [_("ticked") if self.ticked[option] else _("not ticked")]
        if option in self.unsure:
            said.append(_("unsure"))
        if option in self.probability:
            said.append(f"p {number(self.probability[option])}")
        return ", ".join(said)


def judgments_of_item(study: Study, item: Item, choices: Choices) -> list[Judgment]:
    """One per annotator, stage and round, in the order in which the annotators came; all rounds."""
    rows = (
        handed_in(study, choices.purposes)
        .filter(item=item)
        .select_related("assignment__annotator", "option")
        .order_by("assignment__annotator", "assignment__round", "pk")
    )
    found: dict[tuple[int, str, int], list[Response]] = {}
    for row in rows:
        found.setdefault((row.assignment.annotator_id, row.stage, row.assignment.round), []).append(row)
    latest = {  # rounds ascend
        (annotator, stage, row.question): round for (annotator, stage, round), rows in found.items() for row in rows
    }
    return [
        judgment_from(answers, {row.question for row in answers if round < latest[annotator, stage, row.question]})
        for (annotator, stage, round), answers in found.items()
    ]


def judgment_from(answers: list[Response], superseded: set[str]) -> Judgment:
    assignment = answers[0].assignment
    annotator = assignment.annotator
    ticks = {row.option.external_id: row for row in answers if row.option is not None and row.question == ANSWER}
    return Judgment(
        annotator=annotator.code,
        kind=annotator.kind,
        group=annotator.group,
        stage=answers[0].stage,
        round=assignment.round,
        ticked={name: row.value for name, row in ticks.items()},
        unsure={name for name, row in ticks.items() if row.unsure},
        probability={name: row.probability for name, row in ticks.items() if row.probability is not None},
        others={row.question: row.value for row in answers if row.question != ANSWER},
        comments=[row.comment for row in answers if row.comment],
        superseded=frozenset(superseded),
    )


@dataclass(frozen=True)
class Line:
    """What one evaluator chose in one stage. `chosen`: per option how often it was ticked, or a model's own answer."""

    evaluator: str
    stage: str
    chosen: list[str]
    n: int
    n_right: int
    n_complete: int

    @property
    def share(self) -> str:
        """The share of whole items right with its interval over people; of a single model just right or wrong."""
        if not self.n_complete:
            return "–"
        if self.n_complete == 1:
            return _("right") if self.n_right else _("wrong")
        return f"{number(self.n_right / self.n_complete)} {interval(*jeffreys_interval(self.n_right, self.n_complete))}"


def lines(study: Study, judgments: list[Judgment], options: list[Option]) -> list[Line]:
    """People, each group of them where there are several, then models and baselines; stage by stage."""
    stages = [stage for stage in declaration_of(study).stages if asks_options(stage)]
    current = [judgment for judgment in judgments if ANSWER not in judgment.superseded and judgment.ticked]
    return [
        line_of(evaluator, stage.name, [judgment for judgment in mine if judgment.stage == stage.name], options)
        for evaluator, mine in by_evaluator(current)
        for stage in stages
    ]


def asks_options(stage: Stage) -> bool:
    return any(question.name == ANSWER and question.per == "option" for question in stage.questions)


def by_evaluator(judgments: list[Judgment]) -> list[tuple[str, list[Judgment]]]:
    people = [judgment for judgment in judgments if judgment.is_human]
    found = [("human", people)]
    groups = dict.fromkeys(judgment.group for judgment in people if judgment.group)
    if len(groups) > 1:
        found += [(f"human:{group}", [each for each in people if each.group == group]) for group in groups]
    others = dict.fromkeys(judgment.annotator for judgment in judgments if not judgment.is_human)
    return found + [(code, [each for each in judgments if each.annotator == code]) for code in others]


def line_of(evaluator: str, stage: str, judgments: list[Judgment], options: list[Option]) -> Line:
    right = [judgment.is_right(options) for judgment in judgments]
    chosen = [chosen_by(judgments, option.external_id) for option in options]
    return Line(evaluator, stage, chosen, len(judgments), right.count(True), len(right) - right.count(None))


def chosen_by(judgments: list[Judgment], option: str) -> str:
    """How many ticked the option, and how many of all were unsure about it; of a model what it answered."""
    judged = [judgment for judgment in judgments if option in judgment.ticked]
    if not judged:
        return "–"
    if not judged[0].is_human:
        return judged[0].mark(option)
    counted = _("%(n)s of %(all)s") % {"n": sum(judgment.ticked[option] for judgment in judged), "all": len(judged)}
    unsure = sum(option in judgment.unsure for judgment in judged)
    return f"{counted}, {_('%(n)s unsure') % {'n': unsure}}" if unsure else counted


@dataclass(frozen=True)
class Spread:
    """How often people gave each level of a question about the item as a whole."""

    question: str
    stage: str
    counts: list[tuple[Any, int]]
    n: int
    mean: str


def spreads(study: Study, judgments: list[Judgment]) -> list[Spread]:
    """One per question of a declared scale that somebody answered, levels in the declared order, used or not."""
    people = [judgment for judgment in judgments if judgment.is_human]
    found = []
    for stage in declaration_of(study).stages:
        for question in stage.questions:
            given = [
                judgment.others.get(question.name)
                for judgment in people
                if judgment.stage == stage.name and question.name not in judgment.superseded
            ]
            given = [value for value in given if value in question.levels]
            if given:
                counts = [(level, given.count(level)) for level in question.levels]
                numbers = [value for value in given if isinstance(value, int)]
                mean = number(sum(numbers) / len(numbers)) if len(numbers) == len(given) else ""
                found.append(Spread(question.name, stage.name, counts, len(given), mean))
    return found
