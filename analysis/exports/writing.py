"""Exporting the answers of a study, each file as of one moment: CSV, JSON lines, item-evaluation's lines."""

import csv
import json
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from io import StringIO
from itertools import groupby, islice
from operator import itemgetter
from typing import IO, Any, TypeVar, cast

from django.db.models import F
from django.utils.translation import gettext as _

from analysis.exports.item_evaluation import Source, iter_lines
from analysis.frames.evidence import open_consistent_read
from analysis.frames.export_rows import (
    CHECKS,
    iter_export_chunks,
    iter_export_rows,
    iter_not_applicable_rows,
    list_export_columns,
)
from analysis.frames.responses import query_submitted
from analysis.tables.writers import TextWriter, write_cell
from evaluation.metric_values import METRIC_COLUMNS, iter_metric_rows
from evaluation.services.calls import iter_unanswered, list_unanswered_columns
from items.formats.sheet_writing import Kind, write_parquet, write_workbook
from items.plain import FORMULA_STARTS
from items.services.exporting import format_json_line
from jobs.progress import ANSWERS, report_progress
from projects.scratch import pause_garbage_collection
from studies.models import Annotator, Study
from studies.protocols.conditions import NOT_APPLICABLE
from studies.services.declarations import get_declaration, map_annotator_declarations

# Answers side by side: one row per unit and question, one column per annotator.

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
TOGETHER = 200  # rows of CSV written at once
QUIZZES = ("gift", "moodle", "qti")  # question formats in which a study's items are exported


def list_wide_columns(study: Study, purposes: Collection[str]) -> tuple[str, ...]:
    """The fixed columns, and one for each annotator who has submitted answers."""
    return (*COLUMNS, *(name_annotator_column(code) for code in list_annotator_codes(study, purposes)))


def list_annotator_codes(study: Study, purposes: Collection[str]) -> list[str]:
    responded = query_submitted(study, purposes).order_by().values("assignment__annotator")
    return list(Annotator.objects.filter(pk__in=responded).order_by("pk").values_list("code", flat=True))


def name_annotator_column(code: str) -> str:
    """The code itself; with a mark if it could be confused with a fixed column or a marked code."""
    return f"annotator:{code}" if code in COLUMNS or code.startswith("annotator:") else code


def iter_wide_rows(study: Study, purposes: Collection[str]) -> Iterator[dict[str, Any]]:
    """One mapping per unit, stage, item, option and question, with the latest rounds. Memory holds one unit at a
    time."""
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
        unit = [
            *given,
            *(row | {"value": NOT_APPLICABLE} for row in iter_not_applicable_rows(given, declaration, by_code)),
        ]
        yield from build_unit_rows(unit, stages)


def build_unit_rows(answers: list[dict[str, Any]], stages: list[str]) -> list[dict[str, Any]]:
    """The answers about one unit, each question once."""
    found: dict[tuple, dict[str, Any]] = {}
    for answer in sorted(answers, key=itemgetter("round")):  # a later round's answer replaces the earlier one
        row = found.setdefault(locate_question(answer, stages), {column: answer[column] for column in COLUMNS})
        row[name_annotator_column(answer["annotator"])] = answer["value"]
    return [found[place] for place in sorted(found)]


def locate_question(answer: dict[str, Any], stages: list[str]) -> tuple:
    """The place of a question: stage, item, its options in order, then the questions about the item as a whole."""
    whole = answer["option_position"] is None
    return stages.index(answer["stage"]), answer["item_pk"], whole, answer["option_position"] or 0, answer["question"]


T = TypeVar("T")
Rows = Iterable[dict[str, Any]]


def export_responses(study: Study, format: str, out: TextWriter, purposes: Collection[str] = ("main",)) -> int:
    """Write the answers of these purposes to `out`; returns the number of rows. Memory does not grow with the
    answers."""
    with open_consistent_read():
        return FORMATS[format](study, purposes, out)


