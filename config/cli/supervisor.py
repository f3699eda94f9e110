"""The supervisor: starts services in order, forwards their output, restarts those that end, and stops all of them.

One thread, one loop. `processes` and `guard` make sure that the services end with it, however it ends.
"""

import contextlib
import os
import selectors
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from config.cli import usage
from config.cli.processes import SECONDS_TO_END, Guard, Process, describe_exit

COLORS = ["36", "33", "32", "35", "34"]
OWN_NAME = "lesart"
LONGEST_LINE = 65_536


class Log:
    """Writes lines of the named services, colored only on a terminal."""

    def __init__(self, stream: TextIO, names: Sequence[str]) -> None:
        self._stream = stream
        self._width = max(map(len, [OWN_NAME, *names]))
        has_colors = stream.isatty() and "NO_COLOR" not in os.environ
        self._colors = dict(zip(names, COLORS, strict=False)) if has_colors else {}

    def line(self, name: str, text: str) -> None:
        label = f"{name:<{self._width}} |"
        if name in self._colors:
            label = f"\033[{self._colors[name]}m{label}\033[0m"
        self.plain(f"{label} {escape_controls(text)}")

    def own(self, sentence: str) -> None:
        """Write a message of the supervisor itself."""
        self.line(OWN_NAME, sentence)

    def plain(self, text: str) -> None:
        """Write a line without a name. If the reader has gone away, the services continue."""
        try:
            self._stream.write(text + "\n")
            self._stream.flush()
        except OSError:
            with open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), self._stream.fileno())


class Lines:
    """Splits the data from a pipe into lines of the log."""

    def __init__(self, pipe: int, name: str, log: Log) -> None:
        os.set_blocking(pipe, False)
        self.pipe, self._name, self._log, self._rest = pipe, name, log, b""

    def pass_on(self) -> bool:
        """Write the available lines; returns False at the end of the pipe."""
        try:
            while chunk := os.read(self.pipe, LONGEST_LINE):
                *lines, self._rest = (self._rest + chunk).split(b"\n")
                self._write(*lines)
                if len(self._rest) > LONGEST_LINE:
                    self.flush()
        except BlockingIOError:
            return True
        self.flush()
        return False

    def flush(self) -> None:
        """Write the last, unterminated line."""
        if self._rest:
            self._write(self._rest)
        self._rest = b""

    def _write(self, *lines: bytes) -> None:
        for line in lines:
            self._log.line(self._name, line.decode(errors="backslashreplace").rstrip("\r"))


def escape_controls(text: str) -> str:
    """The text with control characters escaped, so that foreign input cannot control the terminal."""
    return "".join(c if c.isprintable() or c == "\t" else c.encode("unicode_escape").decode() for c in text)


FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0
SECONDS_UNTIL_STEADY = 60.0
SECONDS_TO_START = 120.0
MAX_EXITS_AT_START = 5


class StopRequested(Exception):
    """Somebody asked the supervisor to stop: Ctrl-C, TERM or HUP."""


@dataclass(frozen=True)
class Service:
    """What to run, and how to check that it answers."""

    name: str
    command: Sequence[str]
    is_ready: Callable[[], bool]
    open_files: Sequence[int] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    goes_without: str = ""
    """For an optional service: the message when it is given up."""


@dataclass
class RunningService:
    """A service and its present process, None while it waits for its next start."""

    service: Service
    process: Process | None = None
    lines: Lines | None = None
    since: float = 0.0  # the last start
    due: float = 0.0  # the next start
    delay: float = FIRST_DELAY
    n_exits: int = 0

    @property
    def has_ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None


