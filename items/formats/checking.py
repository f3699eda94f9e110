"""What every format checks of a row: its shape, and the metadata that Lesart reads."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from django.utils.translation import gettext as _
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from items import metadata
from items.formats.problems import Problems, Reading
from items.formats.rows import Row, TextRow
from items.plain import printable

Loc = tuple[int | str, ...]
Shape = TypeVar("Shape", bound=Row)


def place(loc: Loc) -> str:
    """Where in a line, counted from 1: “items 2, answers 1, correct”."""
    words: list[str] = []
    for part in loc:
        if isinstance(part, int):
            words[-1] += f" {part + 1}"
        else:
            words.append(printable(part))
    return ", ".join(words)


def checked(
    shape: type[Shape], value: dict[str, Any], line: int, problems: Problems, named: Callable[[Loc], str] = place
) -> Shape | None:
    """The row, or None and a problem for each field that is not as it must be; `named` says what a field is called."""
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            problems.add(line, named(detail["loc"]), _sentence(detail))
        return None


def has_readable_metadata(line: int, text: TextRow, reading: Reading) -> bool:
    """Has what Lesart reads of the metadata its type? The rest is the researcher's."""
    problems = list(_metadata_problems(text.metadata or {}))
    for name, reason in problems:
        reading.problems.add(line, f"metadata, {name}", reason)
    if problems:
        return False
    for name in metadata.unfit(text.metadata or {}):
        reason = _("This is no text of up to {limit} characters, so it stays in the metadata only.")
        reading.warnings.add(line, f"metadata, extra, {name}", reason.format(limit=metadata.limit(name)))
    return True


def _sentence(detail: ErrorDetails) -> str:
    sentences = {
        "missing": _("The field is missing."),
        "string_type": _("This must be a text in quotes."),
        "bool_type": _("This must be true or false, without quotes."),
        "list_type": _("This must be a list: [ … ]."),
        "dict_type": _("This must be an object: { … }."),
        "model_type": _("This must be an object: { … }."),
    }
    if detail["type"] == "value_error":
        return str(detail["ctx"]["error"])
    return sentences.get(detail["type"], detail["msg"])


def _metadata_problems(known: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name in ("dataset", "split"):
        if not isinstance(known.get(name), str | None):
            yield name, _("This must be a text in quotes.")
    if not isinstance(known.get("extra"), dict | None):
        yield "extra", _("This must be an object: { … }.")
    # Not a warning: "false" in quotes would share a text that may not be shared.
    elif not isinstance(metadata.extra_of(known).get("shareable"), bool | None):
        yield "extra, shareable", _("This must be true or false, without quotes.")
