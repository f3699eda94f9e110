"""Check imported rows against the study's items and options, with the protocol's own declaration, and against each
other."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter

from django.utils.translation import gettext as _

from items.models import Item
from jobs.progress import count_done
from projects.scratch import Save
from studies.models import AnnotatorKind, Purpose, Study, Unit
from studies.protocols import PROTOCOLS, Declaration, InvalidAnswer, Question, Stage
from studies.protocols.base import COMPARED, UnitKind, Value, get_stored_item
from studies.services.answers import Answer, AnswerScope, GivenAnswers, check_answers
from studies.services.declarations import get_declaration
from studies.services.responses.rows import UNIT_ITEMS, Row, RowProblem
from studies.services.selection import (
    CALIBRATION,
    MAIN,
    ChosenTexts,
    PlannedUnit,
    make_unit_key,
    plan_units,
    save_units,
)

Cell = tuple[str, int, Hashable]  # annotator, round, unit


@dataclass
class ImportContext:
    """What the rows may refer to: the items that the study chose, by the researcher's ids."""

    declaration: Declaration
    unit: UnitKind
    items: dict[str, Item]
    options: dict[str, dict[str, int]]
    text_ids: dict[str, str]
    compared: dict[Hashable, list[Item]] = field(default_factory=dict)  # each in the order of its first row

    @cached_property
    def questions(self) -> dict[tuple[str, str], Question]:
        """The declared questions, by stage and name."""
        stages = self.declaration.every_stage
        return {(stage.name, question.name): question for stage in stages for question in stage.questions}

    def get_items(self, row: Row) -> list[Item]:
        """The item that a row is about, or the items of its pair or tuple."""
        items = [self.items[name] for name in row.get_item_ids(self.unit)]
        return self.compared.setdefault(self.get_unit_key(row), items) if self.unit in COMPARED else items

    def get_unit_key(self, row: Row) -> Hashable:
        """The identity of the row's unit; see `make_unit_key`."""
        items = [self.items[name] for name in row.get_item_ids(self.unit)]
        return make_unit_key(self.unit, items[0].text_id, [item.pk for item in items])


@dataclass
class ItemAnswer:
    """All rows of one annotator, round and stage about one item, pair or tuple, with the answers that they form."""

    rows: list[Row]
    stage: Stage
    items: list[Item]  # the item, or those of the unit in the order in which the file first names them
    unit: Hashable
    answers: list[Answer]
    cell: Cell  # the assignment that it belongs to

    @property
    def item(self) -> Item:
        return self.items[0]

    @property
    def by_person(self) -> bool:
        return self.rows[0].kind == AnnotatorKind.HUMAN


class InvalidRow(ValueError):
    """A row that no participant could have given."""

    def __init__(self, column: str, reason: str, line: int = 0):
        super().__init__(reason)
        self.column, self.line = column, line


def build_context(study: Study, items: Iterable[Item]) -> ImportContext:
    by_id = {item.external_id: item for item in items}
    texts = dict(study.project.texts.current().values_list("pk", "external_id"))
    return ImportContext(
        get_declaration(study),
        PROTOCOLS[study.protocol].unit,
        by_id,
        {key: {option.external_id: option.pk for option in item.options.all()} for key, item in by_id.items()},
        {key: texts[item.text_id] for key, item in by_id.items()},
    )


def check_rows(rows: list[Row], known: ImportContext, problems: list[RowProblem]) -> Iterator[ItemAnswer]:
    """The rows grouped by subject and checked against the declaration; errors are added to `problems`."""
    groups: dict[tuple[str, int, str, Hashable], list[Row]] = defaultdict(list)
    for row in count_done("rows", rows, len(rows)):
        try:
            check_row(row, known)
            subject = known.get_unit_key(row) if known.unit in COMPARED else row.item_id
            groups[row.annotator, row.round, row.stage, subject].append(row)
        except InvalidRow as unfit:
            problems.append(RowProblem(row.line, unfit.column, str(unfit)))
    for group in groups.values():
        try:
            yield check_item_rows(group, known)
        except InvalidRow as unfit:
            problems.append(RowProblem(unfit.line or group[0].line, unfit.column, str(unfit)))


