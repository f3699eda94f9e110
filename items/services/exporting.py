"""The bank as JSONL, in the shape in which it is imported."""

import json
from collections.abc import Iterable
from typing import Any

from items.metadata import with_columns
from items.models import Item, Option, Text
from items.services.bank import load_bank, locked
from items.values import body_hash, even, text_values
from projects.models import Project

# Legal in JSON, but many readers take them for the end of a line.
LINE_ENDS = {"\u2028": "\\u2028", "\u2029": "\\u2029", "\u0085": "\\u0085"}


def bank_lines(project: Project) -> list[str]:
    """One line of JSON for each current text with its current items, all of one moment."""
    with locked(project):
        bank = load_bank(project)
    return [json_line(text_object(text, bank.items_by_text.get(name, []))) for name, text in bank.texts.items()]


def text_object(text: Text, items: Iterable[Item]) -> dict[str, Any]:
    """A text that may not be shared is represented by its hash."""
    said = {"text": text.body} if text.shareable else {"text": None, "text_sha256": body_hash(text.body)}
    metadata = even(with_columns(text.metadata, vars(text_values(text))))
    return {
        "id": text.external_id,
        **_filled(title=text.title),
        **said,
        "language": text.language,
        "items": [item_object(item) for item in items],
        "metadata": metadata,
    }


def item_object(item: Item) -> dict[str, Any]:
    multiple = {} if item.multiple is None else {"multiple": item.multiple}
    return {
        "id": item.external_id,
        "generator": item.generator.name,
        "question": item.stem,
        **multiple,
        "answers": [_option_object(option) for option in item.options.all()],
        **_filled(answer=item.expected_answer, reference=item.reference, metadata=even(item.metadata)),
    }


def _option_object(option: Option) -> dict[str, Any]:
    return {
        "id": option.external_id,
        "text": option.text,
        "correct": option.correct,
        **_filled(explanation=option.explanation),
    }


def _filled(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value}


def json_line(value: dict[str, Any]) -> str:
    """The object as one line of a file, for readers that take more than a line feed for a line's end too."""
    text = json.dumps(value, ensure_ascii=False)
    for char, escaped in LINE_ENDS.items():
        text = text.replace(char, escaped)
    return text + "\n"
