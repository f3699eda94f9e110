"""The exclusive resources of one Lesart: its data folder, which it locks, and the port on which it listens."""

import errno
import fcntl
import os
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from config.cli import usage

ROOT = Path(__file__).resolve().parents[2]
SECONDS_TO_RELEASE = 5.0


def get_data_folder() -> Path:
    """LESART_DATA, else `data` in the clone."""
    return Path(os.environ.get("LESART_DATA") or ROOT / "data").expanduser().resolve()


@contextmanager
def hold_data_folder() -> Iterator[TextIO]:
    """Hold the lock of the data folder. After a kill, the guard of the killed process holds it a little longer."""
    with _open_lock(get_data_folder()) as lock:
        deadline = time.monotonic() + SECONDS_TO_RELEASE
        while not _is_locked(lock):
            pid, _, url = _read_note(lock).partition(" ")
            if _is_alive(pid) or time.monotonic() > deadline:
                raise usage.Refusal(usage.ALREADY_RUNNING, _explain_running(url))
            time.sleep(0.05)
        yield lock


def leave_note(lock: TextIO, url: str) -> None:
    """Write into the lock file who is running, for the message of another start."""
    lock.truncate(0)
    lock.write(f"{os.getpid()} {url}")
    lock.flush()


def get_broker_folder() -> Path:
    return get_data_folder() / "broker"


def _open_lock(data: Path) -> TextIO:
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=data):
            return open(data / "lock", "a+")
    except OSError as error:
        raise usage.Refusal(
            usage.NOT_WRITABLE,
            f"The data folder {data} cannot be written ({error.strerror}). Give this user the right to write there, "
            "or choose another folder: LESART_DATA=/path ./lesart up",
        ) from None


def _is_locked(lock: TextIO) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read_note(lock: TextIO) -> str:
    lock.seek(0)
    return lock.read()


def _is_alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):  # no note yet: another start has just acquired the lock
        return False
    except PermissionError:
        return True
    return True


def _explain_running(url: str) -> str:
    where = f" at {url}" if url else ""
    return (
        f"Lesart already runs on the data folder {get_data_folder()}{where}. Stop it first, "
        "or choose another folder: LESART_DATA=/path ./lesart up"
    )


WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104


def find_free_port() -> int:
    """A currently unused port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listen(host: str, port: int) -> socket.socket:
    """The socket of the web server. It is opened once, here, so that nobody can take the port while the web
    restarts."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        return socket.create_server((host, port), family=family, backlog=256)
    except OSError as error:
        raise usage.Refusal(usage.PORT_TAKEN, _explain_port(host, port, error)) from None


def _explain_port(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} of {host} is taken by another program. Choose another one: ./lesart up --port {port + 1}"
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"This user may not open port {port}. Choose one above 1023: ./lesart up --port 8000"
    reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
    return f"Lesart cannot listen on {host} ({reason}). Choose an address of this machine with --host."


def get_local_host(host: str) -> str:
    """The address at which this machine itself reaches a server listening there."""
    return WILDCARDS.get(host, host)


def format_url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
