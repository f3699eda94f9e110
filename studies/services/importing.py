"""Finished judgments from a file, so that reports run on old studies. All or nothing, through the page's own gate."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from items.models import Item
from studies.models import Annotator, AnnotatorKind, Assignment, Response, Study, StudyState, Submission, Unit
from studies.models.people import DONE
from studies.protocols import Declaration, InvalidAnswer, Question, Stage
from studies.services.answers import Answer, Given, answers_of
from studies.services.declaring import declaration_of
from studies.services.launching import make_units
from studies.services.locking import locked
from studies.services.response_rows import Problem, Row, read_rows
from studies.services.selection import choose

BATCH = 2_000
SAME_EVERYWHERE = ("kind", "group", "person", "purpose", "model", "reading")


class ImportRefused(Exception):
    """The file has rows that cannot be taken; nothing of it was stored."""

    def __init__(self, problems: list[Problem]):
        super().__init__(f"{len(problems)} problems")
        self.problems = sorted(problems, key=lambda problem: problem.line)


@dataclass
class Known:
    """What the rows may speak about: the items that the study chose, by the researcher's ids."""

    declaration: Declaration
    items: dict[str, Item]
    options: dict[str, dict[str, int]]
    text_ids: dict[str, str]


@dataclass
class Counts:
    annotators: int = 0
    assignments: int = 0
    responses: int = 0
    notices: list[str] = field(default_factory=list)


@dataclass
class ItemAnswer:
    """All rows of one annotator, round and stage about one item, and what they mean together."""

    rows: list[Row]
    stage: Stage
    item: Item
    answers: list[Answer]


@transaction.atomic
def import_responses(study: Study, content: bytes, *, partial: bool = False, dry_run: bool = False) -> Counts:
    """Store the judgments of a file in a draft study, which becomes *imported*.

    Raises `ImportRefused` with every problem by line, and then nothing is stored. `partial` takes the guesses of people
    who did not get to read. With `dry_run` all is checked and nothing stored.
    """
    study = locked(study, StudyState.DRAFT)
    chosen = choose(study)
    known = known_in(study, [item for _text, items in chosen.texts for item in items])
    file = read_rows(content)
    problems = file.problems + conflicts_of(file.rows)
    answered = list(checked(file.rows, known, problems))
    problems += missing_reads(answered, known.declaration, partial) + mixed_guesses(answered)
    if problems:
        raise ImportRefused(problems)
    if dry_run:
        return counts_of(answered, chosen.notices)
    units = {unit.text_id: unit for unit in make_units(study, chosen)}
    store(study, answered, units)
    study.state, study.launched_at, study.closed_at = StudyState.IMPORTED, timezone.now(), timezone.now()
    study.save(update_fields=["state", "launched_at", "closed_at"])
    return counts_of(answered, chosen.notices)


def counts_of(answered: list[ItemAnswer], notices: list[str]) -> Counts:
    people = {found.rows[0].annotator for found in answered}
    cells = {(found.rows[0].annotator, found.rows[0].round, found.item.text_id) for found in answered}
    return Counts(len(people), len(cells), sum(len(found.answers) for found in answered), notices)


def known_in(study: Study, items: Iterable[Item]) -> Known:
    by_id = {item.external_id: item for item in items}
    texts = dict(study.project.texts.current().values_list("pk", "external_id"))
    return Known(
        declaration_of(study),
        by_id,
        {key: {option.external_id: option.pk for option in item.options.all()} for key, item in by_id.items()},
        {key: texts[item.text_id] for key, item in by_id.items()},
    )


def conflicts_of(rows: list[Row]) -> list[Problem]:
    """Rows that say something else about their annotator than the annotator's first row."""
    first: dict[str, Row] = {}
    found = []
    for row in rows:
        seen = first.setdefault(row.annotator, row)
        for name in SAME_EVERYWHERE:
            here, there = getattr(row, name), getattr(seen, name)
            if here != there:
                column = "annotator_kind" if name == "kind" else name
                reason = f"{row.annotator} is “{here}” here, but “{there}” in line {seen.line}."
                found.append(Problem(row.line, column, reason))
    return found