def check_item_rows(group: list[Row], known: ImportContext) -> ItemAnswer:
    """The checked answers in the rows about one subject; `InvalidRow` if nobody could have given them."""
    first = group[0]
    stage, items = known.declaration.stage(first.stage), known.get_items(first)
    stored_item = get_stored_item(known.unit, [item.pk for item in items]) if len(items) > 1 else items[0].pk
    options = known.options.get(first.item_id, {})
    given = collect_given(group, stored_item, options, known.questions)
    unit, answers = known.get_unit_key(first), check_row_answers(group, stage, given, items, options)
    return ItemAnswer(group, stage, items, unit, answers, (first.annotator, first.round, unit))


def check_row(row: Row, known: ImportContext) -> None:
    """`InvalidRow` if an id is unknown or does not apply, or the question is not declared."""
    question = known.questions.get((row.stage, row.question))
    if question is None:
        raise build_question_error(row, known)
    check_purpose(row, known.declaration)
    check_items(row, known)
    if problem := find_unit_problem(row, known.unit, known.items, known.declaration):
        raise InvalidRow(*problem)
    check_option(row, question, known)
    if row.unsure and not question.unsure:
        raise InvalidRow("unsure", _("This question has no “unsure” mark in this stage."))


def build_question_error(row: Row, known: ImportContext) -> InvalidRow:
    """The error of a row whose stage, or question in the stage, is not declared."""
    stages = {stage.name: stage for stage in known.declaration.every_stage}
    if row.stage not in stages:
        sentence = _("Unknown stage “%(name)s”. Choose one of: %(known)s.")
        return InvalidRow("stage", insert_names(sentence, row.stage, stages))
    sentence = _("This stage has no question “%(name)s”. Its questions are: %(known)s.")
    names = [question.name for question in stages[row.stage].questions]
    return InvalidRow("question", insert_names(sentence, row.question, names))


def insert_names(sentence: str, name: str, known: Iterable[str]) -> str:
    return sentence % {"name": name, "known": ", ".join(known)}


def check_purpose(row: Row, declaration: Declaration) -> None:
    is_check = declaration.check is not None and row.stage == declaration.check.name
    if is_check and row.purpose != Purpose.EXPERT:
        raise InvalidRow(
            "purpose",
            _("Only annotators with the purpose expert answer in the stage “%(stage)s”.") % {"stage": row.stage},
        )
    if row.purpose == Purpose.EXPERT and not is_check:
        raise InvalidRow(
            "purpose",
            _("Experts check the answers of others and give none in “%(stage)s”.") % {"stage": row.stage},
        )


def check_items(row: Row, known: ImportContext) -> None:
    """Checks the item that the row names, or the items of a tuple."""
    column = UNIT_ITEMS if known.unit == "tuple" else "item_id"
    if known.unit == "tuple" and not row.unit_items:
        raise InvalidRow(column, _("This must not be empty: it names the items that were compared."))
    for name in row.unit_items if known.unit == "tuple" else (row.item_id,):
        if name not in known.items:
            raise InvalidRow(column, _("The study has no item “%(item)s”.") % {"item": name})
        about = known.text_ids[name]
        if row.text_id and row.text_id != about:
            values = {"item": name, "about": about, "other": row.text_id}
            raise InvalidRow(
                "text_id", _("Item “%(item)s” belongs to the text “%(about)s”, not to “%(other)s”.") % values
            )


def check_option(row: Row, question: Question, known: ImportContext) -> None:
    if question.per == "option" and not row.option_id:
        raise InvalidRow("option_id", _("Fill in this cell: the question is asked about each option."))
    if question.per == "option" and row.option_id not in known.options.get(row.item_id, {}):
        values = {"item": row.item_id, "option": row.option_id}
        raise InvalidRow("option_id", _("Item “%(item)s” has no option “%(option)s”.") % values)
    if question.per != "option" and row.option_id:
        raise InvalidRow("option_id", _("Leave this cell empty: the question is about the item, not about an option."))
    if row.probability is not None and (question.per != "option" or row.kind == AnnotatorKind.HUMAN):
        raise InvalidRow("probability", _("Only answers of a model or baseline to an option have a probability."))


