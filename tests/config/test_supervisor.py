"""The supervisor restarts what falls, stops all in order, and leaves nothing behind when it is killed."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest

from config.cli.processes import SECONDS_TO_END
from tests.config.shell import is_running, line_with, script, wait_for
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

SUPERVISOR = """
import contextlib, json, os, pathlib, sys
from config.cli import supervisor, usage
from config.cli.processes import Guard

commands, limit = json.loads(sys.argv[1]), float(sys.argv[2])
supervisor.LONGEST_DELAY = limit
supervisor.SECONDS_TO_END = float(sys.argv[3])
log = supervisor.Log(sys.stdout, list(commands))
with Guard() as guard, supervisor.Supervisor(log, guard, os.environ, pathlib.Path.cwd()) as it:
    with contextlib.suppress(supervisor.StopRequested):
        print("guard", guard.pid, flush=True)
        for name, command in commands.items():
            is_ready = (lambda: False) if name == "never" else (lambda: True)
            without = "We go on." if name == "spare" else ""
            service = supervisor.Service(name, ["sh", "-c", command], is_ready, goes_without=without)
            try:
                it.wait_until_ready(it.start(service))
            except usage.Refusal as refusal:
                sys.exit(f"{refusal.code}: {refusal}")
        print("all started", flush=True)
        it.run()
print("all stopped", flush=True)
"""
FAMILY = "sleep 3000 & echo family $$ $!; wait"
STUBBORN = "trap '' TERM; sleep 3000 & echo family $$ $!; while :; do sleep 1; done"


def supervise(limit: float = 30.0, seconds_to_end: float = SECONDS_TO_END, **commands: str):
    return script(SUPERVISOR, json.dumps(commands), str(limit), str(seconds_to_end))


def families(process, count: int = 1) -> list[int]:
    """The pids of so many services and their children, as they write them."""
    return [int(pid) for _ in range(count) for pid in re.findall(r"\d+", line_with(process, "| family"))]


def test_a_fallen_service_starts_again_after_growing_pauses():
    with supervise(falling="exit 3") as process:
        assert "ended with exit code 3; it starts again in 0.5 s" in line_with(process, "falling ended")
        assert "in 1 s" in line_with(process, "falling ended")
        assert "in 2 s" in line_with(process, "falling ended")


def test_a_service_that_others_can_do_without_is_given_up_with_its_sentence():
    with supervise(limit=0.01, spare="exit 3", needed="sleep 3000") as process:
        assert "spare ended with exit code 3 again and again. We go on." in line_with(process, "again and again")
        process.terminate()
        assert line_with(process, "all stopped")


def test_a_killed_service_comes_back_and_its_children_do_not_stay():
    with supervise(service=FAMILY) as process:
        child, grandchild = families(process)
        os.kill(child, signal.SIGKILL)
        assert "was killed by SIGKILL" in line_with(process, "starts again")
        assert wait_for(lambda: not is_running(grandchild))
        assert families(process)[0] != child


@pytest.mark.parametrize("command", [FAMILY, STUBBORN], ids=["obedient", "stubborn"])
def test_killing_the_supervisor_leaves_no_process(command):
    with supervise(one=command, two=command) as process:
        guard = int(line_with(process, "guard").split()[1])
        left = [guard, *families(process, 2)]
        process.kill()
        assert wait_for(lambda: not any(map(is_running, left)))


@pytest.mark.skipif(sys.platform != "linux", reason="the parent-death signal is Linux's")
def test_killing_supervisor_and_guard_together_ends_the_services():
    with supervise(one="exec sleep 3000") as process:
        guard = int(line_with(process, "guard").split()[1])
        line_with(process, "all started")
        child = children_of(process.pid) - {guard}
        os.kill(guard, signal.SIGSTOP)
        process.kill()
        os.kill(guard, signal.SIGKILL)
        assert child
        assert wait_for(lambda: not any(map(is_running, child)))


def test_a_killed_guard_is_replaced_by_one_that_knows_the_services():
    with supervise(one=FAMILY) as process:
        guard = int(line_with(process, "guard").split()[1])
        family = families(process)
        os.kill(guard, signal.SIGKILL)
        line_with(process, "another one watches now")
        process.kill()
        assert wait_for(lambda: not any(map(is_running, family)))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_services_stop_in_reverse_order_when_asked(number):
    farewell = "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.1; done"
    with supervise(first=farewell, second=farewell) as process:
        for _ in range(2):
            line_with(process, "ready")
        process.send_signal(number)
        output, _ = process.communicate(timeout=PATIENCE)
        assert re.findall(r"(\w+) +\| bye", output) == ["second", "first"]
        assert output.endswith("all stopped\n")
        assert process.returncode == 0


def test_a_second_request_to_stop_does_not_wait_for_a_stubborn_service():
    with supervise(seconds_to_end=2 * PATIENCE, one=STUBBORN) as process:
        family = families(process)
        process.terminate()
        wait_for(lambda: False, seconds=0.3)
        process.terminate()
        assert wait_for(lambda: process.poll() is not None)
        assert not any(map(is_running, family))


def test_a_service_that_never_comes_up_is_given_up_with_a_sentence():
    with supervise(limit=0.01, never="exit 1") as process:
        output, _ = process.communicate(timeout=PATIENCE)
        assert "10: The service never does not start; its messages stand above." in output
        assert process.returncode == 1


def test_lines_carry_the_name_of_their_service_and_no_live_control_characters():
    with supervise(talker=r"printf 'a\033[31mb\nlast'; sleep 3000") as process:
        assert line_with(process, "talker").rstrip("\n") == r"talker | a\x1b[31mb"


def test_a_reader_that_goes_away_does_not_end_the_services():
    with supervise(chatty="sleep 3000 & echo family $$ $!; while :; do echo more; sleep 0.05; done") as process:
        child, _ = families(process)
        process.stdout.close()
        assert not wait_for(lambda: not is_running(child) or process.poll() is not None, seconds=0.5)
        process.terminate()
        assert process.wait(PATIENCE) == 0


def children_of(pid: int) -> set[int]:
    listing = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    return {int(child) for child, parent in map(str.split, listing.splitlines()) if int(parent) == pid}
