"""Storing models' judgments of items, pairs and tuples, with the same checks as for people.

Missing answers are counted on request. Judges take part in round 1 only: a second round returns scores to the people
who gave them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from django.db import transaction

from studies.models import Annotator, AnnotatorKind, Assignment, Response, Study, UnitItem
from studies.protocols import PROTOCOLS, Stage
from studies.protocols.base import Value, get_stored_item
from studies.services.answers import About, GivenAnswers, check_answers
from studies.services.declarations import get_declaration
from studies.services.evaluating import insert_answers, list_open_questions, submit_stages

Answers = dict[tuple[int, int | None], dict[str, Value]]  # by assignment and item, by question


@dataclass(frozen=True)
class Judgeable:
    """What is judged at once: an item, or the compared items of a unit. `item_id`: see `get_stored_item`."""

    unit_id: int
    item_id: int | None
    item_ids: tuple[int, ...]
    has_expected_answer: bool


def list_judgeables(study: Study) -> list[Judgeable]:
    """In the study's order, text by text."""
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
    allowed = About((), about.has_expected_answer, tuple(picks))
    insert_answers(
        assignment, stage, check_answers(stage, GivenAnswers(about.item_id, values=values), allowed, partial=True)
    )


def read_values(study: Study, annotators: Iterable[Annotator]) -> Answers:
    """What these annotators answered."""
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
    """By annotator. A question that depends on a missing answer is not counted. Baselines are asked only what the
    protocol's rules answer."""
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
