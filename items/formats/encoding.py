"""Bytes of a plain text or a table to characters: by the file's mark, else UTF-8, else plainly Windows-1252."""

import codecs
import re
from dataclasses import dataclass
from itertools import islice

from django.utils.translation import gettext as _

from items.formats.problems import Reading
from items.plain import printable

MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# Other files by how they begin: of Word and Excel, new and old, and PDF and RTF.
OTHERS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF", b"{\\rtf")
# Icelandic letters are left out: in Turkish files the same bytes stand for other letters.
LETTERS = frozenset("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜßàáâãäåæçèéêëìíîïñòóôõöøùúûüŒœ")
SIGNS = frozenset("„“”‚‘’‹›«»–—…€£§©®°·•¡¿²³¹½¼¾×\u00a0")
# Signs that may stand between two letters: l’eau, col·legi.
BETWEEN = frozenset("’–—·\u00a0")
# Above it, letters of Western Europe are not what the bytes mean: Cyrillic or Greek would be all accents.
ACCENTED = 0.25
SHOWN = 5


class Undecodable(ValueError):
    """Bytes that mean no text for certain; says what to do."""


@dataclass(frozen=True)
class Decoded:
    """The characters; `doubtful` holds some words by which a reader sees whether Windows-1252 was right."""

    text: str
    doubtful: tuple[str, ...] = ()


def decode(content: bytes) -> Decoded:
    """The characters of a file; raises Undecodable with a sentence."""
    if content.startswith(OTHERS):
        raise Undecodable(
            _("This is a file of a word processor, a spreadsheet or a PDF. Save it as plain text or CSV, in UTF-8.")
        )
    decoded = _decoded(content)
    if "\0" in decoded.text:
        line = decoded.text[: decoded.text.index("\0")].count("\n") + 1
        raise Undecodable(
            _("Line {line} holds a NUL character, so this is no plain text. Save the file as UTF-8.").format(line=line)
        )
    return decoded


def characters(content: bytes, line: int, reading: Reading) -> str | None:
    """The characters, with a warning where they are a conclusion; None and a problem where there are none."""
    try:
        decoded = decode(content)
    except Undecodable as error:
        reading.problems.add(line, "", str(error))
        return None
    if decoded.doubtful:
        reason = _("This is not UTF-8 and was read as Windows-1252. Check its words, such as: {words}.")
        reading.warnings.add(line, "", reason.format(words=", ".join(decoded.doubtful)))
    return decoded.text


def _decoded(content: bytes) -> Decoded:
    for mark, name in MARKS.items():
        if content.startswith(mark):
            return Decoded(_marked(content.removeprefix(mark), name))
    try:
        return Decoded(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        return _western(content, error.start + 1)


def _marked(content: bytes, name: str) -> str:
    try:
        return content.decode(name)
    except UnicodeDecodeError as error:
        raise Undecodable(
            _("The file says that it is {encoding}, but byte {place} is not. Save it as UTF-8.").format(
                encoding=name.upper(), place=error.start + 1
            )
        ) from None


def _western(content: bytes, place: int) -> Decoded:
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        text = ""
    if not text or not _is_western(text):
        raise Undecodable(
            _("This is not UTF-8 (byte {place}) and not plainly Windows-1252. Save the file as UTF-8.").format(
                place=place
            )
        )
    return Decoded(text, _doubtful(text))


def _doubtful(text: str) -> tuple[str, ...]:
    """The first different words with letters beyond ASCII."""
    words: dict[str, None] = {}
    for found in islice(re.finditer(r"\w{0,30}[^\x00-\x7f]\w{0,30}", text), 1_000):
        words.setdefault(found[0])
    return tuple(printable(word) for word in list(words)[:SHOWN])


def _is_western(text: str) -> bool:
    """Do all characters beyond ASCII stand where a text in a language of Western Europe has them?"""
    counts = {char: text.count(char) for char in set(text)}
    if any(not char.isascii() and char not in LETTERS | SIGNS for char in counts):
        return False
    letters = sum(count for char, count in counts.items() if char.isalpha())
    if sum(counts.get(char, 0) for char in LETTERS) > ACCENTED * letters:
        return False
    signs = "".join(SIGNS - BETWEEN)
    return re.search(rf"[^\W\d_][{re.escape(signs)}][^\W\d_]", text) is None
