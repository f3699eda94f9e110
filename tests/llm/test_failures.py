"""What becomes of a call when its server misbehaves: the failure table, played against a real server."""

from datetime import timedelta

import pytest
from django.utils import timezone

from llm import failures
from llm.models import Endpoint, RunState
from llm.services import runs
from llm.services.draining import drain, drain_here
from llm.services.ledger import SAME_AT_START, UNREACHABLE_AFTER
from llm.services.planning import plan_run
from tests.mock_server import Planned, error, html, mock_server, too_many

pytestmark = [pytest.mark.database, pytest.mark.django_db]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "failure", "n_requests"),
    [
        (error(500, "boom"), "server", 5),
        (error(503, "away"), "server", 5),
        (html(200), "no_json", 5),
        (html(502), "server", 5),
        (Planned(raw=b'{"choices": []}'), "no_json", 5),
        (Planned(raw=b'["a list"]'), "no_json", 5),
        (Planned(raw=b"[" * 100_000), "no_json", 5),
        (Planned(raw=b'{"choices": [{"message": {"content": "R'), "unknown", 2),
        (Planned("R", sends=0.5), "unknown", 2),
        (Planned("R", sends=0), "unknown", 2),
        (Planned("R", latency=7), "unknown", 2),
        (error(400, "odd request"), "request", 1),
        (error(404, "no such model", "model_not_found"), "no_model", 1),
        (error(400, "This model's maximum context length is 10 tokens", "context_length_exceeded"), "too_long", 1),
        (error(400, "unsupported: the colour"), "request", 1),
    ],
)
def test_a_failure_is_tried_as_often_as_the_table_says(serve_model, make_run, answer, failure, n_requests):
    server = serve_model(answer)
    run = drain_here(make_run(server, 1, timeout_seconds=1))
    call = run.calls.get()
    assert (call.state, call.error_class) == ("failed", failure)
    assert len(server.requests) == call.times_sent == n_requests
    assert run.state == RunState.DONE
    assert call.text is None


def test_after_a_burst_of_errors_all_calls_are_answered(serve_model, make_run, states):
    server = serve_model(lambda request: error(500, "boom") if request.earlier < 3 else "R")
    run = drain_here(make_run(server, 8))
    assert states(run) == {"answered": 8}
    assert len(server.requests) == 32


def test_a_lost_reply_counts_as_paid(serve_model, make_run):
    server = serve_model([Planned("R", sends=0), "R"])
    run = drain_here(make_run(server, 1, price="1"))
    call = run.calls.get()
    assert call.cost_nanos > 12_000
    assert run.spent_nanos == call.cost_nanos


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (error(401, "bad key"), "key"),
        (error(403, "not yours"), "key"),
        (error(429, "You exceeded your current quota", "insufficient_quota"), "quota"),
        (error(402, "pay first"), "quota"),
        (Planned(status=302, raw=b"", headers={"Location": "http://127.0.0.1:1/v1"}), "redirect"),
    ],
)
def test_what_only_a_person_can_put_right_pauses_the_run(serve_model, make_run, answer, reason, states):
    server = serve_model(answer)
    run = drain_here(make_run(server, 30))
    assert (run.state, run.reason) == (RunState.PAUSED, reason)
    assert len(server.requests) <= 8
    assert set(states(run)) <= {"waiting", "planned"}


def test_after_the_remedy_the_paused_run_goes_on(serve_model, make_run, states):
    server = serve_model(lambda request: error(401, "bad key") if request.number < 4 else "R")
    run = drain_here(make_run(server, 6))
    assert run.state == RunState.PAUSED
    runs.resume(run)
    assert states(drain_here(run)) == {"answered": 6}


def test_nobody_at_the_address_pauses_the_run(serve_model, make_run):
    with mock_server() as server:
        pass
    run = drain_here(make_run(server, 60))
    assert (run.state, run.reason) == (RunState.PAUSED, "unreachable")
    assert UNREACHABLE_AFTER <= sum(run.calls.values_list("times_sent", flat=True)) <= UNREACHABLE_AFTER + 8


def test_the_same_refusal_of_the_first_ten_stops_the_run(serve_model, make_run):
    server = serve_model(error(404, "no such model"))
    run = drain_here(make_run(server, 60))
    assert (run.state, run.reason) == (RunState.FAILED, "no_model")
    assert SAME_AT_START <= len(server.requests) <= SAME_AT_START + 8


def test_a_refusal_in_the_middle_stops_nothing(serve_model, make_run, states):
    server = serve_model(lambda request: error(400, "odd") if request.number >= 5 else "R")
    run = drain_here(make_run(server, 20))
    assert run.state == RunState.DONE
    assert states(run) == {"answered": 5, "failed": 15}


