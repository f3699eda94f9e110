"""Formats of item banks: each reads bytes into the same rows and collects what is wrong with them."""

from collections.abc import Callable, Sequence

from items.formats import jsonl, table, text_files
from items.formats.rows import Reading


def _read_lesart(content: bytes, name: str, columns: Sequence[str] | None) -> Reading:
    return jsonl.read_jsonl(content)


def _read_text_file(content: bytes, name: str, columns: Sequence[str] | None) -> Reading:
    return text_files.read_text_files([(name, content)])


def _read_csv(content: bytes, name: str, columns: Sequence[str] | None) -> Reading:
    return table.read_table(content, columns)


# From a file's bytes, its name, and what was chosen for each of its columns.
FORMATS: dict[str, Callable[[bytes, str, Sequence[str] | None], Reading]] = {
    "lesart": _read_lesart,
    "csv": _read_csv,
    "text": _read_text_file,
}
ENDINGS = {
    ".jsonl": "lesart",
    ".ndjson": "lesart",
    ".json": "lesart",
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "text",
}


def find_format(filename: str) -> str | None:
    """The format that the end of a file's name says, None where it says nothing we know."""
    name = filename.lower()
    return next((known for ending, known in ENDINGS.items() if name.endswith(ending)), None)


def list_endings(*formats: str) -> list[str]:
    return [ending for ending, known in ENDINGS.items() if known in formats]
