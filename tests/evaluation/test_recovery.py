"""`bench/recovery.py`: what it counts after a kill, and that it would notice if something were lost."""

import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest

from bench.recovery import Kill, Played, kill_moments, problems_of
from tests.config.shell import ROOT
from tests.patience import PATIENCE

ANSWER = ("model", "read", "i1", "a", "answer", "true", ".8")


def make_outcome(**other) -> Played:
    about = {
        "states": {"answered": 3},
        "run_states": ["done"],
        "sent": 3,
        "seconds": 1.0,
        "n_open": 0,
        "answers": [ANSWER],
        "tables": {"informativity.csv": "m\n.5\n"},
        "exit_code": 0,
        "requests": Counter(one=1, two=1, three=1),
    }
    return Played(**about | other)


def test_a_kill_that_costs_only_what_was_on_the_wire_is_no_problem():
    killed = make_outcome(kills=[Kill(done=1, on_the_wire=2)], requests=Counter(one=1, two=2, three=2))
    assert problems_of(make_outcome(), killed) == []


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"run_states": ["running"]}, "the run is ['running']"),
        ({"exit_code": 3}, "the command ended with 3"),
        ({"states": {"answered": 2, "failed": 1}}, "not every call was answered"),
        ({"states": {"answered": 2}}, "3 calls in one, 2 in the other"),
        ({"answers": [ANSWER, (*ANSWER[:5], "false", ".1")]}, "an answer is stored twice"),
        ({"answers": [(*ANSWER[:5], "false", ".8")]}, "2 answers differ"),
        ({"n_open": 1}, "1 assignments are open"),
        ({"tables": {}}, "no report was drawn"),
        ({"tables": {"informativity.csv": "m\n.6\n"}}, "Tables differ: informativity.csv"),
        ({"requests": Counter(one=3, two=1, three=1)}, "2 calls were asked again, 1 were on the wire"),
        ({"requests": None, "sent": 5}, "2 calls were asked again, 1 were on the wire"),
    ],
)
def test_whatever_is_lost_or_asked_without_need_is_noticed(wrong, message):
    killed = replace(make_outcome(kills=[Kill(done=1, on_the_wire=1)]), **wrong)
    assert any(message in problem for problem in problems_of(make_outcome(), killed))


def test_the_moments_of_kills_follow_the_seed_and_lie_apart_in_the_middle():
    moments = kill_moments(seed=7, kills=3)
    assert moments == kill_moments(seed=7, kills=3) != kill_moments(seed=8, kills=3)
    assert 0.15 <= moments[0] < moments[1] < moments[2] < 0.85


def recovery(*words: str) -> str:
    command = [sys.executable, "bench/recovery.py", "--texts", "2", "--lease", "4", "--latency", "0.1", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


UNDISTURBED = "undisturbed: 108 calls (108 answered), asked again 0, 324 answers, 0 assignments open"


@pytest.mark.slow
def test_a_killed_worker_and_an_emptied_broker_cost_time_alone():
    output = recovery()
    assert UNDISTURBED in output
    assert "killed 1 ×: 108 calls (108 answered)" in output
    assert "324 answers equal those of the undisturbed run." in output
