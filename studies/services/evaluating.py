"""Storing answers and judgments of models and baselines, with the checks for people except for completeness.

Safe to interrupt and repeat. Judges take part in round 1 only: a second round returns scores to the people who gave
them.

An evaluator has one assignment per unit and answers the items of all generators in each stage. Its answers come in any
order and one by one, so it has no cursor: a stage is handed in, and an assignment finished, when nothing is missing.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from django.db import transaction
from django.db.models import Count, Max, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from studies.models import (
    Annotator,
    AnnotatorKind,
    Assignment,
    Purpose,
    Response,
    Study,
    StudyState,
    Submission,
    Unit,
    UnitItem,
)
from studies.models.people import DONE
from studies.protocols import PROTOCOLS, InvalidAnswer, Question, Stage
from studies.protocols.base import Value, get_stored_item
from studies.services.answers import Answer, AnswerScope, GivenAnswers, check_answers
from studies.services.declarations import get_declaration
from studies.services.launching import delete_annotators
from studies.services.states import STATE_SENTENCES, WrongState, lock_study

PAIRS, PICKS, SCORES, GATES = "pairs", "picks", "scores", "gates"


def judgment_type(stage: Stage) -> str | None:
    """How models judge what a stage asks; None if they cannot.

    PAIRS: which item of a pair is better, or a tie. PICKS: other choices among the items of a unit. SCORES: a scale at
    a time. GATES: any other questions about an item, one after the other.
    """
    questions = list_judged_questions(stage)
    if not questions or any(each.per == "option" or each.writes for each in questions):
        return None
    if not stage.gates and all(each.kind == "pick" for each in questions):
        return PAIRS if len(questions) == 1 and len(questions[0].levels) == 1 else PICKS
    is_plain = all(each.kind == "scale" and not each.asked_if for each in questions)
    return SCORES if is_plain and not stage.gates else GATES


def list_judged_questions(stage: Stage) -> tuple[Question, ...]:
    """The questions for models: if items are compared, only the choice among them, as people alone give reasons; no
    optional texts."""
    picks = tuple(each for each in stage.questions if each.kind == "pick")
    if picks or stage.gates:
        return picks or stage.questions
    return tuple(each for each in stage.questions if each.required or each.kind != "text")


def list_open_questions(stage: Stage, answers: Mapping[str, Value], has_expected_answer: bool) -> list[str]:
    """The names of the unanswered questions to which these answers lead, in order."""
    judged = list_judged_questions(stage)
    applying = [question for question in stage.applicable_questions(has_expected_answer) if question in judged]
    return [name for name, value in stage.path(answers, applying).items() if value is None]


ANSWER = "answer"
BATCH_SIZE = 500  # ids in one statement
LAUNCHED = (StudyState.LIVE, StudyState.PAUSED, StudyState.CLOSED, StudyState.IMPORTED)


class CodeTaken(ValueError):
    """The study already has an annotator with that code; the message says what to do."""


def refuse_draft(study: Study) -> None:
    """Raises `WrongState` for a study that nobody can answer yet."""
    if study.is_draft:
        raise WrongState(str(STATE_SENTENCES[StudyState.DRAFT]) % {"slug": study.slug})


def asks_about_options(study: Study) -> bool:
    """Whether evaluators answer option by option; otherwise they judge items, pairs or tuples."""
    stages = get_declaration(study).stages
    questions = [question for stage in stages for question in stage.questions]
    return any(question.name == ANSWER and question.per == "option" for question in questions)


def refuse_unanswerable(study: Study, kind: AnnotatorKind) -> None:
    """Raises `WrongState` if such an evaluator cannot answer what the study's protocol asks."""
    if asks_about_options(study):
        return
    if kind != AnnotatorKind.MODEL:
        if PROTOCOLS[study.protocol].rules:
            return
        raise WrongState(
            _(
                "Baselines only judge answer options, and this study's protocol asks nothing "
                "about options. Use a model instead."
            )
        )
    if judgment_type(get_declaration(study).stages[0]) is None:
        raise WrongState(_("Models cannot answer the questions of this study's protocol."))


