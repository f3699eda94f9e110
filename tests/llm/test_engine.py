"""A run from its plan to its end, against a server that behaves."""

import pytest

from llm.models import Call, RunState
from llm.services.draining import drain, drain_here

pytestmark = pytest.mark.database


@pytest.mark.django_db
def test_every_planned_call_is_answered_once(served, make_run, toy, states):
    server = served("R")
    run = drain_here(make_run(server, 20))
    assert run.state == RunState.DONE
    assert states(run) == {"answered": 20}
    assert sorted(server.prompts) == sorted(f"Is k{number} right?" for number in range(20))
    assert sorted(toy.read_keys) == sorted(f"k{number}" for number in range(20))
