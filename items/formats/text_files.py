"""Files of one text each, and decoding their bytes: by byte order mark, else UTF-8, else possibly Windows-1252.

Each file is one text without items. Its name, without the ending, is its title and its id.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from items.files import explain_kind, explain_utf16
from items.formats.documents import READERS, Document, Unreadable
from items.formats.markup import read_web_page
from items.formats.rows import Line, Reading, TextRow, validate_row
from items.models import MAX_ID
from items.plain import has_control, make_printable

MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# Icelandic letters are left out: in Turkish files the same bytes are other letters.
LETTERS = frozenset("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜßàáâãäåæçèéêëìíîïñòóôõöøùúûüŒœ")
SIGNS = frozenset("„“”‚‘’‹›«»–—…€£§©®°·•¡¿²³¹½¼¾×\u00a0")
# Signs that may occur between two letters: l’eau, col·legi.
SIGNS_IN_WORDS = frozenset("’–—·\u00a0")
# Above this share, the bytes are not Western European: Cyrillic or Greek would be read as accented letters.
MAX_ACCENTED_SHARE = 0.25
MAX_DOUBTFUL = 5
HTML = (".html", ".htm")


class Undecodable(ValueError):
    """Bytes that cannot be decoded with certainty; the message says what to do."""


@dataclass(frozen=True)
class DecodedText:
    """The characters. doubtful: if Windows-1252 was guessed, some words with which users can check the guess."""

    text: str
    doubtful: tuple[str, ...] = ()


def decode(content: bytes) -> DecodedText:
    """The characters of a file; raises Undecodable with a sentence."""
    if reason := explain_kind(content):
        raise Undecodable(reason)
    decoded = _decode_by_mark(content)
    if "\0" in decoded.text:
        if reason := explain_utf16(content):
            raise Undecodable(reason)
        line = decoded.text[: decoded.text.index("\0")].count("\n") + 1
        raise Undecodable(
            _("Line {line} contains a NUL character, so this is not plain text. Save the file as UTF-8.").format(
                line=line
            )
        )
    return decoded


def decode_or_report(content: bytes, line: int, reading: Reading) -> str | None:
    """The characters, with a warning if the encoding was guessed; None and a problem if they cannot be decoded."""
    try:
        decoded = decode(content)
    except Undecodable as error:
        reading.problems.add(line, "", str(error))
        return None
    if decoded.doubtful:
        reason = _("The file is not UTF-8 and was read as Windows-1252. Check words such as: {words}.")
        reading.warnings.add(line, "", reason.format(words=", ".join(decoded.doubtful)))
    return decoded.text


def _decode_by_mark(content: bytes) -> DecodedText:
    for mark, name in MARKS.items():
        if content.startswith(mark):
            return DecodedText(_decode_marked(content.removeprefix(mark), name))
    try:
        return DecodedText(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        return _decode_western(content, error.start + 1)


def _decode_marked(content: bytes, name: str) -> str:
    try:
        return content.decode(name)
    except UnicodeDecodeError as error:
        raise Undecodable(
            _("The file claims to be {encoding}, but byte {place} is not. Save it as UTF-8.").format(
                encoding=name.upper(), place=error.start + 1
            )
        ) from None


def _decode_western(content: bytes, place: int) -> DecodedText:
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        text = ""
    if not text or not _is_western(text):
        raise Undecodable(
            _("The file is neither UTF-8 (byte {place}) nor clearly Windows-1252. Save it as UTF-8.").format(
                place=place
            )
        )
    return DecodedText(text, _find_doubtful_words(text))


def _find_doubtful_words(text: str) -> tuple[str, ...]:
    """The first different words with letters beyond ASCII."""
    words: dict[str, None] = {}
    for found in islice(re.finditer(r"\w{0,30}[^\x00-\x7f]\w{0,30}", text), 1_000):
        words.setdefault(found[0])
    return tuple(make_printable(word) for word in list(words)[:MAX_DOUBTFUL])


def _is_western(text: str) -> bool:
    """Whether all characters beyond ASCII are where a text in a Western European language has them."""
    counts = {char: text.count(char) for char in set(text)}
    if any(not char.isascii() and char not in LETTERS | SIGNS for char in counts):
        return False
    letters = sum(count for char, count in counts.items() if char.isalpha())
    if sum(counts.get(char, 0) for char in LETTERS) > MAX_ACCENTED_SHARE * letters:
        return False
    signs = "".join(SIGNS - SIGNS_IN_WORDS)
    return re.search(rf"[^\W\d_][{re.escape(signs)}][^\W\d_]", text) is None


def read_text_files(files: Iterable[tuple[str, bytes]]) -> Reading:
    """The texts of several files, given as (name, bytes); a file counts as a line."""
    reading = Reading()
    numbers: dict[str, int] = {}
    for number, (name, content) in enumerate(files, start=1):
        reading.names[number] = make_printable(name)
        title = _make_title(name)
        if title and numbers.setdefault(title, number) != number:
            reason = _("Another file has the same name, so both would get the same id. Rename one.")
            reading.problems.add(number, "id", reason)
            continue
        found = read_document(name, content, number, reading)
        if found is not None and (text := _read_text(number, name, found, reading)):
            reading.lines.append(Line(number, text))
    return reading


def read_document(name: str, content: bytes, number: int, reading: Reading) -> Document | None:
    """The text of a file; None and a problem if it cannot be read."""
    ending = PurePath(name).suffix.lower()
    if ending in READERS:
        if ending == ".pdf":
            reason = _("PDF files do not say where paragraphs end, so that this is a guess. Check the text.")
            reading.warnings.add(number, "text", reason)
        try:
            return READERS[ending](content)
        except Unreadable as error:
            reading.problems.add(number, "", str(error))
            return None
    text = decode_or_report(content, number, reading)
    if text is None:
        return None
    return Document(*read_web_page(text)) if ending in HTML else Document("", text)


def name_text_file(name: str, found: Document) -> dict[str, Any]:
    """The id and title of a file's text, where it can have them."""
    id = _make_title(name)
    return ({"id": id} if id else {}) | ({"title": found.title or id} if found.title or id else {})