@dataclass(frozen=True)
class OptionJudgments:
    """An evaluator's judgments of options of one item, each independent of the others."""

    item_id: int
    ticks: Mapping[int, bool]
    probability: Mapping[int, float] = field(default_factory=dict)


@transaction.atomic
def add_evaluator(
    study: Study, code: str, *, kind: AnnotatorKind, model: str, reading: str, text_version: str = ""
) -> Annotator:
    """A new model or baseline in a launched study, with all units assigned; raises `CodeTaken` or `WrongState`."""
    study = lock_study(study, *LAUNCHED)
    refuse_unanswerable(study, kind)
    if study.annotators.filter(code=code).exists():
        raise CodeTaken(_("The study already has an annotator “%(code)s”. Choose another label.") % {"code": code})
    annotator = Annotator.objects.create(
        study=study,
        code=code,
        kind=kind,
        model=model,
        reading=reading,
        revoked_at=timezone.now(),  # nobody answers as an evaluator through a link
    )
    first = get_declaration(study).stages[0].name
    Assignment.objects.bulk_create(
        Assignment(annotator=annotator, unit=unit, position=place, stage=first, text_version=text_version)
        for place, unit in enumerate(study.units.all())
    )
    return annotator


def add_evaluator_units(study: Study, units: Sequence[Unit]) -> None:
    """Assign units that the study has gained to its models and baselines; each reads the text version it has read
    before."""
    evaluators = study.annotators.exclude(kind=AnnotatorKind.HUMAN).filter(purpose=Purpose.MAIN)
    first = get_declaration(study).stages[0].name
    for annotator in evaluators.annotate(last=Max("assignments__position")):
        read = annotator.assignments.values_list("text_version", flat=True).first() or ""
        start = 0 if annotator.last is None else annotator.last + 1
        Assignment.objects.bulk_create(
            Assignment(annotator=annotator, unit=unit, position=place, stage=first, text_version=read)
            for place, unit in enumerate(units, start)
        )


def store_judgments(
    assignment: Assignment, stage: Stage, judged: Iterable[OptionJudgments], options: Mapping[int, Collection[int]]
) -> None:
    """Write the answers that are missing; `InvalidAnswer` for an impossible one.

    An existing answer stays as it is: two workers, or a second run, write each answer once. `options`: by item of the
    unit.
    """
    insert_answers(assignment, stage, [answer for given in judged for answer in check_judgments(stage, given, options)])


def insert_answers(assignment: Assignment, stage: Stage, answers: Iterable[Answer]) -> None:
    """Store checked answers as responses; an existing one stays as it is."""
    version, now = assignment.annotator.study.instrument_version_id, timezone.now()
    Response.objects.bulk_create(
        (
            Response(
                assignment=assignment,
                stage=stage.name,
                question=answer.question,
                item_id=answer.item_id,
                option_id=answer.option_id,
                value=answer.value,
                probability=answer.probability,
                instrument_version_id=version,
                submitted_at=now,
            )
            for answer in answers
        ),
        ignore_conflicts=True,
    )


def check_judgments(stage: Stage, judged: OptionJudgments, options: Mapping[int, Collection[int]]) -> list[Answer]:
    """The answers about one item. Only options of the unit's items can be judged."""
    known = set(options.get(judged.item_id, ()))
    if not {*judged.ticks, *judged.probability} <= known:
        raise InvalidAnswer("Only options of the items of this text can be judged.")
    if any(not 0 <= share <= 1 for share in judged.probability.values()):
        raise InvalidAnswer("A probability lies between 0 and 1.")
    given = GivenAnswers(judged.item_id, {ANSWER: judged.ticks}, probability=judged.probability)
    return check_answers(stage, given, AnswerScope(known), partial=True)


@transaction.atomic
def close_answered(annotator: Annotator, stages: Collection[str]) -> bool:
    """Hand in the stages, and finish the assignments, in which nothing is missing; returns whether all are finished."""
    expected = count_options_by_unit(annotator.study)
    counts = count_answers(Response.objects.filter(assignment__annotator=annotator))
    answered = {
        assignment.pk: [name for name in stages if counts.get((assignment.pk, name), 0) == expected[assignment.unit_id]]
        for assignment in annotator.assignments.open()
    }
    submit_stages(answered, stages)
    return all(len(names) == len(stages) for names in answered.values())


