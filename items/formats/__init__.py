"""Formats of item banks: each reads bytes into the same rows and collects what is wrong with them."""

from collections.abc import Callable, Iterable, Sequence

from items.formats import aiken, gift, jsonl, table, text_files
from items.formats.questions import Written
from items.formats.rows import Reading, TextRow


def _read_lesart(content: bytes, name: str, columns: Sequence[str] | None) -> Reading:
    return jsonl.read_jsonl(content)


def _read_text_file(content: bytes, name: str, columns: Sequence[str] | None) -> Reading:
    return text_files.read_text_files([(name, content)])


def _read_csv(content: bytes, name: str, columns: Sequence[str] | None) -> Reading:
    return table.read_table(content, columns)


def _read_gift(content: bytes, name: str, columns: Sequence[str] | None) -> Reading:
    return gift.read_gift(content)


def _read_aiken(content: bytes, name: str, columns: Sequence[str] | None) -> Reading:
    return aiken.read_aiken(content)


# From a file's bytes, its name, and what was chosen for each of its columns.
FORMATS: dict[str, Callable[[bytes, str, Sequence[str] | None], Reading]] = {
    "lesart": _read_lesart,
    "csv": _read_csv,
    "text": _read_text_file,
    "gift": _read_gift,
    "aiken": _read_aiken,
}
# Formats of questions, which say what they cannot hold; Lesart's own holds everything.
WRITERS: dict[str, Callable[[Iterable[TextRow]], Written]] = {"gift": gift.write_gift, "aiken": aiken.write_aiken}
ENDINGS = {
    ".jsonl": "lesart",
    ".ndjson": "lesart",
    ".json": "lesart",
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "text",
    ".gift": "gift",
    ".aiken": "aiken",
}


def find_format(filename: str) -> str | None:
    """The format that the end of a file's name says, None where it says nothing we know."""
    name = filename.lower()
    return next((known for ending, known in ENDINGS.items() if name.endswith(ending)), None)


def list_endings(*formats: str) -> list[str]:
    return [ending for ending, known in ENDINGS.items() if known in formats]
