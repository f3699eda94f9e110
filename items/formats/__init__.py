"""Formats of item banks: each reads bytes into the same rows and collects what is wrong with them."""

from collections.abc import Callable

from items.formats import lesart
from items.formats.problems import Reading

FORMATS: dict[str, Callable[[bytes], Reading]] = {"lesart": lesart.read}
ENDINGS = {".jsonl": "lesart", ".ndjson": "lesart", ".json": "lesart"}


def format_of(filename: str) -> str | None:
    """The format that the end of a file's name says, None where it says nothing we know."""
    name = filename.lower()
    return next((known for ending, known in ENDINGS.items() if name.endswith(ending)), None)