def is_answered(assignment: Assignment, stage: str, n_options: int) -> bool:
    """Whether nothing is missing in the stage of this assignment, whose unit has this number of options."""
    return Response.objects.filter(assignment=assignment, stage=stage, question=ANSWER).count() == n_options


def close_stage(assignment: Assignment, stages: Collection[str], n_options: int) -> None:
    """`close_answered` for one assignment. Of two simultaneous workers each may miss the other's answer.

    A stage left open in this way is closed by `close_answered` when the run is done, after the last worker has
    committed.
    """
    submit_stages({assignment.pk: [name for name in stages if is_answered(assignment, name, n_options)]}, stages)


def submit_stages(answered: Mapping[int, Collection[str]], stages: Collection[str]) -> None:
    """Mark stages of assignments (by primary key) as complete; with all stages the assignment is finished."""
    now = timezone.now()
    rows = [
        Submission(assignment_id=pk, stage=name, submitted_at=now) for pk, names in answered.items() for name in names
    ]
    Submission.objects.bulk_create(rows, ignore_conflicts=True)
    finished = [pk for pk, names in answered.items() if len(names) == len(stages)]
    for start in range(0, len(finished), BATCH_SIZE):
        open_ones = Assignment.objects.open().filter(pk__in=finished[start : start + BATCH_SIZE])
        open_ones.update(stage=DONE, finished_at=now)


def reopen_assignments(annotator: Annotator) -> None:
    """Open the evaluator's finished assignments again, for one more stage."""
    first = get_declaration(annotator.study).stages[0].name
    annotator.assignments.active().update(stage=first, finished_at=None)


def count_options_by_unit(study: Study) -> dict[int, int]:
    """How many options the items of each unit have."""
    rows = UnitItem.objects.filter(unit__study=study).order_by().values_list("unit")
    return dict(rows.annotate(n=Count("item__options")))


def count_answers(responses: QuerySet[Response]) -> dict[tuple[int, str], int]:
    """How many options were judged, by assignment and stage."""
    rows = responses.filter(question=ANSWER).order_by().values_list("assignment", "stage")
    return {(assignment, stage): n for assignment, stage, n in rows.annotate(n=Count("pk"))}


@transaction.atomic
def remove_evaluator(annotator: Annotator) -> None:
    """Remove a model or baseline from its study with all its answers; never a person."""
    if annotator.kind == AnnotatorKind.HUMAN:
        raise ValueError("Only models and baselines can be removed.")
    delete_annotators(Annotator.objects.filter(pk=annotator.pk))


SELECTED = "selected"  # key of an item's metadata: which model chose it among candidates, and how


def list_selecting_models(study: Study) -> list[str]:
    """The names of the models whose answers were used to choose items of the study, without repetition."""
    rows = UnitItem.objects.filter(unit__study=study, item__metadata__has_key=SELECTED)
    selections = rows.values_list(f"item__metadata__{SELECTED}", flat=True).iterator()
    return sorted({str(each["by"]) for each in selections if isinstance(each, dict) and each.get("by")})


def is_same_model(one: str, other: str) -> bool:
    """Whether two names mean the same model, as meta-llama/Llama-3.1-8B and llama-3.1-8b on other servers."""
    return normalize_model_name(one) == normalize_model_name(other)


def normalize_model_name(model: str) -> str:
    return model.rpartition("/")[2].casefold()


def explain_selection_conflict(study: Study, model: str) -> str:
    """The sentence that says why this model cannot report on the study; empty if it can."""
    if not any(is_same_model(model, selector) for selector in list_selecting_models(study)):
        return ""
    sentence = _(
        "%(model)s selected items of this study: it answered the candidates, and the items on which it "
        "did best were kept. Its answers would make the items look better than they are. Use another "
        "model."
    )
    return sentence % {"model": model}


# Storing models' judgments of items, pairs and tuples, with the same checks as for people.


Answers = dict[tuple[int, int | None], dict[str, Value]]  # by assignment and item, by question


@dataclass(frozen=True)
class Judgeable:
    """What is judged at once: an item, or the compared items of a unit. `item_id`: see `get_stored_item`."""

    unit_id: int
    item_id: int | None
    item_ids: tuple[int, ...]
    has_expected_answer: bool


