"""Bytes to JSON objects, one a line, for files that nobody vouches for."""

import codecs
import json
import math
from collections.abc import Iterator
from typing import Any, NoReturn

from django.utils.translation import gettext as _

from items.formats.problems import Problems
from items.plain import printable

MAX_DEPTH = 32
# Readers of JSON disagree on whole numbers above 64 bits.
MAX_WHOLE = 2**63

UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class BadLine(ValueError):
    """A line that is no JSON object we can store; says why."""


def objects(content: bytes, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each line's number and object; lines that are none, and files that are no JSON lines, go to the problems."""
    content = content.removeprefix(codecs.BOM_UTF8)
    if reason := _not_lines(content):
        problems.add(0, "", reason)
        return
    # Only \n and \r\n part lines: U+2028 and the like may stand inside a string.
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            yield number, parse(line)
        except BadLine as error:
            problems.add(number, "", str(error))


def _not_lines(content: bytes) -> str:
    """Why the whole file cannot be JSON lines; empty if it may be."""
    start = content.lstrip()
    if not start:
        return _("The file is empty. Lesart reads JSONL: one text with its items on each line.")
    if content.startswith(UTF16):
        return _("The file is written in UTF-16. Save it as UTF-8 and send it again.")
    if start.startswith(b"["):
        return _("The file is one JSON array. Write each of its elements on a line of its own, without commas between.")
    if start.split(b"\n", 1)[0].strip() == b"{":
        return _("The file is JSON spread over several lines. Write each text, with its items, on one line.")
    return ""


def parse(line: bytes) -> dict[str, Any]:
    """The object on one line, safe to store in any database."""
    try:
        value = DECODER.decode(line.decode("utf-8").strip())
    except UnicodeDecodeError as error:
        raise BadLine(
            _("The line is not UTF-8 (byte {place}). Save the file as UTF-8 and send it again.").format(
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
        raise BadLine(_too_deep()) from None
    if not isinstance(value, dict):
        raise BadLine(_('The line is not a JSON object. Write {"text": "…", "items": […]}.'))
    _check(value)
    return value


def _check(value: Any, depth: int = 0) -> None:
    """Refuse what json.loads lets through and no database keeps: NUL, lone surrogates, great depth."""
    if depth > MAX_DEPTH:
        raise BadLine(_too_deep())
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
        raise BadLine(_("The line holds a NUL character (\\u0000), which cannot be stored. Take it out."))
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise BadLine(_("The line holds half of a character (a lone surrogate such as \\ud800). Take it out."))


def _too_deep() -> str:
    return _("The line is nested more than {limit} levels deep. Make it flatter.").format(limit=MAX_DEPTH)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys: set[str] = set()
    for key, _value in pairs:
        if key in keys:
            raise BadLine(_("The field “{name}” stands twice in one object. Keep one.").format(name=printable(key)))
        keys.add(key)
    return dict(pairs)


def _constant(word: str) -> NoReturn:
    raise BadLine(
        _("The line holds {word}, which is no JSON number. Write null or leave the field out.").format(word=word)
    )


def _fraction(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise _too_large(digits)
    return value


def _whole(digits: str) -> int:
    # Counted before it is read: Python refuses to read more than 4,300 digits.
    if len(digits) > 20 or abs(int(digits)) >= MAX_WHOLE:
        raise _too_large(digits)
    return int(digits)


def _too_large(digits: str) -> BadLine:
    return BadLine(_("The number {number} is too large. Write it in quotes.").format(number=printable(digits, 30)))


DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_fraction, parse_int=_whole)
