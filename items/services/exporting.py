"""The bank as JSONL, in the shape in which it is imported, and in formats of questions."""

import csv
import io
import json
from collections.abc import Iterable
from typing import Any

from items.files import zip_files
from items.formats import WRITERS
from items.formats.questions import LeftOut, Written
from items.formats.rows import TextRow
from items.models import Item, Option, Text
from items.pictures import write_data_uris
from items.plain import escape_formula
from items.services.bank import load_bank, lock_bank
from items.services.hub import build_hub_files
from items.values import get_text_values, hash_body, normalise_json, update_extra
from projects.models import Project

HUB = "hub"
ARCHIVES = [*WRITERS, HUB]  # the formats that are a ZIP with left-out.csv
# Legal in JSON, but many readers take them for the end of a line.
LINE_ENDS = {"\u2028": "\\u2028", "\u2029": "\\u2029", "\u0085": "\\u0085"}


def export_lines(project: Project) -> list[str]:
    """One line of JSON for each current text with its current items, all of one moment."""
    return [format_json_line(each) for each in list_text_objects(project)]


def export_questions(project: Project, format_name: str) -> Written:
    """The bank as a file of questions, and what that cannot hold."""
    return WRITERS[format_name].write(TextRow.model_validate(each) for each in list_text_objects(project))


def build_archive(project: Project, format_name: str) -> bytes:
    """A ZIP of the file of questions, or of the files for the Hub, and left-out.csv."""
    if format_name == HUB:
        texts = [TextRow.model_validate(each) for each in list_text_objects(project)]
        files, left_out = build_hub_files(project, texts)
        return zip_files({**files, "left-out.csv": _format_left_out(left_out).encode()})
    written = export_questions(project, format_name)
    questions = f"{project.slug}-items.{WRITERS[format_name].ending}"
    return zip_files({questions: written.content, "left-out.csv": _format_left_out(written.left_out).encode()})


def _format_left_out(left_out: Iterable[LeftOut]) -> str:
    """One row for each item or field that is not in the file."""
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(["text_id", "item_id", "field", "reason"])
    writer.writerows(
        [escape_formula(cell) for cell in (each.text_id, each.item_id, each.field, each.reason)] for each in left_out
    )
    return table.getvalue()


def list_text_objects(project: Project) -> list[dict[str, Any]]:
    """Each current text with its current items, all of one moment."""
    with lock_bank(project):
        bank = load_bank(project)
    return [build_text_object(text, bank.items_by_text.get(name, [])) for name, text in bank.texts.items()]


def build_text_object(text: Text, items: Iterable[Item]) -> dict[str, Any]:
    """A text that may not be shared is represented by its hash; its pictures and versions are left out."""
    pictures = write_data_uris(text) if text.shareable else {}
    versions = text.versions if text.shareable else []
    said = {"text": text.body} if text.shareable else {"text": None, "text_sha256": hash_body(text.body)}
    metadata = normalise_json(update_extra(text.metadata, vars(get_text_values(text))))
    return {
        "id": text.external_id,
        **_drop_empty(title=text.title),
        **said,
        "language": text.language,
        **_drop_empty(markup=text.markup, pictures=pictures, versions=versions),
        "items": [build_item_object(item) for item in items],
        "metadata": metadata,
    }


def build_item_object(item: Item) -> dict[str, Any]:
    multiple = {} if item.multiple is None else {"multiple": item.multiple}
    return {
        "id": item.external_id,
        "generator": item.generator.name,
        "question": item.stem,
        **multiple,
        "answers": [_build_option_object(option) for option in item.options.all()],
        **_drop_empty(answer=item.expected_answer, reference=item.reference, metadata=normalise_json(item.metadata)),
    }


def _build_option_object(option: Option) -> dict[str, Any]:
    return {
        "id": option.external_id,
        "text": option.text,
        "correct": option.correct,
        **_drop_empty(explanation=option.explanation),
    }


def _drop_empty(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value}


def format_json_line(value: dict[str, Any]) -> str:
    """The object as one line of a file, for readers that take more than a line feed for a line's end too."""
    text = json.dumps(value, ensure_ascii=False)
    for char, escaped in LINE_ENDS.items():
        text = text.replace(char, escaped)
    return text + "\n"
