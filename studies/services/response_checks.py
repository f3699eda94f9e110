"""What rows of an import may say: the study's items and options, through the protocol's own declaration."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from items.models import Item
from studies.models import AnnotatorKind, Purpose, Study
from studies.protocols import PROTOCOLS, Declaration, InvalidAnswer, Question, Stage
from studies.protocols.base import Value
from studies.protocols.units import UnitKind
from studies.services.answers import About, Answer, Given, answers_of
from studies.services.declaring import declaration_of
from studies.services.response_rows import Problem, Row
from studies.services.response_units import check_unit
from studies.services.units import unit_key


@dataclass
class Known:
    """What the rows may speak about: the items that the study chose, by the researcher's ids."""

    declaration: Declaration
    unit: UnitKind
    items: dict[str, Item]
    options: dict[str, dict[str, int]]
    text_ids: dict[str, str]
    pairs: dict[Hashable, list[Item]] = field(default_factory=dict)  # each in the order in which it was first named

    def items_of(self, row: Row) -> list[Item]:
        """The item that a row is about, or its pair."""
        if self.unit != "pair":
            return [self.items[row.item_id]]
        return self.pairs.setdefault(self.unit_of(row), [self.items[row.item_id], self.items[row.other_item_id]])

    def unit_of(self, row: Row) -> Hashable:
        """What tells the row's unit from others; see `unit_key`."""
        names = [row.item_id, row.other_item_id] if self.unit == "pair" else [row.item_id]
        return unit_key(self.unit, self.items[row.item_id].text_id, [self.items[name].pk for name in names])


@dataclass
class ItemAnswer:
    """All rows of one annotator, round and stage about one item or pair, and what they mean together."""

    rows: list[Row]
    stage: Stage
    items: list[Item]  # the item, or the pair in the order in which the file first names it
    unit: Hashable
    answers: list[Answer]

    @property
    def item(self) -> Item:
        return self.items[0]

    @property
    def cell(self) -> tuple[str, int, Hashable]:
        """The assignment that it belongs to: annotator, round and unit."""
        return self.rows[0].annotator, self.rows[0].round, self.unit

    @property
    def by_person(self) -> bool:
        return self.rows[0].kind == AnnotatorKind.HUMAN


class Unfit(ValueError):
    """A row that no participant could have given."""

    def __init__(self, column: str, reason: str, line: int = 0):
        super().__init__(reason)
        self.column, self.line = column, line


def known_in(study: Study, items: Iterable[Item]) -> Known:
    by_id = {item.external_id: item for item in items}
    texts = dict(study.project.texts.current().values_list("pk", "external_id"))
    return Known(
        declaration_of(study),
        PROTOCOLS[study.protocol].unit,
        by_id,
        {key: {option.external_id: option.pk for option in item.options.all()} for key, item in by_id.items()},
        {key: texts[item.text_id] for key, item in by_id.items()},
    )


def checked(rows: list[Row], known: Known, problems: list[Problem]) -> Iterator[ItemAnswer]:
    """The rows grouped by item or pair and checked by the declaration; what is wrong goes to `problems`."""
    groups: dict[tuple[str, int, str, Hashable], list[Row]] = defaultdict(list)
    questions: dict[int, Question] = {}
    for row in rows:
        try:
            questions[row.line] = question_of(row, known)
            subject = known.unit_of(row) if known.unit == "pair" else row.item_id
            groups[row.annotator, row.round, row.stage, subject].append(row)
        except Unfit as unfit:
            problems.append(Problem(row.line, unfit.column, str(unfit)))
    for group in groups.values():
        try:
            yield answered(group, known, questions)
        except Unfit as unfit:
            problems.append(Problem(unfit.line or group[0].line, unfit.column, str(unfit)))


def answered(group: list[Row], known: Known, questions: dict[int, Question]) -> ItemAnswer:
    """What the rows about one item or pair mean together; `Unfit` if that cannot have been given."""
    first = group[0]
    stage, items = known.declaration.stage(first.stage), known.items_of(first)
    options = known.options[first.item_id]
    given = given_by(group, items[0], options, questions)
    return ItemAnswer(group, stage, items, known.unit_of(first), answers_of_rows(group, stage, given, items, options))


def question_of(row: Row, known: Known) -> Question:
    """The declared question that a row answers; `Unfit` if an id is unknown or does not apply."""
    stages = {stage.name: stage for stage in known.declaration.every_stage}
    if row.stage not in stages:
        raise Unfit("stage", unknown(_("There is no stage “%(name)s”; there are: %(known)s."), row.stage, stages))
    questions = {question.name: question for question in stages[row.stage].questions}
    if row.question not in questions:
        sentence = _("This stage does not ask “%(name)s”; it asks: %(known)s.")
        raise Unfit("question", unknown(sentence, row.question, questions))
    question = questions[row.question]
    check_purpose(row, known.declaration)
    check_item(row, known)
    if problem := check_unit(row, known.unit, known.items, known.declaration):
        raise Unfit(*problem)
    check_option(row, question, known)
    if row.unsure and not question.unsure:
        raise Unfit("unsure", _("There is no unsure mark for this question in this stage."))
    return question