@pause_garbage_collection()
def write_long(study: Study, purposes: Collection[str], out: TextWriter) -> int:
    """Write the long CSV; faster than `write_csv`, as rows are written together unless a cell may need a mark."""
    columns, number = list_export_columns(study), 0
    out.write(format_lines([map(write_cell, columns)]))
    places = [columns.index(name) for name in TRUTHS]
    with close_after(iter_export_chunks(study, purposes)) as found:
        for values in found:
            for place in places:
                values[place] = spell_column(values[place])
            rows = zip(*values, strict=False)
            while together := list(islice(rows, TOGETHER)):
                number += len(together)
                lines = format_lines(together)
                out.write("".join(map(format_long, together)) if may_need_mark(lines) else lines)
    return number


def spell_column(values: Iterable[Any]) -> Iterator[Any]:
    """True and false as words, because 1 and 0 are other answers."""
    return ("true" if value is True else "false" if value is False else value for value in values)


def may_need_mark(lines: str) -> bool:
    """Whether a cell may begin with something that a spreadsheet runs. A cell that begins with a line end is quoted."""
    before, signs = ([sign for sign in each if sign in lines] for each in (',\n"', FORMULA_STARTS))
    pairs = (first + sign for first in before for sign in signs if first == '"' or sign not in "\r\n")
    return lines[0] in FORMULA_STARTS or any(map(lines.__contains__, pairs))


def format_long(row: Sequence[Any]) -> str:
    lines = format_lines([row])
    return format_lines([map(write_cell, row)]) if may_need_mark(lines) else lines


def format_lines(rows: Iterable[Iterable[Any]]) -> str:
    csv.writer(lines := StringIO(newline="")).writerows(rows)
    return lines.getvalue()


INTEGERS = (
    "round", "unit", "item_version", "position_shown", "order_in_session", "n_changes", "sequence", "active_seconds",
    "idle_seconds", *CHECKS,
)  # fmt: skip
TRUTHS = ("unsure", "key", "correct", "applicable", "value", "adjudicated_value")  # columns that can be true or false
# The types of columns of the long export; times, ids and answers to any question are text.
KINDS: dict[str, Kind] = {
    **dict.fromkeys(INTEGERS, "integer"),
    **dict.fromkeys(TRUTHS[:4], "truth"),
    "probability": "number",
}


def write_long_workbook(study: Study, purposes: Collection[str], out: TextWriter) -> int:
    columns = list_export_columns(study)
    with close_after(iter_export_rows(study, purposes)) as found:
        return write_workbook(columns, (tuple(spell_truths(row).values()) for row in found), open_bytes(out))


def spell_truths(row: dict[str, Any]) -> dict[str, Any]:
    """The row with true and false written as words, as in CSV: next to numbers a program would read them as 1 and 0."""
    for name in ("value", "adjudicated_value"):
        if isinstance(row[name], bool):
            row[name] = "true" if row[name] else "false"
    return row


def write_long_parquet(study: Study, purposes: Collection[str], out: TextWriter) -> int:
    kinds = {name: KINDS.get(name, "text") for name in list_export_columns(study)}
    with close_after(iter_export_rows(study, purposes)) as found:
        return write_parquet(kinds, (tuple(row.values()) for row in found), open_bytes(out))


def open_bytes(out: TextWriter) -> IO[bytes]:
    """The binary file to which a text file writes; `NoBytes` if it has none."""
    if (beneath := getattr(out, "buffer", None)) is None:
        raise NoBytes(_("This form is not text. Write it to a file."))
    return cast(IO[bytes], beneath)


class NoBytes(ValueError):
    """A workbook cannot be written to a destination that takes only text."""


def write_wide(study: Study, purposes: Collection[str], out: TextWriter) -> int:
    return write_csv(list_wide_columns(study, purposes), iter_wide_rows(study, purposes), out)


