"""What an endpoint may be asked: calls at a time, per minute, by whom; shared by all who ask it."""

from bisect import bisect_left
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from llm.failures import Failure, Problem
from llm.models import Endpoint, RunState
from llm.replies import Reply
from llm.services import pace, runs, workers
from llm.services.draining import drain, drain_here
from llm.services.ledger import CallLedger
from llm.services.planning import estimate, plan_run, prepare_jobs
from llm.wire import Outcome
from projects.models import Project
from tests.mock_server import Planned, error, too_many

START = datetime(2024, 5, 1, 12, tzinfo=UTC)
GOOD = Outcome(1, 0.1, "{}", 200, Reply("R", "stop", "m", 1, 1, None, False))
LIMITED = Outcome(1, 0.1, "{}", 429, None, Problem(Failure.LIMIT, "too many", 429))


def list_send_times(endpoint, sizes, seconds=400):
    """Asks every tenth of a second; when each request left, in seconds."""
    sent = []
    for tenth in range(10 * seconds):
        now = START + timedelta(seconds=tenth / 10)
        sent += [tenth / 10] * pace.admit(endpoint, sizes[len(sent) :], now)
    return sent


def count_in_fullest_minute(sent):
    """`sent` is in order."""
    return max(bisect_left(sent, first + 60) - bisect_left(sent, first) for first in sent)


@pytest.mark.parametrize("limit", [1, 7, 60, 600])
def test_no_minute_holds_more_requests_than_allowed_and_nearly_all_of_them(limit):
    sent = list_send_times(Endpoint(requests_per_minute=limit), [10] * 4000)
    most = count_in_fullest_minute(sent)
    assert 0.9 * limit <= most <= limit


def test_tokens_per_minute_are_kept_too():
    sent = list_send_times(Endpoint(tokens_per_minute=6000), [100] * 4000)
    most = count_in_fullest_minute(sent)
    assert 54 <= most <= 60


def test_a_request_larger_than_the_minute_leaves_and_the_next_waits():
    endpoint = Endpoint(tokens_per_minute=1000)
    assert pace.admit(endpoint, [5000, 1], START) == 1
    assert pace.get_next_free_time(endpoint, START) == START + timedelta(seconds=5 * 62 - 2)


def test_a_limit_that_is_taken_away_holds_nobody_back():
    endpoint = Endpoint(requests_per_minute=1)
    pace.admit(endpoint, [1], START)
    endpoint.requests_per_minute = None
    assert pace.admit(endpoint, [1, 1], START) == 2


def test_one_burst_of_limits_is_one_step_down():
    mine = pace.Pace(10)
    mine.observe([LIMITED] * 5, 10)
    assert mine.limit == 8
    mine.observe([LIMITED] * 5, 5)
    assert mine.limit == 8
    mine.observe([LIMITED], 8)
    assert mine.limit == 6


def test_each_full_round_without_a_limit_is_one_step_up():
    mine = pace.Pace(10, start=4)
    mine.observe([GOOD] * 5, 5)
    assert mine.limit == 5
    mine.observe([GOOD] * 100, 100)
    assert mine.limit == 10


