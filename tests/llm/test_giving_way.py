"""Somebody who tests an endpoint looks at a page: runs, which take hours, let the test go first."""

import pytest
from django.utils import timezone

from config.celery import app
from llm import tasks
from llm.models import Endpoint, RunState
from llm.services import draining, endpoints
from llm.services.draining import drain
from llm.services.planning import plan_run

pytestmark = [pytest.mark.database, pytest.mark.django_db]


@pytest.fixture
def interrupted_run(serve_model, make_run, toy, monkeypatch):
    """A run of 60 calls; with its third answer somebody asks for a test of its endpoint."""
    monkeypatch.setattr(draining, "LOOK_SECONDS", 0.0)
    read = toy.read

    def ask_for_test(run, call):
        if len(toy.read_keys) == 2:
            Endpoint.objects.update(test_requested_at=timezone.now())
        return read(run, call)

    toy.read = ask_for_test
    return make_run(serve_model("R", latency=0.01), 60)


def test_a_turn_ends_for_a_test_and_the_run_asks_for_the_next(interrupted_run, states):
    assert drain(interrupted_run.pk) is True
    found = states(interrupted_run)
    assert 3 <= found["answered"] < 60
    assert "sent" not in found


def test_the_next_turn_gives_way_no_more_even_if_the_test_was_lost(interrupted_run, states):
    drain(interrupted_run.pk)
    drain(interrupted_run.pk)
    assert states(interrupted_run) == {"answered": 60}


def test_planning_gives_way_too(serve_model, make_run, monkeypatch):
    run = make_run(serve_model("R"), 500)
    monkeypatch.setattr(endpoints, "is_test_awaited", lambda since: True)
    assert drain(run.pk) is True
    run.refresh_from_db()
    assert run.state == RunState.PLANNING
    assert plan_run(run, lambda: True)


def test_the_broker_gives_out_turns_of_runs_last():
    router = app.amqp.router
    assert router.route({}, tasks.drain.name)["priority"] == 9
    assert "priority" not in router.route({}, tasks.test_endpoint.name)
