"""Who answered, what each person was shown in which order, and when, as in a pack."""

from collections.abc import Collection, Iterator
from dataclasses import asdict
from typing import Any

from analysis.files import sort_keys
from analysis.frames.export_rows import iter_export_rows, list_free_text_columns
from analysis.items.independent_coding import Comparison
from analysis.models import CodeDecision, ItemCode
from analysis.pack.frozen import format_time, map_evaluator_prompts, name_instrument_file
from analysis.pack.redaction import Redactor
from evaluation.models import Evaluator
from evaluation.services.calls import POSITION, get_position, iter_unanswered
from items.models import Option
from studies.models import Annotator, Assignment, Study, Submission, UnitItem
from studies.models.people import ERASED
from studies.services.declarations import list_declarations
from studies.services.phases import read_background

OWN_PARAMS = ("prompt", "endpoint")  # primary keys of this server
CHUNK = 2_000


def iter_annotators(study: Study, purposes: Collection[str], redactor: Redactor) -> list[dict[str, Any]]:
    """In the order in which they were added, under opaque codes. No link, name or address."""
    rows = Annotator.objects.filter(study=study, purpose__in=purposes).select_related("variant").order_by("pk")
    rows = rows.exclude(ended_as__in=ERASED)  # their data were erased
    prompts = map_evaluator_prompts(study)
    known = Evaluator.objects.filter(annotator__study=study).select_related("annotator__study")
    evaluators = {each.annotator_id: each for each in known}
    background = read_background(study)
    return [
        {
            "annotator": redactor.code(row.code),
            "kind": row.kind,
            "group": row.group,
            "person": redactor.persons.get(row.person, ""),
            "purpose": row.purpose,
            "model": row.model,
            "reading": row.reading,
            "seat": row.seat,
            "variant": row.variant.name if row.variant else None,
            "evaluator": describe_evaluator(evaluators.get(row.pk), prompts.get(row.pk)),
            **({"background": background[row.code]} if background.get(row.code) and not row.ended_as else {}),
        }
        for row in rows
    ]


def describe_evaluator(evaluator: Evaluator | None, prompt: Any) -> dict[str, Any] | None:
    """How a model or baseline was asked and read; None for people, and for imported ones."""
    if evaluator is None:
        return None
    position = get_position(evaluator)
    positions = {POSITION: asdict(position)} if position else {}
    params = {name: value for name, value in evaluator.params.items() if name not in OWN_PARAMS} | positions
    return {
        "method": evaluator.method,
        "stages": evaluator.stages,
        "params": sort_keys(params),
        "prompt": name_instrument_file(prompt) if prompt else None,
    }


def iter_assignments(study: Study, purposes: Collection[str], redactor: Redactor) -> Iterator[dict[str, Any]]:
    """One per unit, annotator and round, with everything in the order in which it was shown."""
    items = dict(UnitItem.objects.filter(unit__study=study).values_list("item", "item__external_id"))
    options = dict(Option.objects.filter(item__in=items).values_list("pk", "external_id"))
    rows = Assignment.objects.active().filter(annotator__study=study, annotator__purpose__in=purposes)
    for row in rows.order_by("pk").select_related("annotator", "unit").iterator(chunk_size=CHUNK):
        yield {
            "annotator": redactor.code(row.annotator.code),
            "unit": row.unit.position,
            "round": row.round,
            "position": row.position,
            **({"text_version": row.text_version} if row.text_version else {}),
            "stage": row.stage,
            "shown": {stage: describe_order(order, items, options) for stage, order in sorted(row.shown.items())},
            "reopened": row.reopened
            and sort_keys({items[int(pk)]: use_pack_codes(cells, redactor) for pk, cells in row.reopened.items()}),
            "finished_at": format_time(row.finished_at),
        }


def use_pack_codes(cells: Any, redactor: Redactor) -> Any:
    """The cells that an item was reopened with; the person whose scores an expert judges gets an opaque code, too."""
    if not isinstance(cells, dict):
        return cells
    return {
        question: cell | {"annotator": redactor.code(cell["annotator"])} if "annotator" in cell else cell
        for question, cell in cells.items()
    }