def unknown(sentence: str, name: str, known: Iterable[str]) -> str:
    return sentence % {"name": name, "known": ", ".join(known)}


def check_purpose(row: Row, declaration: Declaration) -> None:
    is_check = declaration.check is not None and row.stage == declaration.check.name
    if is_check and row.purpose != Purpose.EXPERT:
        raise Unfit(
            "purpose", _("Only experts answer in the stage “%(stage)s”: purpose expert.") % {"stage": row.stage}
        )
    if row.purpose == Purpose.EXPERT and not is_check:
        raise Unfit(
            "purpose",
            _("An expert checks the answers of others, and gives none in “%(stage)s”.") % {"stage": row.stage},
        )


def check_item(row: Row, known: Known) -> None:
    if row.item_id not in known.items:
        raise Unfit("item_id", _("The study has no item “%(item)s”.") % {"item": row.item_id})
    about = known.text_ids[row.item_id]
    if row.text_id and row.text_id != about:
        said = {"item": row.item_id, "about": about, "other": row.text_id}
        raise Unfit("text_id", _("Item “%(item)s” is about “%(about)s”, not “%(other)s”.") % said)


def check_option(row: Row, question: Question, known: Known) -> None:
    if question.per == "option" and not row.option_id:
        raise Unfit("option_id", _("This must not be empty: the question is asked of each option."))
    if question.per == "option" and row.option_id not in known.options[row.item_id]:
        said = {"item": row.item_id, "option": row.option_id}
        raise Unfit("option_id", _("Item “%(item)s” has no option “%(option)s”.") % said)
    if question.per != "option" and row.option_id:
        raise Unfit("option_id", _("This must be empty: the question is asked of the item, not of an option."))
    if row.probability is not None and (question.per != "option" or row.kind == AnnotatorKind.HUMAN):
        raise Unfit("probability", _("Only a model's or baseline's answer to an option has a probability."))


def given_by(group: list[Row], item: Item, options: dict[str, int], questions: dict[int, Question]) -> Given:
    """What the rows about one item say together; `Unfit` for a second answer and for a value off the scale."""
    ticks: dict[str, dict[int, bool]] = defaultdict(dict)
    values: dict[str, Value] = {}
    probability: dict[int, float] = {}
    seen: set[tuple[str, str]] = set()
    for row in group:
        name, option = questions[row.line].name, options.get(row.option_id)
        if (name, row.option_id) in seen:
            raise Unfit("", _("This question was already answered in an earlier row."), row.line)
        seen.add((name, row.option_id))
        value = value_of(row, questions[row.line])
        if option is None:
            values[name] = value
        else:
            ticks[name][option] = bool(value)
        if option is not None and row.probability is not None:
            probability[option] = row.probability
    unsure = frozenset(options[row.option_id] for row in group if row.unsure)
    comments = {row.question: row.comment for row in group if row.comment and not row.option_id}
    return Given(item.pk, ticks, values, unsure, probability, comments)


def value_of(row: Row, question: Question) -> Value:
    try:
        return question.check(question.read(row.value), filter(None, (row.item_id, row.other_item_id)))
    except InvalidAnswer as error:
        raise Unfit("value", str(error), row.line) from None


def answers_of_rows(
    group: list[Row], stage: Stage, given: Given, items: list[Item], options: dict[str, int]
) -> list[Answer]:
    """Through the same gate as a page; completeness is waived for models and baselines only."""
    person, item = group[0].kind == AnnotatorKind.HUMAN, items[0]
    if person:
        check_options_complete(group, stage, given, item, options)
    about = About(
        option_ids=list(options.values()),
        has_expected_answer=bool(item.expected_answer),
        picks=[each.external_id for each in items],
    )
    try:
        return answers_of(stage, given, about, partial=not person)
    except InvalidAnswer as error:
        lines = [row.line for row in group if row.question == error.question]
        raise Unfit("question", str(error), lines[0] if lines else 0) from None


def check_options_complete(group: list[Row], stage: Stage, given: Given, item: Item, options: dict[str, int]) -> None:
    """A person judges all options of an item, and judges them before anything else about it."""
    if not any(question.per == "option" for question in stage.questions):
        return
    if not given.ticks:
        said = {"item": item.external_id}
        raise Unfit("question", _("Item “%(item)s” is rated, but its options are not answered.") % said)
    judged = {row.option_id for row in group}
    missing = [name for name in options if name not in judged]
    if missing:
        said = {"item": item.external_id, "missing": ", ".join(missing)}
        raise Unfit("option_id", _("Item “%(item)s” is answered without its options %(missing)s.") % said)
