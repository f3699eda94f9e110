"""The one stream of lines that `up` writes: each begins with the name of the service it comes from."""

import os
from collections.abc import Sequence
from typing import TextIO

COLOURS = ["36", "33", "32", "35", "34"]
OWN_NAME = "lesart"
LONGEST_LINE = 65_536


class Log:
    """Writes lines of the named services, coloured only on a terminal."""

    def __init__(self, stream: TextIO, names: Sequence[str]) -> None:
        self._stream = stream
        self._width = max(map(len, [OWN_NAME, *names]))
        has_colours = stream.isatty() and "NO_COLOR" not in os.environ
        self._colours = dict(zip(names, COLOURS, strict=False)) if has_colours else {}

    def line(self, name: str, text: str) -> None:
        label = f"{name:<{self._width}} |"
        if name in self._colours:
            label = f"\033[{self._colours[name]}m{label}\033[0m"
        self.plain(f"{label} {tame(text)}")

    def own(self, sentence: str) -> None:
        """What the supervisor itself has to say."""
        self.line(OWN_NAME, sentence)

    def plain(self, text: str) -> None:
        """A line without a name. A reader that has gone away is no reason to stop the services."""
        try:
            self._stream.write(text + "\n")
            self._stream.flush()
        except OSError:
            with open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), self._stream.fileno())


class Lines:
    """Cuts what arrives on a pipe into lines of the log."""

    def __init__(self, pipe: int, name: str, log: Log) -> None:
        os.set_blocking(pipe, False)
        self.pipe, self._name, self._log, self._rest = pipe, name, log, b""

    def pass_on(self) -> bool:
        """Writes the lines that are there; False at the end of the pipe."""
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
        """Writes the last line, which has no end."""
        if self._rest:
            self._write(self._rest)
        self._rest = b""

    def _write(self, *lines: bytes) -> None:
        for line in lines:
            self._log.line(self._name, line.decode(errors="backslashreplace").rstrip("\r"))


def tame(text: str) -> str:
    """The text with control characters spelled out: what somebody sent must not steer the terminal."""
    return "".join(c if c.isprintable() or c == "\t" else c.encode("unicode_escape").decode() for c in text)