def describe_order(order: list[Any], items: dict[int, str], options: dict[int, str]) -> list[Any]:
    """[[item id, [option id, …]], …] in the order shown, without the handles that are part of addresses."""
    return [[items[item], [options[option] for _handle, option in shown]] for _handle, item, shown in order]


def iter_submissions(study: Study, purposes: Collection[str], redactor: Redactor) -> Iterator[dict[str, Any]]:
    rows = Submission.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__purpose__in=purposes,
        assignment__returned_at=None,
    ).select_related("assignment__annotator", "assignment__unit")
    for row in rows.order_by("pk").iterator(chunk_size=CHUNK):
        yield {
            "annotator": redactor.code(row.assignment.annotator.code),
            "unit": row.assignment.unit.position,
            "round": row.assignment.round,
            "stage": row.stage,
            "opened_at": format_time(row.opened_at),
            "submitted_at": format_time(row.submitted_at),
            "active_seconds": row.active_seconds,
        }


def iter_answers(study: Study, purposes: Collection[str], redactor: Redactor) -> Iterator[dict[str, Any]]:
    """The rows of the long export."""
    stages = [stage for declaration in list_declarations(study) for stage in declaration.every_stage]
    free = {question.name for stage in stages for question in stage.questions if question.kind == "text"}
    # What people wrote about themselves may identify them.
    written = dict.fromkeys(list_free_text_columns(study), "")
    for row in iter_export_rows(study, purposes):
        text_id = row["text_id"]
        if row["question"] in free:
            row["value"] = redactor.redact_about_text(text_id, row["value"])
        yield (
            row
            | written
            | {
                "annotator": redactor.code(row["annotator"]),
                "person": redactor.persons.get(row["person"], ""),
                "comment": redactor.redact_about_text(text_id, row["comment"]),
                "raw_output": redactor.redact_about_text(text_id, row["raw_output"]),
                "adjudicated_by": None,
                "reason": redactor.redact_about_text(text_id, row["reason"]),
            }
        )


def iter_missing_answers(study: Study, purposes: Collection[str], redactor: Redactor) -> Iterator[dict[str, Any]]:
    for row in iter_unanswered(study, purposes):
        yield row | {
            "raw_output": redactor.redact_about_text(row["text_id"], row["raw_output"]),
            "reason": redactor.hash_if_quoted(row["reason"]) if row["reason"] else row["reason"],
        }


def iter_codes(study: Study, redactor: Redactor) -> list[dict[str, Any]]:
    """The current codes, without who set them; for a hidden text without span and note."""
    rows = ItemCode.objects.current().filter(study=study).select_related("item__text", "option").order_by("pk")
    return [describe_code(row, row.item.text.external_id in redactor.hidden, redactor) for row in rows]


def iter_coders(study: Study, redactor: Redactor) -> Iterator[dict[str, Any]]:
    """What each independent coder set, once codings can be compared; coders are numbered."""
    for number, coding in enumerate(Comparison(study).codings, 1):
        rows = ItemCode.objects.current(coding).select_related("item__text", "option").order_by("pk")
        for row in rows:
            about = describe_code(row, row.item.text.external_id in redactor.hidden, redactor)
            yield {"coder": number, "finished_at": format_time(coding.finished_at)} | about


def iter_code_decisions(study: Study, redactor: Redactor) -> Iterator[dict[str, Any]]:
    """The decisions where coders differ, without who made them."""
    rows = CodeDecision.objects.filter(study=study, reopened_at=None).select_related("item__text").order_by("pk")
    for row in rows:
        yield {
            "item_id": row.item.external_id,
            "question": row.question,
            "value": row.value,
            "reason": redactor.redact_about_text(row.item.text.external_id, row.reason),
            "decided_at": format_time(row.decided_at),
        }


def describe_code(row: ItemCode, is_hidden: bool, redactor: Redactor) -> dict[str, Any]:
    return {
        "item_id": row.item.external_id,
        "option_id": row.option.external_id if row.option else None,
        "code": row.code,
        "start": None if is_hidden else row.start,
        "end": None if is_hidden else row.end,
        "note": "" if is_hidden else redactor.hash_if_quoted(row.note),
        "set_at": format_time(row.set_at),
    }
