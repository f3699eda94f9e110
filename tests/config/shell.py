"""Helpers for tests that start real processes."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]


def lesart(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command behind `./lesart` run to its end, in the environment of the tests."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "config.cli", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment}, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip


def list_code_blocks(heading: str) -> list[str]:
    """The fenced blocks of a section of docs/deploy.md."""
    page = (ROOT / "docs" / "deploy.md").read_text()
    section = re.search(rf"^##+ {re.escape(heading)}\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)[1]
    return re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


@contextmanager
def script(source: str, *arguments: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A Python of its own that runs the source with our modules; killed at the end if it still runs."""
    # A test run under nohup hands its children a SIGHUP that is ignored.
    source = f"import signal\nsignal.signal(signal.SIGHUP, signal.SIG_DFL)\n{source}"
    process = subprocess.Popen(
        [sys.executable, "-c", source, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def line_with(process: subprocess.Popen[str], words: str) -> str:
    """Reads the output up to the line that contains the words."""
    lines = []
    while line := process.stdout.readline():
        if words in line:
            return line
        lines.append(line)
    raise AssertionError(f"{words!r} does not occur in:\n{''.join(lines)}")


def wait_for(condition: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def is_running(pid: int) -> bool:
    """Whether the process exists; a zombie does not count."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
    return bool(state) and not state.startswith("Z")


OF_DEPLOYMENTS = ["DATABASE_URL", "REDIS_URL", "ALLOWED_HOSTS", "SECRET_KEY"]


class Product:
    """`./lesart up` on a data folder of its own, ready."""

    def __init__(self, folder):
        environment = {name: value for name, value in os.environ.items() if name not in OF_DEPLOYMENTS}
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "config.cli", "up", "--port", "0"], stdout=subprocess.PIPE, text=True,
            stderr=subprocess.STDOUT, env={**environment, "PYTHONPATH": str(ROOT), "LESART_DATA": str(folder)},
        )  # fmt: skip

    def __enter__(self):
        self.url = re.search(r"http://127\.0\.0\.1:\d+/", line_with(self.process, "Lesart is ready at "))[0]
        self.link = line_with(self.process, "sign-in").split()[-1]
        self.family = descendants(self.process.pid)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def has_gone(self) -> bool:
        return not any(map(is_running, self.family))


def descendants(pid: int) -> set[int]:
    listing = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = [tuple(map(int, line.split())) for line in listing.splitlines()]
    found = {pid}
    while more := {child for child, parent in pairs if parent in found} - found:
        found |= more
    return found - {pid}
