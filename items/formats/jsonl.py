"""Lesart's JSONL: one text with its items per line; a superset of the item-evaluation JSONL."""

import codecs
import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any, NoReturn

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from items.files import explain_kind, explain_utf16, explain_web_page
from items.formats.rows import Line, Problems, Reading, TextRow, check_metadata, validate_row
from items.plain import make_printable

MAX_DEPTH = 32
# Readers of JSON disagree on whole numbers above 64 bits.
MAX_INTEGER = 2**63


class BadLine(ValueError):
    """A line that is not a JSON object we can store; the message says why."""


def read_objects(content: bytes, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each line's number and object; other lines, and files without JSON lines, are added to the problems."""
    content = content.removeprefix(codecs.BOM_UTF8)
    if reason := _explain_not_jsonl(content):
        problems.add(0, "", reason)
        return
    # Only \\n and \\r\\n separate lines: U+2028 and similar characters may occur inside a string.
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            yield number, parse_object(line)
        except BadLine as error:
            problems.add(number, "", str(error))


def _explain_not_jsonl(content: bytes) -> str:
    """Why the file cannot be JSON lines; empty if it may be."""
    start = content.lstrip()
    if not start:
        return _("The file is empty. JSONL files have one text with its items on each line.")
    if reason := explain_kind(content) or explain_utf16(content) or explain_web_page(content):
        return reason
    if start.startswith(b"[" * (MAX_DEPTH + 1)):
        return _explain_too_deep()
    if start.startswith(b"["):
        return _("The file is one JSON array. Write each element on its own line, without commas in between.")
    if start.split(b"\n", 1)[0].strip() == b"{":
        return _("The file is JSON spread over several lines. Write each text, with its items, on one line.")
    return ""


def parse_object(line: bytes) -> dict[str, Any]:
    """The object on one line, safe to store in any database."""
    value = parse_json(line)
    if not isinstance(value, dict):
        raise BadLine(_('The line is not a JSON object. Write {"text": "…", "items": […]}.'))
    return value


def parse_json(line: bytes) -> Any:
    """The JSON value, safe to store in any database."""
    try:
        value = DECODER.decode(line.decode("utf-8").strip())
    except UnicodeDecodeError as error:
        raise BadLine(
            _("The line is not valid UTF-8 (byte {place}). Save the file as UTF-8 and upload it again.").format(
                place=error.start + 1
            )
        ) from None
    except json.JSONDecodeError as error:
        raise BadLine(
            _("The line is not one complete JSON object: {what} at character {place}.").format(
                what=error.msg.removesuffix(" at"), place=error.colno
            )
        ) from None
    except RecursionError:
        raise BadLine(_explain_too_deep()) from None
    if b"\\u" in line or b"\0" in line or line.count(b"[") + line.count(b"{") > MAX_DEPTH:
        _check(value)  # other lines contain nothing that it refuses
    return value


def _check(value: Any, depth: int = 0) -> None:
    """Refuse values that json.loads accepts but databases do not: NUL, lone surrogates, great depth."""
    if depth > MAX_DEPTH:
        raise BadLine(_explain_too_deep())
    if isinstance(value, str):
        _check_string(value)
    elif isinstance(value, dict):
        for key, each in value.items():
            _check_string(key)
            _check(each, depth + 1)
    elif isinstance(value, list):
        for each in value:
            _check(each, depth + 1)


def _check_string(value: str) -> None:
    if "\0" in value:
        raise BadLine(_("The line contains a NUL character (\\u0000), which cannot be stored. Remove it."))
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise BadLine(_("The line contains an invalid character (a lone surrogate such as \\ud800). Remove it."))


def _explain_too_deep() -> str:
    return _("The line is nested more than {limit} levels deep. Reduce the nesting.").format(limit=MAX_DEPTH)


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys: set[str] = set()
    for key, _value in pairs:
        if key in keys:
            raise BadLine(
                _("The field “{name}” occurs twice in one object. Keep one.").format(name=make_printable(key))
            )
        keys.add(key)
    return dict(pairs)


def _refuse_constant(word: str) -> NoReturn:
    raise BadLine(
        _("The line contains {word}, which is not a JSON number. Write null or leave the field out.").format(word=word)
    )


def _parse_fraction(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise _too_large(digits)
    return value


def _parse_integer(digits: str) -> int:
    # Digits are counted before parsing: Python refuses to parse more than 4,300.
    if len(digits) > 20 or abs(int(digits)) >= MAX_INTEGER:
        raise _too_large(digits)
    return int(digits)


def _too_large(digits: str) -> BadLine:
    return BadLine(_("The number {number} is too large. Write it in quotes.").format(number=make_printable(digits, 30)))


DECODER = json.JSONDecoder(
    object_pairs_hook=_build_object,
    parse_constant=_refuse_constant,
    parse_float=_parse_fraction,
    parse_int=_parse_integer,
)

MAX_NAMED = 10  # unknown fields in warnings


def read_jsonl(content: bytes) -> Reading:
    """The lines of the file, and what is wrong with it."""
    reading = Reading()
    unknown: Counter[str] = Counter()
    predictions = 0
    for number, value in read_objects(content, reading.problems):
        if text := _read_text(number, value, reading):
            reading.lines.append(Line(number, text))
            unknown.update(_find_unknown_fields(text))
            predictions += _count_predictions(text)
    _add_warnings(reading.warnings, unknown, predictions)
    return reading


def _read_text(number: int, value: dict[str, Any], reading: Reading) -> TextRow | None:
    text = validate_row(TextRow, value, number, reading.problems)
    if text is None:
        return None
    if text.body is None and text.body_hash is None:
        reason = _("The text is missing. Some data sets leave it out: fill it in from the source.")
        reading.problems.add(number, "text", reason)
        return None
    return text if check_metadata(number, text, reading) else None


def _find_unknown_fields(text: TextRow) -> Iterator[str]:
    yield from text.model_extra or {}
    for item in text.items:
        yield from (f"items, {name}" for name in item.model_extra or {})
        for option in item.options or []:
            yield from (f"items, answers, {name}" for name in option.model_extra or {})


def _count_predictions(text: TextRow) -> int:
    return sum(option.prediction is not None for item in text.items for option in item.options or [])


def _add_warnings(warnings: Problems, unknown: Counter[str], predictions: int) -> None:
    for name, n in unknown.most_common(MAX_NAMED):
        reason = ngettext("Unknown field, ignored.", "Unknown field, ignored {n} times.", n)
        warnings.add(0, make_printable(name), reason.format(n=n))
    if more := max(len(unknown) - MAX_NAMED, 0):
        reason = ngettext("{n} more unknown field was ignored.", "{n} more unknown fields were ignored.", more)
        warnings.add(0, "", reason.format(n=more))
    if predictions:
        reason = _("Model answers in the file were ignored: this import reads texts and items only.")
        warnings.add(0, "items, answers, prediction", reason)
