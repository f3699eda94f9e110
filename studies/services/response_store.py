"""Imported judgments as rows: annotators, finished assignments, submissions and responses."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any

from django.utils import timezone

from studies.models import Annotator, AnnotatorKind, Assignment, Response, Study, Submission, Unit
from studies.models.people import DONE
from studies.services.response_checks import ItemAnswer
from studies.shown import new_handle

BATCH = 2_000
Cell = tuple[str, int, Hashable]  # annotator, round, unit


def store(study: Study, answered: list[ItemAnswer], units: dict[Hashable, Unit]) -> None:
    """Write everything that the rows say, inside the caller's transaction."""
    annotators = store_annotators(study, answered)
    assignments = store_assignments(answered, annotators, units)
    store_submissions(answered, assignments)
    version, options = study.instrument_version_id, options_of(answered)
    rows = (row for found in answered for row in responses_from(found, assignments[found.cell], version, options))
    while batch := list(islice(rows, BATCH)):  # bulk_create itself would hold all of them at once
        Response.objects.bulk_create(batch)


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
    answered: list[ItemAnswer], annotators: dict[str, Annotator], units: dict[Hashable, Unit]
) -> dict[Cell, Assignment]:
    """Finished ones, in the order in which the file first names them; what was shown in which order is unknown."""
    finished: dict[Cell, datetime | None] = {}
    for found in answered:
        finished[found.cell] = later([finished.get(found.cell), *(row.submitted_at for row in found.rows)])
    now, places, sides = timezone.now(), Counter[str](), sides_shown(answered)
    assignments = []
    for (code, number, unit), time in finished.items():
        assignments.append(
            Assignment(
                annotator=annotators[code],
                unit=units[unit],
                round=number,
                position=places[code],
                shown=sides.get((code, number, unit), {}),
                stage=DONE,
                finished_at=time or now,
            )
        )
        places[code] += 1
    return dict(zip(finished, Assignment.objects.bulk_create(assignments, batch_size=BATCH), strict=True))


def sides_shown(answered: list[ItemAnswer]) -> dict[Cell, dict[str, list[Any]]]:
    """Of pairs whose left side the file names, what was shown, left first; all other orders are unknown."""
    shown: dict[Cell, dict[str, list[Any]]] = {}
    for found in answered:
        if left := found.rows[0].shown_left:
            sides = sorted(found.items, key=lambda item: item.external_id != left)
            order = [[new_handle(), item.pk, []] for item in sides]
            shown.setdefault(found.cell, {})[found.stage.name] = order
    return shown


def store_submissions(answered: list[ItemAnswer], assignments: dict[Cell, Assignment]) -> None:
    latest: dict[tuple[Cell, str], datetime | None] = {}
    for found in answered:
        key = (found.cell, found.stage.name)
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


def options_of(answered: list[ItemAnswer]) -> dict[int, str]:
    """The ids of all options of the items that were answered, by primary key."""
    items = {found.item.pk: found.item for found in answered}
    return {option.pk: option.external_id for item in items.values() for option in item.options.all()}


def responses_from(
    found: ItemAnswer, assignment: Assignment, version: int, options: dict[int, str]
) -> Iterator[Response]:
    """`options`: see `options_of`."""
    by_option = {(row.question, row.option_id): row for row in found.rows}
    for answer in found.answers:
        row = by_option[answer.question, options.get(answer.option_id or 0, "")]
        yield Response(
            assignment=assignment,
            stage=found.stage.name,
            question=answer.question,
            item_id=answer.item_id,
            option_id=answer.option_id,
            value=answer.value,
            probability=answer.probability,
            unsure=answer.unsure if row.unsure is not None else None,
            comment=answer.comment or row.comment,
            instrument_version_id=version,
            submitted_at=row.submitted_at,
        )