def list_judgeables(study: Study) -> list[Judgeable]:
    """What models judge, in the study's order, text by text."""
    rows = UnitItem.objects.filter(unit__study=study).order_by("unit__position", "position")
    fields = rows.values_list("unit_id", "item_id", "item__expected_answer")
    protocol = PROTOCOLS[study.protocol]
    if not protocol.compares:
        return [Judgeable(unit, item, (item,), bool(expected.strip())) for unit, item, expected in fields]
    units = ((unit, tuple(item for _unit, item, _value in own)) for unit, own in groupby(fields, key=itemgetter(0)))
    return [Judgeable(unit, get_stored_item(protocol.unit, items), items, True) for unit, items in units]


def store_values(
    assignment: Assignment, stage: Stage, about: Judgeable, values: Mapping[str, Value], picks: Iterable[str]
) -> None:
    """Write the values that are missing; `InvalidAnswer` for an impossible one.

    `values`: all values of this item, including earlier ones, on which the questions to ask depend.
    """
    allowed = AnswerScope((), about.has_expected_answer, tuple(picks))
    insert_answers(
        assignment, stage, check_answers(stage, GivenAnswers(about.item_id, values=values), allowed, partial=True)
    )


def read_values(study: Study, annotators: Iterable[Annotator]) -> Answers:
    """The answers of these annotators in the first stage and round."""
    stage = get_declaration(study).stages[0].name
    rows = Response.objects.filter(
        assignment__annotator__in=list(annotators), assignment__returned_at=None, assignment__round=1, stage=stage
    )
    found: Answers = {}
    for assignment, item, question, value in rows.values_list("assignment_id", "item_id", "question", "value"):
        found.setdefault((assignment, item), {})[question] = value
    return found


@dataclass(frozen=True)
class Progress:
    """How many answers there are; per assignment, how many are asked for and how many are missing."""

    done: int
    missing: Mapping[int, int]

    @property
    def n_missing(self) -> int:
        return sum(self.missing.values())


def count_progress(study: Study, annotators: Iterable[Annotator]) -> dict[int, Progress]:
    """The progress of each annotator, by primary key. A question that depends on a missing answer is not counted.

    Baselines are asked only what the protocol's rules answer.
    """
    stage, annotators = get_declaration(study).stages[0], list(annotators)
    answers, by_unit = read_values(study, annotators), group_by_unit(study)
    rows = Assignment.objects.active().filter(annotator__in=annotators, round=1)
    found: dict[int, tuple[int, dict[int, int]]] = {annotator.pk: (0, {}) for annotator in annotators}
    rules = PROTOCOLS[study.protocol].rules
    by_rules = {annotator.pk for annotator in annotators if annotator.kind == AnnotatorKind.BASELINE}
    for pk, annotator, unit in rows.values_list("pk", "annotator_id", "unit_id"):
        done, missing = found[annotator]
        mine = [(about, answers.get((pk, about.item_id), {})) for about in by_unit.get(unit, ())]
        open_ones = (list_open_questions(stage, given, about.has_expected_answer) for about, given in mine)
        missing[pk] = sum(annotator not in by_rules or name in rules for names in open_ones for name in names)
        found[annotator] = done + sum(len(given) for _about, given in mine), missing
    return {annotator: Progress(done, missing) for annotator, (done, missing) in found.items()}


def group_by_unit(study: Study) -> dict[int, list[Judgeable]]:
    found: dict[int, list[Judgeable]] = {}
    for about in list_judgeables(study):
        found.setdefault(about.unit_id, []).append(about)
    return found


@transaction.atomic
def close_judged(annotator: Annotator) -> bool:
    """Hand in and finish the assignments in which nothing is missing; returns whether all are finished."""
    stage = get_declaration(annotator.study).stages[0].name
    missing = count_progress(annotator.study, [annotator])[annotator.pk].missing
    open_ones = annotator.assignments.open().filter(round=1).values_list("pk", flat=True)
    submit_stages({pk: [stage] for pk in open_ones if not missing[pk]}, [stage])
    return not any(missing.values())
