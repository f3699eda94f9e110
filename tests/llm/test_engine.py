"""A run from its plan to its end: plan, ledger, cache, follow-ups, pause, cancel, budget."""

from decimal import Decimal

import pytest
from django.db.models import Sum

from llm.models import Call, Run, RunState
from llm.services import runs, workers
from llm.services.draining import drain, drain_here
from llm.services.planning import estimate, plan_run
from llm.services.reading import find_unread, read_replies, reread_replies
from tests.mock_server import Planned, label

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def test_every_planned_call_is_answered_once(serve_model, make_run, toy, states):
    server = serve_model("R")
    run = drain_here(make_run(server, 20))
    assert run.state == RunState.DONE
    assert states(run) == {"answered": 20}
    assert sorted(server.prompts) == sorted(f"Is k{number} right?" for number in range(20))
    assert sorted(toy.read_keys) == sorted(f"k{number}" for number in range(20))


def test_a_call_keeps_what_was_sent_and_what_came_back(serve_model, make_run):
    run = drain_here(make_run(serve_model(label("R", "F", 0.75)), 1, price="2"))
    call = run.calls.get()
    assert call.messages == [{"role": "user", "content": "Is k0 right?"}]
    assert call.params == {"max_tokens": 10, "temperature": 0}
    assert call.parsed == {"label": "R"}
    assert '"finish_reason": "stop"' in call.raw_reply
    assert call.returned_model == "mock-1"
    assert call.logprobs[0][0] == "R"
    assert (call.tokens_in, call.tokens_out, call.cost_nanos) == (9, 2, 22_000)
    assert call.sent_at < call.finished_at


def test_only_the_planned_messages_and_parameters_are_sent(serve_model, make_run):
    server = serve_model("R")
    drain_here(make_run(server, 1))
    assert server.requests[0].body == {
        "model": "mock-1", "messages": [{"role": "user", "content": "Is k0 right?"}], "max_tokens": 10,
        "temperature": 0,
    }  # fmt: skip
    assert server.requests[0].path == "/v1/chat/completions"


def test_no_more_calls_at_a_time_than_the_endpoint_allows(serve_model, make_run):
    server = serve_model("R", latency=0.03)
    drain_here(make_run(server, 30, max_concurrency=5))
    assert server.most_at_once == 5


def test_planning_again_goes_on_where_it_ended_and_changes_nothing(serve_model, make_run, toy):
    run = make_run(serve_model(), 500)
    assert not plan_run(run, lambda: False)
    n = run.calls.count()
    assert 0 < n < 500
    run.refresh_from_db()
    assert (run.state, run.is_planned) == (RunState.PLANNING, False)
    assert plan_run(run, lambda: True)
    assert plan_run(run, lambda: True)
    assert list(run.calls.values_list("position", "key")) == [(place, f"k{place}") for place in range(500)]


def test_no_call_leaves_before_the_plan_is_complete(serve_model, make_run):
    server = serve_model("R")
    run = make_run(server, 500)
    plan_run(run, lambda: False)
    drainer = workers.register_drainer(run.pk)
    assert workers.lease_calls(run, drainer, 10) == []


def test_a_prompt_that_cannot_be_made_is_a_failed_call_with_its_reason(serve_model, make_run):
    run = drain_here(make_run(serve_model("R"), keys=["k0", "no prompt", "k1"]))
    assert run.state == RunState.DONE
    failed = run.calls.get(state="failed")
    assert (failed.key, failed.error_class, failed.error) == ("no prompt", "prompt", "There is nothing to ask about.")


def test_a_prompt_that_changed_after_planning_is_not_sent(serve_model, make_run, states):
    server = serve_model("R")
    run = make_run(server, 2)
    plan_run(run, lambda: True)
    Run.objects.filter(pk=run.pk).update(params={"keys": ["k0", "k1"], "words": {"k1": "Something else?"}})
    run = drain_here(run)
    assert states(run) == {"answered": 1, "failed": 1}
    assert run.calls.get(state="failed").error_class == "changed"
    assert server.prompts == ["Is k0 right?"]


# The cache ------------------------------------------------------------------------------------------------------------


def test_a_stored_answer_is_never_paid_again(serve_model, make_run, states, toy):
    server = serve_model("R")
    drain_here(make_run(server, 5, price="1"))
    run = drain_here(make_run(server, 8, price="1"))
    assert states(run) == {"cached": 5, "answered": 3}
    assert len(server.requests) == 8
    assert run.calls.filter(state="cached").aggregate(n=Sum("cost_nanos"))["n"] == 0
    assert set(run.calls.filter(state="cached").values_list("text", flat=True)) == {"R"}
    assert len(toy.read_keys) == 13


