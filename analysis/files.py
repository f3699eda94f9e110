"""Files that are there whole or not at all."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

DEVICES = ("/dev/", "/proc/")


@contextmanager
def whole_file(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """A file that takes its name when it is complete: "w" for UTF-8 with line ends as written, "wb" for bytes.

    A link stays and what it points to is replaced; a file that is there keeps its rights, a new one has the user's
    usual ones. A pipe or a device is written to as it is. What cannot take the file (a folder of that name, one that is
    not there or may not be written) is an `OSError` before anything is written.
    """
    how: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    if is_stream(path):
        with open(path, mode, **how) as file:
            yield file
        return
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    name = os.path.join(os.path.dirname(target), f".{secrets.token_hex(8)}.part")
    try:
        with open(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), mode, **how) as file:
            yield file
        if os.path.isfile(target):
            os.chmod(name, os.stat(target).st_mode & 0o777)
        os.replace(name, target)
    except BaseException:
        if os.path.exists(name):
            os.unlink(name)
        raise


def is_stream(path: Path) -> bool:
    """Whether it is a pipe, a device or an open file of the process: nothing that can be replaced or has a folder."""
    beside = os.path.realpath(path.parent) + "/"
    return beside.startswith(DEVICES) or (path.exists() and not path.is_file() and not path.is_dir())
