"""The guard: ends every registered process group when the process that registered them dies, even by SIGKILL.

It runs separately (standard library only, no import of ours) and reads lines from its standard input: `+GROUP` when
one has started, `-GROUP` when it has ended. The end of the input means that nobody else will end the groups.
"""

import os
import signal
import sys
import time
from collections.abc import Iterable

SECONDS_TO_END = 1.5
SECONDS_TO_DIE = 0.5


def signal_group(group: int, number: int) -> bool:
    """Send a signal to a process group (0 only checks); False if the group has no process left."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):  # macOS refuses if only zombies are left
        return False
    return True


def find_groups_left(lines: Iterable[str]) -> set[int]:
    """The groups that had started but not ended when the input ended."""
    groups: set[int] = set()
    for line in lines:
        change = groups.add if line[0] == "+" else groups.discard
        change(int(line[1:]))
    return groups


def end_groups(groups: set[int]) -> None:
    """TERM, time to end, KILL; an unreaped zombie still counts as alive, hence the second time limit."""
    for number, seconds in ((signal.SIGTERM, SECONDS_TO_END), (signal.SIGKILL, SECONDS_TO_DIE)):
        groups = {group for group in groups if signal_group(group, number)}
        deadline = time.monotonic() + seconds
        while groups and time.monotonic() < deadline:
            time.sleep(0.02)
            groups = {group for group in groups if signal_group(group, 0)}


if __name__ == "__main__":
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    end_groups(find_groups_left(sys.stdin))
