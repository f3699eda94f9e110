"""The files of jobs, in a folder of the data folder, under random names. Each app decides who may read one."""

import gzip
import pickle
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from secrets import token_hex
from time import time
from typing import IO, Any

from django.conf import settings

FAST = 1  # the compression level: frames with few distinct values shrink well at every level
ORPHANED_AFTER = timedelta(days=1)  # no file takes this long to write


def make_path(name: str) -> Path:
    folder: Path = settings.JOB_FOLDER
    return folder / name


@contextmanager
def create_file() -> Iterator[IO[bytes]]:
    """A new file, in a folder that only this user may open; its path is its name. It is deleted if writing it fails."""
    settings.JOB_FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = make_path(token_hex(16))
    try:
        with path.open("xb") as file:
            yield file
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def write_value(*values: Any) -> Path:
    """A new file with any Python values, readable only by Lesart; the first can be read without the others."""
    with create_file() as file, gzip.open(file, "wb", FAST) as compressed:
        for value in values:
            pickle.dump(value, compressed, pickle.HIGHEST_PROTOCOL)
    return Path(file.name)


def read_value(file: IO[bytes], place: int = 0) -> Any:
    """The value at this place in a file from `write_value`, which is closed."""
    with file, gzip.open(file, "rb") as compressed:
        for _earlier in range(place):
            pickle.load(compressed)  # noqa: S301 - as trusted as the database that lies beside it
        return pickle.load(compressed)  # noqa: S301


def delete_file(name: str) -> None:
    if name:
        make_path(name).unlink(missing_ok=True)


def delete_orphans(known: Collection[str]) -> None:
    """Delete old files that belong to no job: of deleted projects' jobs, or of killed workers."""
    if not settings.JOB_FOLDER.is_dir():
        return
    before = time() - ORPHANED_AFTER.total_seconds()
    for path in settings.JOB_FOLDER.iterdir():
        if path.name not in known and path.stat().st_mtime < before:
            path.unlink(missing_ok=True)
