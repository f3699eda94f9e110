"""Lesart's JSONL: one text with its items a line; a superset of the item-evaluation JSONL."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from items.formats.checking import checked, has_readable_metadata
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
        if text := _row(number, value, reading):
            reading.lines.append(Line(number, text))
            unknown.update(_unknown(text))
            predictions += _predictions(text)
    _warn(reading.warnings, unknown, predictions)
    return reading


def _row(number: int, value: dict[str, Any], reading: Reading) -> TextRow | None:
    text = checked(TextRow, value, number, reading.problems)
    if text is None:
        return None
    if text.body is None and text.body_hash is None:
        reason = _("The text is missing. Some data sets leave it out: fill it in from the source.")
        reading.problems.add(number, "text", reason)
        return None
    return text if has_readable_metadata(number, text, reading) else None


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
