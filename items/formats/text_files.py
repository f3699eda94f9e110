"""Plain text files: each is one text without items. Its name, without the ending, is its title and its id."""

import unicodedata
from collections.abc import Iterable
from pathlib import PurePath

from django.utils.translation import gettext as _

from items.formats.checking import checked
from items.formats.encoding import characters
from items.formats.problems import Line, Reading
from items.formats.rows import TextRow
from items.models import MAX_ID
from items.plain import has_control, printable


def read_files(files: Iterable[tuple[str, bytes]]) -> Reading:
    """The texts of several files, given as (name, bytes); a file stands for a line."""
    reading = Reading()
    numbers: dict[str, int] = {}
    for number, (name, content) in enumerate(files, start=1):
        reading.names[number] = printable(name)
        title = _title(name)
        if title and numbers.setdefault(title, number) != number:
            reason = _("Another file has this name too, so both would get the same id. Rename one.")
            reading.problems.add(number, "id", reason)
            continue
        body = characters(content, number, reading)
        if body is not None and (text := _row(number, title, body, reading)):
            reading.lines.append(Line(number, text))
    return reading


def _row(number: int, title: str, body: str, reading: Reading) -> TextRow | None:
    value = {"id": title, "title": title, "text": body} if title else {"text": body}
    if not body.strip():
        reading.problems.add(number, "text", _("The file is empty. Leave it out, or write a text into it."))
        return None
    return checked(TextRow, value, number, reading.problems)


def _title(name: str) -> str:
    """The file's name in one spelling (macOS takes letters apart), empty if it can be no id."""
    title = unicodedata.normalize("NFC", PurePath(name).stem).strip()
    return "" if title == "-" or has_control(title) or len(title) > MAX_ID else title