@pytest.mark.database
@pytest.mark.django_db
class TestShared:
    def test_all_drainers_of_an_endpoint_share_its_minute(self, serve_model, make_run):
        runs_ = [make_run(serve_model("R"), 40, max_concurrency=40) for _ in range(2)]
        Endpoint.objects.update(requests_per_minute=310)
        left = []
        for run in runs_:
            plan_run(run, lambda: True)
            run.refresh_from_db()
            run.endpoint.refresh_from_db()
            drainer = workers.register_drainer(run.pk)
            ledger = CallLedger(run, run.endpoint, drainer)
            left.append(
                len(
                    ledger.record(
                        [], {}, prepare_jobs(run, run.endpoint, drainer, workers.lease_calls(run, drainer, 40))
                    )
                )
            )
            assert ledger.is_paced
        assert 10 <= left[0] <= 12  # two seconds of 310 a minute, and the first
        assert left[1] <= 2

    def test_what_one_drainer_was_told_to_wait_holds_the_others_back_at_once(self, serve_model, make_run, states):
        run = make_run(serve_model("R"), 4)
        plan_run(run, lambda: True)
        run.refresh_from_db()
        drainer = workers.register_drainer(run.pk)
        ledger = CallLedger(run, run.endpoint, drainer)
        jobs = prepare_jobs(run, run.endpoint, drainer, workers.lease_calls(run, drainer, 4))
        Endpoint.objects.update(blocked_until=timezone.now() + timedelta(minutes=1))
        assert ledger.record([], {}, jobs) == []
        assert states(run) == {"leased": 4}
        Endpoint.objects.update(blocked_until=timezone.now())
        assert len(ledger.record([], {}, jobs)) == 4

    def test_calls_beyond_the_minute_wait_and_use_up_no_try(self, serve_model, make_run, states):
        server = serve_model("R")
        run = make_run(server, 10)
        Endpoint.objects.update(requests_per_minute=120)
        drain(run.pk, 0.5)
        assert 4 <= len(server.requests) <= 7
        assert states(run)["answered"] == len(server.requests)
        assert set(run.calls.values_list("tries", "error_class")) == {(1, ""), (0, "")}

    def test_what_the_server_bears_is_told_to_the_next_drainer(self, serve_model, make_run):
        run = make_run(serve_model("R"), 1)
        mine = pace.Pace(4, start=2)
        pace.store_limit(run.endpoint, mine, n_drainers=1)
        run.endpoint.refresh_from_db()
        assert run.endpoint.concurrency_now == 2
        assert pace.get_starting_limit(run.endpoint, n_drainers=1) == 2
        mine.observe([GOOD] * 20, 20)
        pace.store_limit(run.endpoint, mine, n_drainers=1)
        run.endpoint.refresh_from_db()
        assert run.endpoint.concurrency_now is None

    def test_in_a_storm_of_limits_no_call_is_lost_and_none_fails(self, serve_model, make_run, states):
        server = serve_model(lambda request: too_many(0) if request.number % 3 and request.number < 60 else "R")
        run = drain_here(make_run(server, 50, max_concurrency=16))
        assert states(run) == {"answered": 50}
        assert len(server.requests) == 50 + 40
        assert set(run.calls.values_list("tries", flat=True)) == {1}

    def test_a_503_that_says_when_to_come_back_uses_up_no_try(self, serve_model, make_run, states):
        away = error(503, "overloaded", Retry_After="0")
        run = drain_here(make_run(serve_model(lambda request: away if request.number < 20 else "R"), 2))
        assert states(run) == {"answered": 2}
        assert set(run.calls.values_list("tries", flat=True)) == {1}

    def test_a_server_that_asks_to_wait_beyond_the_quarter_of_an_hour_pauses_the_run(self, serve_model, make_run):
        run = make_run(serve_model("R"), 1)
        now = timezone.now()
        Endpoint.objects.update(limited_since=now - timedelta(minutes=16), blocked_until=now + timedelta(minutes=5))
        assert workers.pause_blocked_runs() == 1
        run.refresh_from_db()
        assert (run.state, run.reason) == (RunState.PAUSED, "limited")

    def test_with_half_the_estimate_as_budget_the_run_stops_at_it(self, serve_model, make_run):
        server = serve_model(Planned("R", usage=False), latency=0.02)
        run = make_run(server, 60, price="10", max_concurrency=16)
        found = estimate(run)
        runs.set_budget(run, Decimal(found.cost_nanos) / 2 / 10**9)
        run = drain_here(run)
        assert (run.state, run.reason) == (RunState.PAUSED, "budget")
        assert 0 < run.spent_nanos <= run.budget_nanos
        assert run.calls.filter(state="sent").count() == 0

    def test_an_endpoint_for_some_projects_starts_no_run_of_another(self, serve_model, make_run, project):
        run = make_run(serve_model("R"), 1)
        other = Project.objects.create(slug="other", title="Other")
        run.endpoint.projects.set([other])
        assert list(Endpoint.objects.available_to(other)) == [run.endpoint]
        assert list(Endpoint.objects.available_to(project)) == []
        with pytest.raises(runs.CannotStart, match="not offered"):
            make_run(serve_model("R"), 1)

    def test_an_endpoint_without_projects_is_offered_to_all(self, serve_model, make_run, project):
        run = make_run(serve_model("R"), 1)
        assert list(Endpoint.objects.available_to(project)) == [run.endpoint]
