"""`metadata.extra` of a text and the columns that are filled from it. Metadata is kept whole; the columns follow it."""

from collections.abc import Mapping
from typing import Any

from django.db.models import CharField

from items.models import Text
from items.values import DETAILS, TextValues


def extra_of(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return dict(metadata.get("extra") or {})


def columns_from(metadata: Mapping[str, Any], known: TextValues | None = None) -> dict[str, Any]:
    """The columns as this metadata fills them. What it does not name stays as it was known, so that a text that may not
    be shared never becomes shareable by silence; what does not fit a column stays in the metadata only."""
    extra = extra_of(metadata)
    columns: dict[str, Any] = {name: getattr(known, name, "") for name in DETAILS}
    columns |= {name: extra[name].strip() if fits(name, extra[name]) else "" for name in DETAILS if name in extra}
    shareable = extra.get("shareable")
    return columns | {"shareable": getattr(known, "shareable", True) if shareable is None else shareable}


def unfit(metadata: Mapping[str, Any]) -> list[str]:
    """Names in `extra` that belong to a column but cannot stand in it."""
    extra = extra_of(metadata)
    return [name for name in DETAILS if extra.get(name) is not None and not fits(name, extra[name])]


def with_columns(metadata: Mapping[str, Any], columns: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata after its columns were edited, so that an export and a second import agree with them."""
    extra = extra_of(metadata)
    for name in DETAILS:
        held = extra.get(name)
        fitting = fits(name, held)
        if fitting and str(held).strip() == columns[name]:
            continue
        if columns[name]:
            extra[name] = columns[name]
        elif fitting:
            del extra[name]
    if not columns["shareable"] or "shareable" in extra:
        extra["shareable"] = columns["shareable"]
    return {**metadata, "extra": extra} if extra or "extra" in metadata else dict(metadata)


def fits(name: str, value: Any) -> bool:
    """Can the value stand in the column of that name?"""
    return isinstance(value, str) and len(value.strip()) <= limit(name)


def limit(name: str) -> int:
    column = Text._meta.get_field(name)
    assert isinstance(column, CharField)
    return column.max_length or 0
