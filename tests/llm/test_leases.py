"""Who holds what: leases, dead drainers, sweeps, several drainers, late replies."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from jobs.models import Worker
from llm.models import Call, Drainer, Run, RunState, Sweep, Unknown
from llm.replies import Reply
from llm.services import workers
from llm.services.draining import drain, drain_here
from llm.services.ledger import CallLedger
from llm.services.planning import plan_run, prepare_jobs
from llm.wire import Outcome

pytestmark = [pytest.mark.database, pytest.mark.django_db]


@pytest.fixture
def run_with_drainer(serve_model, make_run):
    """A run of ten planned calls that cost something, and a drainer at it."""
    run = make_run(serve_model("R"), 10, price="1")
    plan_run(run, lambda: True)
    run.refresh_from_db()
    return run, workers.register_drainer(run.pk)


def send(run, drainer, n):
    """Takes n calls and writes them down as sent, as a drainer does; then it says no more."""
    ledger = CallLedger(run, run.endpoint, drainer)
    jobs = prepare_jobs(run, run.endpoint, drainer, workers.lease_calls(run, drainer, n))
    return ledger, {job.call.pk: job for job in ledger.record([], {}, jobs)}


def die(drainer):
    Drainer.objects.filter(pk=drainer.pk).update(expires_at=timezone.now() - timedelta(seconds=1))


def answer(call_id, text="R"):
    return Outcome(call_id, 0.1, "{}", 200, Reply(text, "stop", "mock-1", 10, 1, None, False))


def test_calls_are_taken_in_the_order_of_the_plan_and_by_one_drainer_only(run_with_drainer):
    run, drainer = run_with_drainer
    assert [call.key for call in workers.lease_calls(run, drainer, 3)] == ["k0", "k1", "k2"]
    assert [call.key for call in workers.lease_calls(run, drainer, 3)] == ["k3", "k4", "k5"]


def test_leased_calls_of_a_dead_drainer_go_back_at_once(run_with_drainer, states):
    run, drainer = run_with_drainer
    workers.lease_calls(run, drainer, 4)
    die(drainer)
    assert workers.recover_dead_drainers() == 1
    assert states(run) == {"waiting": 4, "planned": 6}
    assert run.calls.filter(times_lost__gt=0).count() == 0
    another = workers.register_drainer(run.pk)
    assert [call.key for call in workers.lease_calls(run, another, 5)] == ["k0", "k1", "k2", "k3", "k4"]


def test_a_drainer_that_says_it_is_there_keeps_its_calls(run_with_drainer, states):
    run, drainer = run_with_drainer
    workers.lease_calls(run, drainer, 4)
    assert workers.renew_lease(drainer)
    assert workers.recover_dead_drainers() == 0
    assert states(run) == {"leased": 4, "planned": 6}


def test_sent_calls_of_a_dead_drainer_are_asked_again_and_counted_as_paid(run_with_drainer, states):
    run, drainer = run_with_drainer
    _ledger, out = send(run, drainer, 2)
    reserved = sum(job.reserve for job in out.values())
    die(drainer)
    workers.recover_dead_drainers()
    run.refresh_from_db()
    assert states(run) == {"waiting": 2, "planned": 8}
    assert run.spent_nanos == reserved == sum(run.calls.values_list("cost_nanos", flat=True)) > 0


def test_sent_calls_are_held_where_the_run_says_so(run_with_drainer, states):
    run, drainer = run_with_drainer
    Run.objects.update(on_unknown=Unknown.HOLD)
    send(run, drainer, 2)
    die(drainer)
    workers.recover_dead_drainers()
    run.refresh_from_db()
    assert states(run) == {"held": 2, "planned": 8}
    assert (run.state, run.reason) == (RunState.PAUSED, "held")


def test_a_call_lost_three_times_has_failed(run_with_drainer, states):
    run, drainer = run_with_drainer
    run.calls.update(times_lost=2)
    send(run, drainer, 1)
    die(drainer)
    workers.recover_dead_drainers()
    failed = run.calls.get(state="failed")
    assert (failed.error_class, failed.times_lost) == ("unknown", 3)


def test_a_late_reply_to_a_call_that_was_given_back_still_counts(run_with_drainer, states):
    run, drainer = run_with_drainer
    ledger, out = send(run, drainer, 1)
    die(drainer)
    workers.recover_dead_drainers()
    [call_id] = out
    ledger.record([answer(call_id)], out, [])
    call = run.calls.get(pk=call_id)
    assert (call.state, call.text) == ("replied", "R")
    run.refresh_from_db()
    assert run.spent_nanos == call.cost_nanos


def test_of_two_replies_to_one_call_the_first_counts_and_both_are_paid(run_with_drainer):
    run, drainer = run_with_drainer
    ledger, out = send(run, drainer, 1)
    die(drainer)
    workers.recover_dead_drainers()
    other = workers.register_drainer(run.pk)
    other_ledger, other_out = send(run, other, 1)
    [call_id] = out
    assert call_id in other_out
    other_ledger.record([answer(call_id, "F")], other_out, [])
    before = run.calls.get(pk=call_id).cost_nanos
    ledger.record([answer(call_id, "R")], out, [])
    call = run.calls.get(pk=call_id)
    assert call.text == "F"
    assert call.cost_nanos > before
    run.refresh_from_db()
    assert run.spent_nanos == call.cost_nanos


def test_a_drainer_thought_dead_sends_nothing_more(run_with_drainer):
    run, drainer = run_with_drainer
    ledger = CallLedger(run, run.endpoint, drainer)
    jobs = prepare_jobs(run, run.endpoint, drainer, workers.lease_calls(run, drainer, 2))
    die(drainer)
    workers.recover_dead_drainers()
    assert not workers.renew_lease(drainer)
    assert ledger.record([], {}, jobs) == []
    assert not ledger.may_go_on
    assert run.calls.filter(times_sent__gt=0).count() == 0


def test_a_second_drainer_finds_no_place_at_a_small_run(run_with_drainer):
    run, _drainer = run_with_drainer
    assert workers.register_drainer(run.pk) is None
    assert drain(run.pk) is False


def test_a_large_run_gets_a_drainer_for_each_worker(run_with_drainer, monkeypatch):
    run, _drainer = run_with_drainer
    for name in ("a", "b", "c"):
        Worker.objects.create(name=name, started_at=timezone.now(), last_seen=timezone.now())
    monkeypatch.setattr(workers, "CALLS_PER_DRAINER", 5)
    assert workers.register_drainer(run.pk) is not None
    assert workers.register_drainer(run.pk) is None


def test_drainers_share_what_the_endpoint_allows(run_with_drainer, monkeypatch):
    run, _drainer = run_with_drainer
    assert workers.get_concurrency_share(run.endpoint) == 4
    monkeypatch.setattr(workers, "count_useful_drainers", lambda run: 2)
    workers.register_drainer(run.pk)
    assert workers.get_concurrency_share(run.endpoint) == 2


def test_a_drainer_that_ends_leaves_nothing_behind(run_with_drainer, states):
    run, drainer = run_with_drainer
    workers.lease_calls(run, drainer, 4)
    workers.release_drainer(drainer)
    assert states(run) == {"waiting": 4, "planned": 6}
    assert not Drainer.objects.exists()


def test_of_many_workers_one_sweeps(run_with_drainer):
    assert workers.sweep()
    assert not workers.sweep()
    Sweep.objects.update(swept_at=timezone.now() - timedelta(seconds=31))
    assert workers.sweep()


def test_a_run_that_nobody_works_on_is_woken(run_with_drainer, messages_to_workers, django_capture_on_commit_callbacks):
    run, drainer = run_with_drainer
    with django_capture_on_commit_callbacks(execute=True):
        workers.check_runs()
    assert messages_to_workers == []
    die(drainer)
    with django_capture_on_commit_callbacks(execute=True):
        workers.check_runs()
    assert messages_to_workers == [run.pk]


def test_a_run_held_back_by_its_endpoint_is_not_woken(run_with_drainer):
    run, drainer = run_with_drainer
    die(drainer)
    run.endpoint.blocked_until = timezone.now() + timedelta(minutes=1)
    run.endpoint.save()
    assert workers.find_neglected_runs() == []


def test_a_run_with_nothing_open_is_finished_by_the_sweep(run_with_drainer):
    run, drainer = run_with_drainer
    run.calls.update(state="answered")
    die(drainer)
    workers.check_runs()
    run.refresh_from_db()
    assert run.state == RunState.DONE


def test_a_planner_that_died_is_replaced(serve_model, make_run):
    run = make_run(serve_model("R"), 210, max_concurrency=64)
    drainer = workers.register_drainer(run.pk)
    plan_run(run, lambda: False)
    die(drainer)
    assert drain_here(run).state == RunState.DONE
    assert run.calls.count() == 210


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL reads an empty table without an index")
def test_an_answer_of_the_same_content_is_found_by_an_index(run_with_drainer):
    assert "calls_of_a_content" in Call.objects.filter(content_key__in=["a", "b"]).order_by().explain()