def write_unanswered(study: Study, out: TextWriter, purposes: Collection[str] = ("main",)) -> int:
    """Write what models were asked but did not answer, as CSV; returns the number of rows."""
    with open_consistent_read():
        return write_csv(list_unanswered_columns(study), iter_unanswered(study, purposes), out)


def write_metrics(study: Study, out: TextWriter) -> int:
    """Write the metrics of the study's items as CSV; returns the number of rows."""
    with open_consistent_read():
        return write_csv(METRIC_COLUMNS, iter_metric_rows(study), out)


def write_item_evaluation(study: Study, source: Source, out: TextWriter, purposes: Collection[str] = ("main",)) -> int:
    """Write one evaluator's answers in one stage as item-evaluation's JSONL; returns the number of lines, one per
    text."""
    number = 0
    with open_consistent_read(), close_after(iter_lines(study, source, purposes)) as found:
        for number, line in enumerate(found, 1):  # noqa: B007 - the count outlives the loop
            out.write(format_json_line(line))
    return number


def write_csv(columns: Collection[str], rows: Rows, out: TextWriter) -> int:
    writer = csv.writer(out)
    writer.writerow(map(write_cell, columns))
    number = 0
    with close_after(rows) as found:
        for number, row in enumerate(found, 1):  # noqa: B007 - the count outlives the loop
            # csv writes None, whole numbers and plain texts unchanged, which nearly all cells are
            writer.writerow(
                [
                    value
                    if value is None
                    or value.__class__ is int
                    or (value.__class__ is str and value[:1] not in FORMULA_STARTS)
                    else write_cell(value)
                    for value in map(row.get, columns)
                ]
            )
    return number


def write_jsonl(study: Study, purposes: Collection[str], out: TextWriter) -> int:
    """One object per line: the long columns with their types, null where they do not apply."""
    return write_objects(iter_export_rows(study, purposes), out)


def write_items(study: Study, purposes: Collection[str], out: TextWriter) -> int:
    """The items with their statistics as CSV."""
    from analysis.exports.items import list_items  # loads pandas

    columns, rows = list_items(study, purposes)
    return write_csv(columns, rows, out)


def write_quiz(format_name: str, study: Study, purposes: Collection[str], out: TextWriter) -> int:
    """A ZIP of the items in a question format, with their statistics."""
    from analysis.exports.items import build_quiz  # loads pandas

    beneath = open_bytes(out)
    content, number = build_quiz(study, format_name, purposes)
    beneath.write(content)
    return number


def write_preferences(study: Study, purposes: Collection[str], out: TextWriter) -> int:
    """One object a line: a better and a worse item of a text, by people's answers."""
    from analysis.exports.items import list_preferences  # loads pandas

    return write_objects(list_preferences(study, purposes), out)


def write_objects(rows: Rows, out: TextWriter) -> int:
    number = 0
    with close_after(rows) as found:
        for number, row in enumerate(found, 1):  # noqa: B007 - the count outlives the loop
            out.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
    return number


@contextmanager
def close_after(rows: Iterable[T]) -> Iterator[Iterable[T]]:
    """The rows, closing the database cursor at the end: a reader that disconnects stops in the middle."""
    try:
        yield rows
    finally:
        if isinstance(rows, Generator):
            rows.close()


FORMATS: dict[str, Callable[[Study, Collection[str], TextWriter], int]] = {
    "csv": write_long,
    "wide": write_wide,
    "jsonl": write_jsonl,
    "xlsx": write_long_workbook,
    "parquet": write_long_parquet,
    "items": write_items,
    **{name: partial(write_quiz, name) for name in QUIZZES},
    "preferences": write_preferences,
}


def name_export(study: Study, format: str) -> str:
    """The name of the file."""
    ending = {"preferences": "jsonl", "wide": "csv", "items": "csv", **dict.fromkeys(QUIZZES, "zip")}.get(
        format, format
    )
    return f"{study.slug}.{ending}" if format == ending else f"{study.slug}-{format}.{ending}"
