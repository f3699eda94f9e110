"""Processes that end with this one: each in its own group, registered with a guard, with a parent-death signal."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from config.cli import guard

Process = subprocess.Popen[bytes]
SECONDS_TO_END = 8.0
PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


class Guard:
    """Starts processes and registers their groups with the guard; starts another guard if that one dies."""

    def __init__(self, keep_open: Sequence[int] = ()) -> None:
        """`keep_open`: file descriptors, such as a lock, that stay open until the guard has ended everything."""
        self._keep_open = keep_open
        self._groups: set[int] = set()
        self._start()

    def __enter__(self) -> "Guard":
        return self

    def __exit__(self, *_: object) -> None:
        """End everything that is still registered, by closing the pipe."""
        self.close()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", guard.__file__], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, bufsize=0, process_group=0, pass_fds=self._keep_open,
        )  # fmt: skip
        for group in self._groups:
            self._tell(f"+{group}\n")

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # a dead guard: revive() registers everything with the next one
            self._process.stdin.write(line.encode())

    @property
    def pid(self) -> int:
        return self._process.pid

    def revive(self) -> bool:
        """Start another guard if this one has died; returns whether it had."""
        if self._process.poll() is None:
            return False
        self._start()
        return True

    def spawn(self, command: Sequence[str], *, death_signal: int = signal.SIGTERM, **options: Any) -> Process:
        """A process in a new group; the options are those of Popen. Call it from the main thread: the death signal is
        tied to the thread that started the process."""
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, process_group=0, preexec_fn=die_with_parent(death_signal), **options
        )
        self._groups.add(process.pid)
        self._tell(f"+{process.pid}\n")
        return process

    def sweep(self, process: Process) -> None:
        """Kill what an ended process left in its group, and unregister the group."""
        guard.signal_group(process.pid, signal.SIGKILL)
        self._groups.discard(process.pid)
        self._tell(f"-{process.pid}\n")

    def end(self, process: Process, number: int = signal.SIGTERM, seconds: float = SECONDS_TO_END) -> None:
        """Ask the process to end, wait, then kill what is left of its group."""
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        self.sweep(process)
        process.wait()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def die_with_parent(death_signal: int) -> Callable[[], None]:
    """A preexec_fn by which a child gets the signal when its parent dies; Popen calls it after a change of user."""
    parent = os.getpid()

    def follow() -> None:
        if _libc is not None:
            _libc.prctl(PR_SET_PDEATHSIG, death_signal)
            if os.getppid() != parent:
                os._exit(1)

    return follow


def wait_until(is_ready: Callable[[], bool], process: Process, what: str, log: Path, seconds: float = 120.0) -> None:
    """Return when the process answers; raise with its own output if it ended or does not answer in time.

    The time limit is only for hanging processes: on a busy machine a start takes a minute.
    """
    deadline = time.monotonic() + seconds
    while not is_ready():
        if process.poll() is not None:
            raise RuntimeError(f"{what} {describe_exit(process.returncode)} before it answered: {log.read_text()}")
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} does not answer after {seconds:.0f} seconds: {log.read_text()}")
        time.sleep(0.03)


def describe_exit(code: int) -> str:
    """`ended with exit code 3`, `was killed by SIGKILL`."""
    if code >= 0:
        return f"ended with exit code {code}"
    with contextlib.suppress(ValueError):
        return f"was killed by {signal.Signals(-code).name}"
    return f"was killed by signal {-code}"
