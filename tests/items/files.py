"""Files to import, made of small parts, and what comes of importing them."""

import json
from typing import Any

from items.services.importing import ImportRefused, import_items, read_bank_file
from items.services.naming import ImportOptions
from items.services.plan import ImportPlan
from projects.models import Project

BODY = "The ferry leaves at nine. On Sundays it leaves at ten, because the harbour master sings in the choir."
STEM = "Why does the ferry leave later on Sundays?"
OPTIONS = [("The harbour master sings.", True), ("The tide is low.", False)]


def text_row(items: list[dict] | None = None, **fields: Any) -> dict:
    """A line: a text in English with the given items; None takes a field out."""
    row = {"text": BODY, "language": "en", "items": [item_row()] if items is None else items} | fields
    return {name: value for name, value in row.items() if value is not None}


def item_row(options: list[tuple[str, bool]] | None = None, **fields: Any) -> dict:
    chosen = OPTIONS if options is None else options
    answers = [{"text": text, "correct": correct} for text, correct in chosen]
    return {"question": STEM, "answers": answers, **fields}


def jsonl(*rows: Any) -> bytes:
    """Bytes are lines as they are; everything else is written as JSON."""
    lines = [row if isinstance(row, bytes) else json.dumps(row, ensure_ascii=False).encode() for row in rows]
    return b"\n".join(lines) + b"\n"


def load(project: Project, *rows: Any, **options: Any) -> ImportPlan:
    return import_items(project, read_bank_file(jsonl(*rows)), ImportOptions(**options), filename="bank.jsonl")


def csv(*lines: str, ending: str = "\n") -> bytes:
    """A table of these lines."""
    return "".join(line + ending for line in lines).encode()


def load_csv(project: Project, content: bytes, columns: list[str] | None = None, **options: Any) -> ImportPlan:
    reading = read_bank_file(content, "csv", columns=columns)
    return import_items(project, reading, ImportOptions(**options), filename="bank.csv")


def problems_of(content: bytes, format_name: str = "csv", **how: Any) -> list[tuple[int, str, str]]:
    """What is wrong with a file, without a project: line, field, reason."""
    return [
        (each.line, each.field, each.reason) for each in read_bank_file(content, format_name, **how).problems.listed
    ]


def refusal(project: Project, *rows: Any, **options: Any) -> list[tuple[int, str, str]]:
    """The problems for which the file is refused: line, field, reason."""
    try:
        load(project, *rows, **options)
    except ImportRefused as refused:
        return [(problem.line, problem.field, problem.reason) for problem in refused.plan.problems.listed]
    raise AssertionError("The file was not refused.")


def warnings(plan: ImportPlan) -> list[tuple[int, str, str]]:
    return [(warning.line, warning.field, warning.reason) for warning in plan.warnings.listed]
