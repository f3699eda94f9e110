"""Answers side by side: one row per unit and question, one column per annotator."""

from collections.abc import Collection, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import F

from analysis.frames.export_rows import not_applicable_rows
from analysis.frames.responses import query_submitted
from analysis.progress import ANSWERS
from jobs.progress import report_progress
from studies.models import Annotator, Study
from studies.protocols.conditions import NOT_APPLICABLE
from studies.services.declarations import get_declaration, map_annotator_declarations

COLUMNS = ("unit", "text_id", "stage", "question", "item_id", "item_version", "option_id", "generator", "key")
FIELDS = {
    "unit": "assignment__unit__position",
    "text_id": "assignment__unit__text__external_id",
    "stage": "stage",
    "question": "question",
    "item_id": "item__external_id",
    "item_version": "item__version",
    "option_id": "option__external_id",
    "generator": "item__generator__name",
    "key": "option__correct",
    "value": "value",
    "round": "assignment__round",
    "annotator": "assignment__annotator__code",
    "item_pk": "item_id",
    "option_position": "option__position",
}
CHUNK = 2000


def wide_columns(study: Study, purposes: Collection[str]) -> tuple[str, ...]:
    """The fixed columns and one for each annotator who has handed something in."""
    return (*COLUMNS, *(annotator_column(code) for code in annotators(study, purposes)))


def annotators(study: Study, purposes: Collection[str]) -> list[str]:
    responded = query_submitted(study, purposes).order_by().values("assignment__annotator")
    return list(Annotator.objects.filter(pk__in=responded).order_by("pk").values_list("code", flat=True))


def annotator_column(code: str) -> str:
    """The code itself; marked where it could be taken for a fixed column or for a marked code."""
    return f"annotator:{code}" if code in COLUMNS or code.startswith("annotator:") else code


def wide_rows(study: Study, purposes: Collection[str]) -> Iterator[dict[str, Any]]:
    """One mapping per unit, stage, item, option and question, of the latest rounds. One unit is held at once."""
    declaration, by_code = get_declaration(study), map_annotator_declarations(study)
    stages = [stage.name for stage in declaration.every_stage]
    rows = (
        query_submitted(study, purposes)
        .order_by("assignment__unit__position", "pk")
        .values_list(*map(F, FIELDS.values()))
    )
    named = (dict(zip(FIELDS, values, strict=True)) for values in rows.iterator(chunk_size=CHUNK))
    n = 0
    for _unit, answers in groupby(named, key=itemgetter("unit")):
        given = list(answers)
        report_progress(ANSWERS, n := n + len(given))
        unit = [*given, *(row | {"value": NOT_APPLICABLE} for row in not_applicable_rows(given, declaration, by_code))]
        yield from unit_rows(unit, stages)


def unit_rows(answers: list[dict[str, Any]], stages: list[str]) -> list[dict[str, Any]]:
    """The answers about one unit, each question once."""
    found: dict[tuple, dict[str, Any]] = {}
    for answer in sorted(answers, key=itemgetter("round")):  # a later round's answer replaces the earlier one
        row = found.setdefault(place_of(answer, stages), {column: answer[column] for column in COLUMNS})
        row[annotator_column(answer["annotator"])] = answer["value"]
    return [found[place] for place in sorted(found)]


def place_of(answer: dict[str, Any], stages: list[str]) -> tuple:
    """Where a question stands: stage, item, its options in their order, then what is asked of the item as a whole."""
    whole = answer["option_position"] is None
    return stages.index(answer["stage"]), answer["item_pk"], whole, answer["option_position"] or 0, answer["question"]