def test_a_content_filter_is_a_refusal(serve_model, make_run, states):
    run = drain_here(make_run(serve_model(error(400, "filtered", "content_filter")), 1))
    assert states(run) == {"refused": 1}


@pytest.mark.slow
def test_too_many_requests_uses_up_no_try_and_holds_everybody_back(serve_model, make_run, states):
    server = serve_model(lambda request: too_many(0.1) if request.number < 12 else "R")
    run = make_run(server, 6)
    run = drain_here(run)
    assert states(run) == {"answered": 6}
    assert max(run.calls.values_list("tries", flat=True)) == 1
    assert len(server.requests) == 18


@pytest.mark.slow
@pytest.mark.parametrize("told", ["0", "-5", "0.001", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_a_server_that_says_to_wait_no_time_is_not_asked_without_a_pause(told, serve_model, make_run, monkeypatch):
    monkeypatch.setattr(failures, "LEAST_LIMIT_DELAY", 60.0)
    server = serve_model(too_many(told))
    run = make_run(server, 1)
    plan_run(run, lambda: True)
    drain(run.pk, 0.5)
    assert len(server.requests) == 1
    assert Endpoint.objects.get().blocked_until > timezone.now() + timedelta(seconds=30)


def test_another_run_on_the_endpoint_waits_too(serve_model, make_run):
    server = serve_model("R")
    run = make_run(server, 3)
    Endpoint.objects.update(blocked_until=timezone.now() + timedelta(minutes=1))
    run.endpoint.refresh_from_db()
    plan_run(run, lambda: True)
    drain(run.pk, 0.2)
    assert server.requests == []
    Endpoint.objects.update(blocked_until=timezone.now())
    assert drain_here(run).state == RunState.DONE


def test_a_quarter_of_an_hour_without_a_success_pauses_the_run(serve_model, make_run):
    run = make_run(serve_model(too_many(0)), 3)
    Endpoint.objects.update(limited_since=timezone.now() - timedelta(minutes=16))
    run = drain_here(run)
    assert (run.state, run.reason) == (RunState.PAUSED, "limited")


@pytest.mark.parametrize("told", ["99999999", "1e400", "Wed, 21 Oct 2099 07:28:00 GMT"])
def test_a_server_that_says_to_wait_longer_than_that_pauses_it_at_once(told, serve_model, make_run):
    server = serve_model(too_many(told))
    run = drain_here(make_run(server, 3, max_concurrency=1))
    assert (run.state, run.reason) == (RunState.PAUSED, "limited")
    assert len(server.requests) == 1
    assert Endpoint.objects.get().blocked_until < timezone.now() + timedelta(minutes=16)


def test_whoever_lets_such_a_run_go_on_asks_at_once(serve_model, make_run):
    server = serve_model(lambda request: "R" if request.number else too_many(99999999))
    run = drain_here(make_run(server, 3, max_concurrency=1))
    assert runs.resume(run)
    run.endpoint.refresh_from_db()
    assert drain_here(run).state == RunState.DONE
    assert len(server.requests) == 4


def test_a_success_ends_the_time_of_limits(serve_model, make_run):
    run = drain_here(make_run(serve_model([too_many(0), "R"]), 1))
    assert Endpoint.objects.get(pk=run.endpoint_id).limited_since is None


def test_a_parameter_that_the_server_refuses_is_left_out_and_remembered(serve_model, make_run, states):
    def answer(request):
        if "max_tokens" in request.body:
            return error(
                400,
                "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.",
                "unsupported_parameter",
                "max_tokens",
            )
        if "temperature" in request.body:
            return error(400, "Unsupported value: 'temperature'", "unsupported_value", "temperature")
        return "R"

    server = serve_model(answer)
    run = drain_here(make_run(server, 12))
    assert states(run) == {"answered": 12}
    assert server.requests[-1].body.keys() == {"model", "messages", "max_completion_tokens"}
    endpoint = Endpoint.objects.get(pk=run.endpoint_id)
    assert endpoint.can("max_tokens_name") == "max_completion_tokens"
    assert endpoint.can("temperature") is False
    assert endpoint.can("seed") is None
    assert max(run.calls.values_list("tries", flat=True)) == 1


def test_hostile_characters_in_a_reply_are_stored(serve_model, make_run):
    raw = rb'{"choices": [{"message": {"content": "R\u0000\ud800"}, "finish_reason": "stop"}]}'
    run = drain_here(make_run(serve_model(Planned(raw=raw)), 1, params={"as_published": True}))
    assert run.calls.get().text == "R\ufffd?"
