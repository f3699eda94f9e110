"""Formats of item banks: each reads bytes into the same rows and collects the errors in them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from items.formats import aiken, archive, benchmarks, gift, jsonl, moodle, qti, table, table_writing, text_files
from items.formats.markup import BadXML, parse_xml
from items.formats.questions import WrittenFile
from items.formats.rows import Reading, TextRow
from items.formats.table_columns import Columns


def _read_lesart(content: bytes, name: str, columns: Columns | None) -> Reading:
    return benchmarks.read_benchmark(content) or jsonl.read_jsonl(content)


def _read_text_file(content: bytes, name: str, columns: Columns | None) -> Reading:
    return text_files.read_text_files([(name, content)])


def _read_csv(content: bytes, name: str, columns: Columns | None) -> Reading:
    return table.read_table(content, columns)


def _read_gift(content: bytes, name: str, columns: Columns | None) -> Reading:
    return gift.read_gift(content)


def _read_aiken(content: bytes, name: str, columns: Columns | None) -> Reading:
    return aiken.read_aiken(content)


def _read_xml(content: bytes, name: str, columns: Columns | None) -> Reading:
    return archive.read_archive(content, columns) if archive.holds_texts(content) else read_xml(content)


# The reader of each format. It takes the bytes of a file, its name, and the fields chosen for columns of a table.
FORMATS: dict[str, Callable[[bytes, str, Columns | None], Reading]] = {
    "lesart": _read_lesart,
    "csv": _read_csv,
    "text": _read_text_file,
    "gift": _read_gift,
    "aiken": _read_aiken,
    "moodle": _read_xml,
    "qti": _read_xml,
}


@dataclass(frozen=True)
class QuestionFormat:
    """A format of other tools, which reports what it cannot hold; Lesart's own format holds everything."""

    title: str
    ending: str
    write: Callable[[Iterable[TextRow]], WrittenFile]


WRITERS = {
    "gift": QuestionFormat("GIFT", "gift", gift.write_gift),
    "aiken": QuestionFormat("Aiken", "aiken", aiken.write_aiken),
    "moodle": QuestionFormat("Moodle XML", "xml", moodle.write_moodle),
    "qti": QuestionFormat("QTI 3.0", "zip", qti.write_qti),
    "csv": QuestionFormat("CSV", "csv", table_writing.write_csv_table),
    "xlsx": QuestionFormat("Excel (XLSX)", "xlsx", table_writing.write_sheet_table),
    "parquet": QuestionFormat("Parquet", "parquet", table_writing.write_parquet_table),
}
ENDINGS = {
    ".jsonl": "lesart",
    ".ndjson": "lesart",
    ".json": "lesart",
    ".csv": "csv",
    ".tsv": "csv",
    ".xlsx": "csv",
    ".xlsm": "csv",
    ".parquet": "csv",
    ".txt": "text",
    ".docx": "text",
    ".pdf": "text",
    ".html": "text",
    ".htm": "text",
    ".gift": "gift",
    ".aiken": "aiken",
    ".xml": "moodle",
    ".zip": "qti",
}


def find_format(filename: str) -> str | None:
    """The format according to the ending of a file's name, None for unknown endings."""
    name = filename.lower()
    return next((known for ending, known in ENDINGS.items() if name.endswith(ending)), None)


def list_endings(*formats: str) -> list[str]:
    return [ending for ending, known in ENDINGS.items() if known in formats]


ZIP = b"PK\x03\x04"


def read_xml(content: bytes) -> Reading:
    """The questions of a Moodle quiz, a QTI item or a QTI package."""
    if content.startswith(ZIP):
        return qti.read_package(content)
    try:
        root = qti.normalize(parse_xml(content))
        readers = {"quiz": moodle.read_moodle, "assessmentitem": qti.read_item}
        if root.tag == "questestinterop":
            raise BadXML(_("This is QTI 1.2. Export the questions as QTI 2.1, QTI 3.0 or Moodle XML."))
        if root.tag not in readers:
            raise BadXML(_("This XML file is neither a Moodle quiz nor a QTI item. Pack QTI tests as a ZIP file."))
    except BadXML as error:
        reading = Reading()
        reading.problems.add(0, "", str(error))
        return reading
    return readers[root.tag](root)