def _read_text(number: int, name: str, found: Document, reading: Reading) -> TextRow | None:
    value = name_text_file(name, found) | {"text": found.body}
    if not found.body.strip():
        reading.problems.add(number, "text", _("The file is empty. Leave it out, or add text."))
        return None
    return validate_row(TextRow, value, number, reading.problems)


def _make_title(name: str) -> str:
    """The file's name in one Unicode form (macOS decomposes letters), empty if it cannot be an id."""
    title = unicodedata.normalize("NFC", PurePath(name).stem).strip()
    return "" if title == "-" or has_control(title) or len(title) > MAX_ID else title


# Where one pasted text ends and the next begins, and which line is its title.
#
# static/js/split-preview.js shows the same during typing; tests/browser/test_researcher_pages.py compares the two.

LONGEST_TITLE = 80  # characters
HEADING = re.compile(r"#{1,6}\s+(\S.*)")


class Split(TextChoices):
    """What marks the beginning of a new text."""

    LINE = "line", gettext_lazy("After a line of")
    BLANK = "blank", gettext_lazy("After two empty lines")
    HEADING = "heading", gettext_lazy("At each heading (a line that begins with #)")
    NONE = "none", gettext_lazy("It is one text")


def split_texts(pasted: str, split: str, line: str) -> list[tuple[str, str]]:
    """(title, body) of each non-empty text; the title is empty unless there was a heading.

    `line`: the only content of the line between two texts, for Split.LINE.
    """
    texts: list[tuple[str, list[str]]] = [("", [])]
    n_empty = 0
    for each in pasted.splitlines():
        n_empty = 0 if each.strip() else n_empty + 1
        heading = HEADING.fullmatch(each.strip()) if split == Split.HEADING else None
        if heading:
            texts.append((heading[1], []))
        elif (split == Split.LINE and line and each.strip() == line) or (split == Split.BLANK and n_empty == 2):
            texts.append(("", []))
        else:
            texts[-1][1].append(each)
    return [(title, body) for title, lines in texts if (body := "\n".join(lines).strip())]


def take_title(body: str) -> tuple[str, str]:
    """The first line and the rest, if it looks like a title: short, no sentence, followed by an empty line."""
    first, _newline, rest = body.partition("\n")
    looks_so = len(first) <= LONGEST_TITLE and first.rstrip()[-1:] not in ".,;:…" and not rest.split("\n")[0].strip()
    return (first.strip(), rest.strip()) if looks_so and rest.strip() else ("", body)
