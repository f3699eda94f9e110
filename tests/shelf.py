"""What takes long to make, kept for all workers of a run of the tests: each looks here before it makes it again."""

import os
import pickle
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from threading import get_ident
from typing import Any

_kept: dict[str, bytes] = {}
_folders: list[Path] = []  # none, or that of all workers


def share_shelf(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    _folders[:] = [folder]


def take_or_make(key: str, make: Callable[[], Any]) -> Any:
    """A copy of what `make` gives, made once for the key."""
    if key not in _kept:
        _kept[key] = _read(key) or _write(key, pickle.dumps(make()))
    return pickle.loads(_kept[key])  # noqa: S301 - what was pickled above


def _read(key: str) -> bytes | None:
    return next((place.read_bytes() for place in _find_places(key) if place.exists()), None)


def _write(key: str, content: bytes) -> bytes:
    """Under another name first: another worker or thread reads it whole or not at all."""
    for place in _find_places(key):
        own = place.with_suffix(f".{os.getpid()}-{get_ident()}")
        own.write_bytes(content)
        own.replace(place)
    return content


def _find_places(key: str) -> list[Path]:
    return [folder / sha256(key.encode()).hexdigest() for folder in _folders]
