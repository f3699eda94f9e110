"""A ZIP file with one file of texts and items (JSONL or CSV) and the pictures that it uses."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from django.utils.translation import gettext as _

from items.files import BadZip, ZipReader
from items.formats import jsonl, table
from items.formats.rows import MAX_PICTURES, Line, Reading, TextRow
from items.formats.table_columns import Columns
from items.markup import find_named_pictures
from items.models import Markup
from items.pictures import BadPicture, PictureContent, read_picture
from items.plain import make_printable

ZIP = b"PK\x03\x04"
LINES, TABLES = (".jsonl", ".ndjson"), (".csv", ".tsv")
PICTURES = (".png", ".jpg", ".jpeg")


def holds_texts(content: bytes) -> bool:
    """Whether the file is a ZIP file with a file of texts, rather than a package of another tool."""
    try:
        return content.startswith(ZIP) and bool(list_files(ZipReader(content), *LINES, *TABLES))
    except BadZip:
        return False


def list_files(archive: ZipReader, *endings: str) -> list[str]:
    """The files with these endings, without the extra files of macOS."""
    paths = [PurePosixPath(name) for name in archive.names]
    return [
        str(path)
        for path in paths
        if path.suffix.lower() in endings and not path.name.startswith(".") and "__MACOSX" not in path.parts
    ]


def read_archive(content: bytes, columns: Columns | None = None) -> Reading:
    """The texts of the single file, each with the pictures from the ZIP file that it names."""
    archive, reading = ZipReader(content), Reading()
    found = list_files(archive, *LINES, *TABLES)
    if len(found) > 1:
        sentence = _("The ZIP file contains several files of texts: {names}. Import them one by one.")
        reading.problems.add(0, "", sentence.format(names=", ".join(make_printable(name) for name in found[:5])))
        return reading
    try:
        words = archive.read(found[0])
        is_table = found[0].lower().endswith(TABLES)
        reading = table.read_table(words, columns) if is_table else jsonl.read_jsonl(words)
        pictures = {PurePosixPath(name).name: name for name in list_files(archive, *PICTURES)}
        reading.lines[:] = [add_pictures(line, archive, pictures, reading) for line in reading.lines]
    except BadZip as error:
        reading.problems.add(0, "", str(error))
    return reading


def add_pictures(line: Line, archive: ZipReader, paths: dict[str, str], reading: Reading) -> Line:
    """The line with the pictures from the ZIP file that its words show and that it does not contain itself."""
    if line.text.markup != Markup.MARKDOWN:
        return line
    named = dict.fromkeys(name for words in list_words(line.text) for name in find_named_pictures(words))
    wanted = [name for name in named if name in paths and name not in (line.text.pictures or {})]
    if len(wanted) > MAX_PICTURES:
        reason = _("The text has more than {limit} pictures.").format(limit=MAX_PICTURES)
        reading.problems.add(line.number, "pictures", reason)
        return line
    read: dict[str, PictureContent] = {}
    for name in wanted:
        try:
            read[name] = read_picture(archive.read(paths[name]))
        except BadPicture as error:
            reading.problems.add(line.number, "pictures", f"{make_printable(name)}: {error}")
    text = line.text.model_copy(update={"pictures": {**(line.text.pictures or {}), **read}})
    return replace(line, text=text)


def list_words(text: TextRow) -> Iterator[str]:
    """Everything about the text that can show a picture."""
    yield text.body or ""
    yield from (version.text for version in text.versions or ())
    for item in text.items:
        yield item.stem
        yield item.expected_answer or ""
        for option in item.options or ():
            yield option.text
            yield option.explanation or ""