def collect_given(
    group: list[Row], item_id: int | None, options: dict[str, int], questions: dict[tuple[str, str], Question]
) -> GivenAnswers:
    """The answers in the rows about one item; `InvalidRow` for a second answer and for a value off the scale."""
    ticks: dict[str, dict[int, bool]] = defaultdict(dict)
    values: dict[str, Value] = {}
    probability: dict[int, float] = {}
    seen: set[tuple[str, str]] = set()
    for row in group:
        question, name, option = questions[row.stage, row.question], row.question, options.get(row.option_id)
        if (name, row.option_id) in seen:
            raise InvalidRow("", _("This question was already answered in an earlier row."), row.line)
        seen.add((name, row.option_id))
        value = read_value(row, question)
        if option is None:
            values[name] = value
        else:
            ticks[name][option] = bool(value)
        if option is not None and row.probability is not None:
            probability[option] = row.probability
    unsure = frozenset(options[row.option_id] for row in group if row.unsure)
    comments = {row.question: row.comment for row in group if row.comment and not row.option_id}
    return GivenAnswers(item_id, ticks, values, unsure, probability, comments)


def read_value(row: Row, question: Question) -> Value:
    try:
        value = question.read(row.value)
        if question.kind == "pick":
            question.check(value, filter(None, (row.item_id, row.other_item_id, *row.unit_items)))
        return value
    except InvalidAnswer as error:
        raise InvalidRow("value", str(error), row.line) from None


def check_row_answers(
    group: list[Row], stage: Stage, given: GivenAnswers, items: list[Item], options: dict[str, int]
) -> list[Answer]:
    """The same checks as for a page; only models and baselines may leave answers out."""
    person, item = group[0].kind == AnnotatorKind.HUMAN, items[0]
    if person:
        check_options_complete(group, stage, given, item, options)
    about = AnswerScope(
        option_ids=list(options.values()),
        has_expected_answer=bool(item.expected_answer),
        picks=[each.external_id for each in items],
    )
    try:
        return check_answers(stage, given, about, partial=not person)
    except InvalidAnswer as error:
        lines = [row.line for row in group if row.question == error.question]
        raise InvalidRow("question", str(error), lines[0] if lines else 0) from None


def check_options_complete(
    group: list[Row], stage: Stage, given: GivenAnswers, item: Item, options: dict[str, int]
) -> None:
    """A person judges all options of an item, and does so before any other question about it."""
    if not any(question.per == "option" for question in stage.questions):
        return
    if not given.ticks:
        values = {"item": item.external_id}
        raise InvalidRow("question", _("Item “%(item)s” is rated, but its options are not answered.") % values)
    judged = {row.option_id for row in group}
    missing = [name for name in options if name not in judged]
    if missing:
        values = {"item": item.external_id, "missing": ", ".join(missing)}
        raise InvalidRow("option_id", _("Item “%(item)s” is answered without its options %(missing)s.") % values)


def find_unit_problem(
    row: Row, kind: UnitKind, items: Mapping[str, Item], declaration: Declaration
) -> tuple[str, str] | None:
    """Column and message about an invalid unit in a row; None if it is valid."""
    if row.part == CALIBRATION and not declaration.calibration:
        return "part", _("Unknown value “%(written)s”. Allowed values: %(allowed)s.") % {
            "written": row.part,
            "allowed": MAIN,
        }
    if declaration.rounds and row.round > declaration.rounds:
        return "round", _("This study has %(n)d round(s) (parameter rounds).") % {"n": declaration.rounds}
    if kind != "tuple" and row.unit_items:
        return UNIT_ITEMS, _("Only studies that compare sets of items have this.")
    if kind != "pair":
        named = "other_item_id" if row.other_item_id else "shown_left" if row.shown_left else ""
        if named:
            return named, _("Only pairwise studies have this.")
        return find_tuple_problem(row, items, declaration) if kind == "tuple" else None
    return find_pair_problem(row, items)


