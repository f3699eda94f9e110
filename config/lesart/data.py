"""The data folder: where it is, whether it can be written, and that only one Lesart runs on it."""

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from config.lesart import exits

ROOT = Path(__file__).resolve().parents[2]
SECONDS_FOR_A_DYING_ONE = 5.0


def folder() -> Path:
    """LESART_DATA, else `data` in the clone."""
    return Path(os.environ.get("LESART_DATA") or ROOT / "data").expanduser().resolve()


@contextmanager
def alone() -> Iterator[TextIO]:
    """Holds the lock of the data folder. After a kill the guard of the dead one still holds it, but not for long."""
    with _open_lock(folder()) as lock:
        deadline = time.monotonic() + SECONDS_FOR_A_DYING_ONE
        while not _is_locked(lock):
            pid, _, url = _note(lock).partition(" ")
            if _is_alive(pid) or time.monotonic() > deadline:
                raise exits.Refusal(exits.ALREADY_RUNNING, _already_running(url))
            time.sleep(0.05)
        yield lock


def leave_note(lock: TextIO, url: str) -> None:
    """Says in the lock who runs, for the sentence that another start prints."""
    lock.truncate(0)
    lock.write(f"{os.getpid()} {url}")
    lock.flush()


def broker_folder() -> Path:
    return folder() / "broker"


def _open_lock(data: Path) -> TextIO:
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=data):
            return open(data / "lock", "a+")
    except OSError as error:
        raise exits.Refusal(
            exits.NOT_WRITABLE,
            f"The data folder {data} cannot be written ({error.strerror}). Give this user the right to write there, "
            "or choose another folder: LESART_DATA=/path ./lesart up",
        ) from None


def _is_locked(lock: TextIO) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _note(lock: TextIO) -> str:
    lock.seek(0)
    return lock.read()


def _is_alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):  # no note yet: another start has just taken the lock
        return False
    except PermissionError:
        return True
    return True


def _already_running(url: str) -> str:
    where = f" at {url}" if url else ""
    return (
        f"Lesart already runs on the data folder {folder()}{where}. Stop it first, "
        "or choose another folder: LESART_DATA=/path ./lesart up"
    )
