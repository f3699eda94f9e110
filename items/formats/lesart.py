"""Lesart's JSONL: one text with its items a line; a superset of the item-evaluation JSONL."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from items import metadata
from items.formats.json_lines import objects
from items.formats.problems import Line, Problems, Reading
from items.formats.rows import TextRow
from items.plain import printable

NAMED = 10


def read(content: bytes) -> Reading:
    """The lines of the file, and what is wrong with it."""
    reading = Reading()
    unknown: Counter[str] = Counter()
    predictions = 0
    for number, value in objects(content, reading.problems):
        text = _row(number, value, reading.problems)
        if text and _has_readable_metadata(number, text, reading):
            reading.lines.append(Line(number, text))
            unknown.update(_unknown(text))
            predictions += _predictions(text)
    _warn(reading.warnings, unknown, predictions)
    return reading


def _row(number: int, value: dict[str, Any], problems: Problems) -> TextRow | None:
    try:
        text = TextRow.model_validate(value)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            problems.add(number, place(detail["loc"]), _sentence(detail))
        return None
    if text.body is None and text.body_hash is None:
        problems.add(number, "text", _("The text is missing. Some data sets leave it out: fill it in from the source."))
        return None
    return text


def place(loc: tuple[int | str, ...]) -> str:
    """Where in a line, counted from 1: “items 2, answers 1, correct”."""
    words: list[str] = []
    for part in loc:
        if isinstance(part, int):
            words[-1] += f" {part + 1}"
        else:
            words.append(printable(part))
    return ", ".join(words)


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


def _has_readable_metadata(number: int, text: TextRow, reading: Reading) -> bool:
    """Has what Lesart reads of the metadata its type? The rest is the researcher's."""
    problems = list(_metadata_problems(text.metadata or {}))
    for name, reason in problems:
        reading.problems.add(number, f"metadata, {name}", reason)
    if problems:
        return False
    for name in metadata.unfit(text.metadata or {}):
        reason = _("This is no text of up to {limit} characters, so it stays in the metadata only.")
        reading.warnings.add(number, f"metadata, extra, {name}", reason.format(limit=metadata.limit(name)))
    return True


def _metadata_problems(known: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name in ("dataset", "split"):
        if not isinstance(known.get(name), str | None):
            yield name, _("This must be a text in quotes.")
    if not isinstance(known.get("extra"), dict | None):
        yield "extra", _("This must be an object: { … }.")
    # Not a warning: "false" in quotes would share a text that may not be shared.
    elif not isinstance(metadata.extra_of(known).get("shareable"), bool | None):
        yield "extra, shareable", _("This must be true or false, without quotes.")


def _unknown(text: TextRow) -> Iterator[str]:
    yield from text.model_extra or {}
    for item in text.items:
        yield from (f"items, {name}" for name in item.model_extra or {})
        for option in item.options or []:
            yield from (f"items, answers, {name}" for name in option.model_extra or {})


def _predictions(text: TextRow) -> int:
    return sum(option.prediction is not None for item in text.items for option in item.options or [])


def _warn(warnings: Problems, unknown: Counter[str], predictions: int) -> None:
    for name, n in unknown.most_common(NAMED):
        reason = ngettext(
            "This field is not known; it was left out.", "This field is not known; it was left out {n} times.", n
        )
        warnings.add(0, printable(name), reason.format(n=n))
    if more := max(len(unknown) - NAMED, 0):
        reason = ngettext(
            "{n} more field is not known and was left out.", "{n} more fields are not known and were left out.", more
        )
        warnings.add(0, "", reason.format(n=more))
    if predictions:
        reason = _("Answers of models were left out: the bank holds texts and items only.")
        warnings.add(0, "items, answers, prediction", reason)
