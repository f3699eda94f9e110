"""How long tests wait, and how much work is too much: the same on a fast machine, a slow one and a busy one."""

import time
from collections.abc import Callable

PATIENCE = 300.0  # seconds; only bounds what hangs: on a busy machine a start takes minutes
MAX_PAGES = 200  # more than anybody has to go through
MOST_EFFORT = 120  # of what is read in one go; where each character looks at all others it is thousands


def measure_effort(act: Callable[[], object]) -> float:
    """The processor's time of this thread for `act`, as a multiple of that for a million rounds of a plain loop."""
    return time_thread(act) / min(time_thread(count_up) for _ in range(3))


def time_thread(act: Callable[[], object]) -> float:
    started = time.thread_time()
    act()
    return time.thread_time() - started


def count_up() -> int:
    number = 0
    for step in range(1_000_000):
        number += step & 1
    return number
