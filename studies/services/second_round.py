"""Opening a second round: scores that contradict each other are asked again; the scores of both rounds are kept."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from studies.models import Annotator, AnnotatorKind, Assignment, Purpose, Response, Study, StudyState
from studies.presentation_order import make_handle
from studies.protocols import Declaration
from studies.protocols.second_round import Flag, Score, list_flags
from studies.services.declarations import get_declaration
from studies.services.spec import SpecError
from studies.services.states import lock_study

ROUND = 2


@dataclass(frozen=True)
class OpenedRound:
    """What a second round asks again: how many annotators, how many scores, by rule."""

    annotators: int
    cells: int
    by_rule: dict[str, int]


def has_second_round(study: Study, purpose: Purpose = Purpose.MAIN) -> bool:
    """Whether one was opened for annotators of this purpose: one for simulated annotators does not count for people."""
    mine = Assignment.objects.active().filter(annotator__study=study, annotator__purpose=purpose)
    return mine.filter(round=ROUND).exists()


def can_open_second_round(study: Study) -> bool:
    """Whether the study's parameters provide for a second round that was not opened yet."""
    open_now = study.state in (StudyState.LIVE, StudyState.PAUSED)
    return open_now and (get_declaration(study).rounds or 0) >= ROUND and not has_second_round(study)


@transaction.atomic
def open_second_round(study: Study, purpose: Purpose = Purpose.MAIN) -> OpenedRound:
    """Assign flagged scores to the annotators who gave them, in round 2; `SpecError` if that is not possible.

    Includes the scores that people of this purpose have handed in by now.
    """
    study = lock_study(study, StudyState.LIVE, StudyState.PAUSED)
    declaration = get_declaration(study)
    refuse_second_round(study, declaration, purpose)
    flags = list_flags(list_scores(study, declaration, purpose), declaration.rules, is_exact=declaration.exact_wording)
    if not flags:
        raise SpecError(_("No score matches any of the rules, so there is nothing to reopen."))
    first = declaration.stages[0].name
    new = [
        assignment
        for annotator in study.annotators.filter(pk__in={int(flag.annotator) for flag in flags})
        for assignment in make_assignments(annotator, [f for f in flags if f.annotator == str(annotator.pk)], first)
    ]
    Assignment.objects.bulk_create(new)
    rules = [flag.rule for flag in flags]
    cells = {(flag.annotator, flag.item, flag.question) for flag in flags}
    by_rule = {rule: rules.count(rule) for rule in declaration.rules}
    return OpenedRound(len({flag.annotator for flag in flags}), len(cells), by_rule)


def refuse_second_round(study: Study, declaration: Declaration, purpose: Purpose) -> None:
    if (declaration.rounds or 0) < ROUND:
        raise SpecError(_("This study has only one round (parameter rounds)."))
    if not declaration.rules:
        raise SpecError(_("This study has no rules for a second round (parameter rules)."))
    if has_second_round(study, purpose):
        raise SpecError(_("The second round of this study is already open."))


def list_scores(study: Study, declaration: Declaration, purpose: Purpose) -> list[Score]:
    """Everything people have scored in round 1; annotators and items by primary key."""
    scales = {question.name for stage in declaration.stages for question in stage.questions if question.kind == "scale"}
    answers = Response.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__kind=AnnotatorKind.HUMAN,
        assignment__annotator__purpose=purpose,
        assignment__returned_at=None,
        assignment__round=1,
        question__in=scales,
    ).select_related("item", "assignment")
    return [
        Score(
            annotator=str(answer.assignment.annotator_id),
            text=str(answer.item.text_id),
            item=str(answer.item_id),
            question=answer.question,
            wording=answer.item.stem,
            value=answer.value,
        )
        for answer in answers
        if answer.item
    ]


def make_assignments(annotator: Annotator, flags: list[Flag], stage: str) -> list[Assignment]:
    """One assignment of round 2 for each unit in which the annotator has flagged scores, in the order of round 1."""
    cells: dict[int, dict[str, Any]] = defaultdict(dict)
    for flag in flags:
        cell = cells[int(flag.item)].setdefault(flag.question, {"rules": [], "own": flag.score, "others": []})
        cell["rules"].append(flag.rule)
        if flag.rule == "c":
            cell["others"] = list(flag.others)
    done = annotator.assignments.active().filter(round=1, unit__items__in=cells).distinct().order_by("position", "pk")
    after = annotator.assignments.aggregate(last=Max("position"))["last"] + 1
    return [
        make_assignment(assignment, after + place, cells, stage) for place, assignment in enumerate(done.iterator())
    ]


def make_assignment(first: Assignment, position: int, cells: dict[int, dict[str, Any]], stage: str) -> Assignment:
    """The flagged items of a unit, in the order in which they were shown before, under new handles."""
    shown = [[make_handle(), item, []] for _handle, item, _options in first.shown[stage] if item in cells]
    return Assignment(
        annotator=first.annotator,
        unit=first.unit,
        slot=first.slot,
        text_version=first.text_version,
        round=ROUND,
        position=position,
        shown={stage: shown},
        reopened={str(item): cells[item] for _handle, item, _options in shown},
        stage=stage,
    )