def find_tuple_problem(row: Row, items: Mapping[str, Item], declaration: Declaration) -> tuple[str, str] | None:
    if row.item_id:
        return "item_id", _("This must be empty: answers are about all items of a set.")
    n = declaration.tuple_size or len(row.unit_items)
    if len(set(row.unit_items)) != n or len(row.unit_items) != n:
        return UNIT_ITEMS, _("This must be the ids of %(n)d different items, separated by blanks.") % {"n": n}
    if len({items[name].text_id for name in row.unit_items}) > 1:
        return UNIT_ITEMS, _("The items of a set are about the same text.")
    return None


def find_pair_problem(row: Row, items: Mapping[str, Item]) -> tuple[str, str] | None:
    other = items.get(row.other_item_id)
    if not row.other_item_id:
        return "other_item_id", _("Fill in this cell with the second item of the pair.")
    if other is None:
        return "other_item_id", _("The study has no item “%(item)s”.") % {"item": row.other_item_id}
    if other.text_id != items[row.item_id].text_id or other.generator_id == items[row.item_id].generator_id:
        return "other_item_id", _("A pair consists of two items about the same text, by different generators.")
    if row.shown_left not in ("", row.item_id, row.other_item_id):
        return "shown_left", _("This must be one of the two items of the pair.")
    return None


def find_conflicting_parts(answered: Iterable[ItemAnswer]) -> list[RowProblem]:
    """Rows that put a unit into another part than an earlier row did."""
    parts: dict[Hashable, str] = {}
    found = []
    for answer in answered:
        row = answer.rows[0]
        if parts.setdefault(answer.unit, row.part) != row.part:
            found.append(RowProblem(row.line, "part", _("An earlier row assigns the same unit to another part.")))
    return found


def save_imported_units(
    study: Study, chosen: ChosenTexts, answered: list[ItemAnswer], save: Save
) -> dict[Hashable, Unit]:
    """The units as rows, by `make_unit_key`: pairs and tuples are the file's, in its order; others are as planned."""
    kind = PROTOCOLS[study.protocol].unit
    parts = {answer.unit: answer.rows[0].part for answer in answered}
    if kind in COMPARED:
        compared = {answer.unit: answer.items for answer in answered}
        planned = [PlannedUnit(items[0].text, tuple(items)) for items in compared.values()]
    else:
        planned = plan_units(study, chosen)
    keys = [make_unit_key(kind, unit.text.pk, [item.pk for item in unit.items]) for unit in planned]
    planned = [
        PlannedUnit(unit.text, unit.items, parts.get(key, unit.part)) for unit, key in zip(planned, keys, strict=True)
    ]
    return dict(zip(keys, save_units(study, planned, save), strict=True))


# Contradictions between rows of an import, beyond one item: about their annotator, and about other items.


SAME_EVERYWHERE = ("kind", "group", "person", "purpose", "model", "reading")


def find_annotator_conflicts(rows: list[Row]) -> list[RowProblem]:
    """Rows that contradict the first row of their annotator in what they say about the annotator."""
    first: dict[str, Row] = {}
    read = attrgetter(*SAME_EVERYWHERE)
    return [
        problem
        for row in rows
        if read(row) != read(seen := first.setdefault(row.annotator, row))
        for problem in explain_annotator_conflicts(row, seen)
    ]


def explain_annotator_conflicts(row: Row, seen: Row) -> Iterator[RowProblem]:
    for name in SAME_EVERYWHERE:
        here, there = getattr(row, name), getattr(seen, name)
        if here != there:
            values = {"who": row.annotator, "here": here, "there": there, "line": seen.line}
            reason = _("%(who)s is “%(here)s” here, but “%(there)s” in line %(line)d.") % values
            yield RowProblem(row.line, "annotator_kind" if name == "kind" else name, reason)