@pytest.mark.slow
def test_equal_contents_in_one_run_are_asked_once(serve_model, make_run, states):
    server = serve_model("R", latency=0.05)
    words = {f"k{number}": "The same question?" for number in range(6)}
    run = drain_here(make_run(server, 6, params={"words": words}))
    assert len(server.requests) == 1
    assert states(run) == {"answered": 1, "cached": 5}


def test_another_sample_is_another_call(serve_model, make_run):
    server = serve_model("R")
    drain_here(make_run(server, 2, params={"samples": 3}))
    assert len(server.requests) == 6


def test_other_projects_do_not_share_answers(serve_model, make_run, project, stranger):
    server = serve_model("R")
    first = drain_here(make_run(server, 1))
    other = stranger.memberships.get().project
    second = runs.create_run(
        project=other, kind="toy", endpoint=first.endpoint, label="other", params={"keys": ["k0"]}
    )  # fmt: skip
    drain_here(second)
    assert len(server.requests) == 2


def test_another_parameter_or_model_is_another_content(serve_model, make_run):
    server = serve_model("R")
    drain_here(make_run(server, 1))
    drain_here(make_run(server, 1, params={"request": {"max_tokens": 11}}))
    drain_here(make_run(server, 1, model="mock-2"))
    assert len(server.requests) == 3


# Replies without an answer --------------------------------------------------------------------------------------------


def test_an_unparsable_reply_is_asked_about_once_and_kept(serve_model, make_run, states):
    server = serve_model(["Who can say.", "R"])
    run = drain_here(make_run(server, 1))
    assert states(run) == {"rejected": 1, "answered": 1}
    first, second = run.calls.order_by("turn")
    assert (first.text, first.error_class) == ("Who can say.", "parse")
    assert (second.follows, second.text) == (first, "R")
    assert [message["content"] for message in server.requests[1].body["messages"]] == [
        "Is k0 right?",
        "Who can say.",
        "One letter!",
    ]


def test_after_one_reprompt_the_call_has_failed(serve_model, make_run, states):
    server = serve_model("Who can say.")
    run = drain_here(make_run(server, 1))
    assert len(server.requests) == 2
    assert states(run) == {"rejected": 1, "failed": 1}
    assert run.state == RunState.DONE
    assert run.calls.get(state="failed").text == "Who can say."


def test_a_study_as_published_asks_no_second_time(serve_model, make_run, states):
    server = serve_model("Who can say.")
    run = drain_here(make_run(server, 1, params={"as_published": True}))
    assert len(server.requests) == 1
    assert states(run) == {"failed": 1}


def test_a_reply_cut_off_is_asked_again_with_twice_the_tokens(serve_model, make_run, states):
    server = serve_model([Planned("Well, let me think", finish_reason="length"), "R"])
    run = drain_here(make_run(server, 1))
    assert [request.body["max_tokens"] for request in server.requests] == [10, 20]
    assert states(run) == {"rejected": 1, "answered": 1}


def test_an_empty_reply_is_asked_again_once(serve_model, make_run):
    server = serve_model(Planned(""))
    run = drain_here(make_run(server, 1))
    assert len(server.requests) == 2
    assert run.calls.get(state="failed").error_class == "empty"


def test_a_reply_of_no_use_leads_to_the_next_sample(serve_model, make_run, states):
    run = drain_here(make_run(serve_model(["wrong language", "R"]), 1))
    assert states(run) == {"rejected": 1, "answered": 1}
    assert list(run.calls.values_list("sample", "state")) == [(0, "rejected"), (1, "answered")]


def test_a_refusal_is_final_and_no_answer(serve_model, make_run, states):
    server = serve_model(Planned(refusal="I will not say."))
    run = drain_here(make_run(server, 1))
    assert len(server.requests) == 1
    assert states(run) == {"refused": 1}
    assert run.calls.get().text == "I will not say."


def test_an_error_of_the_run_kind_fails_one_call_and_keeps_its_reply(serve_model, make_run, states):
    run = drain_here(make_run(serve_model(["broken", "R"]), 2, max_concurrency=1))
    assert states(run) == {"failed": 1, "answered": 1}
    assert run.calls.get(state="failed").error_class == "reading"


def test_reading_again_asks_and_pays_nothing(serve_model, make_run, toy, states):
    server = serve_model("R")
    run = drain_here(make_run(server, 3))
    toy.read_keys.clear()
    assert reread_replies(run) == 3
    run = drain_here(run)
    assert sorted(toy.read_keys) == ["k0", "k1", "k2"]
    assert len(server.requests) == 3
    assert states(run) == {"answered": 3}


def test_a_reply_that_was_stored_and_not_read_is_read_by_the_next_drainer(serve_model, make_run, toy, states):
    server = serve_model("R")
    run = drain_here(make_run(server, 1))
    run.calls.update(state="replied", parsed=None)
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING)
    toy.read_keys.clear()
    drain(run.pk)
    assert toy.read_keys == ["k0"]
    assert states(run) == {"answered": 1}
    assert len(server.requests) == 1


