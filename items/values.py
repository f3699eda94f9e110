"""What one version of a text or an item says, whoever says it: a file, a form or a row of the bank."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from items.models import Item, Text

# Columns of a text that stand in `metadata.extra` of a file.
DETAILS = ("source", "genre", "level", "audience", "topic", "licence")


@dataclass(frozen=True)
class TextValues:
    title: str
    body: str
    language: str
    source: str = ""
    genre: str = ""
    level: str = ""
    audience: str = ""
    topic: str = ""
    licence: str = ""
    shareable: bool = True
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class OptionValues:
    external_id: str
    text: str
    correct: bool
    explanation: str = ""


@dataclass(frozen=True)
class ItemValues:
    stem: str
    generator: str
    options: tuple[OptionValues, ...] = ()
    expected_answer: str = ""
    multiple: bool | None = None
    reference: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)


def text_values(text: Text) -> TextValues:
    """What this row says."""
    return TextValues(**{name: getattr(text, name) for name in TextValues.__dataclass_fields__})


def item_values(item: Item) -> ItemValues:
    """What this row and its options say."""
    options = tuple(OptionValues(o.external_id, o.text, o.correct, o.explanation) for o in item.options.all())
    return ItemValues(
        stem=item.stem,
        generator=item.generator.name,
        options=options,
        expected_answer=item.expected_answer,
        multiple=item.multiple,
        reference=item.reference,
        metadata=item.metadata,
    )


def body_hash(body: str) -> str:
    """SHA-256 of the text: what stands for it where it may not be shared."""
    return hashlib.sha256(body.encode()).hexdigest()


def even(value: Any) -> Any:
    """The same JSON value in one fixed order, as PostgreSQL reads it back: 1.0e300 is stored as a whole number."""
    if isinstance(value, Mapping):
        return {key: even(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [even(each) for each in value]
    if isinstance(value, float) and value.is_integer():
        return int(Decimal(repr(value)))
    return value


def same_json(one: Any, other: Any) -> bool:
    """Equal as JSON; unlike ==, true is not 1."""
    return json.dumps(even(one)) == json.dumps(even(other))


def equal_options(wordings: Iterable[str]) -> list[str]:
    """The wordings that stand more than once."""
    return [wording for wording, count in Counter(wordings).items() if count > 1]
