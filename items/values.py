"""The content of one version of a text or an item, from a file, a form or a row; its metadata and columns."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db.models import CharField

from items.models import Item, Text

# Columns of a text that files have in `metadata.extra`.
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
    markup: str = ""
    pictures: Mapping[str, str] = field(default_factory=dict)
    versions: list[dict[str, str]] = field(default_factory=list)
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
    tags: tuple[str, ...] = ()


def get_text_values(text: Text) -> TextValues:
    """The values of this row."""
    return TextValues(**{name: getattr(text, name) for name in TextValues.__dataclass_fields__})


def get_item_values(item: Item) -> ItemValues:
    """The values of this row and its options."""
    options = tuple(OptionValues(o.external_id, o.text, o.correct, o.explanation) for o in item.options.all())
    return ItemValues(
        stem=item.stem,
        generator=item.generator.name,
        options=options,
        expected_answer=item.expected_answer,
        multiple=item.multiple,
        reference=item.reference,
        metadata=item.metadata,
        tags=tuple(item.tags),
    )


def hash_body(body: str) -> str:
    """SHA-256 of the text, which replaces a text that may not be shared."""
    return hashlib.sha256(body.encode()).hexdigest()


def normalize_json(value: Any) -> Any:
    """The same JSON value in a canonical form, as PostgreSQL returns it: 1.0e300 is stored as a whole number."""
    if isinstance(value, Mapping):
        return {key: normalize_json(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [normalize_json(each) for each in value]
    if isinstance(value, float) and value.is_integer():
        return int(Decimal(repr(value)))
    return value


def is_same_json(one: Any, other: Any) -> bool:
    """Whether both are equal as JSON; unlike with ==, true is not 1."""
    return json.dumps(normalize_json(one)) == json.dumps(normalize_json(other))


def find_equal_options(wordings: Iterable[str]) -> list[str]:
    """The wordings that occur more than once."""
    return [wording for wording, count in Counter(wordings).items() if count > 1]


def get_extra(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return dict(metadata.get("extra") or {})


def fill_columns(metadata: Mapping[str, Any], known: TextValues | None = None) -> dict[str, Any]:
    """The columns filled from this metadata. Missing fields keep their known values, so that a text that may not be
    shared never becomes shareable because a field is missing; values that do not fit a column stay in the metadata
    only."""
    extra = get_extra(metadata)
    columns: dict[str, Any] = {name: getattr(known, name, "") for name in DETAILS}
    columns |= {
        name: extra[name].strip() if fits_column(name, extra[name]) else "" for name in DETAILS if name in extra
    }
    shareable = extra.get("shareable")
    return columns | {"shareable": getattr(known, "shareable", True) if shareable is None else shareable}


def find_unfit_fields(metadata: Mapping[str, Any]) -> list[str]:
    """Names in `extra` whose values do not fit their columns."""
    extra = get_extra(metadata)
    return [name for name in DETAILS if extra.get(name) is not None and not fits_column(name, extra[name])]


def update_extra(metadata: Mapping[str, Any], columns: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata updated from edited columns, so that an export and a second import agree with them."""
    extra = get_extra(metadata)
    for name in DETAILS:
        held = extra.get(name)
        fitting = fits_column(name, held)
        if fitting and str(held).strip() == columns[name]:
            continue
        if columns[name]:
            extra[name] = columns[name]
        elif fitting:
            del extra[name]
    if not columns["shareable"] or "shareable" in extra:
        extra["shareable"] = columns["shareable"]
    return {**metadata, "extra": extra} if extra or "extra" in metadata else dict(metadata)


def fits_column(name: str, value: Any) -> bool:
    """Whether the value fits the column of that name."""
    return isinstance(value, str) and len(value.strip()) <= get_column_limit(name)


def get_column_limit(name: str) -> int:
    column = Text._meta.get_field(name)
    assert isinstance(column, CharField)
    return column.max_length or 0