def test_reading_twice_changes_nothing(serve_model, make_run):
    run = drain_here(make_run(serve_model("R"), 1))
    run.calls.update(state="replied")
    calls = find_unread(run, 5)
    read_replies(run, calls)
    read_replies(run, calls)
    assert run.calls.get().state == "answered"


# People act -----------------------------------------------------------------------------------------------------------


def test_a_cancelled_run_sends_nothing_more_and_keeps_what_it_has(serve_model, make_run, toy):
    server = serve_model("R")
    run = make_run(server, 40)
    read = toy.read
    toy.read = lambda run, call: (len(toy.read_keys) == 3 and runs.cancel(run), read(run, call))[1]
    done = drain_here(run)
    assert done.state == RunState.CANCELLED
    assert len(server.requests) < 40
    assert done.calls.filter(state="answered").count() == len(server.requests)
    assert not runs.resume(done)


def test_a_paused_run_goes_on_when_it_is_resumed(serve_model, make_run, states):
    server = serve_model("R")
    run = make_run(server, 4)
    plan_run(run, lambda: True)
    assert runs.pause(run, "user")
    assert drain_here(run).state == RunState.PAUSED
    assert server.requests == []
    run.refresh_from_db()
    assert runs.resume(run)
    assert drain_here(run).state == RunState.DONE


def test_acts_on_a_run_that_is_over_change_nothing(serve_model, make_run):
    run = drain_here(make_run(serve_model("R"), 1))
    assert not runs.pause(run, "user")
    assert not runs.cancel(run)
    assert not runs.resume(run)
    assert runs.retry_failed(run) == 0


def test_retrying_asks_only_for_what_failed(serve_model, make_run, states):
    server = serve_model(lambda request: Planned(status=400, error={"message": "odd"}) if request.number == 1 else "R")
    run = drain_here(make_run(server, 5, max_concurrency=1))
    assert states(run) == {"answered": 4, "failed": 1}
    assert runs.retry_failed(run) == 1
    run = drain_here(run)
    assert states(run) == {"answered": 5}
    assert len(server.requests) == 6


# Money ----------------------------------------------------------------------------------------------------------------


def test_what_was_spent_is_the_sum_over_the_calls(serve_model, make_run):
    run = drain_here(make_run(serve_model("R"), 7, price="0.1505"))
    assert run.spent_nanos == run.calls.aggregate(n=Sum("cost_nanos"))["n"] == 7 * 1_656


def test_over_the_budget_the_run_pauses_and_never_spends_more(serve_model, make_run):
    server = serve_model("R")
    run = drain_here(make_run(server, 30, price="10", budget=Decimal("0.0015")))
    assert (run.state, run.reason) == (RunState.PAUSED, "budget")
    assert 0 < run.spent_nanos <= run.budget_nanos
    runs.set_budget(run, Decimal("1"))
    runs.resume(run)
    assert drain_here(run).state == RunState.DONE
    assert len(server.requests) == 30


def test_a_budget_without_a_price_is_refused(serve_model, make_run):
    with pytest.raises(runs.CannotStart, match="no price"):
        make_run(serve_model("R"), 1, budget=Decimal("1"))


def test_an_estimate_writes_nothing_and_knows_what_is_stored(serve_model, make_run):
    server = serve_model("R")
    first = drain_here(make_run(server, 3, price="1"))
    n_calls, n_runs = Call.objects.count(), Run.objects.count()
    walked = estimate(
        Run(project=first.project, kind="toy", endpoint=first.endpoint, params={"keys": ["k0", "k1", "new"]})
    )
    assert (walked.n_calls, walked.n_known) == (3, 2)
    assert walked.tokens_out == 10
    assert walked.cost_nanos > 0
    assert (Call.objects.count(), Run.objects.count()) == (n_calls, n_runs)


def test_an_estimate_without_a_price_says_so(serve_model, make_run):
    run = make_run(serve_model("R"), 3)
    assert estimate(run).cost_nanos is None


def test_a_model_renamed_at_the_endpoint_is_not_mixed_into_a_run(serve_model, make_run):
    server = serve_model("R")
    run = make_run(server, 2)
    run.endpoint.model = "other"
    run.endpoint.save()
    run = drain_here(run)
    assert run.state == RunState.PAUSED
    assert "other" in run.reason
    assert server.requests == []


def test_a_reply_is_stored_with_its_trace_and_read_without(serve_model, make_run):
    server = serve_model("<think>F or R?</think>R")
    run = drain_here(make_run(server, 1))
    call = run.calls.get()
    assert (call.text, call.answer) == ("<think>F or R?</think>R", "R")
    assert "<think>" in call.raw_reply