def checked(rows: list[Row], known: Known, problems: list[Problem]) -> Iterator[ItemAnswer]:
    """The rows grouped by item and checked by the declaration; what is wrong goes to `problems`."""
    groups: dict[tuple[str, int, str, str], list[Row]] = defaultdict(list)
    questions: dict[int, Question] = {}
    for row in rows:
        try:
            questions[row.line] = question_of(row, known)
            groups[row.annotator, row.round, row.stage, row.item_id].append(row)
        except Unfit as unfit:
            problems.append(Problem(row.line, unfit.column, str(unfit)))
    for (_annotator, _round, stage_name, item_id), group in groups.items():
        stage, item = known.declaration.stage(stage_name), known.items[item_id]
        try:
            given = given_by(group, item, known.options[item_id], questions)
            yield ItemAnswer(group, stage, item, answers_of_rows(group, stage, given, item))
        except Unfit as unfit:
            problems.append(Problem(unfit.line or group[0].line, unfit.column, str(unfit)))


class Unfit(ValueError):
    """A row that no participant could have given."""

    def __init__(self, column: str, reason: str, line: int = 0):
        super().__init__(reason)
        self.column, self.line = column, line


def question_of(row: Row, known: Known) -> Question:
    """The declared question that a row answers; `Unfit` if an id is unknown or does not apply."""
    try:
        stage = known.declaration.stage(row.stage)
    except KeyError:
        names = ", ".join(stage.name for stage in known.declaration.stages)
        raise Unfit("stage", f"There is no stage “{row.stage}”; there are: {names}.") from None
    try:
        question = stage.question(row.question)
    except KeyError:
        names = ", ".join(question.name for question in stage.questions)
        raise Unfit("question", f"Stage {stage.name} does not ask “{row.question}”; it asks: {names}.") from None
    if row.item_id not in known.items:
        raise Unfit("item_id", f"The study has no item “{row.item_id}”.")
    if row.text_id and row.text_id != known.text_ids[row.item_id]:
        raise Unfit("text_id", f"Item “{row.item_id}” is about “{known.text_ids[row.item_id]}”, not “{row.text_id}”.")
    check_option(row, question, known)
    if row.unsure and not question.unsure:
        raise Unfit("unsure", f"Stage {stage.name} has no unsure mark for {question.name}.")
    return question


def check_option(row: Row, question: Question, known: Known) -> None:
    if question.per == "option" and row.option_id not in known.options[row.item_id]:
        said = f"Item “{row.item_id}” has no option “{row.option_id}”." if row.option_id else "This must not be empty."
        raise Unfit("option_id", said)
    if question.per != "option" and row.option_id:
        raise Unfit("option_id", f"{question.name} is asked of the item, not of an option.")
    if row.probability is not None and (question.per != "option" or row.kind == AnnotatorKind.HUMAN):
        raise Unfit("probability", "Only the answers of a model or baseline have a probability.")


def given_by(group: list[Row], item: Item, options: dict[str, int], questions: dict[int, Question]) -> Given:
    """What the rows about one item say together; `Unfit` for a second answer and for a value off the scale."""
    ticks: dict[str, dict[int, bool]] = defaultdict(dict)
    values = {}
    probability = {}
    for row in group:
        question = questions[row.line]
        try:
            value = question.read(row.value)
        except InvalidAnswer as error:
            raise Unfit("value", str(error), row.line) from None
        taken, key = (ticks[question.name], options[row.option_id]) if row.option_id else (values, question.name)
        if key in taken:
            raise Unfit("", "This question was already answered in an earlier row.", row.line)
        taken[key] = value  # type: ignore[index]
        if row.probability is not None:
            probability[options[row.option_id]] = row.probability
    unsure = frozenset(options[row.option_id] for row in group if row.unsure)
    return Given(item.pk, ticks, values, unsure, probability)


def answers_of_rows(group: list[Row], stage: Stage, given: Given, item: Item) -> list[Answer]:
    """Through the same gate as a page; completeness is waived for models and baselines only."""
    person = group[0].kind == AnnotatorKind.HUMAN
    if person and not given.ticks:
        raise Unfit("question", f"Item “{item.external_id}” is rated, but its options are not answered.")
    try:
        return answers_of(stage, given, [option.pk for option in item.options.all()], partial=not person)
    except InvalidAnswer:
        judged = {row.option_id for row in group}
        missing = [option.external_id for option in item.options.all() if option.external_id not in judged]
        raise Unfit(
            "option_id", f"Item “{item.external_id}” is answered without its options {', '.join(missing)}."
        ) from None


def missing_reads(answered: list[ItemAnswer], declaration: Declaration, partial: bool) -> list[Problem]:
    """People's answers to an item in a stage after which a later one was never answered."""
    if partial:
        return []
    done = {(found.rows[0].annotator, found.rows[0].round, found.item.pk, found.stage.name) for found in answered}
    problems = []
    for found in answered:
        row, following = found.rows[0], declaration.after(found.stage.name)
        expected = (row.annotator, row.round, found.item.pk, following.name if following else "")
        if row.kind == AnnotatorKind.HUMAN and following and expected not in done:
            reason = (
                f"{row.annotator} answered item “{row.item_id}” in {found.stage.name}, but not in {following.name}."
                " Add the missing rows, or import with --partial."
            )
            problems.append(Problem(row.line, "stage", reason))
    return problems