def find_missing_reads(rows: list[Row], answered: list[ItemAnswer], declaration: Declaration) -> list[RowProblem]:
    """People's answers to an item in a stage, if the stage that must follow has no answer to it.

    Invalid rows of that stage count as answers, as they are reported elsewhere.
    """
    there = {(row.annotator, row.round, row.item_label, row.stage) for row in rows}
    problems = []
    for found in answered:
        row, following = found.rows[0], declaration.stage_after(found.stage.name)
        if not found.by_person or not following or (row.annotator, row.round, row.item_label, following.name) in there:
            continue
        values = {"who": row.annotator, "item": row.item_label, "here": found.stage.name, "later": following.name}
        reason = _(
            "%(who)s answered item “%(item)s” in %(here)s, but not in %(later)s. Add the missing rows, or import what"
            " there is (--partial)."
        )
        problems.append(RowProblem(row.line, "stage", reason % values))
    return problems


def is_first_round_unknown(rows: list[Row]) -> bool:
    """Whether people's answers are all of a later round: then the file has only the state after that round."""
    rounds = {row.round for row in rows if row.kind == "human"}
    return bool(rounds) and 1 not in rounds


def find_baseless_rounds(rows: list[Row]) -> list[RowProblem]:
    """Answers of a later round to questions that were not answered in the first: later rounds only reopen answers.

    No error if people's first round is unknown as a whole.
    """
    if is_first_round_unknown(rows):
        return []
    first = {(row.annotator, row.item_label, row.option_id, row.question) for row in rows if row.round == 1}
    return [
        RowProblem(row.line, "round", _("This was not answered in round 1, so round 2 cannot have reopened it."))
        for row in rows
        if row.round > 1 and (row.annotator, row.item_label, row.option_id, row.question) not in first
    ]


def find_baseless_verdicts(rows: list[Row], declaration: Declaration) -> list[RowProblem]:
    """Experts' verdicts on answers that nobody gave."""
    check = declaration.check
    if check is None:
        return []
    given = {(row.item_id, row.question) for row in rows if row.stage == check.checks}
    return [
        RowProblem(
            row.line,
            "item_id",
            _("No annotator answered this question about the item, so there is nothing an expert could have checked."),
        )
        for row in rows
        if row.stage == check.name and (row.item_id, row.question) not in given
    ]


def find_mixed_guesses(answered: list[ItemAnswer]) -> list[RowProblem]:
    """People's answers about items of a second generator in a stage that shows items of one only."""
    first: dict[tuple[tuple[str, int, Hashable], str], ItemAnswer] = {}
    problems = []
    for found in answered:
        if found.stage.items == "all" or not found.by_person:
            continue
        seen = first.setdefault((found.cell, found.stage.name), found)
        if seen.item.generator_id != found.item.generator_id:
            row = found.rows[0]
            values = {"who": row.annotator, "stage": found.stage.name, "line": seen.rows[0].line}
            reason = _(
                "In the stage %(stage)s a person sees the items of one generator per text, but line "
                "%(line)d gives %(who)s an item of another generator."
            )
            problems.append(RowProblem(row.line, "item_id", reason % values))
    return problems


def find_wrong_versions(answered: list[ItemAnswer], versions: list[str]) -> list[RowProblem]:
    """Rows whose version of the text is not one that the study compares, or differs within one reading of a text."""
    first: dict[Hashable, Row] = {}
    problems = []
    for found in answered:
        seen = first.setdefault(found.cell, found.rows[0])
        for row in found.rows:
            if (versions or row.text_version) and (reason := explain_wrong_version(row, seen, versions)):
                problems.append(RowProblem(row.line, "text_version", reason))
    return problems


def explain_wrong_version(row: Row, first: Row, versions: list[str]) -> str:
    """Why the version of the text is wrong; empty if the study compares it and the first row of the reading has it."""
    if not versions:
        return _("This study compares no versions of texts. Leave the column out.") if row.text_version else ""
    if row.text_version not in versions:
        sentence = _("“%(name)s” is none of the versions that the study compares: %(names)s.")
        return sentence % {"name": row.text_version, "names": ", ".join(versions)}
    if row.text_version != first.text_version:
        sentence = _("%(who)s reads “%(here)s” here, but “%(there)s” in line %(line)d about the same unit.")
        return sentence % {
            "who": row.annotator,
            "here": row.text_version,
            "there": first.text_version,
            "line": first.line,
        }
    return ""