class Supervisor:
    """Use it in a `with` block, at whose end everything is stopped in reverse order."""

    def __init__(self, log: Log, guard: Guard, environment: Mapping[str, str], folder: Path) -> None:
        self._log, self._guard, self._environment, self._folder = log, guard, environment, folder
        self._running: list[RunningService] = []
        self._selector = selectors.DefaultSelector()
        self._requests = 0

    def __enter__(self) -> "Supervisor":
        self._wakeup, self._wakes = socket.socketpair()
        for end in (self._wakeup, self._wakes):
            end.setblocking(False)
        self._selector.register(self._wakeup, selectors.EVENT_READ)
        signal.set_wakeup_fd(self._wakes.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # only to wake the loop
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup
                signal.signal(number, self._ask_to_stop)
        return self

    def __exit__(self, *_: object) -> None:
        for running in reversed(self._running):
            self._stop(running)
        signal.set_wakeup_fd(-1)

    def start(self, service: Service) -> RunningService:
        running = RunningService(service)
        self._running.append(running)
        self._launch(running)
        return running

    def wait_until_ready(self, *waiting: RunningService) -> None:
        """Return when all services answer. A service that never does is an error; it is not restarted forever."""
        deadline = time.monotonic() + SECONDS_TO_START
        while waiting := tuple(running for running in waiting if not running.service.is_ready()):
            for running in waiting:
                if running.n_exits >= MAX_EXITS_AT_START or time.monotonic() > deadline:
                    sentence = f"The service {running.service.name} does not start; its messages stand above."
                    raise usage.Refusal(usage.NOT_STARTED, sentence)
            self._run_once(0.05)
            self._restart_ended()

    def complete(self, step: Service) -> int:
        """Run a step that ends by itself, and return its exit code."""
        running = self.start(step)
        while not running.has_ended and running.process is not None:
            self._run_once(1.0)
        self._running.remove(running)
        return self._clean_up(running)

    def run(self) -> None:
        """Look after the services until somebody asks to stop."""
        while True:
            now = time.monotonic()
            pauses = [running.due - now for running in self._running if running.process is None]
            self._run_once(max(0.0, min([1.0, *pauses])))
            self._restart_ended()

    def _run_once(self, seconds: float) -> None:
        self._listen(seconds)
        if self._requests:
            raise StopRequested
        if self._guard.revive():
            self._log.own("The guard had ended; another one watches now.")

    def _listen(self, seconds: float) -> None:
        """Forward the output of services, until something happens or the time is over."""
        for key, _ in self._selector.select(seconds):
            if isinstance(key.data, Lines):
                if not key.data.pass_on():
                    self._selector.unregister(key.fileobj)
            else:
                with contextlib.suppress(BlockingIOError):
                    self._wakeup.recv(4096)

    def _restart_ended(self) -> None:
        for running in list(self._running):
            if running.has_ended:
                self._handle_exit(running)
            elif running.process is None and running.due <= time.monotonic():
                self._launch(running)

    def _launch(self, running: RunningService) -> None:
        service = running.service
        running.since = time.monotonic()
        environment = {**self._environment, **service.environment}
        try:
            running.process = self._guard.spawn(
                service.command, cwd=self._folder, env=environment, pass_fds=service.open_files,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0,
            )  # fmt: skip
        except OSError as error:
            self._postpone(running, f"cannot be started ({error})")
            return
        assert running.process.stdout is not None
        running.lines = Lines(running.process.stdout.fileno(), service.name, self._log)
        self._selector.register(running.lines.pipe, selectors.EVENT_READ, running.lines)

    def _handle_exit(self, running: RunningService) -> None:
        if time.monotonic() - running.since >= SECONDS_UNTIL_STEADY:
            running.delay = FIRST_DELAY
        self._postpone(running, describe_exit(self._clean_up(running)))

    def _postpone(self, running: RunningService, what_happened: str) -> None:
        name, running.n_exits = running.service.name, running.n_exits + 1
        if running.service.goes_without and running.n_exits >= MAX_EXITS_AT_START:
            self._log.own(f"The service {name} {what_happened} again and again. {running.service.goes_without}")
            self._running.remove(running)
            return
        self._log.own(f"The service {name} {what_happened}; it starts again in {running.delay:g} s.")
        running.due = time.monotonic() + running.delay
        running.delay = min(2 * running.delay, LONGEST_DELAY)

    def _clean_up(self, running: RunningService) -> int:
        """End the rest of the process's group, forward its last lines, return its exit code."""
        process, lines = running.process, running.lines
        assert process is not None
        assert process.stdout is not None
        assert lines is not None
        self._guard.sweep(process)
        lines.pass_on()
        lines.flush()
        with contextlib.suppress(KeyError):  # its end was already handled
            self._selector.unregister(lines.pipe)
        process.stdout.close()
        running.process = None
        return process.wait()

    def _stop(self, running: RunningService) -> None:
        """TERM, time to finish, KILL; a second request to stop skips the waiting time."""
        if running.process is None:
            return
        running.process.terminate()
        deadline = time.monotonic() + SECONDS_TO_END
        while not running.has_ended and time.monotonic() < deadline and self._requests < 2:
            self._listen(0.2)
        self._clean_up(running)

    def _ask_to_stop(self, *_: object) -> None:
        self._requests += 1