def mixed_guesses(answered: list[ItemAnswer]) -> list[Problem]:
    """People's answers about a second generator's items where a stage shows those of one only."""
    first: dict[tuple[str, int, str, int], ItemAnswer] = {}
    problems = []
    for found in answered:
        row = found.rows[0]
        if found.stage.items == "all" or row.kind != AnnotatorKind.HUMAN:
            continue
        seen = first.setdefault((row.annotator, row.round, found.stage.name, found.item.text_id), found)
        if seen.item.generator_id != found.item.generator_id:
            reason = (
                f"In {found.stage.name} a person sees one generator's items of a text; {row.annotator} has an item"
                f" of another generator in line {seen.rows[0].line}."
            )
            problems.append(Problem(row.line, "item_id", reason))
    return problems


def store(study: Study, answered: list[ItemAnswer], units: dict[int, Unit]) -> None:
    """Write annotators, finished assignments, submissions and responses."""
    annotators = store_annotators(study, answered)
    assignments = store_assignments(answered, annotators, units)
    store_submissions(answered, assignments)
    version = study.instrument_version_id
    Response.objects.bulk_create(
        (response for found in answered for response in responses_from(found, assignments[cell_of(found)], version)),
        batch_size=BATCH,
    )


def cell_of(found: ItemAnswer) -> tuple[str, int, int]:
    return found.rows[0].annotator, found.rows[0].round, found.item.text_id


def store_annotators(study: Study, answered: list[ItemAnswer]) -> dict[str, Annotator]:
    rows = {found.rows[0].annotator: found.rows[0] for found in answered}
    created = Annotator.objects.bulk_create(
        (
            Annotator(
                study=study,
                code=code,
                kind=row.kind,
                group=row.group,
                person=row.person,
                purpose=row.purpose,
                model=row.model,
                reading=row.reading or ("ticked" if row.kind == AnnotatorKind.HUMAN else "label"),
            )
            for code, row in rows.items()
        ),
        batch_size=BATCH,
    )
    return {annotator.code: annotator for annotator in created}


def store_assignments(
    answered: list[ItemAnswer], annotators: dict[str, Annotator], units: dict[int, Unit]
) -> dict[tuple[str, int, int], Assignment]:
    """Finished ones, in the order in which the file first names them; what was shown in which order is unknown."""
    finished: dict[tuple[str, int, int], datetime | None] = {}
    for found in answered:
        cell = cell_of(found)
        finished[cell] = later([finished.get(cell), *(row.submitted_at for row in found.rows)])
    created = Assignment.objects.bulk_create(
        (
            Assignment(
                annotator=annotators[code],
                unit=units[text],
                round=number,
                position=position,
                stage=DONE,
                finished_at=time or timezone.now(),
            )
            for position, ((code, number, text), time) in enumerate(finished.items())
        ),
        batch_size=BATCH,
    )
    return dict(zip(finished, created, strict=True))


def store_submissions(answered: list[ItemAnswer], assignments: dict[tuple[str, int, int], Assignment]) -> None:
    latest: dict[tuple[tuple[str, int, int], str], datetime | None] = {}
    for found in answered:
        key = (cell_of(found), found.stage.name)
        latest[key] = later([latest.get(key), *(row.submitted_at for row in found.rows)])
    Submission.objects.bulk_create(
        (
            Submission(assignment=assignments[cell], stage=stage, submitted_at=time)
            for (cell, stage), time in latest.items()
        ),
        batch_size=BATCH,
    )


def later(times: Iterable[datetime | None]) -> datetime | None:
    """The last of the known times, None if none is known."""
    return max((time for time in times if time), default=None)


def responses_from(found: ItemAnswer, assignment: Assignment, version: int) -> Iterator[Response]:
    by_option = {(row.question, row.option_id): row for row in found.rows}
    external = {option.pk: option.external_id for option in found.item.options.all()}
    for answer in found.answers:
        row = by_option[answer.question, external.get(answer.option_id or 0, "")]
        yield Response(
            assignment=assignment,
            stage=found.stage.name,
            question=answer.question,
            item=found.item,
            option_id=answer.option_id,
            value=answer.value,
            probability=answer.probability,
            unsure=answer.unsure if row.unsure is not None else None,
            comment=row.comment,
            instrument_version_id=version,
            submitted_at=row.submitted_at,
        )
