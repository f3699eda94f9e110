"""The guard ends the groups it was told of when nobody is left to talk to it."""

import os
import signal
import subprocess
import sys

import pytest

from config.cli import guard
from tests.config.shell import wait_for
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow


def group(command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sh", "-c", command], process_group=0, stdout=subprocess.PIPE)


def end_of_talk(lines: str) -> None:
    subprocess.run([sys.executable, "-I", "-S", guard.__file__], input=lines.encode(), check=True, timeout=PATIENCE)


def test_ended_groups_are_forgotten():
    assert guard.find_groups_left(["+12\n", "+13\n", "-12\n", "+14\n"]) == {13, 14}


def test_a_group_that_is_left_ends_with_its_children():
    left = group("sleep 3000 & echo $!; wait")
    child = int(left.stdout.readline())
    end_of_talk(f"+{left.pid}\n")
    assert left.wait(PATIENCE) == -signal.SIGTERM
    assert wait_for(lambda: not guard.signal_group(left.pid, 0)), f"the child {child} is left"


def test_a_group_that_ignores_the_polite_signal_is_killed():
    left = group("trap '' TERM; echo ready; while :; do sleep 0.1; done")
    left.stdout.readline()
    end_of_talk(f"+{left.pid}\n")
    assert left.wait(PATIENCE) == -signal.SIGKILL


def test_a_group_that_has_ended_before_is_left_alone():
    other = group("sleep 3000")
    try:
        end_of_talk(f"+{other.pid}\n-{other.pid}\n")
        assert other.poll() is None
    finally:
        os.killpg(other.pid, signal.SIGKILL)
        other.wait()
