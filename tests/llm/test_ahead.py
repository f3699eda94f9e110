"""Calls that are written down as sent and wait in the wire for a free slot: they leave in turn, or never."""

import pytest

from llm.models import RunState
from llm.services import pace, runs, workers
from llm.services.draining import drain, drain_here
from llm.services.ledger import CallLedger
from llm.services.planning import plan_run, prepare_jobs
from llm.wire import ConnectionConfig, Wire
from tests.mock_server import Planned, error, too_many

pytestmark = pytest.mark.slow

BODY = b'{"model":"m","messages":[{"role":"user","content":"R or F?"}]}'


@pytest.fixture
def wire(serve_model):
    """A function that opens a wire with one slot to a server with these answers."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def open_server(answer):
            server = serve_model(answer)
            return server, stack.enter_context(Wire(ConnectionConfig(server.base_url, "", 60, 1)))

        yield open_server


def wait_for(wire, n):
    found = []
    while len(found) < n:
        found += wire.collect(5)
    return [outcome.call_id for outcome in found]


def test_a_free_slot_is_taken_by_what_waits(wire):
    server, mine = wire("R")
    mine.send([(1, BODY), (2, BODY), (3, BODY)])
    assert wait_for(mine, 3) == [1, 2, 3]
    assert server.most_at_once == 1
    assert mine.take_back() == set()


@pytest.mark.parametrize("answer", [too_many(60), error(401, "no such key"), error(400, "odd")])
def test_after_a_reply_that_holds_back_nothing_leaves_until_it_was_heard_of(wire, answer):
    server, mine = wire([answer, "R"])
    mine.send([(1, BODY), (2, BODY)])
    assert wait_for(mine, 1) == [1]
    mine.send([(3, BODY)])
    assert mine.take_back() == {2, 3}
    assert len(server.requests) == 1
    mine.send([(2, BODY)])
    assert wait_for(mine, 1) == [2]


def test_a_few_calls_wait_none_where_few_are_out():
    assert [pace.Pace(limit).most_ahead for limit in (1, 31, 32, 512)] == [0, 0, 8, pace.MOST_AHEAD]


@pytest.mark.database
@pytest.mark.django_db
class TestLedger:
    def test_what_never_left_is_as_if_it_had_not_been_sent(self, serve_model, make_run, states):
        run = make_run(serve_model("R"), 3, price="1")
        plan_run(run, lambda: True)
        run.refresh_from_db()
        drainer = workers.register_drainer(run.pk)
        ledger = CallLedger(run, run.endpoint, drainer)
        jobs = prepare_jobs(run, run.endpoint, drainer, workers.lease_calls(run, drainer, 3))
        assert ledger.record([], {}, jobs) == jobs
        assert states(run) == {"sent": 3}
        assert ledger.record([], {}, [], taken_back=jobs[1:]) == []
        assert states(run) == {"sent": 1, "leased": 2}
        back = run.calls.filter(state="leased").values_list("times_sent", "tries", "reserved_nanos", "sent_at")
        assert set(back) == {(0, 0, 0, None)}
        assert ledger.record([], {}, jobs[1:]) == jobs[1:]
        assert set(run.calls.values_list("state", "times_sent", "tries")) == {("sent", 1, 1)}

    def test_never_more_calls_at_a_time_than_allowed(self, serve_model, make_run, states):
        server = serve_model("R", latency=0.02)
        run = drain_here(make_run(server, 120, max_concurrency=40))
        assert states(run) == {"answered": 120}
        assert server.most_at_once == 40
        assert len(server.requests) == 120

    def test_at_the_end_of_a_turn_no_call_waits_as_sent(self, serve_model, make_run, states):
        server = serve_model("R", latency=0.3)
        run = make_run(server, 60, max_concurrency=40)
        while "answered" not in states(run):  # a turn on a busy machine may end before anything is sent
            drain(run.pk, 0.2)
        found = states(run)
        assert found["answered"] == len(server.requests) == count_sent(run)
        assert set(found) <= {"answered", "waiting", "planned"}

    def test_a_run_without_quota_stops_with_what_was_on_the_wire(self, serve_model, make_run):
        quota = error(429, "You exceeded your current quota", "insufficient_quota")
        server = serve_model(lambda request: Planned(**vars(quota) | {"latency": 0.02 * (request.number > 0)}))
        run = drain_here(make_run(server, 100, max_concurrency=40))
        assert (run.state, run.reason) == (RunState.PAUSED, "quota")
        assert len(server.requests) == count_sent(run) <= 40

    def test_a_paused_run_takes_back_what_has_not_left(self, serve_model, make_run, toy, states):
        server = serve_model("R", latency=0.02)
        run, read = make_run(server, 200, max_concurrency=40), toy.read
        toy.read = lambda run, call: (len(toy.read_keys) == 30 and runs.pause(run, "user"), read(run, call))[1]
        run = drain_here(run)
        assert run.state == RunState.PAUSED
        assert len(server.requests) == count_sent(run) == states(run)["answered"] < 200

    def test_what_waits_for_a_limit_has_not_been_sent(self, serve_model, make_run, states):
        server = serve_model(lambda request: too_many(60) if request.number == 5 else "R", latency=0.02)
        run = make_run(server, 100, max_concurrency=40)
        while "answered" not in states(run):
            drain(run.pk, 0.5)
        assert len(server.requests) == count_sent(run) <= 5 + 40
        assert states(run)["answered"] == len(server.requests) - 1


def count_sent(run):
    return sum(run.calls.values_list("times_sent", flat=True))
