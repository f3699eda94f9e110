"""Formats of item banks: each reads bytes into the same rows and collects what is wrong with them."""

from collections.abc import Callable, Sequence

from items.formats import lesart, text_files
from items.formats.problems import Reading
from items.formats.tables import reading as tables


def _lesart(content: bytes, name: str, columns: Sequence[str] | None) -> Reading:
    return lesart.read(content)


def _text(content: bytes, name: str, columns: Sequence[str] | None) -> Reading:
    return text_files.read_files([(name, content)])


def _csv(content: bytes, name: str, columns: Sequence[str] | None) -> Reading:
    return tables.read(content, columns)


# From a file's bytes, its name, and what was chosen for each of its columns.
FORMATS: dict[str, Callable[[bytes, str, Sequence[str] | None], Reading]] = {
    "lesart": _lesart,
    "csv": _csv,
    "text": _text,
}
ENDINGS = {
    ".jsonl": "lesart",
    ".ndjson": "lesart",
    ".json": "lesart",
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "text",
}


def format_of(filename: str) -> str | None:
    """The format that the end of a file's name says, None where it says nothing we know."""
    name = filename.lower()
    return next((known for ending, known in ENDINGS.items() if name.endswith(ending)), None)


def endings_of(*formats: str) -> list[str]:
    return [ending for ending, known in ENDINGS.items() if known in formats]
